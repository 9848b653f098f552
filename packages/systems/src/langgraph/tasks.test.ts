import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, test } from 'vitest';
import type { CheckpointShape } from './shape.ts';
import { nodesOfTasks, unfinishedNodes } from './tasks.ts';

const ID = '1f1e5b11-9955-6ec6-8001-97e23f19d57e';
const place = { ns: '', id: ID, step: 1 };

function sends(count: number): CheckpointShape {
  return {
    version: 4,
    channelValues: { __pregel_tasks: Array.from({ length: count }, (_, n) => ({ node: 'worker', arg: n })) },
    channelVersions: { __pregel_tasks: '00000000000000000000000000000003.0.5' },
    versionsSeen: {},
  };
}

describe('the tasks of a step', () => {
  test('a task of LangGraph for Python is known by its id, as its store has it', () => {
    // From the thread `node-error` of the fixture.
    const shape: CheckpointShape = {
      version: 4,
      channelValues: { 'branch:to:fetch_bad': null, 'branch:to:fetch_ok': null },
      channelVersions: {
        'branch:to:fetch_bad': '00000000000000000000000000000003.0.1',
        'branch:to:fetch_ok': '00000000000000000000000000000003.0.1',
      },
      versionsSeen: {},
    };
    const ids = ['4480192e-0415-d6f6-f304-e52afbdb2d00', 'c89b9d96-2811-6b57-7e4e-c0b0ad5d50a9'];
    const nodes = nodesOfTasks(shape, place, ids);
    expect(ids.map((id) => nodes.get(id)?.node)).toEqual(['fetch_ok', 'fetch_bad']);
    expect(unfinishedNodes(shape, place, new Set(ids.slice(0, 1)))).toEqual(['fetch_bad']);
    expect(nodesOfTasks(shape, { ...place, step: 2 }, ids).size).toBe(0);
  });

  test('a node that two channels trigger is one task', () => {
    const version = '00000000000000000000000000000003.0.1';
    const shape: CheckpointShape = {
      version: 4,
      channelValues: { 'branch:to:join': null, 'join:a+b:join': ['a', 'b'] },
      channelVersions: { 'branch:to:join': version, 'join:a+b:join': version },
      versionsSeen: {},
    };
    const some = ['11111111-1111-1111-1111-111111111111'];
    expect(nodesOfTasks(shape, place, some).get(some[0] ?? '')?.node).toBe('join');
    expect(unfinishedNodes(shape, place, new Set(some))).toEqual([]);
  });

  test('many sends cost as many looks, not each with each', () => {
    const shapes = new Map([250, 4_000].map((count) => [count, sends(count)]));
    const ids = Array.from({ length: 2_000 }, (_, n) => `00000000-0000-0000-0001-${String(n).padStart(12, '0')}`);
    expect(
      growth((count) => unfinishedNodes(shapes.get(count) ?? sends(count), place, new Set(ids)), 4_000),
    ).toBeLessThan(LINEAR);
  });
});

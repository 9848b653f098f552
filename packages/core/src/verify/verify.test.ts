import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckpointSource } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { MemoryStore } from '../memory.ts';
import type { CheckpointRef } from '../model.ts';
import { verifySource } from './verify.ts';

let store: MemoryStore;

beforeEach(async () => {
  store = new MemoryStore({ maxPerTask: 3 });
  for (let step = 1; step <= 3; step++) {
    const parent = step === 1 ? {} : { parent: { task: 'run', id: `c${step - 1}` } };
    await store.save({ task: 'run', id: `c${step}`, text: `{"step":${step}}`, ...parent });
  }
});

/** The store with one answer of another kind. */
const withState = (state: (ref: CheckpointRef) => ReturnType<CheckpointSource['state']>): CheckpointSource => ({
  info: store.info,
  tasks: (query) => store.tasks(query),
  checkpoints: (task, query) => store.checkpoints(task, query),
  lineage: (task) => store.lineage(task),
  meta: (ref) => store.meta(ref),
  raw: (ref) => store.raw(ref),
  latest: (task) => store.latest(task),
  find: (id) => store.find(id),
  state,
});

describe('verifying a store', () => {
  it('counts what was read, and finds nothing in a sound one', async () => {
    expect(await verifySource(store)).toMatchObject({
      tasks: 1,
      checkpoints: 3,
      read: 3,
      damaged: 0,
      stateBytes: 30,
      findings: [],
    });
  });

  it('names every state that cannot be read, is not JSON, or does not match its hash', async () => {
    const good = async (ref: CheckpointRef) => store.state(ref);
    const bad: Record<string, () => ReturnType<CheckpointSource['state']>> = {
      c1: async () => Promise.reject(new InspectorError('unreadable', 'The row is cut off.')),
      c2: async () => ({ text: '{"step":', revision: 'x' }),
      c3: async () => {
        const state = await good({ task: 'run', id: 'c3' });
        return state && { ...state, text: '{"step":4}' };
      },
    };
    const report = await verifySource(withState((ref) => bad[ref.id]?.() ?? good(ref)));
    expect(report).toMatchObject({ checkpoints: 3, read: 0, damaged: 3 });
    expect(report.findings.map(({ ref, message }) => [ref?.id, message])).toEqual([
      ['c3', 'Its state does not match its hash.'],
      ['c2', expect.stringContaining('JSON')],
      ['c1', 'The row is cut off.'],
    ]);
  });

  it('does not call damaged what is locked or of another format', async () => {
    const codes = { c1: 'locked', c2: 'unsupported', c3: 'unsupported_version' } as const;
    const report = await verifySource(
      withState(async ({ id }) => Promise.reject(new InspectorError(codes[id as 'c1'], 'closed'))),
    );
    expect(report).toMatchObject({ damaged: 0, locked: 1, notRead: 2, read: 0 });
  });

  it.each(['busy', 'no_store', 'changed', 'disk_full', 'not_found', 'too_large'] as const)(
    'does not call damaged what could not be read because of "%s"',
    async (code) => {
      const report = await verifySource(withState(async () => Promise.reject(new InspectorError(code, 'Not now.'))));
      expect(report).toMatchObject({ checkpoints: 3, damaged: 0, locked: 0, notRead: 3, read: 0 });
      expect(new Set(report.findings.map(({ kind }) => kind))).toEqual(new Set(['not-read']));
    },
  );

  it('does not call a task damaged whose list another process holds', async () => {
    const checkpoints = async () => Promise.reject(new InspectorError('busy', 'Another process holds it.'));
    const report = await verifySource({ ...withState((ref) => store.state(ref)), checkpoints });
    expect(report).toMatchObject({ tasks: 1, checkpoints: 0, damaged: 0, notRead: 1 });
  });

  it('reports parents that are gone, which is what a limit does', async () => {
    await store.save({ task: 'run', id: 'c4', text: '{}', parent: { task: 'run', id: 'c3' } });
    const report = await verifySource(store);
    expect(report).toMatchObject({ damaged: 0, parentsMissing: 1 });
    expect(report.findings).toMatchObject([{ ref: { id: 'c2' }, kind: 'parent-missing' }]);
  });

  it('reports a latest that leads nowhere', async () => {
    const source = {
      ...withState((ref) => store.state(ref)),
      latest: async () => ({ ref: { task: 'run', id: 'gone' }, basis: 'rule' as const }),
    };
    expect(await verifySource(source)).toMatchObject({ damaged: 1 });
  });
});

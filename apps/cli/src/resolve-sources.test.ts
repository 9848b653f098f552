import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import { resolveCheckpoint, resolveTask, taskFilter } from './resolve.ts';
import { openWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const FIXTURE = resolve(import.meta.dirname, '../../../packages/systems/src/langgraph/fixtures/js.sqlite');
let folder: string;
let workspace: Workspace;
let notes: string[];
let asked: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'resolve-'));
  notes = [];
  asked = 0;
  const options = { readOnly: true, mayBeEmpty: true, journalFolder: join(folder, 'state') };
  workspace = await openWorkspace([], options, { json: false, note: (text) => notes.push(text) });
});
afterEach(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A store whose every question is answered with this error. */
function failing(id: string, code: 'busy' | 'unreadable'): CheckpointSource {
  const store = new MemoryStore({ id: storeId(id) });
  const fail = () => {
    asked += 1;
    throw new InspectorError(code, `${id} does not answer.`);
  };
  const lineage = async function* () {
    yield await Promise.resolve().then(fail);
  };
  const failed = async () => Promise.resolve().then(fail);
  return {
    info: store.info,
    tasks: failed,
    checkpoints: failed,
    lineage,
    state: failed,
    meta: failed,
    latest: failed,
    find: failed,
  };
}

async function good(id: string): Promise<CheckpointSource> {
  const store = new MemoryStore({ id: storeId(id) });
  for (const name of ['alpha-2', 'alpha-1']) await store.save({ task: 'run', id: name, text: '{}' });
  return store;
}

describe('the latest of a task of which nothing can be read', () => {
  it.each([
    ['unreadable', '`list` shows the reason for each of them.'],
    ['locked', 'Unlock the store with its key, or wait until the other process closes it.'],
  ] as const)('is refused as %s', async (code, remedy) => {
    const store = new MemoryStore({ id: storeId('torn') });
    await store.save({ task: 'run', id: 'c1', text: '{}' });
    const all = store.checkpoints.bind(store);
    const checkpoints: CheckpointSource['checkpoints'] = async (task) => {
      const { items } = await all(task);
      return { items: items.map((row) => ({ ...row, problem: { code, message: 'It is torn.' } })) };
    };
    const latest = async () => ({ basis: 'none' as const });
    workspace.stores.add(Object.assign(store, { checkpoints, latest }));
    for (const name of ['run/latest', 'torn/run/latest', 'run/latest~1']) {
      await expect(resolveCheckpoint(workspace, name, {})).rejects.toMatchObject({
        code,
        message: 'None of the checkpoints of "run" can be read.',
        remedy,
      });
    }
    await expect(resolveCheckpoint(workspace, 'none/latest', {})).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a store that does not answer', () => {
  beforeEach(async () => {
    workspace.stores.add(failing('stuck', 'busy'));
    workspace.stores.add(await good('good'));
  });

  it.each(['alpha-1', 'alph…-1', 'run/latest', 'good/run/latest', 'latest', 'good/run/alpha-1'])(
    'does not keep anyone from %s of another store',
    async (name) => {
      const { source, ref } = await resolveCheckpoint(workspace, name, {});
      expect([source.info.id, ref.id]).toEqual(['good', 'alpha-1']);
      expect(notes).toEqual([expect.stringMatching(/^note: .*stuck does not answer\..*Try again/)]);
    },
  );

  it('does not keep anyone from a task of another store', async () => {
    expect((await resolveTask(workspace, 'run')).source.info.id).toBe('good');
    expect(await taskFilter(workspace, 'run')).toEqual({ task: 'run' });
  });

  it('is named once, and asked once', async () => {
    await resolveCheckpoint(workspace, 'alpha-1', {});
    await resolveCheckpoint(workspace, 'alph…-2', {});
    await resolveTask(workspace, 'run');
    expect(notes).toHaveLength(1);
    expect(asked).toBe(1);
  });

  it('is the reason where nothing was found', async () => {
    await expect(resolveCheckpoint(workspace, 'none', {})).rejects.toMatchObject({ code: 'busy' });
    await expect(resolveCheckpoint(workspace, 'none/latest', {})).rejects.toMatchObject({ code: 'busy' });
    await expect(resolveTask(workspace, 'none')).rejects.toMatchObject({ code: 'busy' });
    expect(notes).toEqual([]);
  });

  it('still lets a name be ambiguous', async () => {
    await expect(resolveCheckpoint(workspace, 'alpha', {})).rejects.toMatchObject({ code: 'ambiguous_id' });
  });
});

describe('the latest of a namespace', () => {
  it('is the newest checkpoint of that namespace, where the latest of the task is in another', async () => {
    const path = join(folder, 'checkpoints.sqlite');
    cpSync(FIXTURE, path);
    await workspace.stores.open(path);
    const ns = 'research:446bf824-a94b-52e8-8859-addc0ebc87d9';
    const task = 'subgraph-waiting';
    const { ref } = await resolveCheckpoint(workspace, 'latest', { task, ns });
    expect(ref).toEqual({ task, namespace: ns, id: '1f1e5add-7478-6ed0-8001-ceb5cafab465' });
    expect((await resolveCheckpoint(workspace, 'latest', { task, ns: '' })).ref).toEqual({
      task,
      id: '1f1e5add-7471-69a0-8001-bed5e173dd12',
    });
    await expect(resolveCheckpoint(workspace, 'latest', { task, ns: 'none' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

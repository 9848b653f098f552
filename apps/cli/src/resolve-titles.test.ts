import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MemoryStore, storeId } from '@checkpoint-inspector/core';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import { printable } from './output.ts';
import { resolveCheckpoint, resolveTask, taskFilter } from './resolve.ts';
import { openWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const FIXTURE = resolve(import.meta.dirname, '../../../packages/systems/src/voltagent/fixtures/voltagent.db');
const folder = mkdtempSync(join(tmpdir(), 'titles-'));
let workspace: Workspace;

beforeAll(async () => {
  const path = join(folder, 'voltagent.db');
  cpSync(FIXTURE, path);
  workspace = await openWorkspace([path], { readOnly: true, journalFolder: join(folder, 'state') });
  workspace.stores.add(await alike());
});
afterAll(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

const HIDDEN = 'first line\n\u202esecond';
const TITLES: Readonly<Record<string, string>> = { c: 'a', d: HIDDEN };

/** Tasks `a` and `b` are both called "Weekly report", and `c` is called as the id of `a`; `d` has signs that no table shows. */
async function alike(): Promise<CheckpointSource> {
  const store = new MemoryStore({ id: storeId('alike') });
  for (const task of ['a', 'b', 'c', 'd']) await store.save({ task, id: `${task}-0001`, text: '{}' });
  const all = store.tasks.bind(store);
  const tasks: CheckpointSource['tasks'] = async () => {
    const page = await all();
    return { ...page, items: page.items.map((task) => ({ ...task, title: TITLES[task.id] ?? 'Weekly report' })) };
  };
  return Object.assign(store, { tasks });
}

describe('a title, as tables show it', () => {
  it.each(['failing-import: fail-2', 'voltagent-db-runs/failing-import: fail-2'])('names a task: %s', async (text) => {
    expect((await resolveTask(workspace, text)).task).toBe('fail-2');
    expect(await taskFilter(workspace, text)).toEqual({ task: 'fail-2', store: 'voltagent-db-runs' });
  });

  it.each([
    ['failing-import: fail-2/latest', {}],
    ['voltagent-db-runs/failing-import: fail-2/latest', {}],
    ['latest', { task: 'failing-import: fail-2' }],
  ])('names the task of a checkpoint: %s', async (text, narrow) => {
    expect((await resolveCheckpoint(workspace, text, narrow)).ref).toEqual({ task: 'fail-2', id: 'fail-2:2' });
  });

  it('is looked at after every id', async () => {
    expect((await resolveTask(workspace, 'a')).task).toBe('a');
    expect((await resolveCheckpoint(workspace, 'a/latest', {})).ref.id).toBe('a-0001');
    expect(await taskFilter(workspace, 'a')).toEqual({ task: 'a' });
  });

  it('may be written as stored, and with the escapes of a table', async () => {
    for (const text of [HIDDEN, printable(HIDDEN), `alike/${printable(HIDDEN)}`])
      expect((await resolveTask(workspace, text)).task).toBe('d');
    await expect(resolveTask(workspace, String.raw`first line\u000b`)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('names none where several tasks have it', async () => {
    const several = {
      code: 'ambiguous_id',
      message: '2 tasks are called "Weekly report".',
      data: { candidates: expect.arrayContaining(['alike/a', 'alike/b']) },
    };
    await expect(resolveTask(workspace, 'Weekly report')).rejects.toMatchObject(several);
    await expect(taskFilter(workspace, 'Weekly report')).rejects.toMatchObject(several);
    await expect(resolveCheckpoint(workspace, 'Weekly report/latest', {})).rejects.toMatchObject(several);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { InspectorError } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { resolveCheckpoint, resolveTask } from './resolve.ts';
import type { Narrow } from './resolve.ts';
import { openWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'names-'));
let workspace: Workspace;

beforeAll(async () => {
  const path = join(folder, 'agents.db');
  const store = await openSqliteStore({ path });
  const save = (id: string, parent?: string, task = 'run') =>
    store.save({ task, id, text: `{"me":"${id}"}`, ...(parent === undefined ? {} : { parent: { task, id: parent } }) });
  await save('alpha-0001');
  await save('alpha-0002', 'alpha-0001');
  await save('beta-0003', 'alpha-0002');
  await save('gamma-0004', 'alpha-0001');
  await save('beta-0003', undefined, 'other');
  await save('delta-0001', undefined, 'other');
  await save('a/b', undefined, 'with/slash');
  await save('latest', undefined, 'odd');
  await save('omega-0001', undefined, 'with');
  await save('~c1', undefined, '~home');
  await save('~c2', '~c1', '~home');
  await store.close();
  workspace = await openWorkspace([path], { readOnly: true, journalFolder: join(folder, 'state') });
});
afterAll(async () => {
  await workspace.close();
  rmSync(folder, { recursive: true, force: true });
});

const named = async (text: string, narrow: Narrow = {}) => (await resolveCheckpoint(workspace, text, narrow)).ref;
const refused = async (text: string, narrow: Narrow = {}) =>
  resolveCheckpoint(workspace, text, narrow).then(
    () => undefined,
    (error: unknown) => InspectorError.from(error),
  );

describe('how a checkpoint is named', () => {
  it.each([
    ['its id', 'delta-0001', {}, 'other', 'delta-0001'],
    ['the beginning of its id', 'gamm', {}, 'run', 'gamma-0004'],
    ['its id as a table shortens it', 'alp…02', {}, 'run', 'alpha-0002'],
    ['the latest of a task', 'run/latest', {}, 'run', 'gamma-0004'],
    ['the latest with --task', 'latest', { task: 'other' }, 'other', 'delta-0001'],
    ['the latest in a store', 'agents-db/run/latest', {}, 'run', 'gamma-0004'],
    ['the parent of the latest', 'run/latest~1', {}, 'run', 'alpha-0001'],
    ['the parent, without a number', 'gamma~', {}, 'run', 'alpha-0001'],
    ['two parents back', 'run/beta-0003~2', {}, 'run', 'alpha-0001'],
    ['one in one task', 'other/beta-0003', {}, 'other', 'beta-0003'],
    ['one in one task of one store', 'agents-db/other/beta-0003', {}, 'other', 'beta-0003'],
    ['--task with its store', 'beta-0003', { task: 'agents-db/run' }, 'run', 'beta-0003'],
    ['a short id in a task', 'other/delt', {}, 'other', 'delta-0001'],
    ['ids with slashes', 'a/b', {}, 'with/slash', 'a/b'],
    ['an address with encoded slashes', 'agents-db/with%2Fslash/a%2Fb', {}, 'with/slash', 'a/b'],
    ['the latest of a task with a slash', 'with/slash/latest', {}, 'with/slash', 'a/b'],
    ['the same in a store', 'agents-db/with/slash/latest', {}, 'with/slash', 'a/b'],
    ['the same, encoded', 'with%2Fslash/latest', {}, 'with/slash', 'a/b'],
    ['an id in a task with a slash', 'with/slash/a/b', {}, 'with/slash', 'a/b'],
    ['the latest of a task that a longer one begins with', 'with/latest', {}, 'with', 'omega-0001'],
    ['the latest of a task that begins with ~', '~home/latest', {}, '~home', '~c2'],
    ['an id that begins with ~ in such a task', '~home/~c1', {}, '~home', '~c1'],
    ['the parent of one', '~home/~c2~1', {}, '~home', '~c1'],
    ['the same as it is printed', 'agents-db/~~home/~~c1', {}, '~home', '~c1'],
    ['an id that is exactly this word', 'latest', {}, 'odd', 'latest'],
  ])('%s', async (_, text, narrow, task, id) => expect(await named(text, narrow)).toEqual({ task, id }));

  it('says what a name could mean when it means several', async () => {
    expect(await refused('alpha')).toMatchObject({
      code: 'ambiguous_id',
      data: { candidates: ['agents-db/run/alpha-0001', 'agents-db/run/alpha-0002'] },
    });
    expect(await refused('beta-0003')).toMatchObject({
      data: { candidates: expect.arrayContaining(['agents-db/other/beta-0003', 'agents-db/run/beta-0003']) },
    });
  });

  it('says when a name means nothing', async () => {
    expect(await refused('late~1')).toMatchObject({ code: 'not_found' });
    expect(await refused('run/latest~9')).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('1 checkpoint before it'),
    });
    expect(await refused('agents-db/run/nothing')).toMatchObject({ code: 'not_found' });
    expect(await refused('alp')).toMatchObject({ code: 'not_found' });
    expect(await refused('latest~1')).toMatchObject({ code: 'not_found' });
  });
});

describe('how a task is named', () => {
  it.each(['run', 'agents-db/run', 'with/slash', 'agents-db/with/slash', 'agents-db/with%2Fslash'])(
    '%s',
    async (text) => {
      const { source, task } = await resolveTask(workspace, text);
      expect(source.info.id).toBe('agents-db');
      expect(task).toBe(text.includes('slash') ? 'with/slash' : 'run');
    },
  );

  it('says when there is none', async () => {
    await expect(resolveTask(workspace, 'agents-db/none')).rejects.toMatchObject({ code: 'not_found' });
  });
});

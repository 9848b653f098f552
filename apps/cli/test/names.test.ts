import { describe, expect, it } from 'vitest';
import type { CheckpointMeta, Page } from '@checkpoint-inspector/core';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { workplace } from './run.ts';

describe('how a checkpoint is named', async () => {
  const place = workplace();
  const store = await openSqliteStore({ path: place.path('agents.db') });
  const save = (id: string, parent?: string, task = 'run') =>
    store.save({ task, id, text: `{"me":"${id}"}`, ...(parent === undefined ? {} : { parent: { task, id: parent } }) });
  await save('alpha-0001');
  await save('alpha-0002', 'alpha-0001');
  await save('beta-0003', 'alpha-0002');
  await save('gamma-0004', 'alpha-0001');
  await save('beta-0003', undefined, 'other');
  await save('delta-0001', undefined, 'other');
  await store.close();
  const shown = (...args: string[]) => place.run('show', ...args, '-s', 'agents.db');

  it.each([
    ['the beginning of an id', ['gamm'], 'gamma-0004'],
    ['an id as a table shortens it', ['alp…02'], 'alpha-0002'],
    ['the latest of a task', ['run/latest'], 'gamma-0004'],
    ['the latest with --task', ['latest', '--task', 'other'], 'delta-0001'],
    ['the latest in a store', ['agents-db/run/latest'], 'gamma-0004'],
    ['the parent of the latest', ['run/latest~1'], 'alpha-0001'],
    ['two parents back', ['run/beta-0003~2'], 'alpha-0001'],
    ['one in one task', ['other/beta-0003'], 'beta-0003'],
    ['one in one task of one store', ['agents-db/other/beta-0003'], 'beta-0003'],
    ['--task with its store', ['beta-0003', '--task', 'agents-db/run'], 'beta-0003'],
    ['a short id in a task', ['other/delt'], 'delta-0001'],
  ])('%s', (_, args, id) => expect(shown(...args)).toMatchObject({ code: 0, out: `{"me":"${id}"}\n` }));

  it('says what a name could mean when it means several', () => {
    const several = shown('alpha');
    expect(several.code).toBe(ERROR_CODES.ambiguous_id.exit);
    expect(several.err).toContain('agents-db/run/alpha-0001');
    expect(several.err).toContain('agents-db/run/alpha-0002');
    expect(shown('beta-0003').err).toContain('agents-db/other/beta-0003');
  });

  it('says when a name means nothing', () => {
    expect(shown('latest').err).toContain('"latest" needs a task');
    expect(shown('run/latest~9').err).toContain('1 checkpoints before it');
    expect(shown('agents-db/run/nothing').code).toBe(ERROR_CODES.not_found.exit);
    expect(shown('alp').code).toBe(ERROR_CODES.not_found.exit);
  });

  it('takes these names in a diff, a history and an export', () => {
    expect(place.run('diff', 'run/latest~1', 'run/latest', '-s', 'agents.db').out).toContain('~1');
    const history = place.json('history', 'run', '$.me', '--cp', 'beta', '-s', 'agents.db');
    expect(history).toMatchObject({ of: 3 });
    const preview = place.json('export', 'run', '--checkpoint', 'latest', '--dry-run', '-s', 'agents.db');
    expect(preview).toMatchObject({ checkpoints: 1 });
  });
});

describe('two tasks of one name in two projects of one ctx-sys database', () => {
  const place = workplace();
  const database = place.ctxSys();
  const rows = (task: string) => (place.json('list', task, '-s', database) as Page<CheckpointMeta>).items;

  it('can both be used, and the error names them', () => {
    const refused = place.run('list', 'etl-nightly', '-s', database);
    expect(refused.code).toBe(ERROR_CODES.ambiguous_id.exit);
    const names = refused.err.split('\n').filter((line) => line.endsWith('/etl-nightly'));
    expect(names).toHaveLength(2);
    const counts = names.map((name) => rows(name.trim()).length);
    expect(counts.toSorted()).toEqual([3, 7]);
    for (const name of names) {
      expect(place.run('tree', name.trim(), '-s', database).code).toBe(0);
      expect(place.run('prune', name.trim(), '--keep-last', '2', '--dry-run', '-s', database).code).toBe(0);
      expect(place.run('show', `${name.trim()}/latest`, '-s', database).code).toBe(0);
      expect(place.run('errors', '--task', name.trim(), '-s', database).code).toBe(0);
    }
  });
});

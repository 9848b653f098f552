import { readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyOf, filesIn, openFolder } from './fixtures/open.ts';
import { codeOf, codes, run, storeOf, undo } from './fixtures/plans.ts';
import { pythonLatest } from './fixtures/python.ts';

const FLOW = 'counter-flow';
const SOURCE = { task: FLOW, id: 'ba27aec7-6203-483a-9a90-4715a3bf7e95' };
const LATEST = { task: FLOW, id: '4d9ca74c-a28f-4aa7-82ba-22aedf4f0eda' };

describe('delete', () => {
  it('moves files to the trash, says what resumes then and which parents are missing; undo brings all back', async () => {
    const folder = await copyOf('counter-forks');
    const source = await openFolder(folder);
    const all = await filesIn(folder);
    const plan = await source.plan({ kind: 'delete', refs: [LATEST, SOURCE, LATEST] });
    expect(codes(plan)).toEqual(['latest_deleted', 'parent_missing']);
    expect(plan.view).toMatchObject({
      removes: { count: 2 },
      latestAfter: { id: '25405e2c-cb93-46dd-845d-2f29624234e6' },
    });
    const images = await run(plan);
    expect(await readdir(folder)).toHaveLength(18);
    expect(await pythonLatest(folder, FLOW)).toBe(plan.view.latestAfter?.id);
    const orphans = (await source.checkpoints(FLOW)).items.filter((row) => row.parentId === SOURCE.id);
    expect(orphans).toHaveLength(3);
    await undo(plan, images);
    expect(await filesIn(folder)).toEqual(all);
  });

  it('takes older and broken files, of one task at a time', async () => {
    const folder = await copyOf('bad');
    const source = await openFolder(folder);
    const torn = { task: 'unassigned files', id: 'torn.json' };
    const plan = await source.plan({ kind: 'delete', refs: [torn] });
    expect(codes(plan)).toEqual([]);
    await run(plan);
    expect(await source.raw(torn)).toBeUndefined();
    expect(await codeOf(source.plan({ kind: 'delete', refs: [] }))).toBe('invalid_input');
    const array = { task: 'unassigned files', id: 'array.json' };
    expect(await codeOf(source.plan({ kind: 'delete', refs: [array, { task: 'bad-flow', id: 'good' }] }))).toBe(
      'invalid_input',
    );
    expect(await codeOf(source.plan({ kind: 'delete', refs: [array, torn] }))).toBe('not_found');
    const old = await openFolder(await copyOf('legacy-2025-09'));
    const emptied = await old.plan({
      kind: 'delete',
      refs: [{ task: 'wf-9e2a', id: 'ddeae454-0386-4e1a-b0bd-2ccf063d9c28' }],
    });
    expect(codes(emptied)).toEqual(['task_emptied']);
    expect(emptied.view.latestAfter).toBeUndefined();
  });

  it('refuses what could not be put back', async () => {
    const { folder, source } = await storeOf({ id: 'a' });
    await symlink('/etc/passwd', join(folder, 'link.json'));
    await expect(
      source.plan({ kind: 'delete', refs: [{ task: 'unassigned files', id: 'link.json' }] }),
    ).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining("can't be moved to the trash"),
    });
  });

  it('of a folder that was removed in the meantime is not_found', async () => {
    const { folder, source } = await storeOf({ id: 'a' });
    await rm(folder, { recursive: true });
    expect(await codeOf(source.plan({ kind: 'delete', refs: [{ task: 'flow', id: 'a' }] }))).toBe('not_found');
  });
});

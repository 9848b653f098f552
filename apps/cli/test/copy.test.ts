import { cpSync, existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { workplace } from './run.ts';

interface Report {
  readonly checkpoints: number;
  readonly copied: number;
  readonly present: number;
  readonly verified: number;
}

describe('copy', () => {
  it('copies a store to a new file, says what it did, and the second time has nothing to do', async () => {
    const place = workplace();
    const done = await place.run('copy', place.kaizen(), 'copy.db');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toMatch(/13 checkpoints .* copied to copy\.db, 0 already there/);
    expect(done.out).toContain("13 checkpoints read back and compared. A copy can't be undone");
    const again = (await place.json('copy', 'kaizen', 'copy.db')) as Report;
    expect(again).toMatchObject({ checkpoints: 13, copied: 0, present: 13, verified: 13 });
    expect(await place.json('verify', 'copy.db')).toMatchObject({ damaged: 0, items: [{ checkpoints: 13, read: 13 }] });
  });

  it('answers a diff from the copy as from the source', async () => {
    const place = workplace();
    const store = place.langgraph();
    const { items } = (await place.json('tasks', '-s', store)) as { items: { id: string; checkpointCount: number }[] };
    const task = items.find(({ checkpointCount }) => checkpointCount > 2)?.id ?? '';
    expect(await place.json('copy', store, 'copy.db', '--task', task)).toMatchObject({ unreadable: [], failed: [] });
    const diff = (at: string) =>
      place.json('diff', `${task}/latest~1`, `${task}/latest`, '--all', '-s', at) as Promise<{ summary: unknown }>;
    const [one, other] = [await diff(store), await diff('copy.db')];
    expect(other.summary).toEqual(one.summary);
  });

  it('import brings the labels and notes of a bundle, for whoever imports it', async () => {
    const [mine, theirs] = [workplace(), workplace()];
    const kaizen = mine.kaizen();
    const { items } = (await mine.json('list', 'research_agent', '-s', kaizen)) as { items: { id: string }[] };
    const id = items[0]?.id ?? '';
    await mine.run('label', id, 'look', '-s', kaizen);
    await mine.run('note', id, 'The cache is stale.', '-s', kaizen);
    expect((await mine.run('copy', kaizen, 'own.db')).out).toContain('Labels and notes of 1 checkpoint are kept');
    expect((await mine.run('note', id, '-s', 'own.db')).out).toContain('The cache is stale.');
    const bundle = theirs.path('case.json');
    await mine.run('export', 'research_agent', '--out', bundle, '-s', kaizen);
    const done = await theirs.run('import', bundle, 'copy.db');
    expect(done).toMatchObject({ code: 0 });
    expect(done.out).toContain('Labels and notes of 1 checkpoint are kept in your journal.');
    const kept = (await theirs.json('show', id, '--meta', '-s', 'copy.db')) as { labels: readonly string[] };
    expect(kept.labels).toContain('look');
    expect(await theirs.json('import', bundle, 'copy.db')).toMatchObject({ present: items.length, notAnnotated: [] });
  });

  it('with --dry-run writes nothing', async () => {
    const place = workplace();
    const done = await place.run('copy', place.kaizen(), 'copy.db', '--dry-run');
    expect(done.out).toMatch(/13 checkpoints .* would be copied/);
    expect(done.out).toContain('Nothing was written.');
    expect(existsSync(place.path('copy.db'))).toBe(false);
  });

  it('names conflicts and what cannot be read, and ends with an exit code', async () => {
    const place = workplace();
    const kaizen = place.kaizen();
    const { items } = (await place.json('list', 'research_agent', '-s', kaizen)) as { items: { id: string }[] };
    const id = items[0]?.id ?? '';
    const store = await openSqliteStore({ path: place.path('copy.db') });
    await store.save({ task: 'research_agent', id, text: '{"mine":true}' });
    await store.close();
    const done = await place.run('copy', kaizen, 'copy.db');
    expect(done.code).toBe(ERROR_CODES.changed.exit);
    expect(done.out).toContain(`${id}: Another state is stored under this id.`);
    const locked = await place.run('copy', place.kaizen('locked', 'enc'), 'other.db');
    expect(locked.code).toBe(ERROR_CODES.unreadable.exit);
    expect(locked.out).toMatch(/not copied: .*\w/);
  });

  it('says that the others are in the copy only where there are others, and a copy', async () => {
    const place = workplace();
    const locked = place.kaizen('locked', 'enc');
    for (const more of [['--dry-run'], []])
      expect((await place.run('copy', locked, 'none.db', ...more)).err).not.toContain('in the copy');
    cpSync(place.kaizen(), locked, { recursive: true });
    const dry = await place.run('copy', locked, 'some.db', '--dry-run');
    expect(dry.err).toMatch(/13 checkpoints can't be copied\.\s+The reasons are listed above\./);
    const done = await place.run('copy', locked, 'some.db');
    expect(done.err).toContain('The others are in the copy. The reasons are listed above.');
  });

  it('asks which store is meant where there are several', async () => {
    const place = workplace();
    const done = await place.run('copy', place.ctxSys(), 'copy.db');
    expect(done.code).toBe(ERROR_CODES.ambiguous_id.exit);
    const candidates = done.err
      .split('\n')
      .filter((line) => line.startsWith('  '))
      .map((line) => line.trim());
    expect(candidates.length).toBeGreaterThan(2);
    const report = await place.json('copy', place.path('ctx-sys.db'), 'copy.db', '--only', candidates[0] ?? '');
    expect(report).toMatchObject({ conflicts: [], failed: [] });
    expect(await place.run('copy', 'ctx-sys.db', 'copy.db', '--only', 'none')).toMatchObject({
      code: ERROR_CODES.invalid_input.exit,
    });
  });

  it.each([
    [['copy', 'kaizen'], /missing required argument 'to'/],
    [['copy', 'kaizen', 'copy.db', '--overwrite'], /unknown option '--overwrite'/],
    [['copy', 'kaizen', 'kaizen'], /Source and target are the same store/],
    [['copy', 'kaizen', 'copy.db', '--task', 'no-such'], /No task "no-such"/],
    [['copy', 'nothing.db', 'copy.db'], /No such file or folder/],
  ])('%j is refused', async (args, message) => {
    const place = workplace();
    place.kaizen();
    const done = await place.run(...args);
    expect(done.code).not.toBe(0);
    expect(done.err).toMatch(message);
    expect(existsSync(place.path('copy.db'))).toBe(false);
  });
});

describe('a bundle', () => {
  it('is exported, opened and imported', async () => {
    const place = workplace();
    const store = place.kaizen();
    type Tasks = { items: { id: string }[] };
    const tasks = ((await place.json('tasks', '-s', store)) as Tasks).items.map(({ id }) => id);
    expect(tasks.length).toBeGreaterThan(1);
    const exported = await place.run('export', ...tasks, '--out', 'case.json', '-s', store);
    expect(exported).toMatchObject({ code: 0, err: '' });
    expect(exported.out).toContain('13 checkpoints');
    const done = await place.run('import', 'case.json', 'case.db');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain('13 checkpoints read back and compared.');
    const rows = async (at: string) => {
      const states: unknown[] = [];
      for (const task of tasks)
        states.push(((await place.json('show', `${task}/latest`, '-s', at)) as { state: unknown }).state);
      return states;
    };
    expect(await rows('case.json')).toEqual(await rows(store));
    expect(await rows('case.db')).toEqual(await rows(store));
    const tree = await place.run('tree', tasks[0] ?? '', '-s', 'case.json');
    expect(tree.out).toBe((await place.run('tree', tasks[0] ?? '', '-s', store)).out);
  });

  it('takes tasks of one store, and import takes a bundle', async () => {
    const place = workplace();
    place.kaizen('one');
    place.kaizen('two');
    const both = await place.run('export', 'one/writer', 'two/writer', '--out', 'case.json', '-s', 'one', '-s', 'two');
    expect(both.code).not.toBe(0);
    const done = await place.run('import', 'one', 'copy.db');
    expect(done).toMatchObject({ code: ERROR_CODES.invalid_input.exit });
    expect(done.err).toContain('checkpoint-inspector copy');
    expect(existsSync(place.path('copy.db'))).toBe(false);
  });
});

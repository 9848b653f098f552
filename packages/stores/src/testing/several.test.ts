import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { follow } from './follow.ts';
import { openAt, type StorePlace } from './places.ts';
import { bundleChild, removeChild, startChild } from './processes.ts';

const SAVES = 50;

beforeAll(() => bundleChild());
afterAll(removeChild);

/**
 * Each writer saves `SAVES` checkpoints, numbered by thousands; the tasks may be the same. All is seen halfway, so that
 * the watch has to tell of what comes after a look.
 */
async function saveAtOnce(place: StorePlace, tasks: readonly string[]): Promise<void> {
  await (await openAt(place)).close();
  const watching = await openAt(place, { readOnly: true });
  const followed = follow(watching, [...new Set(tasks)]);
  const writersOf = (task: string): number[] => [...tasks.keys()].filter((nth) => tasks[nth] === task);
  for (const saved of [SAVES / 2, SAVES]) {
    const children = tasks.map((task, nth) =>
      startChild({ place, task, from: 1_000 * nth + saved - SAVES / 2, until: 1_000 * nth + saved }),
    );
    for (const child of children) expect(await child.ended).toHaveLength(SAVES / 2);
    for (const task of new Set(tasks)) {
      const count = saved * writersOf(task).length;
      await expect.poll(() => followed.seen(task).length, { timeout: 15_000 }).toBe(count);
    }
  }
  for (const task of new Set(tasks)) {
    const seen = followed.seen(task);
    for (const nth of writersOf(task)) {
      const mine = Array.from({ length: SAVES }, (_, n) => `c${1_000 * nth + n}`);
      expect(seen.filter((id) => mine.includes(id))).toEqual(mine);
    }
    const [listed] = (await watching.tasks({ text: task })).items;
    expect(listed).toMatchObject({ id: task, checkpointCount: seen.length, latestId: seen.at(-1) });
  }
  expect(followed.looks()).toBeGreaterThan(1);
  expect(followed.defects).toEqual([]);
  await followed.end();
  await watching.close();
}

it('two processes save to one SQLite file, and who watches sees every save once and in order (S41)', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'several-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await saveAtOnce({ path: join(folder, 'a.db') }, ['shared', 'shared']);
}, 120_000);

describeWithPostgres('PostgreSQL', () => {
  it('takes what four processes save, and who watches sees every save once and in order (S41)', async () => {
    const db = await postgresForTests();
    onTestFinished(() => db.close());
    await saveAtOnce({ url: db.url, schema: 'several' }, ['shared', 'shared', 'own', 'other']);
  }, 120_000);
});

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

/** Each writer saves `SAVES` checkpoints, numbered by thousands; the tasks may be the same. */
async function saveAtOnce(place: StorePlace, tasks: readonly string[]): Promise<void> {
  await (await openAt(place)).close();
  const watching = await openAt(place, { readOnly: true });
  const followed = follow(watching, [...new Set(tasks)]);
  const writers = tasks.map((task, nth) => {
    const from = 1_000 * nth;
    return { task, from, child: startChild({ place, task, from, until: from + SAVES }) };
  });
  for (const { child } of writers) expect(await child.ended).toHaveLength(SAVES);
  const ids = (from: number): string[] => Array.from({ length: SAVES }, (_, n) => `c${from + n}`);
  for (const task of new Set(tasks)) {
    const own = writers.filter((writer) => writer.task === task);
    await expect.poll(() => followed.seen(task).length, { timeout: 15_000 }).toBe(SAVES * own.length);
    for (const { from } of own) {
      const mine = new Set(ids(from));
      expect(followed.seen(task).filter((id) => mine.has(id))).toEqual(ids(from));
    }
    const [listed] = (await watching.tasks({ text: task })).items;
    expect(listed).toMatchObject({
      id: task,
      checkpointCount: SAVES * own.length,
      latestId: followed.seen(task).at(-1),
    });
  }
  expect(followed.looks()).toBeGreaterThan(1);
  expect(followed.defects).toEqual([]);
  await followed.end();
  await watching.close();
}

it('two processes save to one SQLite file, and who watches sees every save once and in order', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'several-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await saveAtOnce({ path: join(folder, 'a.db') }, ['shared', 'shared']);
}, 120_000);

describeWithPostgres('PostgreSQL', () => {
  it('takes what four processes save, and who watches sees every save once and in order', async () => {
    const db = await postgresForTests();
    onTestFinished(() => db.close());
    await saveAtOnce({ url: db.url, schema: 'several' }, ['shared', 'shared', 'own', 'other']);
  }, 120_000);
});

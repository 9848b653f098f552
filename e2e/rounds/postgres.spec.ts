import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { openPostgresStore } from 'checkpoint-inspector/stores/postgres';
import {
  findPostgres,
  NO_POSTGRES,
  postgresForTests,
  type TestPostgres,
} from '@checkpoint-inspector/io/testing/postgres';
import { expect, openAt, test } from '../support/fixtures.ts';
import { runCli } from '../support/inspector.ts';
import { actions, content, historyRow, proof } from '../support/pages.ts';

/** Written by the real LangGraph and its PostgresSaver. */
const DUMP = resolve(import.meta.dirname, '../../packages/systems/src/langgraph/fixtures/js-postgres.sql.gz');
const ROWS = `SELECT row FROM (SELECT c::text AS row FROM checkpoints c UNION ALL SELECT b::text FROM checkpoint_blobs b
  UNION ALL SELECT w::text FROM checkpoint_writes w) t ORDER BY row`;

// Where nobody reads which tests were left out, a missing server is a failure.
test.skip(findPostgres() === undefined && !process.env['CI'], NO_POSTGRES);

// Activity asks for the step numbers of checkpoints that an undo has taken away again.
test.use({ allowedErrors: /status of 404 .*\/checkpoints\// });

let database: TestPostgres;
test.beforeEach(async () => {
  database = await postgresForTests();
  await database.load(gunzipSync(readFileSync(DUMP)).toString());
});
test.afterEach(async ({ page }) => {
  // A page that is still open asks for what the database has after the undo, and would be told that it is gone.
  await page.close();
  await database.close();
});

const rowsStored = async (): Promise<string[]> => (await database.run<{ row: string }>(ROWS)).map(({ row }) => row);

interface Row {
  readonly id: string;
  readonly namespace?: string;
  readonly stepIndex?: number;
}

test('an address of PostgreSQL opens: a failed task tells its error and node, a restore is proven and undone', async ({
  page,
  start,
  folder,
}) => {
  const target = `pg=${database.url}`;
  const inspector = await start([target]);
  await openAt(page, inspector, '/t/pg/node-error');
  const answer = page.getByTestId('answer-strip');
  await expect(answer.getByRole('heading', { name: 'fetch_bad failed' })).toBeVisible();
  await expect(answer.getByTestId('answer-error')).toContainText('upstream returned HTML instead of JSON');
  await page.getByRole('tab', { name: /^Meta/ }).click();
  await expect(page.getByTestId('beside-next')).toHaveText(/Runs nextfetch_bad/);
  await expect(page.locator('body')).not.toContainText(new URL(database.url).password);

  const before = await rowsStored();
  const { items } = (await runCli(['list', 'fork-demo', '-s', target], `${folder}/cli`)) as { items: Row[] };
  const older = items.filter(({ namespace }) => namespace === undefined).at(3);
  await openAt(page, inspector, '/t/pg/fork-demo');
  await historyRow(page, older?.id ?? '').click();
  await expect(content(page).getByRole('heading', { level: 2 })).not.toHaveText('');
  await expect(page).toHaveURL(new RegExp(older?.id ?? 'none'));
  await actions(page)
    .getByRole('button', { name: /^Restore/ })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await dialog.getByRole('button', { name: /^Restore/ }).click();
  const restored = proof(page, 'Restored. Latest now returns this state ✓');
  await expect(restored).toBeVisible();
  const after = await rowsStored();
  expect(after.filter((row) => !before.includes(row)).length).toBeGreaterThan(0);
  expect(before.filter((row) => !after.includes(row))).toEqual([]);

  await restored.getByRole('button', { name: /^Undo/ }).click();
  await expect(proof(page, 'Undone. The store is as it was before.')).toBeVisible();
  expect(await rowsStored()).toEqual(before);
});

test('a schema of our own opens beside it: two states are compared, a restore is proven and undone, a save is seen', async ({
  page,
  start,
}) => {
  const agent = await openPostgresStore({ url: database.url, schema: 'agents' });
  for (let n = 1; n <= 4; n++)
    await agent.save({ task: 'report', id: `step-${n}`, value: { step: n, words: 100 * n } });
  const inspector = await start([`pg=${database.url}`]);
  await openAt(page, inspector, '/t/pg-checkpoint-inspector/report');
  await historyRow(page, 'step-2').click();
  await expect(page).toHaveURL(/step-2/);
  await page.getByRole('tab', { name: 'Changes' }).click();
  await expect(content(page)).toContainText('words');
  await actions(page)
    .getByRole('button', { name: /^Restore/ })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await dialog.getByRole('button', { name: /^Restore/ }).click();
  const restored = proof(page, 'Restored. Latest now returns this state ✓');
  await expect(restored).toBeVisible();
  expect((await agent.latest('report')).ref?.id).toBe('step-2-restored-1');
  await restored.getByRole('button', { name: /^Undo/ }).click();
  await expect(proof(page, 'Undone. The store is as it was before.')).toBeVisible();
  expect((await agent.latest('report')).ref?.id).toBe('step-4');
  await agent.save({ task: 'report', id: 'step-5', value: { step: 5 } });
  await expect(historyRow(page, 'step-5')).toBeVisible();
  await agent.close();
});

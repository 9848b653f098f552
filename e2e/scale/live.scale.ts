import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, historyList, historyRow, RESEARCH, workbenchPath } from '../support/pages.ts';
import { copyStore, placeOf, saveAsAgent } from '../support/stores.ts';

test("the saves of the demo's agent appear within five seconds: it saves every two", async ({ page, demo }) => {
  await openAt(page, demo, workbenchPath('agents-db', 'live-research'));
  const newest = historyList(page).getByRole('option').first().locator('.history-number');
  await expect(newest).toBeVisible();
  const before = (await newest.textContent()) ?? '';
  await expect(newest).not.toHaveText(before, { timeout: 5_000 });
});

test('a save is on the screen within three seconds', async ({ page, demo, folder, start }) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  await openAt(page, await start([path]), COMPETITOR);
  await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
  await saveAsAgent(path, { id: 'ckpt-11', task: 'competitor-revenue', text: '{"n":11}', stepIndex: 11 });
  await expect(historyRow(page, 'ckpt-11')).toBeVisible({ timeout: 3_000 });
});

test('the title tells of a task that fails within three seconds', async ({ page, demo, folder, start }) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  await openAt(page, await start([path]), '/tasks');
  await expect(page).toHaveTitle(/^One task failed/);
  await saveAsAgent(path, { id: 'bad-1', task: 'nightly', text: '{}', status: 'failed', description: 'disk is full' });
  await expect(page).toHaveTitle(/^Two tasks failed/, { timeout: 3_000 });
});

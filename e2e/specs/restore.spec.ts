import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, historyRow, preview, proof, RESEARCH } from '../support/pages.ts';
import { copyStore, dumpTask, keepNewest, latestText, placeOf } from '../support/stores.ts';

const TASK = 'competitor-revenue';
let path: string;

test.beforeEach(async ({ page, demo, folder, start }) => {
  path = copyStore(await placeOf(demo, RESEARCH), folder);
  await keepNewest(path, 10);
  await openAt(page, await start([path]), COMPETITOR);
});

test('the preview names what is evicted, and no bare key confirms it', async ({ page }) => {
  const before = await dumpTask(path, TASK);
  const dialog = await preview(page, 'Restore', 'ckpt-06', '#06 retry_plan');
  await expect(dialog.getByTestId('latest-move')).toContainText('#10 compile');
  await expect(dialog.getByTestId('latest-move')).toContainText('Rule: most recently saved');
  const evicts = dialog.getByTestId('plan-lines').locator('[data-kind="evicts"]');
  await expect(evicts).toHaveCount(1);
  await expect(evicts).toContainText('#01');
  await expect(evicts).toContainText('will be evicted now');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(dialog.getByRole('button', { name: /^Restore #06/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  expect(await dumpTask(path, TASK)).toEqual(before);
});

test('a restore is proven, read by another program, and undone byte for byte', async ({ page }) => {
  const before = await dumpTask(path, TASK);
  const source = before.find((row) => row.id === 'ckpt-06');
  const dialog = await preview(page, 'Restore', 'ckpt-06', '#06 retry_plan');
  // The proof calls by its number what the preview did.
  await expect(dialog.getByTestId('plan-lines')).toContainText('#01');
  await dialog.getByRole('button', { name: /^Restore #06/ }).click();
  const restored = proof(page, 'Restored. Latest now returns this state ✓');
  await expect(restored).toContainText('Evicted #01, kept for undo.');
  await expect(restored.getByRole('button', { name: /Copy the command that resumes from here/ })).toBeVisible();
  await expect(historyRow(page, 'ckpt-01')).toHaveCount(0);
  expect(await latestText(path, TASK)).toBe(source?.text);
  const after = await dumpTask(path, TASK);
  expect(after).toHaveLength(10);
  const kept = after.find((row) => row.id === 'ckpt-06');
  expect([kept?.text, kept?.revision]).toEqual([source?.text, source?.revision]);

  await restored.getByRole('button', { name: /^Undo/ }).click();
  await expect(proof(page, 'Undone. The store is as it was before.')).toBeVisible();
  await expect(restored).toHaveCount(0);
  await expect(historyRow(page, 'ckpt-01')).toBeVisible();
  await expect(historyRow(page, 'ckpt-10').getByText('latest')).toBeVisible();
  expect(await dumpTask(path, TASK)).toEqual(before);
});

test('Activity keeps the receipts, and undoes the undo', async ({ page }) => {
  const dialog = await preview(page, 'Restore', 'ckpt-06', '#06 retry_plan');
  await dialog.getByRole('button', { name: /^Restore #06/ }).click();
  await proof(page, 'Restored.').getByRole('button', { name: /^Undo/ }).click();
  await expect(proof(page, 'Undone.')).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  const receipts = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
  await expect(receipts).toHaveCount(2);
  await expect(receipts.nth(0)).toContainText('Undid a change');
  await expect(receipts.nth(1)).toContainText('Restored #06');
  await expect(receipts.nth(1).getByRole('button', { name: 'Undo' })).toHaveCount(0);
  // Beside the list the chosen change is shown in full.
  const detail = page.getByTestId('receipt-detail');
  await expect(detail.getByRole('heading')).toHaveText('Undid a change');
  await receipts
    .nth(1)
    .getByRole('button', { name: /^Restored #06/ })
    .press('Enter');
  await expect(detail.getByRole('heading')).toHaveText('Restored #06');
  await expect(detail).toContainText('same state ✓');
  await receipts.nth(0).getByRole('button', { name: 'Redo' }).click();
  await expect(receipts).toHaveCount(3);
  expect((await dumpTask(path, TASK)).map((row) => row.id)).not.toContain('ckpt-01');
});

test('a fork adds a lane with the state of its source', async ({ page }) => {
  const before = await dumpTask(path, TASK);
  const dialog = await preview(page, 'Fork', 'ckpt-03', '#03 fetch_revenue');
  await dialog.getByRole('textbox', { name: 'New id' }).fill('try-2');
  await expect(dialog.getByTestId('plan-lines')).toContainText('try-2');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await page.keyboard.press('Control+Enter');
  await expect(proof(page, 'Forked. The new checkpoint reads back as this state ✓')).toBeVisible();
  await expect(historyRow(page, 'try-2')).toBeVisible();
  await expect(page.getByRole('region', { name: 'History', exact: true })).toContainText('in 2 lanes');
  const forked = (await dumpTask(path, TASK)).find((row) => row.id === 'try-2');
  expect(forked?.text).toBe(before.find((row) => row.id === 'ckpt-03')?.text);
  expect(forked?.parentId).toBe('ckpt-03');
});

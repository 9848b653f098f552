import { expect, test } from '../support/fixtures.ts';
import { content, diffSum, historyRow, proof, RESEARCH, selectedRow } from '../support/pages.ts';
import { copyStore, dumpTask, placeOf } from '../support/stores.ts';

test.use({ allowedErrors: /status of 404 .*\/checkpoints\// });

test('the whole way without a mouse: open, look, compare, restore, undo', async ({ page, demo, folder, start }) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  const before = await dumpTask(path, 'competitor-revenue');
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const heading = content(page).getByRole('heading', { level: 2 });

  await page.goto((await start([path])).url);
  await expect(page.getByRole('heading', { name: 'One task failed' })).toBeVisible();
  await press('j', 'k', 'Enter');
  await expect(heading).toHaveText('#10 compile: ranking inconsistent');
  await press('j', 'j', 'j', 'j');
  await expect(heading).toHaveText('#06 retry_plan');
  await press('b');
  await expect(historyRow(page, 'ckpt-06').getByText('base')).toBeVisible();
  await press('k');
  await expect(heading).toHaveText('#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe('+2 −1 ~3 ↕1');
  await expect(page.getByRole('tab')).toHaveText([/^Changes/, /^State/, /^Chat/, /^Plan/, /^Raw/, /^Meta/]);
  for (const [place, tab] of [...(await page.getByRole('tab').all()).entries()].toReversed()) {
    await press(String(place + 1));
    await expect(tab).toHaveAttribute('aria-selected', 'true');
  }
  await press('n', 'n');
  await expect(page).toHaveURL(/path=/);
  await press('c');
  await expect(page.getByRole('region', { name: 'Side A' })).toContainText('#06');
  await page.goBack();
  await expect(heading).toHaveText('#07 fetch_revenue');

  await press('j', 'r');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await press('Control+Enter');
  await expect(proof(page, 'Restored. Latest now returns this state ✓')).toBeVisible();
  await press('z');
  await expect(proof(page, 'Taken back.')).toBeVisible();
  expect(await dumpTask(path, 'competitor-revenue')).toEqual(before);
});

test('the sheet lists every key, takes them over while open, and gives them back', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/t/research-db/competitor-revenue#token=${demo.token}`);
  await expect(selectedRow(page).locator('[data-id="ckpt-10"]')).toBeVisible();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await expect(sheet).toBeVisible();
  for (const does of ['Next, previous checkpoint', 'Restore, with preview', 'Confirm a dialog', /undo/i]) {
    await expect(sheet.getByText(does)).toBeVisible();
  }
  await page.keyboard.press('j');
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await expect(selectedRow(page).locator('[data-id="ckpt-10"]')).toBeVisible();
  await page.keyboard.press('j');
  await expect(selectedRow(page).locator('[data-id="ckpt-09"]')).toBeVisible();
});

test('Tab reaches the acts in order, and the first stop skips to the content', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/t/research-db/competitor-revenue#token=${demo.token}`);
  await expect(selectedRow(page).locator('[data-id="ckpt-10"]')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  const reached: string[] = [];
  for (let tab = 0; tab < 24; tab++) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate(() => document.activeElement?.textContent?.trim() ?? ''));
  }
  const acts = ['Restore', 'Fork', 'Compare', 'Copy', 'Delete'].map((act) =>
    reached.findIndex((text) => text.startsWith(act)),
  );
  expect(acts.every((place) => place >= 0)).toBe(true);
  expect(acts).toEqual([...acts].sort((a, b) => a - b));
});

test('keys are letters while one is typing', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/tasks#token=${demo.token}`);
  await page.keyboard.press('/');
  const field = page.getByRole('textbox', { name: 'Filter tasks' });
  await expect(field).toBeFocused();
  await page.keyboard.type('jk?rz');
  await expect(field).toHaveValue('jk?rz');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

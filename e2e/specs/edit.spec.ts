import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import { content, historyRow, RESEARCH, selectedRow, workbenchPath } from '../support/pages.ts';
import { copyStore, dumpTask, placeOf } from '../support/stores.ts';

const TASK = 'competitor-revenue';
const EDIT = `/t/${RESEARCH}/${TASK}/edit?cp=ckpt-06`;

// What an undo takes away is still selected, and asked for once more.
test.use({ allowedErrors: /status of 404 .*\/(?:checkpoints\/|diff\?|history\?)/ });

let path: string;
let origin: string;

test.beforeEach(async ({ page, demo, folder, start }) => {
  path = copyStore(await placeOf(demo, RESEARCH), folder);
  const inspector = await start([path]);
  origin = inspector.origin;
  await openAt(page, inspector, workbenchPath(RESEARCH, TASK, { cp: 'ckpt-06' }));
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#06 retry_plan');
});

const tree = (page: Page): Locator => page.getByTestId('edit-tree');
const review = (page: Page): Locator => page.getByTestId('edit').getByTestId('edit-review');

/** Sets `context.cache` to false in the tree, by keys only. */
async function switchCacheOff(page: Page): Promise<void> {
  await expect(tree(page)).toBeVisible();
  const row = tree(page).locator('[data-path="$.context.cache"]');
  if ((await row.count()) === 0) await tree(page).locator('[data-path="$.context"]').click();
  await row.click();
  await tree(page).focus();
  await page.keyboard.press('Enter');
  await page.getByTestId('edit-value').fill('false');
  await page.keyboard.press('Enter');
}

test('an edit of one value is previewed as one change, saved on a lane of its own, and undone', async ({ page }) => {
  const before = await dumpTask(path, TASK);
  await page.keyboard.press('i');
  await switchCacheOff(page);
  await expect(review(page).getByRole('heading')).toHaveText('1 change');
  await expect(review(page).getByTestId('diff-row')).toHaveAttribute('data-path', '$.context.cache');
  await page.getByLabel('Reason').fill('the cache is stale');
  await page.keyboard.press('Control+Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await expect(dialog).toContainText('1 change');
  await page.keyboard.press('Control+Enter');

  // The new checkpoint is selected, and is beside the line it was forked from.
  await expect(page).toHaveURL(new RegExp(`/t/${RESEARCH}/${TASK}\\?cp=`));
  await expect(selectedRow(page)).toHaveCount(1);
  await expect(content(page).getByTestId('diff-list')).toContainText('cache');
  await expect(page.getByTestId('history-pane')).toContainText('2 lanes');
  const after = await dumpTask(path, TASK);
  const made = after.filter((row) => !before.some(({ id }) => id === row.id));
  expect(made).toHaveLength(1);
  expect(made[0]).toMatchObject({ parentId: 'ckpt-06', lineage: 'recorded' });
  const source = before.find(({ id }) => id === 'ckpt-06')?.text ?? '';
  expect(made[0]?.text).toBe(source.replace('"cache":true', '"cache":false'));
  expect(after.find(({ id }) => id === 'ckpt-06')?.text).toBe(source);

  await page.keyboard.press('z');
  await expect(page.getByTestId('proof-toast').filter({ hasText: 'Undone' })).toBeVisible();
  expect(await dumpTask(path, TASK)).toEqual(before);
});

test('invalid JSON keeps the editor open with line and column, and a reload keeps the draft', async ({ page }) => {
  await page.goto(`${origin}${EDIT}&mode=text`);
  const editor = page.getByRole('textbox', { name: 'State as JSON text' });
  await expect(editor).toBeVisible();
  await page.getByRole('button', { name: 'Format' }).click();
  await editor.press('Control+Home');
  await editor.press('ArrowDown');
  await editor.press('Home');
  await editor.pressSequentially('oops ');
  await expect(page.getByTestId('edit')).toContainText(/Line 2, column 3/);
  const fork = page.getByTestId('edit-fork');
  await expect(fork).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.reload();
  await expect(page.getByTestId('edit-draft')).toBeVisible();
  await expect(page.getByTestId('edit')).toContainText(/Line 2, column 3/);
  await page.getByRole('button', { name: 'Start over' }).click();
  await expect(page.getByTestId('edit')).toHaveAttribute('data-state', 'same');
});

test('two tabs that edit the same checkpoint are told that it is forked twice, and both are kept', async ({
  page,
  context,
}) => {
  const other = await context.newPage();
  for (const one of [page, other]) {
    await one.goto(`${origin}${EDIT}`);
    await switchCacheOff(one);
    await expect(review(one).getByRole('heading')).toHaveText('1 change');
  }
  const save = async (one: Page): Promise<void> => {
    await one.getByTestId('edit-fork').click();
    await expect(one.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
    await one.keyboard.press('Control+Enter');
    await expect(one).toHaveURL(/\?cp=/);
    await expect(one.getByTestId('edit')).toHaveCount(0);
  };
  await save(page);
  await expect(other.getByTestId('edit-forked')).toContainText('forked after you started');
  await save(other);
  const edits = (await dumpTask(path, TASK)).filter(({ parentId, id }) => parentId === 'ckpt-06' && id !== 'ckpt-07');
  expect(edits).toHaveLength(2);
  await expect(historyRow(other, edits[0]?.id ?? '')).toBeVisible();
});

test('values are added and removed, and what looks unlike before is said', async ({ page, folder }) => {
  expect(join(folder, 'research.db')).toBe(path);
  await page.goto(`${origin}${EDIT}&path=${encodeURIComponent('$.context.cache')}`);
  const row = tree(page).locator('[data-path="$.context.cache"]');
  await row.click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await expect(row).toHaveCount(0);
  await expect(page.getByTestId('edit-shape')).toContainText('$.context.cache');
  await tree(page).locator('[data-path="$.context"]').click();
  await page.getByRole('button', { name: 'Add inside' }).click();
  await page.getByRole('textbox', { name: 'Key' }).fill('note');
  await page.getByTestId('edit-value').fill('"checked by hand"');
  await page.keyboard.press('Enter');
  await expect(review(page).getByRole('heading')).toHaveText('2 changes');
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await expect(page.getByTestId('edit')).toHaveAttribute('data-state', 'same');
});

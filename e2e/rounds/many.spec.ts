import { join } from 'node:path';
import { expect, openAt, test } from '../support/fixtures.ts';
import { writeManyCheckpoints } from '../support/many.ts';
import { historyList } from '../support/pages.ts';
import { saveAsAgent } from '../support/stores.ts';

test('the tree of 50,000 checkpoints opens from the history with few elements', async ({ page, folder, start }) => {
  await writeManyCheckpoints(join(folder, 'many.db'), 'run', 50_000);
  await openAt(page, await start([join(folder, 'many.db')]), '/t/many-db/run');
  await expect(historyList(page).getByRole('option').first()).toBeVisible();
  await expect(page.getByTestId('history-pane')).toContainText('50,000 in');
  await page.getByTestId('open-tree').click();
  await expect(page.getByTestId('lanes-list').getByRole('row').nth(2)).toBeVisible();
  expect(await page.evaluate(() => document.querySelectorAll('*').length)).toBeLessThan(3_000);
  await page.getByRole('button', { name: 'Graph' }).click();
  await expect(page.locator('.react-flow__node').first()).toBeAttached();
  const nodes = await page.locator('.react-flow__node').count();
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  expect(nodes).toBeLessThanOrEqual(150);
  expect(elements).toBeLessThan(3_000);
});

test('of 10,000 rows only those in view are drawn, while they scroll too', async ({ page, folder, start }) => {
  const path = join(folder, 'rows.db');
  const state = (offset: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`value ${n}`, n + offset])));
  await saveAsAgent(path, { id: 'c-1', task: 'run', text: state(0) });
  await saveAsAgent(path, { id: 'c-2', task: 'run', text: state(1) });
  await openAt(page, await start([path]), '/t/rows-db/run?view=changes');
  const list = page.getByTestId('diff-list');
  await expect(page.getByTestId('diff-sum')).toContainText('10,000');
  await expect(list.getByTestId('diff-row').first()).toBeVisible();
  const height = await list.evaluate((box) => box.scrollHeight);
  await list.evaluate(async (box) => {
    for (let frame = 0; frame < 60; frame++) {
      box.scrollTop += 400;
      await new Promise<number>((done) => requestAnimationFrame(done));
    }
  });
  const rows = await list.getByTestId('diff-row').count();
  expect(rows).toBeLessThan(80);
  // A row that turns out higher than guessed has all places of the list worked out again.
  expect(await list.evaluate((box) => box.scrollHeight)).toBe(height);
});

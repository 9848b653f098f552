import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { seriousIssues } from '../support/axe.ts';
import { expect, goTo, openAt, test } from '../support/fixtures.ts';
import type { Inspector } from '../support/inspector.ts';
import { writeSearch } from '../support/many.ts';
import { elementCount, longestTask, measure, say } from '../support/measure.ts';
import { api, saveAsAgent } from '../support/stores.ts';

const lanesList = (page: Page): Locator => page.getByRole('treegrid', { name: 'Lanes' });
const treeOf = (lanes: number): string => `/t/search-${lanes}-db/search/tree`;

test('1, 6 and 31 lanes: cards, cards with a table, rows; each readable in both themes', async ({
  page,
  folder,
  start,
}) => {
  const sizes = [1, 6, 31];
  for (const lanes of sizes) await writeSearch(join(folder, `search-${lanes}.db`), 'search', lanes);
  const inspector = await start(sizes.map((lanes) => join(folder, `search-${lanes}.db`)));
  await openAt(page, inspector, treeOf(1));
  await expect(page.getByTestId('tree-summary')).toHaveText(/1 lane/);
  await expect(page.getByRole('group', { name: /^#10 / })).toBeVisible();
  await expect(lanesList(page)).toHaveCount(0);

  await goTo(page, treeOf(6));
  await expect(lanesList(page).getByRole('row')).toHaveCount(7);
  await expect(page.getByTestId('tree-canvas')).toContainText('variant: two-pass');
  await expect(page.locator('.tree-edges .on')).not.toHaveCount(0);
  expect(await seriousIssues(page), '6 lanes').toEqual([]);

  await goTo(page, treeOf(31));
  const list = lanesList(page);
  await expect(list.getByRole('row', { selected: true })).toContainText('f30');
  await expect(list).toContainText('variant: two-pass');
  await expect(page.getByTestId('tree-panel')).toContainText('Path from the start');
  expect(await seriousIssues(page), '31 lanes').toEqual([]);

  await list.focus();
  await page.keyboard.press('Home');
  await expect(list.getByRole('row', { selected: true })).toContainText('main');
  await page.keyboard.press('ArrowDown');
  await expect(list.getByRole('row', { selected: true })).toContainText(': ');
  await expect(page).toHaveURL(/focus=l\d+-\d+/);

  // A fold opens in place: its own row stays under the pointer.
  const fold = list.getByRole('row', { name: /lanes of 4 steps/ }).first();
  await page.keyboard.press('End');
  await expect(fold).toBeVisible();
  const before = await fold.boundingBox();
  await fold.click();
  await expect(fold).toHaveAttribute('aria-expanded', 'true');
  expect((await fold.boundingBox())?.y).toBeCloseTo(before?.y ?? -1, 0);

  await list.getByRole('link', { name: 'Compare f1 with main' }).click();
  await expect(page).toHaveURL(/\/compare\?a=.*b=/);
});

/** Asks as the page does, until every lane has been compared. */
async function compared(inspector: Inspector, lanes: number): Promise<void> {
  for (let complete = false; !complete;) {
    const answer = await api(inspector, `stores/search-${lanes}-db/tasks/search/lanes`);
    complete = (answer as { complete: boolean }).complete;
  }
}

test('300 and 2,000 lanes are grouped by what differs, drawn with few elements', async ({ page, folder, start }) => {
  const sizes = [300, 2_000];
  for (const lanes of sizes) await writeSearch(join(folder, `search-${lanes}.db`), 'search', lanes);
  const inspector = await start(sizes.map((lanes) => join(folder, `search-${lanes}.db`)));
  await page.addInitScript(measure, '.lanes-row');
  for (const lanes of sizes) {
    await compared(inspector, lanes);
    await openAt(page, inspector, `${treeOf(lanes)}?focus=l9-9`);
    const list = lanesList(page);
    await expect(page.getByTestId('tree-summary')).toContainText(`${lanes.toLocaleString('en')} lanes`);
    // Groups appear once all values are known, and lead to the selection.
    await expect(list.getByRole('row', { name: /temperature: 0\.3/, expanded: true }).first()).toBeAttached();
    await expect(list.getByRole('row', { selected: true })).toBeInViewport();
    expect(await elementCount(page)).toBeLessThan(3_000);
    say(`${lanes} lanes: longest task ${Math.round(await longestTask(page))} ms`);
    expect(await seriousIssues(page), `${lanes} lanes`).toEqual([]);
  }
});

test('on a phone the table is the view; what is saved later leaves main its name', async ({ page, folder, start }) => {
  await page.setViewportSize({ width: 400, height: 800 });
  const path = join(folder, 'search-6.db');
  await writeSearch(path, 'search', 6);
  await openAt(page, await start([path]), `${treeOf(6)}?focus=m-10`);
  const list = lanesList(page);
  const main = list.getByRole('row', { selected: true });
  await expect(main).toContainText('main');
  await expect(main).toContainText('10');
  const text = JSON.stringify({ step: 5, phase: 'publish', prompt: { variant: 'new' }, params: {} });
  await saveAsAgent(path, { task: 'search', id: 'late', text, parent: { task: 'search', id: 'm-4' } });
  await expect(list.getByRole('row')).toHaveCount(8);
  await expect(list).toContainText('variant: new');
  await expect(main).toContainText('main');
  await expect(main).toContainText('10');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
});

test('a fork made in the tree is selected and in view, and main stays main', async ({ page, folder, start }) => {
  const path = join(folder, 'search-31.db');
  await writeSearch(path, 'search', 31);
  await openAt(page, await start([path]), `${treeOf(31)}?focus=m-8`);
  const list = lanesList(page);
  await expect(list.getByRole('row', { selected: true })).toContainText('main');
  await page.getByTestId('tree-panel').getByRole('button', { name: 'Fork', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: /^Fork/ }).click();
  await expect(page.getByTestId('tree-summary')).toContainText('32 lanes');
  const made = list.getByRole('row', { selected: true });
  await expect(made).toContainText('f31');
  await expect(made).toBeInViewport();
  await expect(list.getByRole('row').nth(1)).toContainText('main');
});

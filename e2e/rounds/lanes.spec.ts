import { join } from 'node:path';
import type { Locator, Page, Route } from '@playwright/test';
import { seriousIssues } from '../support/axe.ts';
import { expect, goTo, openAt, test } from '../support/fixtures.ts';
import type { Inspector } from '../support/inspector.ts';
import { writeSearch } from '../support/many.ts';
import { elementCount, longestTask, measure, say } from '../support/measure.ts';
import { historyList, historyRow, selectedRow } from '../support/pages.ts';
import { api, nextEvent, saveAsAgent } from '../support/stores.ts';

const lanesList = (page: Page): Locator => page.getByRole('treegrid', { name: 'Lanes' });
const treeOf = (lanes: number): string => `/t/search-${lanes}-db/search/tree`;

test('1, 6, 9 and 31 lanes: steps, cards and dots with a table, rows; each readable in both themes', async ({
  page,
  folder,
  start,
}) => {
  const sizes = [1, 6, 9, 31];
  for (const lanes of sizes) await writeSearch(join(folder, `search-${lanes}.db`), 'search', lanes);
  const inspector = await start(sizes.map((lanes) => join(folder, `search-${lanes}.db`)));
  await openAt(page, inspector, treeOf(1));
  await expect(page.getByTestId('tree-summary')).toHaveText(/1 lane/);
  await expect(page.getByRole('group', { name: /^#10 / })).toBeVisible();
  await expect(lanesList(page)).toHaveCount(0);
  await expect(page.getByRole('treegrid', { name: 'Fork tree' }).getByRole('row')).toHaveCount(11);

  await goTo(page, treeOf(6));
  await expect(lanesList(page).getByRole('row')).toHaveCount(7);
  await expect(page.getByTestId('tree-canvas')).toContainText('variant: two-pass');
  await expect(page.locator('.tree-edges .on')).not.toHaveCount(0);
  // The way to the selection and the fork that it comes from are in view, the words of the cards not made smaller.
  for (const name of [/^#04 .*5 children/, /^#06 plan, Failed/])
    await expect(page.getByRole('group', { name })).toBeInViewport({ ratio: 0.99 });
  await expect(lanesList(page).getByRole('row', { selected: true })).toContainText('API timeout after 45 s');
  await expect(page.getByTestId('tree-panel')).toContainText('API timeout after 45 s');
  await page.getByRole('group', { name: /^#04 .*5 children/ }).click();
  await expect(page.getByTestId('tree-panel').getByRole('listitem').filter({ hasText: 'two-pass' })).toBeVisible();
  expect(await seriousIssues(page), '6 lanes').toEqual([]);

  await goTo(page, treeOf(9));
  await expect(page.getByTestId('tree-dots').locator('.lane-outcome')).toHaveCount(9);
  await expect(page.getByTestId('tree-canvas')).toContainText('variant: table first');
  await page.getByRole('button', { name: /Zoom in/ }).click();
  await page.getByRole('button', { name: /Zoom in/ }).click();
  await expect(page.getByTestId('tree-dots')).toHaveCount(0);
  expect(await seriousIssues(page), '9 lanes').toEqual([]);

  await goTo(page, treeOf(31));
  const list = lanesList(page);
  await expect(list.getByRole('row', { selected: true })).toContainText('f30');
  await expect(list).toContainText('variant: two-pass');
  await expect(page.getByTestId('tree-panel')).toContainText('Path from the start');
  // A lane far down opens with main, which it leaves, above it; the rows between scroll beneath.
  await page.setViewportSize({ width: 1440, height: 560 });
  await openAt(page, inspector, `${treeOf(31)}?focus=l28-6`);
  await expect(list.getByRole('row', { selected: true })).toBeInViewport({ ratio: 0.99 });
  await expect(list.getByRole('row', { name: /^main/ })).toBeInViewport({ ratio: 0.99 });
  await page.setViewportSize({ width: 1440, height: 900 });
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
  await expect(page).toHaveURL(/\/compare\/runs\?a=.*b=/);
});

test('the history folds other lanes: main and the way to the selection stay, and a group opens', async ({
  page,
  folder,
  start,
}) => {
  const path = join(folder, 'search-300.db');
  await writeSearch(path, 'search', 300);
  const inspector = await start([path]);
  await openAt(page, inspector, '/t/search-300-db/search');
  const folds = page.getByTestId('history-fold');
  await expect(folds).toHaveText([/^2\d\d lanes of 2 to 6 steps.*\d+ failed.*from #04$/, /^\d+ lanes of .*from #06$/]);
  // The rest of a row that only the tree had told of is fetched once it is in view.
  await expect(historyRow(page, 'm-10')).toContainText('phase "evaluate" → "rank"');
  await expect(historyRow(page, 'm-10')).toBeInViewport();
  await expect(historyRow(page, 'l299-7')).toBeInViewport();
  expect(await historyList(page).getByRole('option').count()).toBeLessThan(40);

  // j goes from checkpoint to checkpoint; the arrows of the list rest on a fold, too.
  await historyRow(page, 'l299-7').click();
  await page.keyboard.press('j');
  await expect(selectedRow(page).locator('[data-id="m-10"]')).toBeVisible();
  await page.keyboard.press('k');
  await expect(selectedRow(page).locator('[data-id="l299-7"]')).toBeVisible();
  await historyList(page).focus();
  await page.keyboard.press('ArrowDown');
  await expect(selectedRow(page).getByTestId('history-fold')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(folds.first()).toContainText('opened');
  await expect(folds.nth(1)).toContainText(/^f29\d/);
  expect(await seriousIssues(page), 'an opened fold').toEqual([]);

  // A lane by itself is shown step by step, from its end on; what was open before stays so.
  await folds.nth(1).click();
  await expect(selectedRow(page).locator('[data-id^="l298-"]')).toBeInViewport();
  await expect(historyRow(page, 'l299-7')).toBeInViewport();
  await page.getByTestId('history-fold-all').click();
  await expect(folds).toHaveCount(0);
  await page.getByTestId('history-fold-all').click();
  await expect(folds).not.toHaveCount(0);

  // Following, the newest lane is listed as soon as it is there, and main stays.
  await page.getByTestId('follow').click();
  const text = JSON.stringify({ step: 7, phase: 'draft', prompt: { variant: 'new' }, params: {} });
  await saveAsAgent(path, { task: 'search', id: 'late', text, parent: { task: 'search', id: 'm-4' } });
  await expect(selectedRow(page).locator('[data-id="late"]')).toBeVisible();
  await expect(historyRow(page, 'm-10')).toBeInViewport();
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

test('what is saved before the page listens is read, though the lanes had been asked for', async ({
  page,
  folder,
  start,
}) => {
  await page.setViewportSize({ width: 400, height: 800 });
  const path = join(folder, 'search-6.db');
  await writeSearch(path, 'search', 6);
  const inspector = await start([path]);
  const streams: Route[] = [];
  await page.route('**/api/events', (route) => void streams.push(route));
  const listens = page.waitForResponse('**/api/events');
  await page.route(/\/lanes$/, async (route) => {
    const response = await route.fetch();
    await listens;
    await route.fulfill({ response });
  });
  await openAt(page, inspector, treeOf(6));
  const list = lanesList(page);
  await expect(list.getByRole('row')).toHaveCount(7);
  const { told } = await nextEvent(inspector, 'change');
  const text = JSON.stringify({ step: 5, phase: 'publish', prompt: { variant: 'new' }, params: {} });
  await saveAsAgent(path, { task: 'search', id: 'late', text, parent: { task: 'search', id: 'm-4' } });
  await told;
  await streams[0]?.continue();
  await expect(list.getByRole('row')).toHaveCount(8);
  await expect(list).toContainText('variant: new');
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

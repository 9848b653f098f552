import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { expect, openAt, test } from '../support/fixtures.ts';
import { content, workbenchPath } from '../support/pages.ts';
import { runCli } from '../support/inspector.ts';

const BIG = workbenchPath('agents-db', 'big-state', { view: 'state' });
/** What is wanted of a quiet machine; tests allow for a busy one and print what they measured. */
const GOAL = { paintMs: 500, taskMs: 200 };
const BUSY = 6;

/** The page measures itself: the first row of this kind, and every task that held it up. */
const measure = (selector: string) => {
  const tasks: number[] = [];
  Object.assign(globalThis, { tasks });
  new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({
    type: 'longtask',
    buffered: true,
  });
  const seen = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    seen.disconnect();
    requestAnimationFrame(() => performance.mark('drawn'));
  });
  seen.observe(document, { childList: true, subtree: true });
};

const longestTask = (page: Page): Promise<number> =>
  page.evaluate(() => Math.max(0, ...(globalThis as unknown as { tasks: number[] }).tasks));

const tree = (page: Page) => page.getByRole('tree', { name: 'State' });
const row = (page: Page, path: string) => tree(page).locator(`[data-path="${path}"]`);

/** A little slower under other work; a second and third try tell load from a collapse. */
async function bestOf<T extends { paint: number; task: number }>(tries: number, run: () => Promise<T>): Promise<T> {
  let best = await run();
  for (let n = 1; n < tries && (best.paint > GOAL.paintMs || best.task > GOAL.taskMs); n++) {
    const next = await run();
    if (next.paint + next.task < best.paint + best.task) best = next;
  }
  return best;
}

/** From the click on the tab until the first rows are painted; the page measures itself. */
const openState = (): Promise<number> =>
  new Promise((resolve) => {
    const began = performance.now();
    const seen = new MutationObserver(() => {
      if (document.querySelector('[data-testid="state-tree"] [data-path="$.pages"]') === null) return;
      seen.disconnect();
      requestAnimationFrame(() => resolve(performance.now() - began));
    });
    seen.observe(document, { childList: true, subtree: true });
    const tab = [...document.querySelectorAll<HTMLElement>('[role="tab"]')].find((one) => one.textContent === 'State');
    tab?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0 }));
    tab?.focus();
  });

test('an 18 MB state is painted within 500 ms, without a long task', async ({ page, demo }) => {
  await page.addInitScript(measure, '[data-testid="state-tree"] [data-path="$.pages"]');
  await openAt(page, demo, BIG.replace('view=state', 'view=meta'));
  await expect(page.getByTestId('meta-tab')).toBeVisible();
  const opened = await page.evaluate(openState);
  await expect(row(page, '$.pages')).toContainText('3,362 items');
  await expect(row(page, '$.screenshots.home')).toContainText('image/png');
  const best = await bestOf(3, async () => {
    await page.goto(`${demo.origin}${BIG}`);
    await expect(row(page, '$.pages')).toBeVisible();
    await expect.poll(() => page.evaluate(() => performance.getEntriesByName('drawn').length)).toBe(1);
    const paint = await page.evaluate(() => performance.getEntriesByName('drawn')[0]?.startTime ?? Number.NaN);
    // Whatever else the page does with the state has begun by then.
    await page.waitForTimeout(500);
    return { paint, task: await longestTask(page) };
  });
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  console.log(
    `measured: 18 MB state: first rows ${Math.round(opened)} ms after the click (goal ${GOAL.paintMs}), ${Math.round(best.paint)} ms after a reload of the page, longest task ${Math.round(best.task)} ms (goal ${GOAL.taskMs}), ${elements} elements`,
  );
  expect(opened).toBeLessThan(GOAL.paintMs * BUSY);
  expect(best.task).toBeLessThan(GOAL.taskMs * BUSY);
});

test('Ctrl+F finds inside an 18 MB state, and n leads to the next match', async ({ page, demo }) => {
  await page.addInitScript(measure, '[data-testid="state-tree"]');
  await openAt(page, demo, BIG);
  await expect(row(page, '$.pages')).toBeVisible();
  await page.keyboard.press('Control+f');
  const field = page.getByRole('textbox', { name: 'Find in state' });
  await expect(field).toBeFocused();
  const start = Date.now();
  await field.fill('PAGE-2000"');
  await expect(row(page, '$.pages[2000].id')).toBeInViewport();
  console.log(`measured: found in 18 MB within ${Date.now() - start} ms, typing and scrolling included`);
  await expect(page.getByText('1 of 1 match')).toBeVisible();
  await expect(page).toHaveURL(/path=%24\.pages%5B2000%5D\.id/);
  await field.fill('Page 333');
  await expect(row(page, '$.pages[333].title')).toBeInViewport();
  await field.press('Escape');
  await page.keyboard.press('n');
  await expect(row(page, '$.pages[3330].title')).toBeInViewport();
  await expect(page.getByTestId('find-snippet')).toContainText('Page 3330');
  // A link to a value opens the way to it.
  await page.reload();
  await expect(row(page, '$.pages[3330].title')).toBeInViewport();
  await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('"Page 3330"');
  expect(await longestTask(page)).toBeLessThan(1_000);
});

test('a list of 100,000 is read in pages as it is scrolled, and every tab of the state stays quick', async ({
  page,
  demo,
}) => {
  await page.addInitScript(measure, '[data-testid="state-tree"]');
  const answers: number[] = [];
  page.on('response', (response) => {
    if (response.url().includes('/state?')) answers.push(Number(response.headers()['content-length'] ?? 0));
  });
  await openAt(page, demo, BIG);
  await row(page, '$.latency_ms').click();
  await expect(row(page, '$.latency_ms[0]')).toContainText('20.00');
  await tree(page).focus();
  await page.keyboard.press('End');
  await expect(row(page, '$.screenshots')).toBeInViewport();
  const frames = await page.evaluate(async () => {
    const list = document.querySelector('[data-testid="state-tree"]');
    const times: number[] = [];
    let last = performance.now();
    for (let n = 0; n < 120; n++) {
      if (list) list.scrollTop = 24 * (200 + n * 40);
      const now = await new Promise<number>((resolve) => requestAnimationFrame(resolve));
      times.push(now - last);
      last = now;
    }
    return times.toSorted((a, b) => a - b);
  });
  const [half = 0, most = 0] = [frames[60], frames[114]];
  console.log(
    `measured: scrolling 100,000 rows: ${Math.round(1000 / half)} frames/s at the median, 95 % within ${Math.round(most)} ms`,
  );
  await page.evaluate(() => {
    const list = document.querySelector('[data-testid="state-tree"]');
    if (list) list.scrollTop = 24 * 50_000;
  });
  await expect(row(page, '$.latency_ms[49999]')).toBeInViewport();
  expect(Math.max(...answers)).toBeLessThan(1_000_000);
  expect(await longestTask(page)).toBeLessThan(1_000);

  await row(page, '$.latency_ms[49999]').click();
  await page.getByRole('button', { name: 'Copy value or path' }).click();
  await expect(page.getByRole('menuitem', { name: /Copy path/ })).toContainText('$.latency_ms[49999]');
  await page.keyboard.press('Escape');

  await page.getByRole('tab', { name: 'Raw' }).click();
  await expect(page.getByTestId('raw-tab')).toContainText('18,006,173 bytes, as stored');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(readFileSync(await download.path()).length).toBe(18_006_173);
});

test.describe(() => {
  // The comparison that is refused is an error to the browser.
  test.use({ allowedErrors: /status of 413/ });

  test('a 60 MB state shows its head, its size and a download, and opens only when asked', async ({
    page,
    start,
    folder,
  }) => {
    test.setTimeout(120_000);
    const path = join(folder, 'crawl.db');
    const item = (n: number): string => `{"id":"item-${n}","body":"${'A page that was read. '.repeat(40)}"}`;
    const text = `{"goal":"all","items":[${Array.from({ length: 66_000 }, (_, n) => item(n)).join(',')}]}`;
    const store = await openSqliteStore({ path });
    await store.save({ task: 'crawl', id: 'before', text: '{"goal":"all"}' });
    await store.save({ task: 'crawl', id: 'huge', text, parent: { task: 'crawl', id: 'before' } });
    await store.close();
    await page.addInitScript(measure, '[data-testid="state-head"] .state-row');
    const inspector = await start([path]);
    await openAt(page, inspector, workbenchPath('crawl-db', 'crawl', { cp: 'huge', view: 'state' }));
    const huge = page.getByTestId('huge-state');
    await expect(huge).toContainText(/6\d\.\d MB/);
    await expect(huge.getByRole('listitem').first()).toContainText('2 keys');
    await expect(huge).toContainText('The first 200 rows');
    console.log(`measured: 60 MB state: longest task ${Math.round(await longestTask(page))} ms`);
    expect(await longestTask(page)).toBeLessThan(1_000);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      huge.getByRole('button', { name: 'Download state' }).click(),
    ]);
    expect(readFileSync(await download.path()).length).toBe(text.length);
    await huge.getByRole('button', { name: 'Open lazily anyway' }).click();
    await row(page, '$.items').click();
    await expect(row(page, '$.items[0]')).toContainText('item-0');
    // What differs is the state itself: said, not sent.
    await page.getByRole('tab', { name: 'Changes' }).click();
    await expect(content(page).getByRole('alert')).toContainText('read in parts');
    expect(
      await runCli(['show', 'huge', '--store', path, '--path', '$.items', '--offset', '65999'], folder),
    ).toMatchObject({
      count: 66_000,
      children: [{ step: 65_999, kind: 'object' }],
    });
  });
});

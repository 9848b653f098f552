import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { expect, openAt, test } from '../support/fixtures.ts';
import { answerSizes, elementCount, largestOf } from '../support/measure.ts';
import { content, workbenchPath } from '../support/pages.ts';
import { runCli } from '../support/inspector.ts';

const BIG = workbenchPath('agents-db', 'big-state', { view: 'state' });
const tree = (page: Page) => page.getByRole('tree', { name: 'State' });
const row = (page: Page, path: string) => tree(page).locator(`[data-path="${path}"]`);

/** Elements on the page: what is not in view is not drawn. */
const MOST_ELEMENTS = 1_500;
/** Bytes of one answer about a part of a state. */
const MOST_BYTES = 1_000_000;

test('an 18 MB state is shown from a part of it, with few elements', async ({ page, demo }) => {
  const answers = answerSizes(page, '/state');
  await openAt(page, demo, BIG.replace('view=state', 'view=meta'));
  await expect(page.getByTestId('meta-tab')).toBeVisible();
  await page.getByRole('tab', { name: 'State' }).click();
  await expect(row(page, '$.pages')).toContainText('3,362 items');
  await expect(row(page, '$.screenshots.home')).toContainText('image/png');
  await page.reload();
  await expect(row(page, '$.pages')).toBeVisible();
  expect(largestOf(answers)).toBeLessThan(MOST_BYTES);
  expect(await elementCount(page)).toBeLessThan(MOST_ELEMENTS);
});

test('Ctrl+F finds inside an 18 MB state, and n leads to the next match', async ({ page, demo }) => {
  const answers = answerSizes(page, '/state');
  await openAt(page, demo, BIG);
  await expect(row(page, '$.pages')).toBeVisible();
  await page.keyboard.press('Control+f');
  const field = page.getByRole('textbox', { name: 'Find in state' });
  await expect(field).toBeFocused();
  await field.fill('PAGE-2000"');
  await expect(row(page, '$.pages[2000].id')).toBeInViewport();
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
  expect(largestOf(answers)).toBeLessThan(MOST_BYTES);
});

test('a list of 100,000 is read in pages as it is scrolled, and every tab of the state works', async ({
  page,
  demo,
}) => {
  const answers = answerSizes(page, '/state?');
  await openAt(page, demo, BIG);
  await row(page, '$.latency_ms').click();
  await expect(row(page, '$.latency_ms[0]')).toContainText('20.00');
  await tree(page).focus();
  await page.keyboard.press('End');
  await expect(row(page, '$.screenshots')).toBeInViewport();
  await page.evaluate(async () => {
    const list = document.querySelector('[data-testid="state-tree"]');
    for (let n = 0; n < 120; n++) {
      if (list) list.scrollTop = 24 * (200 + n * 40);
      await new Promise<number>((resolve) => requestAnimationFrame(resolve));
    }
  });
  await page.evaluate(() => {
    const list = document.querySelector('[data-testid="state-tree"]');
    if (list) list.scrollTop = 24 * 50_000;
  });
  await expect(row(page, '$.latency_ms[49999]')).toBeInViewport();
  expect(largestOf(answers)).toBeLessThan(MOST_BYTES);
  expect(await elementCount(page)).toBeLessThan(MOST_ELEMENTS);

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
    const inspector = await start([path]);
    const answers = answerSizes(page, '/state');
    await openAt(page, inspector, workbenchPath('crawl-db', 'crawl', { cp: 'huge', view: 'state' }));
    const huge = page.getByTestId('huge-state');
    await expect(huge).toContainText(/6\d\.\d MB/);
    await expect(huge.getByRole('listitem').first()).toContainText('2 keys');
    await expect(huge).toContainText('The first 200 rows');
    expect(await elementCount(page)).toBeLessThan(MOST_ELEMENTS);
    expect(largestOf(answers)).toBeLessThan(MOST_BYTES);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      huge.getByRole('button', { name: 'Download state' }).click(),
    ]);
    expect(readFileSync(await download.path()).length).toBe(text.length);
    await huge.getByRole('button', { name: 'Open it in parts' }).click();
    await row(page, '$.items').click();
    await expect(row(page, '$.items[0]')).toContainText('item-0');
    // What differs is the state itself: said, not sent.
    await page.getByRole('tab', { name: 'Changes' }).click();
    await expect(content(page).getByRole('alert')).toContainText('loads it in parts');
    expect(
      await runCli(['show', 'huge', '--store', path, '--path', '$.items', '--offset', '65999'], folder),
    ).toMatchObject({
      count: 66_000,
      children: [{ step: 65_999, kind: 'object' }],
    });
  });
});

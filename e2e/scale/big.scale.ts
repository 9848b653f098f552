import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { expect, openAt, test } from '../support/fixtures.ts';
import { drawnAfter, elementCount, longestTask, measure, say } from '../support/measure.ts';
import { workbenchPath } from '../support/pages.ts';

const BIG = workbenchPath('agents-db', 'big-state', { view: 'state' });
/** What is wanted of a quiet machine; tests allow for a busy one and print what they measured. */
const GOAL = { paintMs: 500, taskMs: 200 };
const BUSY = 6;

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
    const paint = await drawnAfter(page);
    // Whatever else the page does with the state has begun by then.
    await page.waitForTimeout(500);
    return { paint, task: await longestTask(page) };
  });
  const elements = await elementCount(page);
  say(
    `18 MB state: first rows ${Math.round(opened)} ms after the click (goal ${GOAL.paintMs}), ${Math.round(best.paint)} ms after a reload of the page, longest task ${Math.round(best.task)} ms (goal ${GOAL.taskMs}), ${elements} elements`,
  );
  expect(opened).toBeLessThan(GOAL.paintMs * BUSY);
  expect(best.task).toBeLessThan(GOAL.taskMs * BUSY);
});

test('finding in an 18 MB state holds the page for a second at most', async ({ page, demo }) => {
  await page.addInitScript(measure, '[data-testid="state-tree"]');
  await openAt(page, demo, BIG);
  await expect(row(page, '$.pages')).toBeVisible();
  await page.keyboard.press('Control+f');
  const began = Date.now();
  await page.getByRole('textbox', { name: 'Find in state' }).fill('PAGE-2000"');
  await expect(row(page, '$.pages[2000].id')).toBeInViewport();
  say(`found in 18 MB within ${Date.now() - began} ms, typing and scrolling included`);
  await page.reload();
  await expect(row(page, '$.pages[2000].id')).toBeInViewport();
  expect(await longestTask(page)).toBeLessThan(1_000);
});

test('scrolling a list of 100,000 holds the page for a second at most', async ({ page, demo }) => {
  await page.addInitScript(measure, '[data-testid="state-tree"]');
  await openAt(page, demo, BIG);
  await row(page, '$.latency_ms').click();
  await expect(row(page, '$.latency_ms[0]')).toContainText('20.00');
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
  say(`scrolling 100,000 rows: ${Math.round(1000 / half)} frames/s at the median, 95 % within ${Math.round(most)} ms`);
  expect(await longestTask(page)).toBeLessThan(1_000);
});

test('the head of a 60 MB state holds the page for a second at most', async ({ page, start, folder }) => {
  test.setTimeout(120_000);
  const path = join(folder, 'crawl.db');
  const item = (n: number): string => `{"id":"item-${n}","body":"${'A page that was read. '.repeat(40)}"}`;
  const text = `{"goal":"all","items":[${Array.from({ length: 66_000 }, (_, n) => item(n)).join(',')}]}`;
  const store = await openSqliteStore({ path });
  await store.save({ task: 'crawl', id: 'huge', text });
  await store.close();
  await page.addInitScript(measure, '[data-testid="state-head"] .state-row');
  await openAt(page, await start([path]), workbenchPath('crawl-db', 'crawl', { cp: 'huge', view: 'state' }));
  await expect(page.getByTestId('huge-state')).toContainText('The first 200 rows');
  say(`60 MB state: longest task ${Math.round(await longestTask(page))} ms`);
  expect(await longestTask(page)).toBeLessThan(1_000);
});

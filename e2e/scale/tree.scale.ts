import { join } from 'node:path';
import { expect, openAt, test } from '../support/fixtures.ts';
import { writeManyCheckpoints } from '../support/many.ts';
import { say } from '../support/measure.ts';
import { historyList } from '../support/pages.ts';
import { saveAsAgent } from '../support/stores.ts';

/** Limits are several times the goals: they catch a collapse. The figures are printed. */

test('the tree of 50,000 checkpoints opens from the history at once, with few elements', async ({
  page,
  folder,
  start,
}) => {
  await writeManyCheckpoints(join(folder, 'many.db'), 'run', 50_000);
  await openAt(page, await start([join(folder, 'many.db')]), '/t/many-db/run');
  await expect(historyList(page).getByRole('option').first()).toBeVisible();
  await expect(page.getByTestId('history-pane')).toContainText('50,000 in');
  // The page fetches what it will need while it has nothing else to do.
  await page.evaluate(() => new Promise((done) => requestIdleCallback(done)));
  await page.evaluate(() => {
    const state = {
      from: 0,
      longest: 0,
      shift: 0,
      drawn: undefined as number | undefined,
      named: undefined as number | undefined,
    };
    Object.assign(globalThis, { measuredTree: state });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) state.longest = Math.max(state.longest, entry.duration);
    }).observe({ type: 'longtask' });
    document.addEventListener('click', () => (state.from = performance.now()), { capture: true, once: true });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as PerformanceEntry & { value: number; hadRecentInput: boolean };
        if (state.drawn !== undefined && !hadRecentInput) state.shift += value;
      }
    }).observe({ type: 'layout-shift' });
    const since = (): number => performance.now() - state.from;
    const seen = new MutationObserver(() => {
      const isDrawn = document.querySelector('[role="treegrid"] [role="row"] + [role="row"], .react-flow__node');
      if (isDrawn === null) return;
      if (state.drawn === undefined) requestAnimationFrame(() => (state.drawn ??= since()));
      // What differs is the name of a lane; main has none.
      const names = [...document.querySelectorAll('.lanes-row .lane-name')].slice(1);
      if (names.length === 0 || names.some((name) => name.querySelector('.lane-key') === null)) return;
      seen.disconnect();
      requestAnimationFrame(() => (state.named = since()));
    });
    seen.observe(document.body, { childList: true, subtree: true });
  });
  await page.getByTestId('open-tree').click();
  await page.waitForFunction(() => Reflect.get(globalThis, 'measuredTree').named !== undefined);
  const { drawn, named, longest, shift } = await page.evaluate(
    () => Reflect.get(globalThis, 'measuredTree') as Record<'drawn' | 'named' | 'longest' | 'shift', number>,
  );
  // So many lanes open as rows, and few lanes as a graph.
  const nodes = await page.locator('.react-flow__node, [role="treegrid"] [role="row"]').count();
  const elements = await page.evaluate(() => document.querySelectorAll('*').length);
  say(
    `tree of 50,000 checkpoints: first rows ${Math.round(drawn)} ms (goal 500), what differs in those in view ${Math.round(named)} ms (goal 1,000), moved by then ${shift.toFixed(3)}, longest task ${Math.round(longest)} ms, ${nodes} nodes, ${elements} elements in all`,
  );
  expect(nodes).toBeLessThanOrEqual(150);
  expect(drawn).toBeLessThan(4_000);
  expect(named).toBeLessThan(8_000);
  expect(shift).toBeLessThan(0.05);
});

test('10,000 rows scroll smoothly, and only those in view are drawn', async ({ page, folder, start }) => {
  const path = join(folder, 'rows.db');
  const state = (offset: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`value ${n}`, n + offset])));
  await saveAsAgent(path, { id: 'c-1', task: 'run', text: state(0) });
  await saveAsAgent(path, { id: 'c-2', task: 'run', text: state(1) });
  await openAt(page, await start([path]), '/t/rows-db/run?view=changes');
  const list = page.getByTestId('diff-list');
  await expect(page.getByTestId('diff-sum')).toContainText('10,000');
  await expect(list.getByTestId('diff-row').first()).toBeVisible();
  const frames = await list.evaluate(async (box) => {
    box.scrollTo({ top: 0 });
    const from = performance.now();
    let count = 0;
    const gaps: number[] = [];
    for (let last = from; last - from < 2_000; count++) {
      box.scrollTop += 400;
      const now = await new Promise<number>((done) => requestAnimationFrame(done));
      gaps.push(now - last);
      last = now;
    }
    return { rate: (count * 1000) / (performance.now() - from), worst: Math.max(...gaps) };
  });
  const rows = await list.getByTestId('diff-row').count();
  say(
    `scroll over 10,000 rows: ${Math.round(frames.rate)} frames per second (goal 50), worst frame ${Math.round(frames.worst)} ms, ${rows} rows drawn`,
  );
  expect(rows).toBeLessThan(80);
  expect(frames.rate).toBeGreaterThan(5);
});

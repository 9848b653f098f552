import { expect, openAt, test } from '../support/fixtures.ts';

/** Milliseconds from the navigation until an element of this kind is drawn; the page measures itself. */
const watchFor = (selector: string) => {
  const seen = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    seen.disconnect();
    requestAnimationFrame(() => performance.mark('drawn'));
  });
  seen.observe(document, { childList: true, subtree: true });
};

/** Limits are ten times what a quiet machine of two cores needs: they catch a collapse, not a slow day. */
const ROUTES = [
  {
    name: 'the tree of 2,000 checkpoints',
    path: '/t/agents-db/soak-2000/tree',
    selector: '.tree-node',
    limitMs: 10_000,
    mostElements: 2_000,
  },
  {
    name: 'the history of 2,000 checkpoints',
    path: '/t/agents-db/soak-2000',
    selector: '[data-testid="history-row"]',
    limitMs: 10_000,
    mostElements: 3_000,
  },
  {
    name: 'the list of tasks',
    path: '/tasks',
    selector: '[data-testid="task-row"]',
    limitMs: 10_000,
    mostElements: 2_000,
  },
] as const;

for (const { name, path, selector, limitMs, mostElements } of ROUTES) {
  test(`${name} is drawn in time, with few elements`, async ({ page, demo }) => {
    await page.addInitScript(watchFor, selector);
    await openAt(page, demo, path);
    await expect(page.locator(selector).first()).toBeAttached();
    await expect.poll(() => page.evaluate(() => performance.getEntriesByName('drawn').length)).toBe(1);
    const { drawn, paint, elements } = await page.evaluate(() => ({
      drawn: performance.getEntriesByName('drawn')[0]?.startTime ?? Number.NaN,
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
      elements: document.querySelectorAll('*').length,
    }));
    const shown = await page.locator(selector).count();
    console.log(
      `${name}: first paint ${Math.round(paint)} ms, drawn ${Math.round(drawn)} ms, ${shown} of ${selector}, ${elements} elements in all`,
    );
    expect(drawn).toBeLessThan(limitMs);
    expect(shown).toBeLessThanOrEqual(150);
    expect(elements).toBeLessThan(mostElements);
  });
}

import type { CDPSession, Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import type { Inspector } from '../support/inspector.ts';
import { elementCount } from '../support/measure.ts';
import { QUICK_ROUTES } from '../support/quick.ts';
import { api } from '../support/stores.ts';

for (const { name, path, selector, mostElements } of QUICK_ROUTES) {
  test(`${name} is drawn with few elements`, async ({ page, demo }) => {
    await openAt(page, demo, path);
    await expect(page.locator(selector).first()).toBeAttached();
    expect(await page.locator(selector).count()).toBeLessThanOrEqual(150);
    expect(await elementCount(page)).toBeLessThan(mostElements);
  });
}

/** What the page may cost before its list is there: it is opened through slow tunnels too. */
const MOST_BYTES = 250_000;

/** Bytes on the wire, heads included, of each file of the page; data of the server is not counted. */
async function filesOf(page: Page): Promise<{ readonly cdp: CDPSession; readonly bytes: ReadonlyMap<string, number> }> {
  const cdp = await page.context().newCDPSession(page);
  const paths = new Map<string, string>();
  const bytes = new Map<string, number>();
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => paths.set(requestId, new URL(request.url).pathname));
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId);
    if (path !== undefined && !path.startsWith('/api/')) bytes.set(path, encodedDataLength);
  });
  await cdp.send('Network.enable');
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  return { cdp, bytes };
}

/** Opens the list, and answers the files that were asked for before its first row was there. */
async function filesBeforeList(page: Page, demo: Inspector): Promise<readonly string[]> {
  // At once, as React puts the rows in: what they let begin in the same task comes after them, and an observer later.
  await page.addInitScript(() => {
    let isListed = false;
    const look = (into: Node): void => {
      if (isListed || !into.isConnected || document.querySelector('[data-testid="task-row"]') === null) return;
      isListed = true;
      performance.mark('listed');
    };
    const { appendChild, insertBefore } = Node.prototype;
    Node.prototype.appendChild = function <T extends Node>(node: T): T {
      appendChild.call(this, node);
      look(this);
      return node;
    };
    Node.prototype.insertBefore = function <T extends Node>(node: T, before: Node | null): T {
      insertBefore.call(this, node, before);
      look(this);
      return node;
    };
  });
  await openAt(page, demo, '/tasks');
  await page.waitForFunction(() => performance.getEntriesByName('listed').length > 0);
  return page.evaluate(() => {
    const listed = performance.getEntriesByName('listed')[0]?.startTime ?? 0;
    const asked = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < listed);
    return asked.map(({ name }) => new URL(name).pathname).filter((path) => !path.startsWith('/api/'));
  });
}

test('the list of tasks is there after less than 250 kB', async ({ page, demo }) => {
  const { bytes } = await filesOf(page);
  // While stores are read, the page has time to fetch what comes next.
  await expect.poll(() => api(demo, 'tasks')).not.toHaveProperty('reading');
  const first = await filesBeforeList(page, demo);
  expect(first.length).toBeGreaterThan(2);
  await expect.poll(() => first.filter((path) => !bytes.has(path))).toEqual([]);
  const sizes = ['/tasks', ...new Set(first)].map((path) => [path, bytes.get(path) ?? 0] as const);
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  // The whole page is in it, and compressed.
  expect(total).toBeGreaterThan(50_000);
  expect(total, sizes.map(([path, size]) => `${path} ${size}`).join('\n')).toBeLessThan(MOST_BYTES);
});

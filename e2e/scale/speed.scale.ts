import { expect, openAt, test } from '../support/fixtures.ts';
import { drawnAfter, elementCount, measure, say } from '../support/measure.ts';
import { QUICK_ROUTES } from '../support/quick.ts';

/** Ten times what a quiet machine of two cores needs: it catches a collapse, not a slow day. */
const LIMIT_MS = 10_000;

for (const { name, path, selector } of QUICK_ROUTES) {
  test(`${name} is drawn in time`, async ({ page, demo }) => {
    await page.addInitScript(measure, selector);
    await openAt(page, demo, path);
    const drawn = await drawnAfter(page);
    const paint = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime);
    say(
      `${name}: first paint ${Math.round(paint ?? Number.NaN)} ms, drawn ${Math.round(drawn)} ms, ${await elementCount(page)} elements in all`,
    );
    expect(drawn).toBeLessThan(LIMIT_MS);
  });
}

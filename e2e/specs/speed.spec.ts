import { expect, openAt, test } from '../support/fixtures.ts';
import { elementCount } from '../support/measure.ts';
import { QUICK_ROUTES } from '../support/quick.ts';

for (const { name, path, selector, mostElements } of QUICK_ROUTES) {
  test(`${name} is drawn with few elements`, async ({ page, demo }) => {
    await openAt(page, demo, path);
    await expect(page.locator(selector).first()).toBeAttached();
    expect(await page.locator(selector).count()).toBeLessThanOrEqual(150);
    expect(await elementCount(page)).toBeLessThan(mostElements);
  });
}

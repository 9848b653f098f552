import type { Page } from '@playwright/test';
import { expect, goTo, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR } from '../support/pages.ts';
import { ROUTES, THEMES } from '../support/routes.ts';

const SIZES = [
  { name: 'phone', viewport: { width: 400, height: 860 } },
  { name: 'laptop', viewport: { width: 1440, height: 900 } },
  { name: 'laptop at 200 % zoom', viewport: { width: 720, height: 450 } },
] as const;

/** How far the document is wider than the window, and the controls outside of it that no scrolling reaches. */
const overflow = () => {
  const { clientWidth, scrollWidth } = document.documentElement;
  const scrolls = (element: Element): boolean =>
    ['auto', 'scroll'].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth;
  const reached = (element: Element | null): boolean =>
    element !== null && (scrolls(element) || reached(element.parentElement));
  const outside = [...document.querySelectorAll('button, a, input, [role="tab"]')].filter((element) => {
    const { left, right, width } = element.getBoundingClientRect();
    // The graph is moved by its own means; the skip link waits outside until it has the focus.
    return (
      width > 1 &&
      (left >= clientWidth || right <= 0) &&
      !reached(element) &&
      !element.closest('.react-flow, .skip-link')
    );
  });
  return { wider: scrollWidth - clientWidth, outside: outside.map((element) => element.outerHTML.slice(0, 120)) };
};

/** Both themes lie within the window. */
async function expectFitting(page: Page): Promise<void> {
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    expect(await page.evaluate(overflow), colorScheme).toEqual({ wider: 0, outside: [] });
  }
}

/** The page is loaded once for so many routes; from one to the next it goes as a link would. */
const TOGETHER = 8;

for (let from = 0; from < ROUTES.length; from += TOGETHER) {
  const routes = ROUTES.slice(from, from + TOGETHER);
  test(`no route is wider than the window: ${routes.map(({ name }) => name).join(' · ')}`, async ({ page, demo }) => {
    await openAt(page, demo);
    for (const route of routes) {
      await goTo(page, route.path);
      for (const { name, viewport } of SIZES) {
        await test.step(`${route.name}, ${name}`, async () => {
          await page.setViewportSize(viewport);
          await route.drawn(page);
          await expectFitting(page);
        });
      }
    }
  });
}

for (const { name, viewport } of SIZES) {
  test.describe(name, () => {
    test.use({ viewport });

    test('the restore dialog fits, and its buttons are in reach', async ({ page, demo }) => {
      await openAt(page, demo, `${COMPETITOR}?cp=ckpt-06`);
      await page.getByRole('button', { name: /^Restore/ }).click();
      const dialog = page.getByRole('dialog');
      await expect(dialog).toHaveAttribute('data-phase', 'ready');
      const box = await dialog.boundingBox();
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(viewport.width);
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height);
      await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeInViewport({ ratio: 1 });
      await expect(dialog.getByRole('button', { name: /^Restore #06/ })).toBeInViewport({ ratio: 1 });
      await expectFitting(page);
    });
  });
}

/** Controls of the page that are cut at the right edge, unless they can be scrolled to. */
const cutControls = () =>
  [...document.querySelectorAll('main button, main a, main input, main [role="tab"]')]
    .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth)
    .map((element) => element.getAttribute('aria-label') ?? element.textContent);

for (const width of [360, 400, 900, 960, 1180]) {
  test(`no control of the workbench is cut off at a width of ${width}`, async ({ page, demo }) => {
    await page.setViewportSize({ width, height: 800 });
    await openAt(page, demo, `${COMPETITOR}?cp=ckpt-07&base=ckpt-06`);
    await expect(page.getByTestId('changes-tab')).toHaveAttribute('data-state', 'ready');
    await expect(page.getByRole('tab', { name: 'Plan 2/4' })).toBeVisible();
    expect(await page.evaluate(cutControls)).toEqual([]);
  });
}

test('the theme is chosen in the bar and kept', async ({ page, demo }) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await openAt(page, demo, '/stores');
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await expect(page.getByTestId('store').first()).toBeVisible();
  const light = await background();
  await page.getByRole('button', { name: 'Theme' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect.poll(background).not.toBe(light);
  const dark = await background();
  await page.reload();
  await expect(page.getByTestId('store').first()).toBeVisible();
  expect(await background()).toBe(dark);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 400, height: 860 }, hasTouch: true });

  test('the panes are one tap away from each other', async ({ page, demo }) => {
    await openAt(page, demo, COMPETITOR);
    const panes = page.getByRole('navigation', { name: 'Panes' });
    await panes.getByRole('button', { name: 'History' }).tap();
    await page.getByRole('listbox', { name: 'Checkpoints, latest first' }).locator('[data-id="ckpt-07"]').tap();
    await expect(page.getByRole('heading', { level: 2 })).toHaveText('#07 fetch_revenue');
    await panes.getByRole('button', { name: 'Inspect' }).tap();
    await expect(page.getByRole('complementary', { name: 'Inspector' })).toContainText('ckpt-07');
    await panes.getByRole('button', { name: /^Tasks/ }).tap();
    await page.getByRole('listbox', { name: 'Tasks' }).getByText('clean-run').tap();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('clean-run');
    await page.goBack();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('competitor-revenue');
  });
});

import { seriousIssues } from '../support/axe.ts';
import { expect, goTo, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, historyRow, preview, proof, RESEARCH } from '../support/pages.ts';
import { ROUTES } from '../support/routes.ts';
import { copyStore, placeOf } from '../support/stores.ts';

// A deleted checkpoint that is still selected is asked for once more.
test.use({ allowedErrors: /status of 404 .*\/api\// });

/** The page is loaded once for so many routes; from one to the next it goes as a link would. */
const TOGETHER = 6;

for (let from = 0; from < ROUTES.length; from += TOGETHER) {
  const routes = ROUTES.slice(from, from + TOGETHER);
  test(`no serious issue in either theme: ${routes.map(({ name }) => name).join(' · ')}`, async ({ page, demo }) => {
    for (const [at, route] of routes.entries()) {
      if (at === 0) await openAt(page, demo, route.path);
      else await goTo(page, route.path);
      await route.drawn(page);
      expect(await seriousIssues(page), route.name).toEqual([]);
    }
  });
}

test('on a phone the words that are left out are still names', async ({ page, demo }) => {
  await page.setViewportSize({ width: 400, height: 860 });
  for (const path of ['/tasks', COMPETITOR, '/settings']) {
    await openAt(page, demo, path);
    await expect(page.getByRole('button', { name: 'Secrets masked' })).toBeVisible();
    expect(await seriousIssues(page), path).toEqual([]);
  }
});

test('the outline of the tree has no serious issue', async ({ page, demo }) => {
  await openAt(page, demo, '/t/kaizen-checkpoints/prod_agent/tree');
  await page.getByRole('button', { name: 'Outline' }).click();
  await expect(page.getByRole('treegrid', { name: 'Fork tree' }).getByRole('row').nth(3)).toBeVisible();
  expect(await seriousIssues(page)).toEqual([]);
});

test('the restore dialog has no serious issue', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  const dialog = await preview(page, 'Restore', 'ckpt-06', '#06 retry_plan');
  await expect(dialog.getByTestId('diff-summary')).toBeVisible();
  expect(await seriousIssues(page)).toEqual([]);
});

test('the sheet of keys, the palette and a menu have no serious issue', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await expect(historyRow(page, 'ckpt-10')).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  expect(await seriousIssues(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  expect(await seriousIssues(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByTestId('base-picker').press('Enter');
  await expect(page.getByTestId('picker')).toBeVisible();
  expect(await seriousIssues(page)).toEqual([]);
});

test('a proof, a receipt and the trash have no serious issue', async ({ page, demo, folder, start }) => {
  await openAt(page, await start([copyStore(await placeOf(demo, RESEARCH), folder)]), COMPETITOR);
  await preview(page, 'Delete', 'ckpt-06', '#06 retry_plan');
  await page.keyboard.press('Control+Enter');
  await expect(proof(page, 'Moved 1 checkpoint to the trash.')).toBeVisible();
  expect(await seriousIssues(page)).toEqual([]);
  for (const [keys, testId] of [
    ['ga', 'receipt'],
    ['gx', 'trash-item'],
  ] as const) {
    await page.keyboard.type(keys);
    await expect(page.getByTestId(testId)).toBeVisible();
    expect(await seriousIssues(page)).toEqual([]);
  }
});

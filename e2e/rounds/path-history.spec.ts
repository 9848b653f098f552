import type { Locator, Page, Route } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import { topsSeen, watchTops } from '../support/measure.ts';
import { COMPETITOR, content, diffRow, historyRow, RESEARCH, select, workbenchPath } from '../support/pages.ts';

const COMPANY_B = '$.context.revenue.CompanyB';

const section = (page: Page): Locator => page.getByRole('region', { name: 'History of this value' });
const list = (page: Page): Locator => page.getByRole('listbox', { name: 'History of this value, newest first' });
const rows = (page: Page): Locator => list(page).getByRole('option');

test('h on a value lists exactly the checkpoints that changed it, and Enter opens one at the path', async ({
  page,
  demo,
}) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await diffRow(page, COMPANY_B).click();
  await page.keyboard.press('h');
  await expect(list(page)).toBeFocused();
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).nth(0)).toContainText(/#09.*moved to normalized\.CompanyB.*normalize · researcher/s);
  await expect(rows(page).nth(1)).toContainText(/#07.*4\.2 → 4200.*fetch_revenue · researcher · last written/s);
  await expect(rows(page).nth(2)).toContainText(/#03.*set to 4\.2.*set here first/s);
  await expect(section(page).getByTestId('first-set')).toContainText('#03 fetch_revenue, researcher');
  await expect(section(page).getByTestId('last-written')).toContainText('#07 fetch_revenue, researcher');
  await expect(section(page).getByRole('img', { name: '4.2 from #03, 4200 from #07' })).toBeVisible();
  await expect(list(page).locator('.here')).toContainText('#07');
  await expect(section(page)).toContainText('Moved to $.context.normalized.CompanyB');

  // From the newest row back to the second: Enter opens that diff, the list stays as it is.
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#09 normalize');
  await expect(rows(page)).toHaveCount(3);
  await list(page).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#07 fetch_revenue');
  await expect(diffRow(page, COMPANY_B)).toBeInViewport();
  await expect(
    page.getByRole('listbox', { name: 'Changes', exact: true }).getByRole('option', { selected: true }),
  ).toContainText('CompanyB');
  expect(new URL(page.url()).searchParams.get('path')).toBe(COMPANY_B);
  await page.goBack();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#09 normalize');
});

test('of a list it says how many items it had, of an object what changed in it', async ({ page, demo }) => {
  await openAt(page, demo, workbenchPath('checkpoints-sqlite', 'support-4711', { view: 'state', path: '$.messages' }));
  await page.keyboard.press('h');
  await expect(rows(page).nth(0)).toContainText(/\d+ items → \d+ items/);
  await page.goto(
    `${demo.origin}${workbenchPath(RESEARCH, 'competitor-revenue', { view: 'state', path: '$.context.revenue', cp: 'ckpt-08' })}`,
  );
  await page.keyboard.press('h');
  await expect(rows(page).filter({ hasText: '#07' })).toContainText(/CompanyB.*4\.2 → 4200/);
  // Of two texts that begin alike, the place where they differ.
  const summary = { view: 'state', path: '$.context.summary', cp: 'ckpt-08' };
  await page.goto(`${demo.origin}${workbenchPath(RESEARCH, 'competitor-revenue', summary)}`);
  await page.keyboard.press('h');
  await expect(rows(page).filter({ hasText: '#07' })).toContainText(/…follows.* → …leads with 4200/);
});

test('on 2,000 checkpoints the list is there whole, draws few rows, and can be cancelled', async ({ page, demo }) => {
  await openAt(page, demo, workbenchPath('agents-db', 'soak-2000', { view: 'state', path: '$.score' }));
  await expect(section(page).getByRole('button', { name: /^Find every change in 2,000 checkpoints$/ })).toBeVisible();
  await page.keyboard.press('h');
  await expect(rows(page).first()).toBeVisible();
  await expect(section(page)).toHaveAttribute('data-state', 'ready');
  expect(await rows(page).count()).toBeLessThan(150);
  await expect(section(page).getByRole('heading')).toContainText(/1,9\d\d/);
  await expect(section(page).getByRole('img', { name: /values, lowest .* highest / })).toBeVisible();

  // A server that doesn't answer: the request ends.
  let [ended, asked] = [false, 0];
  await page.route('**/history?path=**', () => void (asked += 1));
  page.on('requestfailed', (request) => (ended ||= request.url().includes('/history?')));
  const streams: Route[] = [];
  await page.route('**/api/events', (route) => void streams.push(route));
  await page.goto(`${demo.origin}${workbenchPath('agents-db', 'soak-2000', { view: 'state', path: '$.notes' })}`);
  await expect(section(page).getByRole('button', { name: /^Find every change/ })).toBeVisible();
  await page.keyboard.press('h');
  await section(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(section(page)).toContainText(/Stopped at \d+ of/);
  await expect.poll(() => ended).toBe(true);

  // All is read again, but for what was stopped.
  const before = asked;
  await expect.poll(() => streams).toHaveLength(1);
  const again = page.waitForResponse('**/api/stores');
  await streams[0]?.fulfill({ contentType: 'text/event-stream', body: 'event: reset\ndata: {}\n\n' });
  await again;
  expect(asked).toBe(before);
  await expect(section(page)).toContainText(/Stopped at \d+ of/);

  // The key starts it again, as the button does.
  await page.keyboard.press('h');
  await section(page).getByRole('button', { name: 'Cancel' }).click();
  await expect(section(page)).toContainText(/Stopped at \d+ of/);
  expect(asked).toBe(before + 1);
  await page.unroute('**/history?path=**');
  await section(page).getByRole('button', { name: 'Start again' }).click();
  await expect(section(page)).toHaveAttribute('data-state', 'ready');
});

test('on a narrow screen h opens the inspector, and a row leads back to the diff', async ({ page, demo }) => {
  await page.setViewportSize({ width: 400, height: 800 });
  await openAt(page, demo, workbenchPath('research-db', 'competitor-revenue', { cp: 'ckpt-07', path: COMPANY_B }));
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#07 fetch_revenue');
  await page.keyboard.press('h');
  await expect(rows(page)).toHaveCount(3);
  await rows(page).nth(2).click();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#03 fetch_revenue');
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(historyRow(page, 'ckpt-03')).toBeVisible();
});

test('after a reload the notes have their place from the first, however late what is above them is read', async ({
  page,
  demo,
}) => {
  const slowly = async (route: Route): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 400));
    await route.continue();
  };
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await page.route('**/history?path=**', slowly);
  await page.route('**/diff?**', slowly);
  await page.addInitScript(watchTops, '[data-testid="notes"]');
  await page.reload();
  await expect(section(page)).toHaveAttribute('data-state', 'ready');
  await expect(page.getByTestId('notes')).toBeVisible();
  await expect(page.getByTestId('task-usage')).toBeVisible();
  expect(await topsSeen(page)).toHaveLength(1);
});

test('from value to value the notes move once: when the history of the other one is known', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await expect(section(page)).toHaveAttribute('data-state', 'ready');
  await page.evaluate(watchTops, '[data-testid="notes"]');
  await diffRow(page, '$.context.sources[2]').click();
  await expect(section(page)).toHaveAttribute('data-state', 'ready');
  await expect(rows(page)).toHaveCount(2);
  expect((await topsSeen(page)).length).toBeLessThanOrEqual(2);
});

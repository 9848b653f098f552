import { expect, test } from '../support/fixtures.ts';
import { TASKS_FAILED, taskRows } from '../support/pages.ts';
import { api } from '../support/stores.ts';

test('the printed link opens the tasks, and the token leaves the address at once', async ({ page, demo }) => {
  const origins = new Set<string>();
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await page.goto(demo.url);
  await expect(page).toHaveURL(`${demo.origin}/tasks`);
  await expect(page).toHaveTitle(/ tasks failed · Checkpoint Inspector$/);
  await expect(page.getByRole('heading', { name: TASKS_FAILED })).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify(history.state))).not.toContain(demo.token);
  expect([...origins]).toEqual([demo.origin]);
});

test('failed tasks come first, with their error', async ({ page, demo }) => {
  // Every row is drawn.
  await page.setViewportSize({ width: 1440, height: 1600 });
  await page.goto(demo.url);
  const { items } = (await api(demo, 'tasks')) as { items: { status: string }[] };
  const failed = items.filter(({ status }) => status === 'failed').length;
  await expect(taskRows(page)).toHaveCount(items.length);
  for (const [place, row] of (await taskRows(page).all()).entries()) {
    await expect(row.getByText('Failed', { exact: true })).toHaveCount(place < failed ? 1 : 0);
  }
  await expect(taskRows(page).filter({ hasText: 'competitor-revenue' })).toContainText(
    'ranking inconsistent with the summary',
  );
});

test('a reload and a second tab keep the access', async ({ page, demo, context }) => {
  await page.goto(demo.url);
  await expect(page.getByRole('heading', { name: TASKS_FAILED })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: TASKS_FAILED })).toBeVisible();
  const second = await context.newPage();
  await second.goto(`${demo.origin}/stores`);
  await expect(second.getByTestId('store').first()).toBeVisible();
});

test('the policy of the page forbids inline scripts and foreign sources', async ({ page, demo }) => {
  const answer = await page.goto(demo.url);
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("connect-src 'self'");
  await expect(page.getByRole('heading', { name: TASKS_FAILED })).toBeVisible();
});

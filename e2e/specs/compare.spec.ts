import { expect, openAt, test } from '../support/fixtures.ts';
import {
  COMPETITOR,
  content,
  diffRow,
  diffSum,
  historyList,
  historyRow,
  select,
  TASKS_FAILED,
  taskRows,
} from '../support/pages.ts';

const PLANTED = '+2 −1 ~3 ↕1';

test('a task is found with the filter and opened', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  await expect(taskRows(page).nth(1)).toBeVisible();
  await page.getByRole('textbox', { name: 'Filter tasks' }).fill('competitor');
  await expect(taskRows(page)).toHaveCount(1);
  await expect(page).toHaveURL(/\/tasks\?q=competitor$/);
  await taskRows(page).getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('competitor-revenue');
});

test('a facet narrows the list, and an empty list offers to take it back', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  const filters = page.getByRole('complementary', { name: 'Filters' });
  await filters.getByRole('button', { name: /^Failed/ }).click();
  await expect(taskRows(page).filter({ hasText: 'soak-2000' })).toHaveCount(0);
  await expect(taskRows(page).filter({ hasText: 'competitor-revenue' })).toHaveCount(1);
  await filters.getByRole('button', { name: 'agents.db' }).click();
  await expect(page.getByText('No task passes all filters.')).toBeVisible();
  await page.getByRole('button', { name: /^Clear status/ }).click();
  await expect(taskRows(page)).toHaveCount(2);
});

test('the palette goes to a task', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  await expect(page.getByRole('heading', { name: TASKS_FAILED })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('competitor');
  await page
    .getByRole('option', { name: /competitor-revenue/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/t\/research-db\/competitor-revenue$/);
  await expect(historyList(page).getByRole('option')).toHaveCount(10);
});

test('a palette that finds nothing says so', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  await page.getByRole('button', { name: /Find tasks, checkpoints/ }).click();
  await page.getByRole('combobox').fill('no such thing');
  await expect(page.getByText('Nothing here is called “no such thing”.')).toBeVisible();
});

test('the step with the planted cause reads +2 −1 ~3 ↕1', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe(PLANTED);
  const list = page.getByRole('listbox', { name: 'Changes' });
  await expect(list.locator('[data-kind="type-changed"]')).toHaveCount(1);
  await expect(diffRow(page, '$.context.cache_ttl')).toHaveAttribute('data-kind', 'type-changed');
  await expect(diffRow(page, '$.context.cache_ttl')).toContainText('0');
  await expect(diffRow(page, '$.context.cache_ttl')).toContainText('"0"');
  await expect(list.locator('[data-kind="moved"]')).toHaveCount(1);
  await expect(diffRow(page, '$.conversation_history[1]')).toContainText(/4.*1/);
  await expect(list.locator('[data-kind="removed"]')).toHaveCount(1);
  await expect(diffRow(page, '$.context.sources[2]')).toContainText('10-K 2023, CompanyB, p. 41');
  await expect(diffRow(page, '$.context.revenue.CompanyB')).toContainText(/4\.2.*4200/);
});

test('removing the ignore rule raises the count', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe(PLANTED);
  await expect(diffRow(page, '$.updated_at')).toHaveCount(0);
  await page.getByRole('button', { name: /rules ignore 1/ }).click();
  await page.getByRole('button', { name: 'Remove rule $.updated_at' }).click();
  await expect.poll(() => diffSum(page)).toBe('+2 −1 ~4 ↕1');
  await expect(diffRow(page, '$.updated_at')).toBeVisible();
  await page.getByRole('button', { name: 'Use the store’s own rules' }).click();
  await expect.poll(() => diffSum(page)).toBe(PLANTED);
});

test('all values can be shown beside the changes', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe(PLANTED);
  await expect(page.getByText('Rank A, B and C by revenue')).toHaveCount(0);
  await page.getByRole('checkbox', { name: 'Only changes' }).uncheck();
  await expect(content(page).getByText('Rank A, B and C by revenue').first()).toBeVisible();
});

test('two checkpoints of the choice are compared on a page of their own, and swapped', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-06', '#06 retry_plan');
  await page.keyboard.press('b');
  await expect(historyRow(page, 'ckpt-06').getByText('base')).toBeVisible();
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Side A' })).toContainText('#06 retry_plan');
  await expect(page.getByRole('region', { name: 'Side B' })).toContainText('#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe(PLANTED);
  await page.keyboard.press('x');
  await expect(page.getByRole('region', { name: 'Side A' })).toContainText('#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe('+1 −2 ~3 ↕1');
});

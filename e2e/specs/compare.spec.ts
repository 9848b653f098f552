import { expect, openAt, test } from '../support/fixtures.ts';
import { api } from '../support/stores.ts';
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

test('a facet narrows the list, and an empty list offers to undo it', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  const filters = page.getByRole('complementary', { name: 'Filters' });
  await filters.getByRole('button', { name: /^Failed/ }).click();
  await expect(taskRows(page).filter({ hasText: 'soak-2000' })).toHaveCount(0);
  await expect(taskRows(page).filter({ hasText: 'competitor-revenue' })).toHaveCount(1);
  await filters.getByRole('button', { name: 'agents.db' }).click();
  await expect(page.getByText('No tasks match these filters.')).toBeVisible();
  await page.getByRole('button', { name: /^Clear status/ }).click();
  await expect(taskRows(page).filter({ hasText: 'soak-2000' })).toHaveCount(1);
  await expect(taskRows(page).filter({ hasText: 'competitor-revenue' })).toHaveCount(0);
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
  await expect(page.getByText('No results for “no such thing”.')).toBeVisible();
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
  await page.getByRole('button', { name: /1 hidden by rules/ }).click();
  await page.getByRole('button', { name: 'Remove rule $.updated_at' }).click();
  await expect.poll(() => diffSum(page)).toBe('+2 −1 ~4 ↕1');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^1 folded: updated_at/ }).click();
  await expect(diffRow(page, '$.updated_at')).toBeVisible();
  await page.getByTestId('diff-options').click();
  await page.getByRole('button', { name: 'Use the default rules' }).click();
  await expect.poll(() => diffSum(page)).toBe(PLANTED);
});

test('all values can be shown beside the changes', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe(PLANTED);
  // Beside the change that has the focus.
  await expect(content(page).getByText('revenue.CompanyA')).toHaveCount(0);
  await page.getByTestId('diff-options').click();
  await page.getByRole('checkbox', { name: 'Only changes' }).uncheck();
  await expect(content(page).getByText('revenue.CompanyA')).toBeVisible();
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

test('any two checkpoints of any tasks and stores can be chosen, stepped and swapped', async ({ page, demo }) => {
  await openAt(page, demo, '/compare');
  const [a, b] = [page.getByRole('region', { name: 'Side A' }), page.getByRole('region', { name: 'Side B' })];
  await a.getByRole('button', { name: /Choose a checkpoint/ }).click();
  const picker = page.getByTestId('picker');
  await picker.getByRole('textbox').fill('competitor');
  await expect(picker.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await picker.getByRole('textbox').fill('#6');
  await expect(picker.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(a).toContainText('#06 retry_plan');

  await b.getByRole('button', { name: /Choose a checkpoint/ }).click();
  await picker.getByRole('textbox').fill('normalize');
  await expect(picker.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(b).toContainText('#09 normalize');
  const lineage = page.getByTestId('lineage');
  await expect(lineage).toContainText('A is an ancestor, 3 steps before');
  await expect(page.getByTestId('first-divergence')).toContainText(
    /\$\.context\.revenue\.CompanyB.*A.*4\.2.*at #06.*B.*4200.*at #07/s,
  );
  await expect(lineage.getByRole('img', { name: /#06 is the common ancestor/ })).toBeVisible();

  await page.keyboard.press('[');
  await expect(a).toContainText('#05');
  await expect(b).toContainText('#08 rank_companies');
  await page.keyboard.press(']');
  await expect(b).toContainText('#09 normalize');
  await a.getByRole('button', { name: 'A one step back' }).click();
  await expect(a).toContainText('#05');

  // Another store on one side: no tree is shared, the diff is there all the same.
  await b.getByRole('button', { name: /#09 normalize/ }).click();
  await picker.getByRole('button', { name: /competitor-revenue/ }).click();
  await picker.getByRole('textbox').fill('soak-2000');
  await expect(picker.getByRole('option')).toHaveCount(1);
  await picker.getByRole('option').click();
  await picker.getByRole('textbox').fill('soak-0042');
  await expect(picker.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(b).toContainText('soak-2000 in agents.db');
  await expect(lineage).toHaveCount(0);
  await expect(page.getByTestId('compared')).toHaveAttribute('data-state', 'ready');
  await page.goBack();
  await expect(b).toContainText('#09 normalize');

  await b.getByRole('link', { name: 'Open B in the workbench' }).click();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#09 normalize');
  await expect(page.getByTestId('base-picker')).toHaveText('#05');
  await page.goBack();
  await expect(a).toContainText('#05');
});

test('two ends of a fork are shown with their common ancestor and where they diverge', async ({ page, demo }) => {
  const { items } = (await api(demo, 'stores/kaizen-checkpoints/tasks/prod_agent/tree')) as {
    items: { id: string; parent?: { id: string } }[];
  };
  const parents = new Set(items.map((row) => row.parent?.id));
  const [one, two] = items
    .filter((row) => !parents.has(row.id))
    .map((row) => encodeURIComponent(`kaizen-checkpoints/prod_agent/${row.id}`));
  await openAt(page, demo, `/compare?a=${one}&b=${two}`);
  await expect(page.getByTestId('lineage')).toContainText('common ancestor');
  await expect(page.getByTestId('first-divergence')).toContainText(/First divergence, one step after #\d+/);
  await expect(page.getByTestId('first-divergence')).toContainText(/\$\..*A.*at #\d+.*B.*at #\d+/s);
});

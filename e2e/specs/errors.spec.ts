import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, content, historyRow, selectedRow, workbenchPath } from '../support/pages.ts';

test('the home page shows three errors, each row a link, above the tasks', async ({ page, demo }) => {
  await openAt(page, demo, '/');
  const groups = page.getByRole('region', { name: 'Errors', exact: true });
  await expect(groups.getByRole('heading')).toHaveText('3 different errors');
  await expect(groups.getByRole('listitem')).toHaveCount(3);
  // The newest failure comes first, and the demo's own agent fails now and then: so no group has a place of its own.
  const texts = (await groups.getByRole('listitem').allTextContents()).toSorted();
  expect(texts[0]).toMatch(/^FailedAPI timeout after N s.*\d+ failures in \d+ tasks/);
  expect(texts[2]).toMatch(/^Failedranking inconsistent with the summarycompetitor-revenue1 failure in 1 task/);
  expect(texts[1]).toMatch(/^FailedN tests failed .*\d+ failures? in 1 task/);
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await expect(page).toHaveURL(/\/errors$/);
  const listed = page.getByTestId('error-group');
  await expect(listed.nth(2)).toBeVisible();
  // Each count is that of the rows below it: every task once, with how often it failed so.
  const first = listed.filter({ hasText: 'API timeout' });
  const count = Number(await first.getAttribute('data-tasks'));
  expect(count).toBeGreaterThan(5);
  await page.getByRole('button', { name: `${count - 5} more` }).click();
  await expect(page.getByTestId('error-task')).toHaveCount(count + 2);
  await expect(page.getByTestId('coverage')).toContainText('2 unreadable, not counted');
});

test('e on any task selects the failing checkpoint, and e and E go through its errors', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  await expect(page.getByTestId('failed-group').nth(2)).toBeVisible();
  // The first task is the selected one; a task that continued has its failure somewhere back.
  await page.getByRole('textbox', { name: 'Filter tasks' }).fill('orders-monday');
  await expect(page.getByTestId('task-row')).toHaveCount(1);
  await page.keyboard.press('Tab');
  await page.getByTestId('task-row').focus();
  await page.keyboard.press('e');
  await expect(page).toHaveURL(/\/t\/ctx-sys-db\/orders-monday\?cp=/);
  await expect(selectedRow(page)).toContainText('Failed');

  await openAt(page, demo, COMPETITOR);
  await expect(selectedRow(page)).toContainText('#10');
  await page.keyboard.press('e');
  await expect(page).toHaveURL(/cp=ckpt-10/);
  await page.keyboard.press('e');
  await expect(historyRow(page, 'ckpt-05')).toHaveAttribute('data-selected', 'true');
  await page.keyboard.press('e');
  await expect(historyRow(page, 'ckpt-10')).toHaveAttribute('data-selected', 'true');
  await page.keyboard.press('E');
  await expect(historyRow(page, 'ckpt-05')).toHaveAttribute('data-selected', 'true');

  // Errors that are not loaded yet are reached too.
  await openAt(page, demo, workbenchPath('agents-db', 'soak-2000'));
  await expect(selectedRow(page)).toBeVisible();
  // As soon as the page knows of them.
  await expect(async () => {
    await page.keyboard.press('e');
    await expect(selectedRow(page)).toContainText('Failed', { timeout: 1_000 });
  }).toPass();
  await expect(content(page).getByRole('heading', { level: 2 })).toContainText('#');
});

test('last good → failed opens, in one click, what changed since the last checkpoint that did not fail', async ({
  page,
  demo,
}) => {
  await openAt(page, demo, '/errors');
  await page.getByTestId('error-list').getByRole('button', { name: /more$/ }).click();
  // The graph was deployed again between the two; since then the new step fails.
  await page.getByRole('link', { name: 'Last good → failed, invoice-approval' }).click();
  await expect(page).toHaveURL(/\/compare\?a=workflows%2Finvoice-approval%2Finvoice_checker&b=/);
  const rows = page.getByTestId('split-row');
  await expect(rows.first()).toContainText('PolicyCheckerV2');
  await page.goBack();
  // The task failed twice, and the demo's agent moves the groups.
  const failures = page.getByTestId('error-list').getByRole('link', { name: 'Last good → failed, competitor-revenue' });
  await failures.and(page.locator('[href*="ckpt-10"]')).click();
  // By the store's own record; B says why it failed, whatever is in view below.
  await expect(page).toHaveURL(/a=research-db%2Fcompetitor-revenue%2Fckpt-09&b=.*ckpt-10/);
  await expect(rows.first()).toBeVisible();
  const why = page.getByRole('region', { name: 'Side B' }).getByTestId('error-note');
  await expect(why).toContainText('ranking inconsistent with the summary');
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goBack();
  const preview = page.getByTestId('task-preview');
  await expect(preview.getByTestId('answer-card')).toHaveAttribute('data-state', 'failed');
});

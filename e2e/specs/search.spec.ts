import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import { runCli } from '../support/inspector.ts';
import { content, RESEARCH, selectedRow } from '../support/pages.ts';
import { seedFolder } from '../support/kaizen.ts';
import { copyStore, placeOf } from '../support/stores.ts';

const field = (page: Page) => page.getByTestId('search-field');
const hits = (page: Page) => page.getByTestId('search-hit');
const coverage = (page: Page) => page.getByTestId('search-coverage');

test('feature 8: typing 4200 finds CompanyB among 3,000 checkpoints, Enter opens it in focus, the footer tells the rest', async ({
  page,
  folder,
  start,
}) => {
  test.setTimeout(180_000);
  const inspector = await start([seedFolder(folder)]);
  await openAt(page, inspector, '/search');
  await expect(field(page)).toBeFocused();
  const path = '$.memory_contents.context.revenue.CompanyB';
  await field(page).fill('CompanyB:4200');
  await expect(coverage(page)).toHaveAttribute('data-settled', 'true', { timeout: 150_000 });
  await expect(coverage(page)).toContainText('2,998 of 3,001 indexed, 1 locked, 2 unreadable');
  await expect(coverage(page).getByRole('button', { name: /^Unlock/ })).toBeVisible();

  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/search?')) asked.push(request.url());
  });
  await field(page).fill('');
  await expect(hits(page)).toHaveCount(0);
  await field(page).pressSequentially('4200');
  await expect(hits(page).first()).toBeVisible();
  // At most once for each key, and once more for what the index has learnt since.
  expect(asked.length).toBeLessThanOrEqual(5);

  await expect(hits(page).first()).toContainText(path);
  await expect(hits(page).first().locator('mark')).toHaveText('4200');
  await expect(hits(page).first()).toContainText('only in #1500');
  await field(page).press('Enter');
  const value = page.getByTestId('state-tree').locator('.state-row.focused');
  await expect(value).toHaveAttribute('data-path', path);
  await expect(value).toContainText('4200');
  await expect(value).toBeInViewport();
  await expect(page.getByTestId('state-tree')).toBeFocused();
  await expect(content(page).getByRole('heading', { level: 2 })).toContainText('#1500');
  expect(new URL(page.url()).searchParams.get('path')).toBe(path);

  await page.goBack();
  await expect(field(page)).toHaveValue('4200');
  await expect(hits(page).first()).toContainText(path);
});

test.describe('the search page', () => {
  test.use({ allowedErrors: /status of 400 .*\/api\/search/ });

  test('is reached by key and palette, explains its tokens, and is worked by keys alone', async ({ page, demo }) => {
    await openAt(page, demo, '/tasks');
    await expect(page.getByTestId('task-row').first()).toBeVisible();
    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await expect(page.getByTestId('search-help')).toContainText('revenue.CompanyB:4200');
    await page.goBack();
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder('Find tasks, checkpoints, actions').fill('API timeout');
    await page.getByRole('option', { name: 'Search all states for “API timeout”' }).click();
    await expect(field(page)).toHaveValue('API timeout');
    await expect(page.getByTestId('search-task').first()).toBeVisible();
    expect(await page.getByTestId('search-task').count()).toBeGreaterThan(1);
    // What had results can be searched for again, for as long as the page is open.
    const recent = page.getByTestId('search-recent').getByRole('button', { name: 'API timeout' });
    await field(page).fill('');
    await recent.click();
    await expect(field(page)).toHaveValue('API timeout');
    await expect(page.getByTestId('search-task').first()).toBeVisible();

    await field(page).fill('statsu:failed');
    await expect(page.getByTestId('search-problem')).toContainText('did you mean "status:"');
    await expect(hits(page).first(), 'the old results stay').toBeVisible();

    await field(page).fill('CompanyB 4200 task:competitor');
    await expect(hits(page).first()).toContainText('CompanyB');
    await expect(page.getByTestId('search-said')).toContainText(/^\d+ results/);
    await field(page).press('ArrowDown');
    const list = page.getByRole('listbox', { name: 'Results' });
    await expect(list).toBeFocused();
    const active = list.getByRole('option', { selected: true });
    const wanted = hits(page).filter({ hasText: '$.context.revenue.CompanyB' });
    while (!(await active.getByText('$.context.revenue.CompanyB').isVisible())) await page.keyboard.press('ArrowDown');
    await expect(wanted).toContainText('#07 to #08, 2 checkpoints');
    await page.keyboard.press('Shift+Enter');
    await expect(selectedRow(page).locator('[data-id="ckpt-07"]')).toBeVisible();
    await expect(page.getByTestId('state-tree').locator('.state-row.focused')).toContainText('4200');

    await page.goto(`${demo.origin}/search?q=nothing-like-this`);
    await expect(page.getByTestId('empty')).toContainText('No results for “nothing-like-this”');
  });
});

test('the command finds the same', async ({ demo, folder }) => {
  const store = copyStore(await placeOf(demo, RESEARCH), folder);
  const answer = await runCli(['search', 'revenue.CompanyB:4200', '--store', store], join(folder, 'state'));
  expect(answer).toMatchObject({
    items: [
      {
        store: RESEARCH,
        path: '$.context.revenue.CompanyB',
        snippet: { text: '4200' },
        firstSeen: { ref: { task: 'competitor-revenue', id: 'ckpt-07' } },
        lastSeen: { ref: { id: 'ckpt-08' } },
        count: 2,
      },
    ],
    total: 1,
    cut: false,
    coverage: [{ store: RESEARCH, of: 14, indexed: 14, locked: 0, unreadable: 0 }],
  });
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import { runCli } from '../support/inspector.ts';
import { content, diffRow, historyRow, RESEARCH, select, taskRows } from '../support/pages.ts';
import { copyStore, placeOf } from '../support/stores.ts';

const TASK = 'competitor-revenue';
const COMPANY_B = '$.context.revenue.CompanyB';
/** Without data, with its own words and styles. */
const MOST_BYTES = 1_500_000;

test.describe('the page as a file', () => {
  test.use({ offline: true });

  const openFile = async (page: Page, path: string): Promise<void> => {
    await page.goto(pathToFileURL(path).href);
    await expect(taskRows(page)).toHaveCount(1);
  };

  test('opens from the disk without a network, lists, compares, shows history and tree, and searches', async ({
    page,
    demo,
    folder,
  }) => {
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const store = copyStore(await placeOf(demo, RESEARCH), folder);
    const path = join(folder, 'case.html');
    await runCli(['export', TASK, '--format', 'viewer', '--out', path, '-s', store], join(folder, 'journal'));
    const data = /id="bundle">([^<]*)</.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
    expect(data.length).toBeGreaterThan(1_000);
    expect(statSync(path).size - data.length).toBeLessThan(MOST_BYTES);

    await openFile(page, path);
    await expect(page.getByTestId('from-file')).toContainText('Read-only file');
    await expect(page.getByTestId('live').or(page.getByTestId('mode'))).toHaveCount(0);
    await expect(page.getByRole('link', { name: /^(?:Open store|Stores|Storage|Activity)/ })).toHaveCount(0);
    await expect(taskRows(page).first()).toContainText('ranking inconsistent with the summary');
    await taskRows(page).first().click();
    await page.keyboard.press('Enter');
    await select(page, 'ckpt-07', '#07 fetch_revenue');
    await expect(diffRow(page, COMPANY_B)).toContainText('4200');
    await diffRow(page, COMPANY_B).click();
    await page.keyboard.press('h');
    const rows = page.getByRole('listbox', { name: 'History of this value, newest first' }).getByRole('option');
    await expect(rows.nth(1)).toContainText(/#07.*4\.2 → 4200/s);
    await historyRow(page, 'ckpt-10').click();
    await expect(content(page)).toContainText('ranking inconsistent with the summary');

    // What can't work isn't shown, and what is shown works.
    await expect(page.getByRole('toolbar', { name: 'Actions' }).getByRole('button')).toHaveText([/^Compare/, /^Copy/]);
    await expect(page.getByTestId('answer-compare')).toBeVisible();
    await expect(page.getByTestId('answer-next').or(page.getByTestId('bookmark'))).toHaveCount(0);
    await page.keyboard.press('5');
    await expect(page.getByTestId('raw-tab')).toContainText(/"CompanyB":\s*4200/);
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keys' });
    await expect(sheet).toContainText('Next, previous checkpoint');
    await expect(sheet).not.toContainText(/Restore|Undo|Bookmark|Activity/);
    await page.keyboard.press('Escape');

    await page.evaluate(() => (location.hash = location.hash.replace(/\?.*$/, '') + '/tree'));
    await expect(page.getByRole('button', { name: 'Graph' }).or(page.getByText('Graph')).first()).toBeVisible();
    await expect(page.locator('.react-flow__node').first()).toBeVisible();
    await page.evaluate(() => (location.hash = '#/search'));
    await page.getByTestId('search-field').fill('CompanyB:4200');
    await expect(page.getByTestId('search-hit').filter({ hasText: COMPANY_B })).toHaveCount(1);
    await expect(page.getByTestId('search-hit').first().locator('mark').last()).toHaveText('4200');

    await page.reload();
    await expect(page.getByTestId('search-field')).toBeVisible();
    expect(asked.filter((url) => !/^(?:blob|data):/.test(url)).map((url) => new URL(url).protocol)).toEqual([
      'file:',
      'file:',
    ]);
    expect(await page.evaluate(() => Reflect.ownKeys(Object.getPrototypeOf(window.localStorage)).includes('key'))).toBe(
      false,
    );
  });
});

test('a bundle that is dropped on the page opens, and is copied into a store', async ({
  page,
  demo,
  folder,
  start,
}) => {
  const store = copyStore(await placeOf(demo, RESEARCH), folder);
  const path = join(folder, 'case.json');
  const state = join(folder, 'journal');
  await runCli(['export', TASK, '--out', path, '-s', store], state);
  await openAt(page, await start([store]), '/tasks');
  await expect(taskRows(page).first()).toBeVisible();
  const dropped = await page.evaluateHandle(
    (text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'case.json', { type: 'application/json' }));
      return transfer;
    },
    readFileSync(path, 'utf8'),
  );
  await page.dispatchEvent('body', 'drop', { dataTransfer: dropped });
  await expect(page.getByText('case.json is open. It is only read.')).toBeVisible();
  await expect(page).toHaveURL(/store=.*case-json/);
  await expect(taskRows(page)).toHaveCount(1);
  await expect(taskRows(page).first()).toContainText('case.json');

  const imported = await runCli(['import', path, join(folder, 'case.db')], state);
  expect(imported).toMatchObject({ copied: 10, verified: 10, conflicts: [], failed: [] });
});

test.describe('what is no bundle', () => {
  test.use({ allowedErrors: /status of 4\d\d .*\/api\/bundles/ });

  test('is refused with the reason, and nothing is opened', async ({ page, demo }) => {
    await openAt(page, demo, '/stores');
    const stores = page.getByTestId('store');
    await expect(stores.first()).toBeVisible();
    const before = await stores.count();
    const file = { name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{"a":1}') };
    await page.getByTestId('open-bundle').setInputFiles(file);
    await expect(page.getByText(/other\.json could not be opened\./)).toBeVisible();
    await expect(stores).toHaveCount(before);
  });
});

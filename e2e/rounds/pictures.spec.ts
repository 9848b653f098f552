import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, historyRow, setTheme, taskRows, TASKS_FAILED } from '../support/pages.ts';

/** The pictures of the README; `UPDATE_DOCS=1` takes them again. */
const DOCS = resolve(import.meta.dirname, '../pictures');
const UPDATE = process.env['UPDATE_DOCS'] === '1';

interface Picture {
  readonly file: string;
  readonly theme: 'light' | 'dark';
  readonly path: string;
  readonly ready: (page: Page) => Promise<void>;
}

const at = (id: string): string => encodeURIComponent(`research-db/competitor-revenue/${id}`);

const visible = (page: Page, testId: string): Promise<void> => expect(page.getByTestId(testId).first()).toBeVisible();

const PICTURES: readonly Picture[] = [
  {
    file: 'workbench-dark.png',
    theme: 'dark',
    path: COMPETITOR,
    ready: async (page) => {
      await expect(page.getByTestId('answer-strip')).toContainText('4.2 → 4200');
      await expect(page.getByTestId('answer-next')).toContainText('Restore #09');
      await expect(historyRow(page, 'ckpt-07')).toContainText('4200');
    },
  },
  {
    file: 'tree-light.png',
    theme: 'light',
    path: '/t/kaizen-checkpoints/prod_agent/tree?focus=ckpt_00000000102a',
    ready: async (page) => {
      await page.getByRole('button', { name: 'Fit' }).click();
      await expect(page.getByRole('group', { name: /3 children/ })).toBeInViewport();
      await expect(page.getByRole('heading', { name: 'First difference' })).toBeVisible();
      await expect(page.locator('.tree-node.failed .tree-node-2')).toHaveText('API timeout after 30 s');
    },
  },
  {
    file: 'restore-dark.png',
    theme: 'dark',
    path: `${COMPETITOR}?cp=ckpt-06`,
    ready: async (page) => {
      await page.getByRole('button', { name: /^Restore/ }).click();
      await expect(page.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
      await expect(page.getByRole('dialog').getByTestId('diff-summary')).toBeVisible();
    },
  },
  {
    file: 'tasks-light.png',
    theme: 'light',
    path: '/tasks',
    ready: async (page) => {
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(TASKS_FAILED);
      await expect(page.getByTestId('failed-groups')).toContainText('ranking inconsistent');
      await expect(taskRows(page).first()).toContainText('10 steps');
    },
  },
  {
    file: 'errors-dark.png',
    theme: 'dark',
    path: '/errors',
    ready: (page) => visible(page, 'error-group'),
  },
  {
    file: 'compare-light.png',
    theme: 'light',
    path: `/compare?a=${at('ckpt-06')}&b=${at('ckpt-07')}`,
    ready: (page) => visible(page, 'split-row'),
  },
  {
    file: 'search-light.png',
    theme: 'light',
    path: '/search?q=4200',
    ready: async (page) => {
      await visible(page, 'search-hit');
      await expect(page.getByTestId('search-coverage')).toHaveAttribute('data-settled', 'true');
    },
  },
  {
    file: 'edit-dark.png',
    theme: 'dark',
    path: `/t/research-db/competitor-revenue/edit?cp=ckpt-06&path=${encodeURIComponent('$.context.cache')}`,
    ready: async (page) => {
      await page.getByTestId('edit-tree').locator('[data-path="$.context.cache"]').click();
      await page.keyboard.press('Enter');
      await page.getByTestId('edit-value').fill('false');
      await page.keyboard.press('Enter');
      await visible(page, 'edit-review');
    },
  },
  {
    file: 'storage-light.png',
    theme: 'light',
    path: '/storage',
    ready: (page) => visible(page, 'storage-task'),
  },
  {
    file: 'inbox-dark.png',
    theme: 'dark',
    path: '/inbox',
    ready: (page) => visible(page, 'waiting'),
  },
  {
    file: 'demo-light.png',
    theme: 'light',
    path: '/demo',
    ready: async (page) => expect(page.getByText('Something is wrong').first()).toBeVisible(),
  },
];

/** Width and height from the header of a PNG. */
function pngSize(file: string): { width: number; height: number } {
  const bytes = readFileSync(file);
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001a\n');
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

test.use({ viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' });

for (const { file, theme, path, ready } of PICTURES) {
  test(`${file} is a picture of the page of this version`, async ({ page, demo }) => {
    await setTheme(page, theme);
    await openAt(page, demo, path);
    await ready(page);
    if (UPDATE) {
      // What comes last, such as a preview beside a list, has come by then.
      await page.waitForTimeout(4_000);
      mkdirSync(DOCS, { recursive: true });
      await page.screenshot({ path: join(DOCS, file), animations: 'disabled' });
    }
    expect(pngSize(join(DOCS, file))).toEqual({ width: 1440, height: 900 });
  });
}

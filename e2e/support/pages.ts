import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** The address of a task's workbench. */
export function workbenchPath(store: string, task: string, search: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(search).toString();
  return `/t/${store}/${encodeURIComponent(task)}${query === '' ? '' : `?${query}`}`;
}

export const RESEARCH = 'research-db';
export const COMPETITOR = workbenchPath(RESEARCH, 'competitor-revenue');

/** The headline of the demo's list of tasks. */
export const TASKS_FAILED = /^\w+ tasks failed$/;

/** Not the headings of their groups. */
export const taskRows = (page: Page): Locator =>
  page
    .getByRole('list', { name: 'Tasks' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('link') });

export const historyList = (page: Page): Locator => page.getByRole('listbox', { name: 'Checkpoints, latest first' });

export const historyRow = (page: Page, id: string): Locator => historyList(page).locator(`[data-id="${id}"]`);

/** The row that is selected now. */
export const selectedRow = (page: Page): Locator => historyList(page).getByRole('option', { selected: true });

export const content = (page: Page): Locator => page.getByRole('region', { name: 'Checkpoint', exact: true });

export const actions = (page: Page): Locator => page.getByRole('toolbar', { name: 'Actions' });

/** Selects a checkpoint and waits until it is the one shown. */
export async function select(page: Page, id: string, heading: string | RegExp): Promise<void> {
  await historyRow(page, id).click();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText(heading);
}

/** `+2 −1 ~3 ↕1`, as a person reads it in the bar of a diff. */
export async function diffSum(page: Page): Promise<string> {
  const parts = await page
    .getByTestId('diff-sum')
    .locator(':scope > span')
    .evaluateAll((spans) =>
      spans.map((span) =>
        [...span.childNodes]
          .filter((node) => !(node instanceof Element && node.className === 'sr-only'))
          .map((node) => node.textContent)
          .join(''),
      ),
    );
  return parts.join(' ');
}

/** One difference of the diff, by its path. */
export const diffRow = (page: Page, path: string): Locator =>
  page.getByRole('listbox', { name: 'Changes' }).locator(`[data-path="${path}"]`);

export async function setTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.addInitScript((value) => localStorage.setItem('checkpoint-inspector.theme', value), theme);
}

/** The message that proves a change. One that is fading out still counts, so it is named by its words. */
export const proof = (page: Page, words: string): Locator => page.getByTestId('proof-toast').filter({ hasText: words });

/** Opens the dialog of an act on a checkpoint of competitor-revenue and waits for its preview. */
export async function preview(
  page: Page,
  act: 'Restore' | 'Fork' | 'Delete',
  id: string,
  heading: string,
): Promise<Locator> {
  await select(page, id, heading);
  await actions(page)
    .getByRole('button', { name: new RegExp(`^${act}`) })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  return dialog;
}

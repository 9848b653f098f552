import { copyFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { expect, openAt, test } from '../support/fixtures.ts';
import { runCli } from '../support/inspector.ts';
import { THEMES } from '../support/routes.ts';

/** Written by the real LangGraph: of two nodes side by side one finished and one failed. */
const STORE = resolve(import.meta.dirname, '../../packages/systems/src/langgraph/fixtures/js.sqlite');
const ERROR = 'TypeError: upstream returned HTML instead of JSON for https://example.test/a';

test('a failed LangGraph step tells its whole error, its node, and what the others wrote', async ({
  page,
  start,
  folder,
}) => {
  const store = join(folder, 'graph.sqlite');
  copyFileSync(STORE, store);
  const inspector = await start([store]);
  await openAt(page, inspector, '/t/graph-sqlite/node-error');
  const answer = page.getByTestId('answer-strip');
  for (const tab of ['Changes', 'State', 'Raw', 'Meta']) {
    await page.getByRole('tab', { name: new RegExp(`^${tab}`) }).click();
    await expect(answer.getByRole('heading', { name: 'fetch_bad failed' })).toBeVisible();
    await expect(answer.getByTestId('answer-error')).toHaveText(ERROR);
  }
  await expect(page.getByTestId('beside-next')).toHaveText(/Runs nextfetch_bad/);
  await expect(page.getByTestId('beside-writes')).toContainText('fetch_ok');
  await expect(page.getByTestId('beside-writes')).toContainText('["fetch_ok done"]');
  // The step that left no checkpoint has a row of its own, above the one that it ran on.
  const unsaved = page.getByTestId('not-saved');
  await expect(unsaved).toContainText(/fetch_bad\s*not saved/);
  await expect(unsaved).toContainText(ERROR);
  await expect(page.getByTestId('timeline-unsaved')).toBeAttached();
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).include('.workbench').analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }
  await openAt(page, inspector, '/errors');
  // It is the last good checkpoint itself: there are no two states to compare.
  const failed = page.getByTestId('error-task').and(page.locator('[data-task="node-error"]'));
  await expect(failed).toContainText('not saved');
  await expect(failed.getByRole('link', { name: /Last good/ })).toHaveCount(0);
});

test('a checkpoint of a subgraph says why it is not restored or edited, before a dialog opens', async ({
  page,
  start,
  folder,
}) => {
  const store = join(folder, 'graph.sqlite');
  copyFileSync(STORE, store);
  const inspector = await start([store]);
  const rows = (await runCli(['list', 'subgraph-waiting', '-s', store], join(folder, 'journal'))) as {
    items: { id: string; namespace?: string }[];
  };
  const inner = rows.items.find(({ namespace }) => namespace !== undefined);
  const search = new URLSearchParams({ cp: inner?.id ?? '', ns: inner?.namespace ?? '' });
  await openAt(page, inspector, `/t/graph-sqlite/subgraph-waiting?${search.toString()}`);
  for (const name of ['restore', 'fork', 'edit-action']) {
    const button = page.getByTestId(name);
    await expect(button).toHaveAttribute('aria-disabled', 'true');
    await button.hover();
    await expect(page.getByRole('tooltip').filter({ hasText: 'belongs to a subgraph' })).toBeVisible();
  }
});

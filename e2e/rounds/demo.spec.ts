import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import { diffRow, diffSum, historyRow, proof, selectedRow } from '../support/pages.ts';
import { api } from '../support/stores.ts';

const SECRET = 'sk-demo-not-a-real-key-0123456789abcdef';
const RESEARCH = 'research-db';

/** Continues as a remote control does, and waits for the scene. */
async function next(page: Page, scene: number): Promise<void> {
  await page.keyboard.press('PageDown');
  await expect(page.getByTestId('presenter')).toHaveAttribute('data-scene', String(scene));
}

/** Pixels between something on the page and the presenter's words below it. */
async function gapAboveWords(page: Page, above: Locator): Promise<number> {
  const [upper, words] = [await above.boundingBox(), await page.getByTestId('presenter').boundingBox()];
  if (!upper || !words) throw new Error('Both have to be on the page.');
  return words.y - (upper.y + upper.height);
}

/** Tab by Tab, as somebody without a mouse gets there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let tabs = 0; tabs < 40; tabs++) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  await expect(target).toBeFocused();
}

test('the story is told in seven scenes, without a mouse, and a reset undoes it', async ({ page, start, browser }) => {
  test.setTimeout(600_000);
  const inspector = await start(['--demo']);
  await openAt(page, inspector, '/tasks');

  await test.step('the home page of the demo offers to show around', async () => {
    await page.getByRole('button', { name: 'Show me around' }).press('Enter');
    await expect(page.getByTestId('presenter')).toContainText('Something is wrong');
  });

  await test.step('1: three different errors', async () => {
    await expect(page.getByTestId('error-list').getByRole('heading', { level: 2 })).toHaveText([
      /^ranking inconsistent with the summary/,
      /^API timeout after N s/,
      /^N tests failed after the move/,
    ]);
  });

  await test.step('2: one line of the change stands out', async () => {
    await next(page, 2);
    await expect(diffRow(page, '$.context.revenue.CompanyB')).toContainText('4200');
    await expect(diffRow(page, '$.context.revenue.CompanyB')).toHaveClass(/focused/);
    expect(await diffSum(page)).toBe('+2 −1 ~3 ↕1');
  });

  await test.step('3: who wrote the value', async () => {
    await next(page, 3);
    await expect(diffRow(page, '$.context.revenue.CompanyB')).toBeVisible();
    await page.keyboard.press('h');
    const rows = page.getByTestId('path-history-rows').getByRole('option');
    await expect(rows).toHaveText([/#09.*moved/, /#07.*4\.2.*4200/, /#03.*set to 4\.2/]);
    // What is said stays readable: the inspector is a column above it, and nothing is dimmed.
    await expect(page.locator('.scrim')).toHaveCount(0);
    expect(await gapAboveWords(page, page.getByRole('complementary', { name: 'Inspector' }))).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('complementary', { name: 'Inspector' })).toHaveCount(0);
  });

  await test.step('4: a correction at step 6, four steps on a new lane, two rows of the ranking differ', async () => {
    await next(page, 4);
    await expect(historyRow(page, 'ckpt-06')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Checkpoint', exact: true })).toContainText('retry_plan');
    await page.keyboard.press('i');
    const tree = page.getByTestId('edit-tree');
    await expect(tree).toBeVisible();
    await tabTo(page, tree);
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('edit-value')).toBeFocused();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('false');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('edit-review').getByRole('listitem')).toHaveCount(1);
    await page.keyboard.press('Control+Enter');
    await expect(page.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
    await page.keyboard.press('Control+Enter');
    await expect(historyRow(page, 'fix-10')).toBeVisible();
    await page.getByRole('button', { name: 'Compare both ends' }).press('Enter');
    const ranking = page.locator('[data-path^="$.context.ranking"]');
    await expect(ranking).toHaveCount(2);
    await expect(ranking.first()).toContainText('CompanyA');
  });

  await test.step('5: restore loses nothing, proves itself, and can be undone', async () => {
    await next(page, 5);
    await expect(historyRow(page, 'ckpt-11')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Checkpoint', exact: true })).toContainText('compile');
    await page.keyboard.press('r');
    const dialog = page.getByRole('dialog');
    await expect(dialog).toHaveAttribute('data-phase', 'ready');
    await expect(dialog.getByTestId('latest-move')).toContainText('#11 compile');
    await expect(dialog.getByTestId('plan-lines').locator('[data-kind="evicts"]')).toHaveCount(0);
    await page.keyboard.press('Control+Enter');
    await expect(proof(page, 'fix-10')).toBeVisible();
    await expect(historyRow(page, 'fix-10-restored-1')).toBeInViewport();
    await expect(selectedRow(page).locator('[data-id="fix-10-restored-1"]')).toBeVisible();
    expect(await gapAboveWords(page, proof(page, 'Restored.'))).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('z');
    await expect(proof(page, 'Undone.')).toBeVisible();
    await expect(historyRow(page, 'fix-10-restored-1')).toHaveCount(0);
    await expect(selectedRow(page).locator('[data-id="fix-10"]')).toBeVisible();
    await page.keyboard.press('Z');
    await expect(historyRow(page, 'fix-10-restored-1')).toBeVisible();
    const list = await api(inspector, `stores/${RESEARCH}/tasks/competitor-revenue/checkpoints?limit=100`);
    const ids = (list as { items: { id: string }[] }).items.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining(['ckpt-01', 'ckpt-06', 'ckpt-07', 'ckpt-10', 'fix-10']));
  });

  await test.step('6: the plan names what is deleted and what stays', async () => {
    await next(page, 6);
    const tidy = page.getByRole('button', { name: 'Tidy up code-migration…' });
    await expect(tidy).toBeVisible();
    await tabTo(page, tidy);
    await page.keyboard.press('Enter');
    const dialog = page.getByTestId('prune-dialog');
    await expect(dialog).toHaveAttribute('data-phase', 'ready');
    await expect(dialog.locator('[data-figure="goes"] b')).toHaveText('41');
    await expect(dialog.locator('[data-figure="stays"] b')).toHaveText('6');
    await page.keyboard.press('Control+Enter');
    await expect(dialog).toHaveCount(0);
    await expect(page.locator('[data-task="code-migration"]')).toContainText('15');
    // The toast of the change before may still be leaving.
    await expect(page.getByTestId('proof-toast').filter({ hasText: '41' })).toBeVisible();
    await page.keyboard.press('z');
    await expect(page.locator('[data-task="code-migration"]')).toContainText('56');
  });

  await test.step('7: one file without secrets, opened without a network; another agent gets the same answer', async () => {
    await next(page, 7);
    // The answer and the report are beside each other, each with the wrong write.
    const told = page.getByTestId('ask-answer');
    await expect(told).toContainText(/It failed at #\d+: ranking inconsistent/);
    await expect(told).toContainText(/context\.revenue\.CompanyB 4\.2 → 4200.* at #07/);
    await expect(told.getByRole('link', { name: /^#\d+$/ }).first()).toHaveAttribute('href', /cp=ckpt-11/);
    await expect(page.getByTestId('ask-fixed')).toContainText(/^Yes: #10 completed and is the latest/);
    await expect(page.getByTestId('ask-call')).toHaveCount(2);
    const sheet = page.getByTestId('report-sheet');
    await expect(sheet).toContainText('4.2 → 4200');
    await expect(sheet).not.toContainText(SECRET);
    const [talk, pane] = [await page.getByTestId('ask').boundingBox(), await page.getByTestId('report').boundingBox()];
    expect(pane?.y).toBe(talk?.y);
    expect(pane?.x).toBeGreaterThanOrEqual((talk?.x ?? 0) + (talk?.width ?? 0) - 1);
    const saving = page.waitForEvent('download');
    await page.getByTestId('report').getByRole('button', { name: 'Save' }).press('Enter');
    expect(readFileSync(await (await saving).path(), 'utf8')).toContain('4.2');
    await page.keyboard.type('ye');
    const dialog = page.getByTestId('export-dialog');
    await expect(dialog.getByTestId('export-masked')).toContainText('× OpenAI key');
    const downloading = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).press('Enter');
    const file = await (await downloading).path();
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
    const offline = await browser.newContext({ offline: true });
    const report = await offline.newPage();
    const errors: string[] = [];
    report.on('console', (message) => errors.push(message.text()));
    await report.setContent(readFileSync(file, 'utf8'));
    await expect(report.getByRole('heading', { level: 1 })).toHaveText('competitor-revenue');
    for (const heading of ['What went wrong', 'Checkpoints', 'Fork tree', 'What each step changed'])
      await expect(report.getByRole('heading', { name: heading })).toBeVisible();
    await expect(report.locator('.told').first()).toContainText('4.2 → 4200');
    await expect(report.locator('.facts')).toContainText('Last good: #');
    await expect(report.getByRole('img', { name: 'The run as a tree' })).toContainText('last good');
    expect(errors).toEqual([]);
    await offline.close();
    await page.getByRole('button', { name: 'Open the task' }).press('Enter');
    await expect(page.getByRole('region', { name: 'Checkpoint', exact: true })).toContainText('compile');
  });

  await test.step('the reset brings the first state back while the page is open', async () => {
    await page.getByRole('button', { name: 'Reset the demo' }).press('Enter');
    // Each store is closed and opened again, in a process of its own.
    await expect(page.getByText('The demo is as it was at the start')).toBeVisible({ timeout: 180_000 });
    const list = await api(inspector, `stores/${RESEARCH}/tasks/competitor-revenue/checkpoints?limit=1`);
    expect(list).toMatchObject({ items: [{ id: 'ckpt-10', isLatest: true }] });
    expect(await api(inspector, 'activity')).toEqual({ items: [] });
    await page.getByRole('button', { name: 'End the presentation' }).press('Enter');
    await expect(page.getByTestId('demo')).toBeVisible();
    await expect(page.getByTestId('presenter')).toHaveCount(0);
  });
});

test('a scene is kept over a reload, and a link may begin at one', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/t/research-db/competitor-revenue?present=2#token=${demo.token}`);
  await expect(page.getByTestId('presenter')).toContainText('What changed?');
  await page.reload();
  await expect(page.getByTestId('presenter')).toHaveAttribute('data-scene', '2');
  const type = await page.getByRole('region', { name: 'Checkpoint', exact: true }).evaluate((region) => {
    const main = region.closest('.shell-content');
    return main && getComputedStyle(main).zoom;
  });
  expect(type).toBe('1.35');
});

import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { seriousIssues } from '../support/axe.ts';
import { expect, goTo, openAt, test } from '../support/fixtures.ts';
import type { Inspector } from '../support/inspector.ts';
import { callTool } from '../support/mcp.ts';
import { COMPETITOR, historyRow, proof, RESEARCH } from '../support/pages.ts';
import { copyStore, dumpTask, placeOf } from '../support/stores.ts';

const TASK = 'competitor-revenue';
const AGENT = { name: 'Debugging agent', version: '1.2' };
const WHY = '#07 read CompanyB from a cache in millions. #06 is the last good one. <img src=x onerror=alert(1)>';

let path: string;
let inspector: Inspector;

// Activity asks for the step numbers of checkpoints that an undo has taken away again.
test.use({ allowedErrors: /status of 404 .*\/checkpoints\// });

test.beforeEach(async ({ page, demo, folder, start }) => {
  path = copyStore(await placeOf(demo, RESEARCH), folder);
  inspector = await start([path]);
  await openAt(page, inspector, '/inbox');
  await expect(page.getByTestId('inbox-page')).toHaveAttribute('data-state', 'ready');
});

const propose = async (kind: string, args: object): Promise<string> =>
  new URL(String((await callTool(inspector, AGENT, `propose_${kind}`, { reason: WHY, ...args }))['link'])).pathname;

test('an agent proposes, a person sees who and what, applies and undoes it', async ({ page }) => {
  const before = await dumpTask(path, TASK);
  await propose('restore', { checkpoint: `${RESEARCH}/${TASK}/ckpt-06` });
  // It arrives without a reload.
  const row = page.getByTestId('proposal');
  await expect(row).toContainText('Restore #06 to competitor-revenue');
  await expect(row).toContainText('from Debugging agent');
  await expect(page.getByRole('link', { name: 'Inbox, 1 waiting' })).toBeVisible();
  await row.getByRole('link').click();
  const proposal = page.getByTestId('proposal-page');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Restore #06 to competitor-revenue');
  await expect(proposal).toContainText(/Proposed by Debugging agent over MCP, .*version 1\.2/);
  await expect(page.getByTestId('proposal-reason')).toHaveText(WHY);
  await expect(page.getByTestId('proposal-standing')).toContainText('Nothing has been changed.');
  await expect(proposal.getByTestId('latest-move')).toContainText('#10 compile');
  await expect(proposal.getByTestId('diff-preview')).toContainText('context.cache_ttl');
  await expect(page.getByTestId('proposal-check')).toContainText('up to date');
  expect(await dumpTask(path, TASK)).toEqual(before);

  await page.keyboard.press('Control+Enter');
  const applied = proof(page, 'Restored. Latest now returns this state ✓');
  await expect(applied).toBeVisible();
  await expect(page.getByTestId('proposal-standing')).toContainText('Applied.');
  await applied.getByRole('button', { name: /^Undo/ }).click();
  await expect(proof(page, 'Undone. The store is as it was before.')).toBeVisible();
  expect(await dumpTask(path, TASK)).toEqual(before);
  await goTo(page, '/inbox');
  await expect(row).toHaveAttribute('data-outcome', 'applied');
  await goTo(page, COMPETITOR);
  await expect(historyRow(page, 'ckpt-10').getByText('latest')).toBeVisible();
});

test('an edit shows its values, and a dismissed proposal changes nothing', async ({ page }) => {
  const before = await dumpTask(path, TASK);
  const edits = [{ path: '$.context.cache', value: false }];
  await goTo(page, await propose('edit', { checkpoint: `${RESEARCH}/${TASK}/ckpt-06`, edits }));
  await expect(page.getByTestId('proposal-edits')).toContainText(/context\.cache\s*true\s*→\s*false/);
  await expect(page.getByTestId('diff-preview')).toContainText('#10 → #06');
  await page.getByTestId('dismiss-proposal').click();
  await expect(page.getByTestId('proposal-standing')).toContainText('Dismissed. It was not applied.');
  await expect(page.getByTestId('apply-proposal')).toHaveCount(0);
  expect(await dumpTask(path, TASK)).toEqual(before);
});

test('a person changes a proposed edit first, and applies their own version', async ({ page }) => {
  const edits = [{ path: '$.context.cache', value: false }];
  const address = await propose('edit', { checkpoint: `${RESEARCH}/${TASK}/ckpt-06`, edits });
  await goTo(page, address);
  await page.getByTestId('change-proposal').click();
  await expect(page.getByTestId('edit-proposal')).toContainText('Begins with what Debugging agent proposed.');
  const review = page.getByTestId('edit-review');
  await expect(review).toContainText(/context\.cache.*true.*false/s);
  await expect(page.getByRole('textbox', { name: 'Reason' })).toHaveValue(`Proposed by Debugging agent: ${WHY}`);
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type(', "checked": true');
  await expect(review).toContainText('2 changes');
  await page.getByTestId('edit-fork').click();
  await expect(page.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('proof-toast').first()).toBeVisible();
  await expect(page).toHaveURL(/\/t\/research-db\/competitor-revenue\?.*cp=/);
  await goTo(page, address);
  await expect(page.getByTestId('proposal-standing')).toContainText('Dismissed. It was not applied.');
  await expect(page.getByTestId('change-proposal')).toHaveCount(0);
});

test('a proposal that the task has left behind says why it cannot be applied', async ({ page }) => {
  const address = await propose('fork', { checkpoint: `${RESEARCH}/${TASK}/ckpt-06` });
  const store = await openSqliteStore({ path });
  await store.save({ task: TASK, id: 'ckpt-06', text: '{"plan":[]}' });
  await store.close();
  await goTo(page, address);
  await expect(page.getByTestId('proposal-check')).toContainText('after the proposal');
  await expect(page.getByTestId('apply-proposal')).toHaveAttribute('aria-disabled', 'true');
});

test('the page of a proposal has no serious issue in either theme', async ({ page }) => {
  const checkpoint = `${RESEARCH}/${TASK}/ckpt-06`;
  const edits = [{ path: '$.context.cache', value: false }];
  const addresses = [await propose('restore', { checkpoint }), await propose('edit', { checkpoint, edits })];
  for (const address of [...addresses, '/inbox']) {
    await goTo(page, address);
    await expect(page.getByTestId(address === '/inbox' ? 'proposals' : 'latest-move')).toBeVisible();
    expect(await seriousIssues(page), address).toEqual([]);
  }
});

import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, historyRow, select } from '../support/pages.ts';

test('the inbox shows who waits for what, in its exact words, and how it continues', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  await expect(page.getByTestId('task-row').first()).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('i');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Inbox');
  const waiting = page.getByTestId('waiting');
  await expect(waiting).toHaveCount(2);
  await expect(waiting.first()).toContainText('“Approve 18,400 EUR for Northwind?”');
  await waiting.first().getByRole('button', { name: 'The whole request' }).click();
  await expect(waiting.first()).toContainText('{"question":"Approve 18,400 EUR for Northwind?"}');
  await expect(waiting.first()).toContainText(/approver asks approve-2211.*/);
  const support = waiting.filter({ hasText: 'support-4711' });
  await expect(support).toContainText('Approve a refund of 120 EUR?');
  await expect(support).toContainText('new Command({ resume: … })');
  await expect(page.getByText('Nothing is sent from here.')).toBeVisible();
  await support.getByRole('link', { name: 'Open support-4711' }).click();
  await expect(page).toHaveURL(/\/t\/checkpoints-sqlite\/support-4711\?cp=/);
});

test('usage adds up exactly, per agent and task, and says of how many checkpoints', async ({ page, demo }) => {
  await openAt(page, demo, '/usage');
  const row = (table: string, name: string) =>
    page.getByRole('table', { name: table }).getByRole('row', { name: new RegExp(`^${name}`) });
  await expect(row('Tasks', 'competitor-revenue')).toContainText(/\$0\.045.*7 of 10/);
  await expect(row('Agents', 'researcher')).toContainText('$0.063');
  await expect(row('Agents', 'prod_agent')).toContainText('$2.67');
  await openAt(page, demo, COMPETITOR);
  await expect(page.getByTestId('task-usage')).toContainText('7,570 tokens (7 of 10 checkpoints report it) · $0.045');
});

test('labels, notes and bookmarks are kept and shown in the history', async ({ page, start }) => {
  const demo = await start(['--demo']);
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-06', '#06 retry_plan');
  const notes = page.getByTestId('notes');
  await page.keyboard.press('m');
  await expect(notes.getByRole('button', { name: /^Bookmarked/ })).toHaveAttribute('aria-pressed', 'true');
  await notes.getByRole('combobox', { name: 'Add a label' }).fill('before the cache');
  await page.keyboard.press('Enter');
  await expect(notes.getByTestId('own-label')).toHaveText('before the cache');
  await notes.getByRole('button', { name: 'Add a note' }).click();
  await notes.getByRole('textbox', { name: 'Note' }).fill('The last one with billions.');
  await page.keyboard.press('Control+Enter');
  await expect(notes.getByTestId('note-text')).toHaveText('The last one with billions.');
  await page.reload();
  const row = historyRow(page, 'ckpt-06');
  await expect(row.getByText('Bookmarked')).toBeAttached();
  await expect(row.getByText('Has a note')).toBeAttached();
  await expect(row).toContainText('before the cache');
  await expect(notes.getByTestId('note-text')).toHaveText('The last one with billions.');
  await notes.getByRole('button', { name: 'Remove the label before the cache' }).click();
  await expect(row).not.toContainText('before the cache');
  // What was begun for one checkpoint is not offered for the next.
  const label = notes.getByRole('combobox', { name: 'Add a label' });
  await label.fill('begun');
  await select(page, 'ckpt-04', '#04 summarise');
  await expect(label).toHaveValue('');
});

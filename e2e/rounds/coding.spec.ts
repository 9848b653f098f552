import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { seriousIssues } from '../support/axe.ts';
import { expect, openAt, test } from '../support/fixtures.ts';
import {
  actions,
  content,
  diffRow,
  historyList,
  historyRow,
  proof,
  taskRows,
  workbenchPath,
} from '../support/pages.ts';

const HOME = resolve(import.meta.dirname, '../../packages/systems/src/codex/fixtures/home');
const TOOLS = '01a2011b-128f-75e0-a82e-d130fcd32dc4';
const SECOND_TURN = '01a2011b-150d-71b0-a941-fd8c02581655';
const FAILED = '01a2011b-1ab8-7032-8046-bea317367c81';

/** The home that Codex wrote, where a test may change it. */
function copyOfHome(folder: string): string {
  const home = join(folder, 'codex-home');
  cpSync(HOME, home, { recursive: true });
  return home;
}

/** The file of a thread, whatever the day in its name. */
function rolloutOf(home: string, thread: string): string {
  const files = readdirSync(home, { recursive: true, withFileTypes: true });
  const found = files.find((file) => file.isFile() && file.name.endsWith(`${thread}.jsonl`));
  if (found === undefined) throw new Error(`The home has no file of ${thread}.`);
  return join(found.parentPath, found.name);
}

test('a session of Codex: its turns, what each said, a call with what it gave, and why a turn failed', async ({
  page,
  folder,
  start,
}) => {
  const inspector = await start([copyOfHome(folder)]);
  await openAt(page, inspector, '/tasks');
  const session = taskRows(page).filter({ hasText: 'Run a tool please' });
  await expect(session.first()).toContainText('codex');
  await session.getByRole('link').first().click();
  await expect(page).toHaveURL(new RegExp(TOOLS));

  // The prompt names the turn, and below it is what the model said last.
  await expect(historyList(page).getByRole('option')).toHaveCount(6);
  await expect(historyList(page).getByRole('option').first()).toContainText('third turn');
  await expect(historyList(page).getByRole('option').first()).toContainText('“Third answer.”');
  await page.getByRole('tab', { name: /^Changes/ }).click();
  await expect(diffRow(page, '$.items[13]')).toContainText('User third turn');
  const answer = diffRow(page, '$.items[14]');
  await expect(answer.getByTestId('diff-message')).toContainText('Assistant Third answer.');
  await answer.getByText('show as stored').click();
  await expect(answer).toContainText('"output_text"');
  expect(await seriousIssues(page)).toEqual([]);

  await historyList(page).getByRole('option').filter({ hasText: 'ls nope' }).click();
  await page.getByRole('tab', { name: /^Chat/ }).click();
  const call = page.getByTestId('tool-call').filter({ hasText: 'ls nope-does-not-exist' });
  await expect(call.getByTestId('tool-result')).toContainText('No such file or directory');
  expect(await seriousIssues(page)).toEqual([]);

  await openAt(page, inspector, workbenchPath('codex-home', FAILED));
  await expect(page.getByTestId('answer-error')).toContainText('currently experiencing high demand');
  await expect(content(page).getByRole('heading', { level: 2 })).toContainText('this turn fails');
});

test('going back to a turn is shown as a new thread, and is one: the session stays as it is', async ({
  page,
  folder,
  start,
}) => {
  const home = copyOfHome(folder);
  const before = readFileSync(rolloutOf(home, TOOLS));
  await openAt(page, await start([home]), workbenchPath('codex-home', TOOLS));
  await historyRow(page, SECOND_TURN).click();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#05 second turn');
  await actions(page)
    .getByRole('button', { name: /^Restore/ })
    .click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await expect(dialog.getByRole('heading', { name: 'Restore #05 to Run a tool please' })).toBeVisible();
  await expect(dialog.getByTestId('latest-move')).toContainText('none, the task is new');
  await expect(dialog.getByTestId('plan-lines')).toContainText('as a new thread; the old one stays as it is.');
  await expect(dialog).toContainText('codex resume');
  expect(await seriousIssues(page)).toEqual([]);
  await dialog.getByRole('button', { name: /^Restore #05/ }).click();
  await expect(proof(page, 'Restored')).toBeVisible();
  expect(readFileSync(rolloutOf(home, TOOLS))).toEqual(before);
});

import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CheckpointManager } from 'checkpoint-inspector/systems/rlm-act';
import type { Page } from '@playwright/test';
import { seriousIssues } from '../support/axe.ts';
import { expect, openAt, test } from '../support/fixtures.ts';
import { runCli } from '../support/inspector.ts';
import { proof } from '../support/pages.ts';
import { copyStore, placeOf } from '../support/stores.ts';

const TASK = 'code-migration';
const STORE = 'rlm-act-checkpoints';

/** Bytes, mode and time of every file; Node sets times to the microsecond. */
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => {
        const { mode, mtimeNs } = statSync(join(folder, name), { bigint: true });
        return [name, `${mode} ${mtimeNs / 1000n} ${readFileSync(join(folder, name), 'utf8')}`];
      }),
  );

const dialogOf = (page: Page) => page.getByTestId('prune-dialog');
const figure = (page: Page, name: string) => dialogOf(page).locator(`[data-figure="${name}"] b`);

/** From the storage page to a ready preview of "older than 30 days". */
async function openTidy(page: Page): Promise<void> {
  await page.getByRole('button', { name: `Tidy up ${TASK}…` }).click();
  await expect(dialogOf(page)).toHaveAttribute('data-phase', 'ready');
}

test('"older than 30 days" lists 41 to delete and 6 protected with reasons; unreadable ones are skipped', async ({
  page,
  demo,
}) => {
  await openAt(page, demo, '/storage');
  const row = page.locator(`[data-task="${TASK}"]`);
  await expect(row).toContainText('56');
  await expect(row).toContainText('1 unreadable');
  await expect(page.getByTestId('storage-store').filter({ hasText: 'kaizen' })).toContainText('newest 100');

  // What takes the space, entry by entry, opened by key; the same dialog is beside it.
  const opens = row.getByRole('button', { name: `What takes the space in ${TASK}` });
  await opens.focus();
  await page.keyboard.press('Enter');
  await expect(opens).toHaveAttribute('aria-expanded', 'true');
  const growth = page.getByRole('region', { name: `What takes the space in ${TASK}` });
  await expect(growth.locator('[data-entry="state"]')).toContainText('stored 55 times');
  await expect(growth.locator('[data-entry="phase"]')).toContainText('stored 55 times, 7 different values');
  await expect(growth).toContainText('Keeping only the newest 10 would free up to');
  await expect(growth).toContainText('Not read: 1 state, unreadable or too large.');
  expect(await seriousIssues(page)).toEqual([]);
  await growth.getByRole('button', { name: 'Tidy up…' }).click();
  await expect(dialogOf(page)).toHaveAttribute('data-phase', 'ready');
  await page.keyboard.press('Escape');
  await opens.click();
  await expect(growth).toHaveCount(0);

  await openTidy(page);
  const dialog = dialogOf(page);
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expect(figure(page, 'goes')).toHaveText('41');
  await expect(figure(page, 'stays')).toHaveText('6');
  await expect(figure(page, 'others')).toHaveText('8');
  await expect(figure(page, 'skipped')).toHaveText('1');

  await dialog.getByRole('tab', { name: /^Keep/ }).click();
  const stays = dialog.getByRole('list', { name: 'Keep' }).getByRole('listitem');
  await expect(stays).toHaveCount(6);
  await expect(stays.filter({ hasText: 'bookmarked' })).toHaveCount(2);
  await expect(stays.filter({ hasText: 'its copy is kept' })).toHaveCount(3);
  await expect(stays.filter({ hasText: 'latest: the task resumes from it' })).toHaveCount(1);
  await dialog.getByRole('tab', { name: /^Skipped/ }).click();
  await expect(dialog.getByRole('list', { name: 'Skipped' })).toContainText('Not JSON at offset');

  // The preview follows the policy; keys alone never confirm.
  await dialog.getByTestId('beyond-newest').fill('50');
  await expect(figure(page, 'goes')).toHaveText('5');
  await dialog.getByTestId('beyond-newest').fill('x');
  await expect(dialog).toContainText('whole number');
  await dialog.getByTestId('beyond-newest').fill('');
  await expect(figure(page, 'goes')).toHaveText('41');
  await dialog.getByTestId('confirm-change').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('a save meanwhile stays, a read-only file yields "40 deleted, 1 failed", and undo restores all 40', async ({
  page,
  start,
}) => {
  const inspector = await start(['--demo']);
  const folder = await placeOf(inspector, STORE);
  await openAt(page, inspector, '/storage');
  await openTidy(page);
  const [victim = ''] = readdirSync(folder).filter((name) => name.endsWith('000000000030.json'));
  chmodSync(join(folder, victim), 0o444);
  const before = filesIn(folder);
  const manager = new CheckpointManager(join(folder, '..'));
  await manager.writeCheckpoint({ project_path: TASK, autonomy_mode: 'batch' }, 'research-complete');
  const saved = readdirSync(folder).filter((name) => !(name in before));
  expect(saved).toHaveLength(1);

  await page.keyboard.press('Control+Enter');
  await expect(proof(page, '40 deleted, 1 failed: "')).toContainText('is marked read-only, so it was not changed');
  const left = Object.keys(filesIn(folder));
  expect(left).toHaveLength(56 - 40 + 1);
  expect(left).toEqual(expect.arrayContaining([...saved, victim]));

  await page.goto(`${inspector.origin}/trash`);
  await expect(page.getByTestId('trash-size')).toContainText('40 checkpoints');
  const items = page.getByTestId('trash-item');
  // One change is one row; what it removed is listed on demand.
  await expect(items).toHaveCount(1);
  await expect(items).toContainText('kept 30 more days');
  await expect(items).toContainText('Deleted 40 checkpoints older than 30 days');
  await expect(items.getByRole('button', { name: 'Put back 40' })).toBeVisible();
  await items.getByRole('button', { name: 'List them' }).click();
  await expect(items.getByRole('list', { name: 'Removed by this change' }).getByRole('listitem')).toHaveCount(40);
  await page.goto(`${inspector.origin}/activity`);
  const receipt = page.getByTestId('receipt').first();
  await expect(receipt).toContainText('Deleted 40 checkpoints older than 30 days');
  await expect(receipt).toContainText('1 failed');
  await receipt.getByRole('button', { name: 'Undo' }).click();
  await expect(proof(page, 'Undone. 40 checkpoints are in place again, byte for byte.')).toBeVisible();
  const after = filesIn(folder);
  for (const name of saved) delete after[name];
  expect(after).toEqual(before);
});

test('several tasks at once; the trash is emptied by plan only, and then undo says why it is gone', async ({
  page,
  demo,
  folder,
  start,
}) => {
  const agents = copyStore(await placeOf(demo, 'kaizen-checkpoints'), folder);
  const inspector = await start([`agents=${agents}`]);
  await openAt(page, inspector, '/storage');
  await page.getByRole('checkbox', { name: 'Select prod_agent' }).click();
  await page.getByRole('checkbox', { name: 'Select experimental_agent' }).click();
  await page.getByRole('button', { name: 'Tidy up 2 tasks…' }).click();
  const dialog = dialogOf(page);
  await dialog.getByTestId('older-than').fill('');
  await dialog.getByTestId('beyond-newest').fill('1');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await expect(dialog.getByRole('list', { name: 'Tasks' }).getByRole('listitem')).toHaveCount(2);
  await page.keyboard.press('Control+Enter');
  await expect(proof(page, 'of 2 tasks to the trash.')).toBeVisible();

  // The list's first answer is from before the purge, and comes after it.
  let answer = (): void => undefined;
  const purged = new Promise<void>((resolve) => (answer = resolve));
  await page.route(
    /\/api\/trash$/,
    async (route) => {
      const response = await route.fetch();
      await purged;
      await route.fulfill({ response }).catch(() => undefined);
    },
    { times: 1 },
  );
  await page.goto(`${inspector.origin}/trash`);
  await expect(page.getByRole('button', { name: /^Purge expired/ })).toHaveAttribute('aria-disabled', 'true');
  await page.getByRole('button', { name: 'Empty trash…' }).click();
  const purge = page.getByTestId('purge-dialog');
  await expect(purge).toContainText('of 2 changes');
  await expect(purge.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText(/^Purged \d+ checkpoints/)).toBeVisible();
  answer();
  await expect(page.getByText('The trash is empty.')).toBeVisible();
  await page.goto(`${inspector.origin}/activity`);
  await expect(page.getByTestId('receipt').first()).toContainText('Its trash was emptied on');
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(0);

  const args = ['--store', `agents=${agents}`];
  const plan = await runCli(['prune', 'prod_agent', '--keep-last', '0', '--dry-run', ...args], inspector.state);
  expect(plan).toMatchObject({ request: { kind: 'prune', policy: { beyondNewest: 0 } }, leftOut: { skipped: 0 } });
  const report = await runCli(['storage', ...args], inspector.state);
  expect(report).toMatchObject({ stores: [{ system: 'kaizen', locked: 1 }], trash: { checkpoints: 0 } });
  expect(await runCli(['trash'], inspector.state)).toMatchObject({ checkpoints: 0, keepDays: 30, items: [] });
});

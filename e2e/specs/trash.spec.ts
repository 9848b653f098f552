import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, openAt, test } from '../support/fixtures.ts';
import { type Inspector, runCli } from '../support/inspector.ts';
import { actions, content, historyRow, proof, select, workbenchPath } from '../support/pages.ts';
import { copyStore, placeOf } from '../support/stores.ts';

const VICTIM = 'ckpt_00000000200f';
let agents: string;
let inspector: Inspector;

// What was deleted is asked for once more, and answered with 404.
test.use({ allowedErrors: /status of 404 .*\/api\// });

test.beforeEach(async ({ page, demo, folder, start }) => {
  agents = copyStore(await placeOf(demo, 'kaizen-checkpoints'), folder);
  inspector = await start([`agents=${agents}`]);
  await openAt(page, inspector, workbenchPath('agents', 'prod_agent'));
});

/** Name and hash of every file. */
const files = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(agents)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(agents, name)))
          .digest('hex'),
      ]),
  );

test('a deleted checkpoint goes to the trash and comes back byte for byte', async ({ page }) => {
  const before = files();
  await select(page, VICTIM, '#57 evaluate');
  await actions(page).getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await expect(dialog.getByTestId('plan-lines').locator('[data-kind="removes"]')).toContainText('#57');
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await dialog.getByRole('button', { name: /^Delete #57/ }).click();
  await expect(proof(page, 'Moved 1 checkpoint to the trash.')).toBeVisible();
  await expect(historyRow(page, VICTIM)).toHaveCount(0);
  const gone = Object.keys(before).filter((name) => !(name in files()));
  expect(gone).toEqual([expect.stringContaining(VICTIM)]);

  await page.goto(`${inspector.origin}/trash`);
  const items = page.getByRole('list', { name: 'Deleted checkpoints' }).getByRole('listitem');
  await expect(items).toHaveCount(1);
  await expect(items).toContainText(VICTIM);
  await expect(items).toContainText('prod_agent');
  await items.getByRole('button', { name: 'Put back' }).click();
  await expect(proof(page, 'Undone.')).toBeVisible();
  await expect(page.getByText('The trash is empty.')).toBeVisible();
  expect(files()).toEqual(before);
});

test('the keys delete and undo', async ({ page }) => {
  const before = files();
  await select(page, VICTIM, '#57 evaluate');
  await page.keyboard.press('Delete');
  await expect(page.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
  await page.keyboard.press('Control+Enter');
  await expect(proof(page, 'Moved 1 checkpoint to the trash.')).toBeVisible();
  expect(files()).not.toEqual(before);
  await page.keyboard.press('z');
  await expect(proof(page, 'Undone.')).toBeVisible();
  await expect(historyRow(page, VICTIM)).toBeVisible();
  expect(files()).toEqual(before);
});

test('a link to a deleted checkpoint explains itself and leads to the trash', async ({ page }) => {
  await runCli(['delete', VICTIM, '--store', `agents=${agents}`, '--yes'], inspector.state);
  await page.goto(`${inspector.origin}${workbenchPath('agents', 'prod_agent', { cp: VICTIM })}`);
  await expect(content(page)).toContainText(`The checkpoint “${VICTIM}” has been in the trash since`);
  await content(page).getByRole('link', { name: 'Look in the trash' }).click();
  await expect(page.getByRole('list', { name: 'Deleted checkpoints' }).getByRole('listitem')).toContainText(VICTIM);
  await page.goto(`${inspector.origin}/c/agents/${VICTIM}`);
  await expect(page.getByText(`“${VICTIM}” has been in the trash since`)).toBeVisible();
});

import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, openAt, test } from '../support/fixtures.ts';
import { taskRows } from '../support/pages.ts';

const ENCRYPTED = resolve(import.meta.dirname, '../../packages/systems/src/kaizen/fixtures/enc');
const KEY = 'correct-horse-battery-staple-kaizen-42';

test.use({ allowedErrors: /status of 403 .*\/unlock/ });

test('encrypted checkpoints open with their key for the session, and a wrong key changes nothing', async ({
  page,
  folder,
  start,
}) => {
  const store = join(folder, 'enc');
  cpSync(ENCRYPTED, store, { recursive: true });
  const names = readdirSync(store).toSorted();
  const inspector = await start([store]);
  await openAt(page, inspector, '/tasks');
  await expect(taskRows(page)).toHaveCount(1);
  await expect(taskRows(page)).toContainText('13 locked');

  await page.goto(`${inspector.origin}/stores`);
  await page.getByRole('button', { name: /^Unlock/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Key').fill('a wrong key');
  await dialog.getByLabel('Key').press('Enter');
  await expect(dialog.getByRole('alert')).toContainText('opens none of the 13');

  await dialog.getByLabel('Key').fill(KEY);
  await dialog.getByRole('button', { name: 'Unlock', exact: true }).click();
  await expect(dialog).toBeHidden();
  await page.goto(`${inspector.origin}/tasks`);
  await expect(taskRows(page)).toHaveCount(5);
  await expect(taskRows(page).filter({ hasText: 'research_agent' })).toContainText('7');

  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href);
  expect(kept).not.toContain(KEY);
  const journal = readdirSync(inspector.state, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  for (const file of journal) expect(readFileSync(join(file.parentPath, file.name)).includes(KEY)).toBe(false);
  expect(readdirSync(store).toSorted()).toEqual(names);
});

import { join } from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { expect, openAt, test } from '../support/fixtures.ts';
import { THEMES } from '../support/routes.ts';

const MESSAGE = 'Check total failed: sum differs (expected 122, actual 350)';

async function storeIn(folder: string): Promise<string> {
  const path = join(folder, 'runs.db');
  const store = await openSqliteStore({ path });
  const save = async (task: string, checks: object) => {
    await store.save({ task, id: `${task}-1`, text: '{"total":122}', status: 'running' });
    const text = JSON.stringify({ total: 350, checks: [{ name: 'total', ...checks }] });
    const parent = { task, id: `${task}-1` };
    await store.save({ task, id: `${task}-2`, parent, text, status: 'completed', description: 'verify' });
  };
  await save('good', { passed: true });
  await save('bad', { passed: false, message: 'sum differs', expected: 122, actual: 350 });
  await store.close();
  return path;
}

test('a completed task with a failed check is amber in the list, found, counted and listed in Errors', async ({
  page,
  start,
  folder,
}) => {
  const inspector = await start([await storeIn(folder)]);
  await page.setViewportSize({ width: 1700, height: 900 });
  await openAt(page, inspector, '/tasks');
  await expect(page.getByRole('heading', { name: 'One task has a failed check' })).toBeVisible();
  const counter = page.getByTitle('1 failed check');
  await expect(counter).toHaveText('Check failed1 check failed');
  await counter.click();
  await expect(page).toHaveURL(/status=.*check_failed/);
  const rows = page.getByTestId('task-row');
  await expect(rows).toHaveCount(1);
  await expect(rows).toContainText(MESSAGE);
  const icon = rows.locator('[data-status="check_failed"] .icon');
  await expect(icon).toBeVisible();
  await expect(page.getByTestId('task-preview')).toContainText(MESSAGE);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const amber = await page.evaluate(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.color = 'var(--st-interrupted)';
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    });
    await expect(icon).toHaveCSS('color', amber);
    const { violations } = await new AxeBuilder({ page }).include('.tasks-main').analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }
  await openAt(page, inspector, '/errors');
  await expect(page.getByTestId('error-group')).toContainText('1 failed check in 1 task');
  const error = page.getByTestId('error-task');
  await expect(error).toHaveCount(1);
  await expect(error).toContainText('bad');
  await expect(error.locator('[data-status="check_failed"]')).toBeVisible();
});

import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, preview, proof, RESEARCH } from '../support/pages.ts';
import { copyStore, dumpTask, keepNewest, latestText, placeOf, saveAsAgent } from '../support/stores.ts';

const TASK = 'competitor-revenue';
let path: string;

// The refusals themselves: 412 for a stale plan, 409 for an undo that would lose a save, 404 for what is gone.
test.use({ allowedErrors: /status of (404|409|412) .*\/api\/(plans|receipts|stores|diff)/ });

test.beforeEach(async ({ page, demo, folder, start }) => {
  path = copyStore(await placeOf(demo, RESEARCH), folder);
  await keepNewest(path, 10);
  await openAt(page, await start([path]), COMPETITOR);
});

const ids = async (): Promise<string[]> => (await dumpTask(path, TASK)).map((row) => row.id);

test('a save after the preview refuses the confirmation; the new preview can be confirmed', async ({ page }) => {
  const dialog = await preview(page, 'Restore', 'ckpt-06', '#06 retry_plan');
  await saveAsAgent(path, {
    id: 'ckpt-11',
    task: TASK,
    text: '{"by":"agent"}',
    stepIndex: 11,
    description: 'one more step',
  });
  await dialog.getByRole('button', { name: /^Restore #06/ }).click();
  await expect(dialog).toHaveAttribute('data-phase', 'conflict');
  await expect(dialog.getByRole('alert')).toContainText('Head moved from #10 to #11 after the preview.');
  await expect(dialog.getByTestId('latest-move')).toContainText('#11 one more step');
  // The agent's own save has evicted the first one: now it is the second one's turn.
  await expect(dialog.getByTestId('plan-lines').locator('[data-kind="evicts"]')).toContainText('#02');
  expect(await latestText(path, TASK)).toBe('{"by":"agent"}');
  await page.keyboard.press('Control+Enter');
  await expect(proof(page, 'Restored. Latest now returns this state ✓')).toBeVisible();
  expect(await ids()).toContain('ckpt-11');
  expect(await ids()).not.toContain('ckpt-02');
});

test('an undo that would take away a newer save is refused with its number', async ({ page }) => {
  await preview(page, 'Restore', 'ckpt-06', '#06 retry_plan');
  await page.keyboard.press('Control+Enter');
  const restored = proof(page, 'Restored.');
  await expect(restored).toBeVisible();
  await saveAsAgent(path, { id: 'ckpt-12', task: TASK, text: '{"after":"restore"}', stepIndex: 12 });
  await restored.getByRole('button', { name: /^Undo/ }).click();
  await expect(proof(page, 'Not undone: it would also remove #12, saved since.')).toBeVisible();
  expect(await latestText(path, TASK)).toBe('{"after":"restore"}');
});

test('a checkpoint that the agent evicts while its dialog is open cannot be restored any longer', async ({ page }) => {
  const dialog = await preview(page, 'Restore', 'ckpt-01', '#01 input');
  await saveAsAgent(path, { id: 'ckpt-11', task: TASK, text: '{"by":"agent"}', stepIndex: 11 });
  await page.keyboard.press('Control+Enter');
  await expect(dialog.getByRole('alert')).toBeVisible();
  await expect(dialog).toContainText('Nothing was changed');
  expect(await latestText(path, TASK)).toBe('{"by":"agent"}');
});

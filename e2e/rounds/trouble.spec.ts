import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, openAt, test } from '../support/fixtures.ts';
import {
  actions,
  COMPETITOR,
  content,
  historyList,
  historyRow,
  RESEARCH,
  TASKS_FAILED,
  taskRows,
  workbenchPath,
} from '../support/pages.ts';
import { copyStore, placeOf, saveAsAgent } from '../support/stores.ts';

test.describe('a link that is not valid', () => {
  test.use({ allowedErrors: /status of 401 / });

  test('names the command that prints it, and takes the right one', async ({ page, demo }) => {
    await page.goto(`${demo.origin}/#token=wrong`);
    await expect(page.getByRole('heading', { name: 'This page needs its link' })).toBeVisible();
    await expect(page.getByText('checkpoint-inspector', { exact: true })).toBeVisible();
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain('wrong');
    await page.getByLabel('Link or token').fill(demo.url);
    await page.getByRole('button', { name: 'Open' }).click();
    await expect(page.getByRole('heading', { name: TASKS_FAILED })).toBeVisible();
  });

  test('the bare address without a token asks for it and reads nothing', async ({ page, demo }) => {
    const asked: string[] = [];
    page.on('response', (answer) => answer.ok() && asked.push(new URL(answer.url()).pathname));
    await page.goto(`${demo.origin}/tasks`);
    await expect(page.getByTestId('unauthorised')).toBeVisible();
    expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([]);
  });
});

test.describe('opening a store', () => {
  // 503: no server answers at an address.
  test.use({ allowedErrors: /status of (?:4\d\d|503) .*\/api\/stores/ });

  test('a path without a store says so and what to do; the right one opens and closes', async ({
    page,
    demo,
    folder,
    start,
  }) => {
    const path = copyStore(await placeOf(demo, RESEARCH), folder);
    writeFileSync(join(folder, 'notes.txt'), 'no database');
    await openAt(page, await start([copyStore(await placeOf(demo, 'checkpoints-sqlite'), folder)]), '/stores');
    const field = page.getByRole('textbox', { name: /^Path of a SQLite file or a folder/ });
    const problem = page.getByRole('alert');
    await field.fill(join(folder, 'missing.db'));
    await field.press('Enter');
    await expect(problem).toContainText('This could not be opened.');
    await expect(problem).toContainText('No such file or folder');
    await expect(problem).toContainText('missing.db');
    await expect(problem.getByText(/^(Check|Name|Give|Write|Pass)/)).toBeVisible();
    await field.fill(join(folder, 'notes.txt'));
    await field.press('Enter');
    await expect(problem).toContainText('notes.txt');
    await field.fill('postgres://ann:s3cret@127.0.0.1:1/agents');
    await field.press('Enter');
    await expect(problem).toContainText('127.0.0.1:1');
    await expect(field).toHaveValue('postgres://ann@127.0.0.1:1/agents');
    expect(await page.content()).not.toContain('s3cret');
    await field.fill(path);
    await field.press('Enter');
    await expect(page.getByTestId('store')).toHaveCount(2);
    await expect(problem).toHaveCount(0);
    await page.getByRole('button', { name: 'Close research.db; nothing is deleted' }).click();
    await expect(page.getByTestId('store')).toHaveCount(1);
    expect(statSync(path).size).toBeGreaterThan(0);
  });
});

test.describe('rows that cannot be read', () => {
  // Their states are asked for, and refused: 422 unreadable, 423 locked.
  test.use({ allowedErrors: /status of 42[23] .*\/api\/stores\/agents/ });

  test('are rows with reason and size', async ({ page, demo, folder, start }) => {
    const agents = copyStore(await placeOf(demo, 'kaizen-checkpoints'), folder);
    writeFileSync(join(agents, 'ckpt_0000000070aa.jsonl'), '{"checkpoint_id": "ckpt_0000000070aa", "agent_id": oops}');
    await openAt(page, await start([`agents=${agents}`]), '/tasks');
    await taskRows(page).getByText('Files without a readable agent').click();
    const rows = historyList(page).getByRole('option');
    await expect(rows).toHaveCount(2);
    const locked = rows.filter({ hasText: 'ckpt_000000006001' });
    const broken = rows.filter({ hasText: 'ckpt_0000000070aa' });
    await expect(locked.getByText('locked', { exact: true })).toBeVisible();
    await expect(broken.getByText('unreadable', { exact: true })).toBeVisible();
    await expect(broken).toContainText(/\(byte \d+\)/);
    await locked.click();
    await page.getByRole('tab', { name: 'Meta' }).click();
    await expect(page.getByTestId('meta-tab')).toContainText('2,048 bytes stored');
    await expect(page.getByTestId('meta-tab').getByRole('note')).toContainText('locked');
  });
});

test.describe('a store that is moved away while it is open', () => {
  test.use({ allowedErrors: /status of [45]\d\d .*\/api\// });

  for (const store of [RESEARCH, 'checkpoints-sqlite', 'kaizen-checkpoints']) {
    test(`${store} is named with a clear message, and read again when it is back`, async ({
      page,
      demo,
      folder,
      start,
    }) => {
      const path = copyStore(await placeOf(demo, store), folder);
      await openAt(page, await start([`moving=${path}`]), '/tasks');
      await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
      await expect(taskRows(page).first()).toBeVisible();
      const tasks = await taskRows(page).count();
      moveStore(path, `${path}.away`);
      const failures = page.getByRole('list', { name: 'Stores that could not be read' });
      await expect(failures).toContainText('moving could not be read:');
      await expect(failures).toContainText(/is not there|does not exist|there is no|no longer/i);
      moveStore(`${path}.away`, path);
      await expect(failures).toHaveCount(0);
      await expect(taskRows(page)).toHaveCount(tasks);
    });
  }

  test('a database that another one has replaced is read again', async ({ page, demo, folder, start }) => {
    const path = copyStore(await placeOf(demo, RESEARCH), folder);
    await openAt(page, await start([path]), '/tasks');
    await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
    await expect(taskRows(page)).toHaveCount(2);
    const other = join(folder, 'other.db');
    await saveAsAgent(other, { id: 'first', task: 'began-anew', text: '{}' });
    moveStore(path, `${path}.old`);
    moveStore(other, path);
    await expect(taskRows(page).getByText('began-anew')).toBeVisible();
    await expect(taskRows(page)).toHaveCount(1);
  });
});

/** With the files that SQLite keeps beside it. */
function moveStore(from: string, to: string): void {
  for (const side of ['', '-wal', '-shm']) if (existsSync(from + side)) renameSync(from + side, to + side);
}

test('--read-only disables every change with the reason, and reports it in the bar', async ({
  page,
  demo,
  folder,
  start,
}) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  await openAt(page, await start([path, '--read-only']), COMPETITOR);
  await expect(page.getByTestId('mode')).toHaveText('Read-only');
  await expect(historyRow(page, 'ckpt-10')).toBeVisible();
  for (const name of [/^Restore/, /^Fork/, /^Edit/, /^Delete/]) {
    await expect(actions(page).getByRole('button', { name })).toHaveAttribute('aria-disabled', 'true');
  }
  await actions(page)
    .getByRole('button', { name: /^Restore/ })
    .focus();
  await expect(page.getByRole('tooltip')).toContainText('Started with --read-only.');
  await page.keyboard.press('r');
  // Forced: a control that is off is not a target for the mouse of a test, but it is for a hand.
  await actions(page)
    .getByRole('button', { name: /^Delete/ })
    .click({ force: true });
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a system that cannot make a change says why in its place', async ({ page, demo }) => {
  await openAt(page, demo, '/stores');
  const store = page.getByTestId('store').filter({ hasText: 'rlm-act-checkpoints' });
  await expect(store).toContainText('The pipeline has no branches');
  await openAt(page, demo, workbenchPath('rlm-act-checkpoints', 'code-migration'));
  await expect(content(page).getByRole('heading', { level: 2 })).toBeVisible();
  await expect(actions(page).getByRole('button', { name: /^Fork/ })).toHaveAttribute('aria-disabled', 'true');
  await expect(actions(page).getByRole('button', { name: /^Restore/ })).not.toHaveAttribute('aria-disabled');
});

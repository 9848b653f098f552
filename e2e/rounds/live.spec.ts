import { join } from 'node:path';
import type { Route } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import {
  COMPETITOR,
  content,
  historyList,
  historyRow,
  RESEARCH,
  select,
  selectedRow,
  taskRows,
  workbenchPath,
} from '../support/pages.ts';
import { say, watchSteadiness } from '../support/measure.ts';
import { copyStore, nextEvent, placeOf, removeAsAgent, saveAsAgent } from '../support/stores.ts';

/** A task with so many checkpoints, and a way to save the next one. */
async function growingStore(folder: string, count: number) {
  const path = join(folder, 'growing.db');
  let last = 0;
  const save = (): Promise<void> => {
    last += 1;
    return saveAsAgent(path, { id: `step-${last}`, task: 'growing', text: `{"n":${last}}`, stepIndex: last });
  };
  for (let saved = 0; saved < count; saved++) await save();
  return { path, save };
}

const GROWING = workbenchPath('growing-db', 'growing');
const EDIT_STEP_2 = '/t/growing-db/growing/edit?cp=step-2';

test("the saves of the demo's agent appear without a reload", async ({ page, demo }) => {
  await openAt(page, demo, workbenchPath('agents-db', 'live-research'));
  const rows = historyList(page).getByRole('option');
  await expect.poll(() => rows.count()).toBeGreaterThan(0);
  const newest = async () =>
    Number(/\d+/.exec((await rows.first().locator('.history-number').textContent()) ?? '')?.[0]);
  const before = await newest();
  await expect.poll(newest).toBeGreaterThan(before);
});

for (const { name, count, selected } of [
  { name: 'a short history', count: 5, selected: 'step-2' },
  { name: 'a long history that is scrolled', count: 60, selected: 'step-30' },
]) {
  test(`a save does not push the selected row of ${name}`, async ({ page, folder, start }) => {
    const { path, save } = await growingStore(folder, count);
    await openAt(page, await start([path]), GROWING);
    await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
    await expect(historyRow(page, `step-${count}`)).toBeVisible();
    await historyList(page).hover();
    await page.mouse.wheel(0, 1_000);
    await historyRow(page, selected).click();
    const place = await selectedRow(page).boundingBox();
    await save();
    await expect(page.getByRole('region', { name: 'History', exact: true })).toContainText(String(count + 1));
    await expect.poll(async () => (await selectedRow(page).boundingBox())?.y).toBeCloseTo(place?.y ?? -1, 0);
  });
}

test('a save while the page is still connecting is not missed', async ({ page, folder, start }) => {
  const { path, save } = await growingStore(folder, 3);
  const inspector = await start([path]);
  const held: Route[] = [];
  await page.route('**/api/events', (route) => void held.push(route));
  await openAt(page, inspector, GROWING);
  await expect(historyRow(page, 'step-3')).toBeVisible();
  await expect.poll(() => held.length).toBe(1);
  const { told } = await nextEvent(inspector, 'change');
  await save();
  await told;
  await held[0]?.continue();
  await expect(historyRow(page, 'step-4')).toBeVisible();
});

test('a note that is being written stays while an agent saves', async ({ page, folder, start }) => {
  const { path, save } = await growingStore(folder, 3);
  await openAt(page, await start([path]), GROWING);
  await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
  await expect(content(page).getByRole('heading', { level: 2 })).toContainText('#03');
  await page.getByTestId('add-note').click();
  await page.keyboard.type('the last one before');
  await save();
  await expect(historyRow(page, 'step-4')).toBeVisible();
  await expect(content(page).getByRole('heading', { level: 2 })).toContainText('#03');
  await page.keyboard.type(' the new prompt');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByTestId('note-text')).toHaveText('the last one before the new prompt');
});

test.describe('an edit whose checkpoint changes', () => {
  // What is gone is asked for once more.
  test.use({ allowedErrors: /status of 404 / });

  test('keeps the draft where it was saved again, and where it is gone', async ({ page, folder, start }) => {
    const { path } = await growingStore(folder, 3);
    await openAt(page, await start([path]), `${EDIT_STEP_2}&mode=text`);
    const text = page.getByRole('textbox', { name: 'State as JSON text' });
    await text.fill('{"n":20}');
    await saveAsAgent(path, { id: 'step-2', task: 'growing', text: '{"n":2,"again":true}', stepIndex: 2 });
    await expect(page.getByTestId('edit-newer')).toBeVisible();
    await expect(text).toHaveText('{"n":20}');
    await page.getByRole('button', { name: 'Edit the new state' }).click();
    await expect(text).toContainText('again');
    await expect(page.getByTestId('edit-newer')).toHaveCount(0);
    await text.fill('{"n":21}');
    await removeAsAgent(path, { task: 'growing', id: 'step-2' });
    await expect(page.getByTestId('edit-blocked')).toContainText('Your draft stays here.');
    await expect(text).toHaveText('{"n":21}');
  });
});

test('a save is on the screen without a reload, and Follow selects it', async ({ page, demo, folder, start }) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  await openAt(page, await start([path]), COMPETITOR);
  await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
  await page.getByRole('checkbox', { name: 'Follow' }).check();
  await saveAsAgent(path, {
    id: 'ckpt-11',
    task: 'competitor-revenue',
    text: '{"n":11}',
    stepIndex: 11,
    description: 'appended',
  });
  await expect(historyRow(page, 'ckpt-11')).toBeVisible();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#11 appended');
  await select(page, 'ckpt-09', '#09 normalize');
  await expect(page.getByRole('checkbox', { name: 'Follow' })).not.toBeChecked();
  await saveAsAgent(path, {
    id: 'ckpt-12',
    task: 'competitor-revenue',
    text: '{"n":12}',
    stepIndex: 12,
    description: 'appended',
  });
  await expect(historyRow(page, 'ckpt-12')).toBeVisible();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#09 normalize');
});

test('a list that comes before its stores are known counts none', async ({ page, folder, start }) => {
  const { path } = await growingStore(folder, 2);
  const held: Route[] = [];
  await page.route('**/api/stores', (route) => void held.push(route));
  await openAt(page, await start([path]), '/tasks');
  await expect(page.getByText('1 task · 2 checkpoints')).toBeVisible();
  await held[0]?.continue();
  await expect(page.getByText('1 task in 1 store · 2 checkpoints')).toBeVisible();
});

test('the title and the headline follow a task that fails', async ({ page, demo, folder, start }) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  await openAt(page, await start([path]), '/tasks');
  await expect(page).toHaveTitle(/^One task failed/);
  await saveAsAgent(path, { id: 'bad-1', task: 'nightly', text: '{}', status: 'failed', description: 'disk is full' });
  await expect(page).toHaveTitle(/^Two tasks failed/);
  await expect(taskRows(page).first()).toContainText('disk is full');
});

test.describe('while the server is away', () => {
  test.use({
    allowedErrors: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/,
  });

  test('the page says so, keeps its data, and comes back with what was saved in the meantime', async ({
    page,
    demo,
    folder,
    start,
  }) => {
    const path = copyStore(await placeOf(demo, RESEARCH), folder);
    const first = await start([path], { token: 'a-token-of-the-test' });
    await openAt(page, first, COMPETITOR);
    await select(page, 'ckpt-06', '#06 retry_plan');
    await first.stop();
    await expect(page.getByText(/^Server stopped \d\d:\d\d:\d\d/)).toBeVisible();
    await expect(page.getByText('What you see was read before that.')).toBeVisible();
    await expect(historyList(page).getByRole('option')).toHaveCount(10);
    const restore = page.getByRole('button', { name: /^Restore/ });
    await expect(restore).toHaveAttribute('aria-disabled', 'true');
    await restore.hover();
    await expect(page.getByRole('tooltip')).toContainText('The server does not answer.');
    await page.keyboard.press('?');
    await expect(page.getByText('This part of the page could not be loaded.')).toBeVisible();
    await saveAsAgent(path, {
      id: 'ckpt-11',
      task: 'competitor-revenue',
      text: '{"n":11}',
      stepIndex: 11,
      description: 'saved meanwhile',
    });

    await start([path], { token: 'a-token-of-the-test', port: first.port });
    await expect(page.getByText(/^Server stopped/)).toHaveCount(0, { timeout: 20_000 });
    await expect(historyRow(page, 'ckpt-11')).toBeVisible();
    await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#06 retry_plan');
    await expect(restore).not.toHaveAttribute('aria-disabled');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  });

  test('an edit stays open, and can be saved once the server is back', async ({ page, folder, start }) => {
    const { path } = await growingStore(folder, 3);
    const first = await start([path], { token: 'a-token-of-the-test' });
    await openAt(page, first, `${EDIT_STEP_2}&mode=text`);
    const text = page.getByRole('textbox', { name: 'State as JSON text' });
    await text.fill('{"n":20}');
    await first.stop();
    await expect(page.getByTestId('edit-blocked')).toContainText('The server does not answer. Your draft stays here.');
    await expect(page.getByTestId('edit-fork')).toHaveAttribute('aria-disabled', 'true');
    await text.fill('{"n":200}');

    await start([path], { token: 'a-token-of-the-test', port: first.port });
    await expect(page.getByTestId('edit-blocked')).toHaveCount(0);
    await expect(text).toHaveText('{"n":200}');
    await expect(page.getByTestId('edit-fork')).not.toHaveAttribute('aria-disabled');
  });

  test.describe('a page that was never opened', () => {
    // A view that could not be drawn is reported to the console as well.
    test.use({
      allowedErrors:
        /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|The server does not answer/,
    });

    test('says so in its place, and comes by itself once the server is back', async ({ page, folder, start }) => {
      const { path } = await growingStore(folder, 2);
      const first = await start([path], { token: 'a-token-of-the-test' });
      await openAt(page, first, '/tasks');
      await expect(taskRows(page)).toHaveCount(1);
      await first.stop();
      await expect(page.getByText(/^Server stopped/)).toBeVisible();
      await page.getByRole('link', { name: 'Storage' }).click();
      await expect(page.getByText('This view could not be drawn.')).toBeVisible();
      await expect(page.getByText(/^Server stopped/)).toBeVisible();

      await start([path], { token: 'a-token-of-the-test', port: first.port });
      const row = page.getByTestId('storage-task').first();
      await expect(row).toBeVisible();
      // With its styles.
      await expect(row).toHaveCSS('display', 'grid');
    });
  });
});

test('nothing moves under the pointer while an agent writes, and the list answers at once', async ({
  page,
  demo,
  folder,
  start,
}) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  await page.addInitScript(watchSteadiness);
  await openAt(page, await start([path]), '/tasks');
  const clean = page.locator('[data-task="clean-run"]');
  await expect(page.getByTestId('failed-group')).toHaveCount(1);
  await expect(clean).toContainText('summarise');
  await clean.hover();
  await expect(clean).toContainText('summarise');
  const before = await clean.boundingBox();
  await page.evaluate(() => Object.assign((globalThis as unknown as { steady: object }).steady, { shift: 0 }));
  for (const at of [1, 2, 3]) {
    await saveAsAgent(path, {
      id: `new-${at}`,
      task: 'clean-run',
      text: `{"at":${at}}`,
      status: at === 1 ? 'failed' : 'running',
      description: at === 1 ? 'out of memory' : `step ${at}`,
    });
    await expect(clean).toContainText(at === 1 ? 'out of memory' : `step ${at}`);
    // Only presses that took a frame or more are reported: so there are many.
    for (let times = 0; times < 5; times++) {
      await page.keyboard.press('j');
      await page.keyboard.press('k');
    }
  }
  expect(await clean.boundingBox()).toEqual(before);
  await expect(page.getByRole('list', { name: 'Tasks' }).locator('[data-task]')).toHaveText([
    /competitor/,
    /clean-run/,
  ]);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One task failed');
  const steady = await page.evaluate(
    () => (globalThis as unknown as { steady: { shift: number; pressed: number[] } }).steady,
  );
  // The rows have not moved at all; figures elsewhere on the page may grow by a digit.
  expect(steady.shift).toBeLessThan(0.001);
  expect(steady.pressed.length).toBeGreaterThan(3);
  say(
    `pressing j and k while an agent writes: median ${steady.pressed.toSorted((a, b) => a - b)[steady.pressed.length >> 1]} ms`,
  );
  // By key: the pointer on its way there would leave the list, and that puts it in order too.
  await page.getByTestId('reorder').press('Enter');
  await expect(page.getByTestId('reorder')).toHaveCount(0);
  await expect(page.getByRole('heading', { name: /^Running/ })).toBeVisible();
});

test('the panes of a task hold still while its agent writes', async ({ page, folder, start }) => {
  const { path, save } = await growingStore(folder, 12);
  await page.addInitScript(watchSteadiness);
  await openAt(page, await start([path]), GROWING);
  await expect(page.getByTestId('live')).toHaveAttribute('data-state', 'live');
  const history = page.getByTestId('path-history');
  await expect(history).toHaveAttribute('data-state', 'ready');
  await page.evaluate(() =>
    Object.assign((globalThis as unknown as { steady: object }).steady, { shift: 0, moved: [] }),
  );
  for (const next of [13, 14, 15, 16]) {
    await save();
    // The newest is the one in view, so that every pane changes with it.
    await expect(content(page).getByRole('heading', { level: 2 })).toContainText(`#${next}`);
    await expect(history).toContainText(`Last written by #${next}`);
    await expect(history).toHaveAttribute('data-state', 'ready');
  }
  const { shift, moved } = await page.evaluate(
    () => (globalThis as unknown as { steady: { shift: number; moved: string[] } }).steady,
  );
  // Only the rows of that history make room for the new one above them.
  expect(shift, moved.join('\n')).toBeLessThan(0.002);
  say(`four saves beside the history of a value: layout shift ${shift.toFixed(4)}`);
});

import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, content, diffSum, historyRow, proof, RESEARCH, selectedRow } from '../support/pages.ts';
import { copyStore, dumpTask, placeOf } from '../support/stores.ts';

test.use({ allowedErrors: /status of 404 .*\/(?:checkpoints\/|diff\?)/ });

test('the whole way without a mouse: open, look, compare, restore, undo', async ({ page, demo, folder, start }) => {
  const path = copyStore(await placeOf(demo, RESEARCH), folder);
  const before = await dumpTask(path, 'competitor-revenue');
  const press = (...keys: string[]) =>
    keys.reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve());
  const heading = content(page).getByRole('heading', { level: 2 });

  await page.goto((await start([path])).url);
  await expect(page.getByRole('heading', { name: 'One task failed' })).toBeVisible();
  await press('j', 'k', 'Enter');
  await expect(heading).toHaveText('#10 compile');
  await press('j', 'j', 'j', 'j');
  await expect(heading).toHaveText('#06 retry_plan');
  await press('b');
  await expect(historyRow(page, 'ckpt-06').getByText('base')).toBeVisible();
  await press('k');
  await expect(heading).toHaveText('#07 fetch_revenue');
  await expect.poll(() => diffSum(page)).toBe('+2 −1 ~3 ↕1');
  await expect(page.getByRole('tab')).toHaveText([/^Changes/, /^State/, /^Chat/, /^Plan/, /^Raw/, /^Meta/]);
  for (const [place, tab] of [...(await page.getByRole('tab').all()).entries()].toReversed()) {
    await press(String(place + 1));
    await expect(tab).toHaveAttribute('aria-selected', 'true');
  }
  await press('n', 'n');
  await expect(page).toHaveURL(/path=/);
  await press('c');
  await expect(page.getByRole('region', { name: 'Side A' })).toContainText('#06');
  await page.goBack();
  await expect(heading).toHaveText('#07 fetch_revenue');

  await press('j', 'r');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toHaveAttribute('data-phase', 'ready');
  await press('Control+Enter');
  await expect(proof(page, 'Restored. Latest now returns this state ✓')).toBeVisible();
  await press('z');
  await expect(proof(page, 'Undone.')).toBeVisible();
  expect(await dumpTask(path, 'competitor-revenue')).toEqual(before);
});

test('the sheet lists every key, takes them over while open, and gives them back', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/t/research-db/competitor-revenue#token=${demo.token}`);
  await expect(selectedRow(page).locator('[data-id="ckpt-10"]')).toBeVisible();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keys' });
  await expect(sheet).toBeVisible();
  for (const does of [
    'Next, previous checkpoint',
    'Restore, with preview',
    'Confirm a dialog',
    'Undo the last change',
  ]) {
    await expect(sheet.getByText(does)).toBeVisible();
  }
  await page.keyboard.press('j');
  await page.keyboard.press('Escape');
  await expect(sheet).toHaveCount(0);
  await expect(selectedRow(page).locator('[data-id="ckpt-10"]')).toBeVisible();
  await page.keyboard.press('j');
  await expect(selectedRow(page).locator('[data-id="ckpt-09"]')).toBeVisible();
});

test('Tab reaches the acts in order, and the first stop skips to the content', async ({ page, demo }) => {
  await page.goto(`${demo.origin}/t/research-db/competitor-revenue#token=${demo.token}`);
  await expect(selectedRow(page).locator('[data-id="ckpt-10"]')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  const reached: string[] = [];
  for (let tab = 0; tab < 24; tab++) {
    await page.keyboard.press('Tab');
    reached.push(
      await page.evaluate(() => document.activeElement?.ariaLabel ?? document.activeElement?.textContent?.trim() ?? ''),
    );
  }
  // All on one line, at this width too.
  const tops = await page
    .getByRole('toolbar', { name: 'Actions' })
    .locator('.btn')
    .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
  expect(new Set(tops).size).toBe(1);
  const acts = ['Restore', 'Fork', 'Compare', 'Copy', 'Delete'].map((act) =>
    reached.findIndex((text) => text.startsWith(act)),
  );
  expect(acts.every((place) => place >= 0)).toBe(true);
  expect(acts).toEqual([...acts].sort((a, b) => a - b));
});

test('Ctrl F filters the changes, and belongs to the browser where nothing is to be found', async ({ page, demo }) => {
  await openAt(page, demo, `${COMPETITOR}?cp=ckpt-07`);
  await expect(page.getByTestId('changes-tab')).toHaveAttribute('data-state', 'ready');
  await page.keyboard.press('Control+f');
  await expect(page.getByTestId('diff-filter')).toBeFocused();
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Meta' }).click();
  const isTaken = await page.evaluate(
    () => !window.dispatchEvent(new KeyboardEvent('keydown', { key: 'f', ctrlKey: true, cancelable: true })),
  );
  expect(isTaken).toBe(false);
});

test('keys are letters while one is typing', async ({ page, demo }) => {
  await openAt(page, demo, '/tasks');
  await expect(page.getByTestId('task-row').first()).toBeVisible();
  await page.keyboard.press('/');
  const field = page.getByRole('textbox', { name: 'Filter tasks' });
  await expect(field).toBeFocused();
  await page.keyboard.type('jk?rz');
  await expect(field).toHaveValue('jk?rz');
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('a key that comes while one leaves changes nothing, and leads nowhere', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await expect(selectedRow(page)).toBeVisible();
  for (const key of ['j', 'k', '2']) {
    await page.evaluate((pressed) => {
      document.querySelector<HTMLAnchorElement>('a[href="/tasks"]')?.click();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: pressed, bubbles: true, cancelable: true }));
    }, key);
    await expect(page).toHaveTitle(/tasks failed/);
    await expect(page).toHaveURL(/\/tasks$/);
    await page.goBack();
    await expect(selectedRow(page)).toBeVisible();
  }
});

test('a number belongs to its tab: where the tab is absent, nothing else comes up', async ({ page, demo }) => {
  await openAt(page, demo, '/t/agents-db/soak-2000');
  await expect(page.getByRole('tab')).toHaveText([/^Changes/, /^State/, /^Raw/, /^Meta/]);
  await page.keyboard.press('5');
  await expect(page.getByRole('tab', { name: 'Raw' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('3');
  await expect(page.getByTestId('announcer')).toHaveText('This checkpoint has no chat.');
  await expect(page.getByRole('tab', { name: 'Raw' })).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('6');
  await expect(page.getByRole('tab', { name: 'Meta' })).toHaveAttribute('aria-selected', 'true');
});

test('{ and } go from fork point to fork point, y copies, * + - open and close', async ({ page, context, demo }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await openAt(page, demo, '/t/kaizen-checkpoints/prod_agent');
  const heading = content(page).getByRole('heading', { level: 2 });
  await expect(heading).toHaveText(/^#58 /);
  await page.keyboard.type('{');
  await expect(heading).toHaveText(/^#42 /);
  await page.keyboard.type('}');
  await expect(page.getByTestId('announcer')).toHaveText('No fork point after this checkpoint.');

  await openAt(page, demo, '/t/research-db/competitor-revenue?cp=ckpt-07&path=%24.context.revenue.CompanyB');
  await expect(page.getByTestId('focused-value')).toContainText('4200');
  for (const [keys, text] of [
    ['yp', /^\$\.context\.revenue\.CompanyB$/],
    ['yv', /^4200$/],
    ['yl', /cp=ckpt-07.*path=/],
    ['ym', /\| ~ \| `\$\.context\.revenue\.CompanyB` \| `4\.2` \| `4200` \|/],
  ] as const) {
    await page.keyboard.type(keys);
    await expect.poll(clipboard).toMatch(text);
  }
  await page.getByTestId('copy').press('Enter');
  await page.getByRole('menuitem', { name: 'Copy as curl call' }).press('Enter');
  await expect.poll(clipboard).toMatch(/^curl -H "Authorization: Bearer \$TOKEN" 'http.*\/api\/diff\?a=/);
  expect(await clipboard()).not.toContain(demo.token);

  await page.keyboard.press('2');
  const tree = page.getByRole('tree', { name: 'State' });
  await expect(tree.getByRole('treeitem').first()).toBeVisible();
  // Of the whole list, however much of it is drawn.
  const height = () => tree.evaluate((list) => list.scrollHeight);
  const before = await height();
  await page.keyboard.press('+');
  await expect.poll(height).toBeGreaterThan(before);
  await page.keyboard.press('-');
  await expect.poll(height).toBeLessThanOrEqual(before);
});

test('Z does again what z undid', async ({ page, demo, folder, start }) => {
  await openAt(
    page,
    await start([copyStore(await placeOf(demo, RESEARCH), folder)]),
    '/t/research-db/competitor-revenue',
  );
  await expect(historyRow(page, 'ckpt-06')).toBeVisible();
  await page.keyboard.press('Z');
  await expect(proof(page, 'Nothing to redo')).toBeVisible();
  await historyRow(page, 'ckpt-06').click();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
  // A bare key confirms nothing.
  await page.keyboard.press('y');
  await page.keyboard.press('d');
  await expect(page.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
  await page.keyboard.press('Control+Enter');
  await expect(proof(page, 'Moved 1 checkpoint to the trash.')).toBeVisible();
  await expect(historyRow(page, 'ckpt-06')).toHaveCount(0);
  await page.keyboard.press('z');
  // Before that there is nothing to do again.
  await expect(proof(page, 'Undone.')).toBeVisible();
  await expect(historyRow(page, 'ckpt-06')).toBeVisible();
  await page.keyboard.press('Z');
  await expect(historyRow(page, 'ckpt-06')).toHaveCount(0);
  await page.keyboard.press('Z');
  await expect(proof(page, 'Nothing to redo')).toBeVisible();
  await page.keyboard.press('z');
  await expect(historyRow(page, 'ckpt-06')).toBeVisible();
});

test('keys are put elsewhere and switched off in the settings', async ({ page, demo }) => {
  await openAt(page, demo, '/t/research-db/competitor-revenue');
  await expect(selectedRow(page).locator('[data-id="ckpt-10"]')).toBeVisible();
  await page.keyboard.type('g,');
  await expect(page.getByTestId('settings')).toBeVisible();
  await page.getByRole('button', { name: 'Change j: Next, previous checkpoint' }).press('Enter');
  await page.keyboard.press('r');
  await expect(page.getByTestId('key-status')).toContainText('is the key of “Restore, with preview”.');
  await page.keyboard.press('q');
  await expect(page.getByRole('button', { name: 'Change q: Next, previous checkpoint' })).toBeFocused();

  await page.goBack();
  await page.keyboard.press('j');
  await page.keyboard.press('q');
  await expect(selectedRow(page).locator('[data-id="ckpt-09"]')).toBeVisible();
  await page.keyboard.press('?');
  const line = page
    .getByRole('dialog', { name: 'Keys' })
    .locator('.key-line', { hasText: 'Next, previous checkpoint' });
  await expect(line.locator('kbd')).toHaveText(['q', 'k']);
  await page.keyboard.press('Escape');

  await page.keyboard.type('g,');
  await page.getByTestId('setting-keys').click();
  await page.goBack();
  await page.reload();
  await expect(selectedRow(page).locator('[data-id="ckpt-09"]')).toBeVisible();
  await page.keyboard.press('q');
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox')).toBeFocused();
  await expect(page.getByRole('dialog', { name: 'Keys' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(selectedRow(page).locator('[data-id="ckpt-09"]')).toBeVisible();
});

test('rows, times and ignore rules follow the settings', async ({ page, demo }) => {
  await openAt(page, demo, '/settings');
  await page.getByRole('radio', { name: 'Compact' }).check();
  const rules = page.locator('.settings-rules[data-system="native"]');
  await rules.getByRole('textbox').fill('context.revenue.*');
  await rules.getByRole('textbox').press('Enter');
  await expect(rules.getByText('$.context.revenue.*')).toBeVisible();
  await page.goto(`${demo.origin}/t/research-db/competitor-revenue?cp=ckpt-07`);
  await expect.poll(() => diffSum(page)).toBe('+2 −1 ~2 ↕1');
  await page.getByTestId('diff-options').click();
  await expect(page.getByRole('button', { name: 'Remove rule $.context.revenue.*' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove rule $.context.revenue.*' }).click();
  await expect.poll(() => diffSum(page)).toBe('+2 −1 ~3 ↕1');
  await page.keyboard.press('Escape');
  expect((await historyRow(page, 'ckpt-07').boundingBox())?.height).toBe(40);
});

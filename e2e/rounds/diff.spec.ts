import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import { COMPETITOR, diffRow, diffSum, historyRow, select, workbenchPath } from '../support/pages.ts';
import { saveAsAgent } from '../support/stores.ts';

const BEFORE = '{"zero":0,"list":{},"gone":null,"_t":1,"__proto__":{"x":1},"a.b":1,"":1,"same":[1,2]}';
const AFTER = '{"zero":"0","list":[],"_t":2,"__proto__":{"x":2},"a.b":2,"":2,"same":[1,2]}';

/** Each difference, by its kind. */
const ROWS: readonly (readonly [path: string, kind: string])[] = [
  ['$.zero', 'type-changed'],
  ['$.list', 'type-changed'],
  ['$.gone', 'removed'],
  ['$._t', 'changed'],
  ['$.__proto__.x', 'changed'],
  ['$["a.b"]', 'changed'],
  ['$[""]', 'changed'],
];

const anyRow = (page: Page, path: string): Locator => page.locator(`[data-path='${path}']`);
const view = (page: Page, name: string): Locator => page.getByRole('radio', { name, exact: true });

test('type changes, a missing null and odd keys differ as what they are, in each view', async ({
  page,
  folder,
  start,
}) => {
  const path = join(folder, 'odd.db');
  await saveAsAgent(path, { task: 'odd', id: 'one', text: BEFORE });
  await saveAsAgent(path, { task: 'odd', id: 'two', text: AFTER, parent: { task: 'odd', id: 'one' } });
  const inspector = await start([path]);
  await openAt(page, inspector, workbenchPath('odd-db', 'odd', { cp: 'two', view: 'changes' }));
  await expect.poll(() => diffSum(page)).toBe('−1 ~6');
  await page.getByRole('button', { name: '4 folded: _t, x, a.b, 1 more' }).click();
  for (const [where, kind] of ROWS) {
    await expect(diffRow(page, where.replaceAll('"', String.raw`\"`))).toHaveAttribute('data-kind', kind);
  }
  await expect(anyRow(page, '$.zero')).toContainText(/0.*number.*"0".*string/);
  await expect(anyRow(page, '$.list')).toContainText(/\{\}.*object.*\[\].*array/);
  await expect(anyRow(page, '$.gone').locator('.diff-gone')).toHaveText('null');

  await view(page, 'Tree').click();
  await expect(page).toHaveURL(/as=tree/);
  const tree = page.getByRole('tree', { name: 'Changes' });
  await expect(tree.getByRole('treeitem')).toHaveCount(ROWS.length + 2);
  await expect(anyRow(page, '$.__proto__').getByText('__proto__')).toBeVisible();
  await expect(tree.getByText('1 value equal')).toBeVisible();

  await view(page, 'Split').click();
  await expect(page).toHaveURL(/as=split/);
  await expect(page.getByTestId('split-row')).toHaveCount(ROWS.length);
  await expect(anyRow(page, '$.gone')).toContainText('not there');
});

test('escapes are read as letters, in full on demand; what they hide stays masked or visible', async ({
  page,
  folder,
  start,
}) => {
  const path = join(folder, 'words.db');
  const secret = `sk-ant-${'a1B2'.repeat(8)}`;
  const maskedAsStored = /"(?:\\u00[0-9a-f]{2}){4}••••#[0-9a-f]{3}"/;
  const spelled = Array.from(secret, (letter) => String.raw`\u00${letter.charCodeAt(0).toString(16)}`).join('');
  const state = (name: string): string => String.raw`{"name":"${name}","turned":"a\u202eb","key":"${spelled}"}`;
  await saveAsAgent(path, { task: 'words', id: 'one', text: state(String.raw`\u0430`) });
  const after = state(String.raw`\u0430\u0433\u0435\u043d\u0442`);
  await saveAsAgent(path, { task: 'words', id: 'two', text: after, parent: { task: 'words', id: 'one' } });
  await openAt(page, await start([path]), workbenchPath('words-db', 'words', { cp: 'two', view: 'changes' }));
  await expect(diffRow(page, '$.name')).toContainText('"агент"');
  await expect(historyRow(page, 'two')).toContainText('name "а" → "агент"');
  await page.getByRole('tab', { name: 'State' }).click();
  const tree = page.getByRole('tree', { name: 'State' });
  await expect(tree).toContainText('"агент"');
  await expect(tree).toContainText(String.raw`"a\u202eb"`);
  await expect(tree).toContainText(/"sk-a••••#[0-9a-f]{3}"/);
  await page.getByRole('button', { name: 'Escapes as stored' }).click();
  await expect(tree).toContainText(String.raw`"\u0430\u0433`);
  await expect(tree).toContainText(maskedAsStored);
  await page.getByRole('tab', { name: 'Raw' }).click();
  const raw = page.getByLabel('Stored bytes');
  await expect(raw).toContainText(maskedAsStored);
  await page.getByRole('button', { name: 'Format' }).click();
  await expect(raw).toContainText(/^\{\n {2}"name"/);
  await expect(page.locator('body')).not.toContainText(/a1B2a1B2|u0061.u0031/);
});

test('each view is a place: n and N walk it, containers close, equal values fold into a count', async ({
  page,
  demo,
}) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await page.getByTestId('diff-options').click();
  await expect(page.getByRole('checkbox', { name: 'Only changes' })).toBeChecked();
  await page.keyboard.press('Escape');
  // Ranked, as it opens: the jump first and focused, then the changed type.
  const ranks = page.getByRole('listbox', { name: 'Changes' }).getByRole('option');
  await expect(ranks.nth(0)).toHaveAttribute('aria-selected', 'true');
  await expect(ranks.nth(0)).toContainText('1,000 times larger');
  await expect(ranks.nth(1)).toContainText('cache_ttl');
  const count = page.getByTestId('walk-count');
  const focused = (): Promise<string | null> => Promise.resolve(new URL(page.url()).searchParams.get('path'));
  for (const [name, role] of [
    ['List', 'option'],
    ['Tree', 'treeitem'],
    ['Split', 'option'],
  ] as const) {
    await view(page, name).click();
    await expect(view(page, name)).toBeChecked();
    while ((await count.textContent())?.startsWith('1 of') === false) await page.keyboard.press('N');
    await expect(count).toContainText('1 of 7');
    for (let at = 2; at <= 7; at++) {
      await page.keyboard.press('n');
      await expect(count).toContainText(`${at} of 7`);
    }
    const list = page.getByTestId(`diff-${name === 'Tree' ? 'tree' : 'list'}`).or(page.getByTestId('split-list'));
    await expect(list.getByRole(role, { selected: true })).toBeInViewport();
    expect(await focused()).toBe('$.conversation_history[1]');
  }

  await view(page, 'Tree').click();
  const tree = page.getByRole('tree', { name: 'Changes' });
  const sources = tree.locator('[data-path="$.context.sources"]');
  await expect(tree.locator('[data-path="$.context.sources[2]"]')).toHaveCount(1);
  await sources.click();
  await expect(tree.locator('[data-path="$.context.sources[2]"]')).toHaveCount(0);
  await sources.click();
  await tree.getByText('2 values equal').first().click();
  await expect(tree.locator('[data-path="$.context.revenue.CompanyA"]')).toContainText('5.1');
  // By keys: one down from the change to the fold, and left closes it.
  await tree.focus();
  await tree.locator('[data-path="$.context.revenue.CompanyB"]').click();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await expect(tree.locator('[data-path="$.context.revenue.CompanyA"]')).toHaveCount(0);
  await page.reload();
  await expect(tree.locator('[data-path="$.context.revenue.CompanyB"]')).toContainText(/4\.2.*4200/);
});

test('the base is any checkpoint of the task, found by typing, however long its history is', async ({ page, demo }) => {
  await openAt(page, demo, workbenchPath('agents-db', 'soak-2000', { cp: 'soak-1900', view: 'changes' }));
  await page.getByTestId('base-picker').click();
  const picker = page.getByRole('dialog', { name: 'Compare with' });
  await picker.getByRole('textbox').fill('soak-0007');
  await expect(picker.getByRole('option')).toHaveCount(1);
  await picker.getByRole('option').click();
  await expect(page).toHaveURL(/base=soak-0007/);
  await expect(page.getByTestId('base-picker')).toHaveText('#07');
  await page.getByTestId('base-picker').click();
  await picker.getByRole('button', { name: 'The parent of each checkpoint' }).click();
  await expect(page).not.toHaveURL(/base=/);
});

test('the bar above the changes fits from a phone to a wide screen', async ({ page, demo }) => {
  await openAt(page, demo, COMPETITOR);
  await expect(page.getByTestId('diff-sum')).toBeVisible();
  for (const width of [390, 768, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    const cut = () => page.locator('.diff-bar').evaluate((bar) => bar.scrollWidth - bar.clientWidth);
    await expect.poll(cut, { message: `${width} px` }).toBe(0);
  }
});

import { join } from 'node:path';
import type { Browser, Page } from '@playwright/test';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { expect, openAt, test } from '../support/fixtures.ts';
import type { Inspector } from '../support/inspector.ts';
import {
  COMPETITOR,
  content,
  diffRow,
  diffSum,
  historyRow,
  preview,
  select,
  selectedRow,
  workbenchPath,
} from '../support/pages.ts';

/** The link as another person opens it: no storage of ours, the token behind it. */
async function openFresh(
  browser: Browser,
  link: string,
  { token }: Inspector,
  watch: (context: Awaited<ReturnType<Browser['newContext']>>) => void,
): Promise<Page> {
  const context = await browser.newContext();
  watch(context);
  const page = await context.newPage();
  await page.goto(`${link}#token=${token}`);
  return page;
}

test('the address of a workbench opens the same view in a fresh profile', async ({ page, demo, browser, watch }) => {
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-06', '#06 retry_plan');
  await page.keyboard.press('b');
  await select(page, 'ckpt-09', '#09 normalize');
  await diffRow(page, '$.context.normalized').click();
  await page.getByRole('button', { name: /hidden by rules/ }).click();
  await page.getByRole('button', { name: 'Remove rule $.updated_at' }).click();
  await expect(page.getByTestId('diff-foot')).toContainText(/folded: .*updated_at/);
  await page.keyboard.press('Escape');
  const sum = await diffSum(page);
  expect(page.url()).not.toContain(demo.token);

  const fresh = await openFresh(browser, page.url(), demo, watch);
  await expect(content(fresh).getByRole('heading', { level: 2 })).toHaveText('#09 normalize');
  await expect(fresh).toHaveURL(page.url());
  await expect(fresh.getByTestId('base-picker')).toHaveText('#06');
  await expect(fresh.getByRole('tab', { name: /^Changes/ })).toHaveAttribute('aria-selected', 'true');
  await expect(
    fresh.getByRole('complementary', { name: 'Inspector' }).getByTitle('$.context.normalized'),
  ).toBeVisible();
  await fresh.getByRole('button', { name: /folded: .*updated_at/ }).click();
  await expect(diffRow(fresh, '$.updated_at')).toBeVisible();
  expect(await diffSum(fresh)).toBe(sum);
  await fresh.context().close();
});

test('a tab and a focused value are part of the address', async ({ page, demo, browser, watch }) => {
  await openAt(page, demo, workbenchPath('research-db', 'competitor-revenue', { cp: 'ckpt-07' }));
  await page.getByRole('tab', { name: 'State' }).click();
  const tree = page.getByRole('tree', { name: 'State' });
  await tree.getByRole('treeitem').filter({ hasText: 'context' }).first().click();
  await expect(page).toHaveURL(/view=state.*path=/);
  const fresh = await openFresh(browser, page.url(), demo, watch);
  await expect(fresh.getByRole('tab', { name: 'State' })).toHaveAttribute('aria-selected', 'true');
  await expect(fresh.getByRole('tree', { name: 'State' }).getByRole('treeitem', { selected: true })).toContainText(
    'context',
  );
  await fresh.context().close();
});

test('a copied compare link shows the same two checkpoints, and Back returns to the selection before', async ({
  page,
  demo,
  browser,
  context,
  watch,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-07', '#07 fetch_revenue');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Side B' })).toContainText('#07 fetch_revenue');
  await page
    .getByRole('listbox', { name: 'Changes from A to B' })
    .locator('[data-path="$.context.revenue.CompanyB"]')
    .click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).not.toContain(demo.token);

  const fresh = await openFresh(browser, link, demo, watch);
  await expect(fresh.getByRole('region', { name: 'Side A' })).toContainText('#06 retry_plan');
  await expect(fresh.getByRole('region', { name: 'Side B' })).toContainText('#07 fetch_revenue');
  await expect.poll(() => diffSum(fresh)).toBe('+2 −1 ~3 ↕1');
  await expect(fresh.getByRole('option', { selected: true })).toContainText('CompanyB');
  await fresh.context().close();

  await page.goBack();
  await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#07 fetch_revenue');
  await expect(selectedRow(page).locator('[data-id="ckpt-07"]')).toBeVisible();
});

test('a copied checkpoint link leads to its task', async ({ page, demo, browser, context, watch }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openAt(page, demo, COMPETITOR);
  await select(page, 'ckpt-03', '#03 fetch_revenue');
  await page.getByRole('button', { name: /^Copy/ }).first().click();
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await expect(page.getByText('The link is on the clipboard.')).toBeVisible();
  const fresh = await openFresh(browser, await page.evaluate(() => navigator.clipboard.readText()), demo, watch);
  await expect(content(fresh).getByRole('heading', { level: 2 })).toHaveText('#03 fetch_revenue');
  await expect(historyRow(fresh, 'ckpt-03')).toBeVisible();
  await fresh.context().close();
});

test('a link to a checkpoint far down a long history goes straight to it', async ({ page, demo }) => {
  await openAt(page, demo, workbenchPath('agents-db', 'soak-2000', { cp: 'soak-0500' }));
  await expect(selectedRow(page).locator('[data-id="soak-0500"]')).toBeInViewport();
  await page.keyboard.press('j');
  await expect(selectedRow(page).locator('[data-id="soak-0499"]')).toBeInViewport();
  // The newest is in a lane that is folded here; following the latest opens it.
  await page.getByRole('checkbox', { name: 'Follow' }).click();
  await expect(selectedRow(page).locator('[data-id="soak-2000"]')).toBeInViewport();
});

test('in a long history of one lane, the newest is one click away', async ({ page, folder, start }) => {
  const path = join(folder, 'line.db');
  const store = await openSqliteStore({ path, keepAll: true });
  for (let n = 1; n <= 400; n++)
    await store.save({
      task: 'line',
      id: `step-${n}`,
      text: `{"n":${n}}`,
      ...(n === 1 ? {} : { parent: { task: 'line', id: `step-${n - 1}` } }),
    });
  await store.close();
  const inspector = await start([path]);
  await openAt(page, inspector, workbenchPath('line-db', 'line', { cp: 'step-50' }));
  await expect(selectedRow(page).locator('[data-id="step-50"]')).toBeInViewport();
  await page.getByRole('button', { name: 'To the newest' }).click();
  await expect(selectedRow(page).locator('[data-id="step-400"]')).toBeInViewport();
});

test.describe('addresses that lead nowhere', () => {
  test.use({ allowedErrors: /status of (404|400) .*\/api\// });

  test('say what is missing and where to go on', async ({ page, demo }) => {
    await openAt(page, demo, workbenchPath('research-db', 'competitor-revenue', { cp: 'ckpt-99' }));
    await expect(content(page)).toContainText('This task has no record of a checkpoint “ckpt-99”.');
    await content(page).getByRole('button', { name: 'Show the latest' }).click();
    await expect(content(page).getByRole('heading', { level: 2 })).toHaveText('#10 compile');
    await page.goto(`${demo.origin}/c/research-db/ckpt-99`);
    await expect(page.getByText('The store “research-db” has no record of a checkpoint “ckpt-99”.')).toBeVisible();
    await expect(page).toHaveTitle('Checkpoint ckpt-99 · Checkpoint Inspector');
    await expect(page.getByRole('main').getByRole('link', { name: 'All tasks' })).toHaveAttribute('href', '/tasks');
    await page.goto(`${demo.origin}/no/such/page`);
    await expect(page.getByText('There is no page at this address.')).toBeVisible();
    await page.goto(`${demo.origin}/compare?a=x&b=y`);
    await expect(page.getByText('Write store/task/id or store/task/namespace/id.')).toBeVisible();
    await expect(page.getByRole('button', { name: /^A: Choose a checkpoint/ })).toBeVisible();
  });

  test('a link to a checkpoint that is gone says whether it is in the trash, evicted or never was', async ({
    page,
    folder,
    start,
  }) => {
    const path = join(folder, 'kept.db');
    const store = await openSqliteStore({ path, maxPerTask: 3 });
    for (let n = 1; n <= 4; n++) {
      const parent = n === 1 ? {} : { parent: { task: 'run', id: `c${n - 1}` } };
      await store.save({ task: 'run', id: `c${n}`, text: `{"n":${n}}`, stepIndex: n, ...parent });
    }
    await store.close();
    const inspector = await start([path]);
    const link = (id: string): string => workbenchPath('kept-db', 'run', { cp: id });

    await openAt(page, inspector, link('c1'));
    await expect(content(page)).toContainText("Evicted by the store's own limit: Keeps 3 checkpoints per task");
    await expect(content(page)).toContainText('c2 still names it as its parent');
    await page.goto(`${inspector.origin}${link('c9')}`);
    await expect(content(page)).toContainText('This task has no record of a checkpoint “c9”.');

    await page.goto(`${inspector.origin}${link('c3')}`);
    const dialog = await preview(page, 'Delete', 'c3', '#03 c3');
    await dialog
      .getByRole('button', { name: /trash|Delete/ })
      .last()
      .click();
    await expect(dialog).toHaveCount(0);
    // It is called as before, though the store has it no more.
    await page.goto(`${inspector.origin}/activity`);
    await expect(page.getByTestId('receipt').first()).toContainText('Deleted #03');
    await page.goto(`${inspector.origin}/trash`);
    await expect(page.getByTestId('trash-item')).toContainText('#03');
    await page.goto(`${inspector.origin}/c/kept-db/c3`);
    await expect(page.getByTestId('gone')).toContainText('The checkpoint “c3” has been in the trash since');
    await page.getByRole('button', { name: 'Put back' }).click();
    await expect(content(page).getByRole('heading', { level: 2 })).toContainText('#03');
  });

  test('a task or a store that is missing is named', async ({ page, demo }) => {
    await openAt(page, demo, '/t/no-such-store/no-task');
    const missing = page.getByTestId('missing-task');
    await expect(missing).toContainText('No store named “no-such-store” is open.');
    await page.goto(`${demo.origin}/t/research-db/no-such-task`);
    await expect(missing).toContainText('No task named “no-such-task” in research.db.');
    // Nothing is listed beside what is missing.
    await expect(page.getByTestId('history-pane')).toHaveCount(0);
  });
});

test.describe('an address of something that is missing', () => {
  test.use({ allowedErrors: /status of 404 .*\/api\// });

  test('a task or a store: says so, and leads on', async ({ page, demo }) => {
    await openAt(page, demo, '/t/research-db/competitor-revenu');
    const missing = page.getByTestId('missing-task');
    await expect(missing).toContainText('No task named “competitor-revenu” in research.db.');
    await missing.getByRole('link', { name: 'competitor-revenue' }).click();
    await expect(page).toHaveURL(/\/t\/research-db\/competitor-revenue/);
    await openAt(page, demo, '/t/nowhere/run');
    await expect(missing).toContainText('No store named “nowhere” is open.');
    await expect(page.getByRole('link', { name: 'Open a store' })).toBeVisible();
  });
});

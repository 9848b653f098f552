import { resolve } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, openAt, test } from '../support/fixtures.ts';
import type { Inspector } from '../support/inspector.ts';
import { copyStore } from '../support/stores.ts';

const LANGGRAPH_FILE = resolve(import.meta.dirname, '../../packages/systems/src/langgraph/fixtures/js.sqlite');
const PROD = '/t/kaizen-checkpoints/prod_agent/tree';
const SOAK = '/t/agents-db/soak-2000/tree';

/** A folded chain that lies wholly in the pane; more are drawn around it. */
async function chainInView(page: Page): Promise<Locator> {
  const chains = page.getByRole('group', { name: /steps, .*folded$/ });
  await expect(chains.first()).toBeAttached();
  const pane = await page.getByTestId('tree-canvas').boundingBox();
  for (const chain of await chains.all()) {
    const box = await chain.boundingBox();
    if (
      pane &&
      box &&
      box.x > pane.x &&
      box.x + box.width < pane.x + pane.width &&
      box.y > pane.y &&
      box.y + box.height < pane.y + pane.height
    ) {
      return page.getByRole('group', { name: (await chain.getAttribute('aria-label')) ?? '', exact: true });
    }
  }
  throw new Error('No folded chain is in view.');
}

/** Many lanes open as rows; the graph is one press away. */
async function openGraph(page: Page, inspector: Inspector, path: string): Promise<void> {
  await openAt(page, inspector, path);
  await page.getByRole('button', { name: 'Graph' }).click();
}

test('prod_agent forks into three lanes, and its missing parent is drawn as a ghost', async ({ page, demo }) => {
  await openAt(page, demo, PROD);
  await expect(page.getByTestId('tree-summary')).toHaveText(/^61 checkpoints, 3 lanes/);
  await expect(page.getByRole('group', { name: /3 children/ })).toHaveCount(1);
  await expect(page.getByRole('group', { name: 'Parent ckpt_000000001003: no longer in the store' })).toHaveCount(1);
  await expect(page.getByRole('button', { name: /is no longer in the store/ })).toBeVisible();
});

test('a parent in another task is a ghost with its name, and leads there', async ({ page, demo }) => {
  await openAt(page, demo, '/t/kaizen-checkpoints/experimental_agent/tree');
  const ghost = page.getByRole('group', { name: 'Parent ckpt_00000000102a in task prod_agent' });
  await expect(ghost).toBeVisible();
  await ghost.getByRole('link', { name: 'prod_agent' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('prod_agent');
  await expect(page.getByTestId('tree-summary')).toHaveText(/^61 checkpoints/);
});

test('a chain opens in its place and folds again', async ({ page, demo }) => {
  await openAt(page, demo, PROD);
  const chain = await chainInView(page);
  const place = await chain.boundingBox();
  const label = (await chain.getAttribute('aria-label')) ?? '';
  const from = /(#\d+) to/.exec(label)?.[1] ?? 'none';
  await chain.click();
  await expect(page).toHaveURL(/[?&]expand=/);
  const first = page.getByRole('group', { name: new RegExp(`^${from} `) }).first();
  await expect.poll(async () => (await first.boundingBox())?.x).toBeCloseTo(place?.x ?? -1, 0);
  await expect.poll(async () => (await first.boundingBox())?.y).toBeCloseTo(place?.y ?? -1, 0);
  await page.getByRole('button', { name: 'Fold chains' }).click();
  await expect(page.getByRole('group', { name: label })).toBeVisible();
});

test('a LangGraph thread shows its three fork points', async ({ page, folder, start }) => {
  const inspector = await start([copyStore(LANGGRAPH_FILE, folder)]);
  await openAt(page, inspector, '/t/js-sqlite/fork-demo/tree');
  await expect(page.getByTestId('tree-canvas')).toBeVisible();
  await page.getByRole('button', { name: 'Fit' }).click();
  await expect(page.getByRole('group', { name: /\d+ children/ })).toHaveCount(3);
});

test('2,000 checkpoints are drawn with at most 150 node elements, at every zoom', async ({ page, demo }) => {
  await openGraph(page, demo, SOAK);
  await expect(page.getByTestId('tree-summary')).toHaveText(
    /^2,000 checkpoints, \d+ lanes, [\d,]+ folded in \d+ chains$/,
  );
  const nodes = page.locator('.react-flow__node');
  await expect.poll(() => nodes.count()).toBeGreaterThan(3);
  expect(await nodes.count()).toBeLessThanOrEqual(150);
  await page.getByRole('button', { name: 'Fit' }).click();
  await expect(page.getByTestId('tree-zoom')).not.toHaveText('100%');
  expect(await nodes.count()).toBeLessThanOrEqual(150);
  await page
    .getByRole('group', { name: 'Zoom' })
    .getByRole('button', { name: /Zoom in/ })
    .click();
  expect(await nodes.count()).toBeLessThanOrEqual(150);
});

test('a chain of the large tree opens without drawing what is out of sight', async ({ page, demo }) => {
  await openGraph(page, demo, SOAK);
  await (await chainInView(page)).click();
  await expect(page).toHaveURL(/[?&]expand=/);
  const nodes = page.locator('.react-flow__node');
  await expect.poll(() => nodes.count()).toBeGreaterThan(3);
  expect(await nodes.count()).toBeLessThanOrEqual(150);
});

test('dots become cards when one zooms in, and a minimap then moves the view', async ({ page, demo }) => {
  await openGraph(page, demo, SOAK);
  await expect(page.getByTestId('tree-dots')).toBeAttached();
  for (let press = 0; press < 4; press++) await page.keyboard.press('+');
  await expect(page.getByTestId('tree-dots')).toHaveCount(0);
  const map = page.getByTestId('tree-minimap').locator('svg');
  await expect(map).toBeVisible();
  const viewport = page.locator('.react-flow__viewport');
  const before = await viewport.getAttribute('style');
  await map.click({ position: { x: 100, y: 40 } });
  await expect(viewport).not.toHaveAttribute('style', before ?? '');
});

test('the outline tells the same by keyboard', async ({ page, demo }) => {
  await openAt(page, demo, PROD);
  await page.getByRole('button', { name: 'Outline' }).click();
  const grid = page.getByRole('treegrid', { name: 'Fork tree' });
  await grid.focus();
  await page.keyboard.press('Home');
  const active = grid.getByRole('row', { selected: true });
  await expect(active).toContainText('no longer in the store');
  await page.keyboard.press('ArrowDown');
  await expect(active).toContainText('#04');
  for (let press = 0; press < 3 && !(await active.textContent())?.includes('3 children'); press++)
    await page.keyboard.press('ArrowDown');
  await expect(active).toContainText('3 children');
  await expect(active).toHaveAttribute('aria-expanded', 'true');
  const rows = await grid.getByRole('row').count();
  await page.keyboard.press('ArrowLeft');
  await expect(active).toHaveAttribute('aria-expanded', 'false');
  expect(await grid.getByRole('row').count()).toBeLessThan(rows);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/t\/kaizen-checkpoints\/prod_agent\?cp=ckpt_00000000102a/);
});

test('a window of another size shows the tree as it would open there, unless it was moved', async ({ page, demo }) => {
  const drawn = (): Promise<string> =>
    page.locator('.react-flow__viewport').evaluate((at) => `${at.style.transform} ${at.innerHTML.length > 0}`);
  await page.setViewportSize({ width: 1000, height: 640 });
  await openAt(page, demo, PROD);
  await expect(page.getByTestId('tree-canvas').getByRole('group').first()).toBeVisible();
  const small = await drawn();
  await page.setViewportSize({ width: 1600, height: 900 });
  await expect.poll(drawn).not.toBe(small);
  await page.setViewportSize({ width: 1000, height: 640 });
  await expect.poll(drawn).toBe(small);

  await page.getByTestId('tree-canvas').hover();
  await page.mouse.wheel(60, 20);
  await expect.poll(drawn).not.toBe(small);
  const moved = await drawn();
  await page.setViewportSize({ width: 1600, height: 900 });
  await expect.poll(() => page.getByTestId('tree-canvas').evaluate((pane) => pane.clientWidth)).toBeGreaterThan(1000);
  expect(await drawn()).toBe(moved);

  // After a fit, all of it is fitted again.
  await page.getByRole('button', { name: /^Fit/ }).click();
  await expect.poll(drawn).not.toBe(moved);
  const cards = page.getByTestId('tree-canvas').getByRole('group');
  await page.setViewportSize({ width: 1000, height: 640 });
  await expect
    .poll(async () => {
      const pane = await page.getByTestId('tree-canvas').boundingBox();
      const boxes = await Promise.all((await cards.all()).map((card) => card.boundingBox()));
      return boxes.every((box) => box && pane && box.x >= pane.x && box.x + box.width <= pane.x + pane.width);
    })
    .toBe(true);
});

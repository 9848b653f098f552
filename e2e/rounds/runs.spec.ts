import { join } from 'node:path';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { seriousIssues } from '../support/axe.ts';
import { expect, openAt, test } from '../support/fixtures.ts';

const TASK = 'revenue';
const A = encodeURIComponent(`agents-db/${TASK}/m-6`);
const B = encodeURIComponent(`agents-db/${TASK}/f-4`);
const RUNS = `/compare/runs?a=${A}&b=${B}`;
const KEY = `sk-proj-${'a1B2'.repeat(12)}`;

/** A run that failed because of a figure from a cache, and its fork without the cache, which completed. */
async function writeRuns(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  const base = { context: { cache: true, key: KEY }, revenue: { CompanyA: 5.1 } };
  const asked = { ...base, question: 'Who leads?' };
  const stale = { ...asked, revenue: { CompanyA: 5.1, CompanyB: 4200 }, source: 'cache' };
  const fixed = { ...asked, context: { cache: false, key: KEY } };
  const live = { ...fixed, revenue: { CompanyA: 5.1, CompanyB: 4.2 }, source: 'live' };
  const save = (id: string, parent: string | undefined, at: number, state: object, more: object) =>
    store.save({
      task: TASK,
      id,
      text: JSON.stringify(state),
      stepIndex: at,
      totalSteps: 6,
      createdAt: `2026-03-01T14:${id.startsWith('f') ? 33 : 17}:${10 + at}.000Z`,
      ...(parent === undefined ? {} : { parent: { task: TASK, id: parent } }),
      ...more,
    });
  const done = { status: 'completed' } as const;
  await save('m-1', undefined, 1, base, {
    ...done,
    description: 'plan',
    durationMs: 900,
    tokenUsage: 640,
    costUsd: 0.004,
  });
  await save('m-2', 'm-1', 2, asked, { ...done, description: 'ask', durationMs: 120 });
  const fetched = { ...done, description: 'fetch_revenue', durationMs: 1_840, tokenUsage: 2_310, costUsd: 0.012 };
  await save('m-3', 'm-2', 3, stale, fetched);
  await save('m-4', 'm-3', 4, { ...stale, ranking: ['CompanyB', 'CompanyA'] }, { ...done, description: 'rank' });
  await save(
    'm-5',
    'm-4',
    5,
    { ...stale, ranking: ['CompanyB', 'CompanyA'], units: 'bn' },
    { ...done, description: 'normalize' },
  );
  await save(
    'm-6',
    'm-5',
    6,
    { ...stale, ranking: ['CompanyB', 'CompanyA'], units: 'bn', error: 'ranking inconsistent with the summary' },
    {
      status: 'failed',
      description: 'compile',
      durationMs: 2_010,
      tokenUsage: 1_410,
      costUsd: 0.009,
    },
  );
  await save('f-0', 'm-2', 3, fixed, { ...done, description: 'edited context.cache', trigger: 'edit' });
  await save('f-1', 'f-0', 4, live, { ...fetched, durationMs: 2_310, tokenUsage: 2_410, costUsd: 0.013 });
  await save('f-2', 'f-1', 5, { ...live, ranking: ['CompanyA', 'CompanyB'] }, { ...done, description: 'rank' });
  await save(
    'f-3',
    'f-2',
    6,
    { ...live, ranking: ['CompanyA', 'CompanyB'], units: 'bn' },
    { ...done, description: 'normalize' },
  );
  await save(
    'f-4',
    'f-3',
    7,
    { ...live, ranking: ['CompanyA', 'CompanyB'], units: 'bn', report: 'CompanyA leads with 5.1 bn, CompanyB follows' },
    { ...done, description: 'compile', durationMs: 4_430, tokenUsage: 1_440, costUsd: 0.01 },
  );
  await store.close();
}

let origin: { path: string };

test.beforeEach(async ({ page, folder, start }) => {
  origin = { path: join(folder, 'agents.db') };
  await writeRuns(origin.path);
  await openAt(page, await start([origin.path]), RUNS);
  await expect(page.getByTestId('runs-page')).toHaveAttribute('data-state', 'ready');
});

test('two branches: where they part, what each step changed, totals and ends', async ({ page }) => {
  await expect(page.getByTestId('run-a')).toContainText('Failed');
  await expect(page.getByTestId('run-b')).toContainText('cache: false');
  await expect(page.getByTestId('run-same')).toContainText('2 shared steps');
  await expect(page.getByTestId('run-first')).toContainText(/\$\.context\.cache.*A has true, B has false/);
  const rows = page.getByTestId('run-row');
  await expect(rows).toHaveCount(5);
  await expect(rows.nth(0)).toContainText(/no such step in A.*only in B.*edited context\.cache/s);
  await expect(rows.nth(1)).toContainText(/4200.*2 of 2 differ.*4\.2/s);
  await expect(rows.nth(3)).toContainText('same change');
  await expect(rows.nth(4)).toContainText(/ranking inconsistent.*outcome.*compile/s);
  await expect(page.getByTestId('run-total-tokens')).toContainText(/4,360.*4,490.*130 more in B, 3%/s);
  await expect(page.getByTestId('run-ends')).toContainText(/\d+ values? differs?/);
  // What differs at the end, with who wrote it in each run.
  const figure = page.getByTestId('run-end').filter({ hasText: 'CompanyB' }).first();
  await expect(figure).toContainText(/4200.*#03.*4\.2.*#\d\d/s);
  await expect(page.getByTestId('runs-page')).not.toContainText(KEY);
  expect(await seriousIssues(page)).toEqual([]);
});

test('keys, links and the other side', async ({ page }) => {
  await page.keyboard.press('o');
  await expect(page).toHaveURL(/same=1/);
  await expect(page.getByTestId('run-same')).toHaveAttribute('aria-expanded', 'true');
  expect(await seriousIssues(page)).toEqual([]);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await expect(page.getByTestId('run-row').nth(1)).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByTestId('run-b')).toContainText('Failed');
  await expect(page.getByTestId('run-first')).toContainText('A has false, B has true');
  await page.reload();
  await expect(page.getByTestId('run-first')).toContainText('A has false, B has true');
  await page.getByTestId('run-first').getByRole('link', { name: 'Compare here' }).click();
  await expect(page).toHaveURL(/\/compare\?a=.*f-0.*b=.*m-2/);
  await page.goBack();
  await page.getByTestId('run-ends').getByRole('link', { name: 'Open the diff' }).click();
  await expect(page).toHaveURL(/\/compare\?a=.*f-4.*b=.*m-6/);
  await page.getByRole('link', { name: 'Compare the runs' }).click();
  await expect(page.getByTestId('run-first')).toBeVisible();
});

test('from a phone to a wide screen nothing is cut off', async ({ page }) => {
  for (const [width, height] of [
    [400, 800],
    [800, 800],
    [1280, 800],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(page.getByTestId('run-row').first()).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const inner = await page.getByTestId('runs-page').evaluate((box) => box.scrollWidth - box.clientWidth);
    expect(inner, `${width} px`).toBe(0);
    const folder = process.env['RUN_PICTURES'];
    if (folder !== undefined)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${folder}/${width}-${colorScheme}.png` });
      }
    if (width === 400) expect(await seriousIssues(page), 'phone').toEqual([]);
  }
});

test('another end of a run is chosen from its checkpoints', async ({ page }) => {
  await page.getByRole('button', { name: /^B:/ }).click();
  await page.getByTestId('picker').getByRole('textbox').fill('#5');
  await expect(page.getByTestId('picker').getByRole('option')).not.toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(page).not.toHaveURL(/b=.*f-4/);
  await expect(page.getByTestId('runs-page')).toHaveAttribute('data-state', 'ready');
});

test.describe('a link to a run that is gone', () => {
  test.use({ allowedErrors: /404/ });

  test('says so', async ({ page }) => {
    await page.goto(page.url().replace(/&b=.*/, '&b=agents-db%2Fno-such-task'));
    await expect(page.getByText('The two runs could not be compared.')).toBeVisible();
  });
});

test('an address that is mistyped says how to write one, and leaves the choice', async ({ page }) => {
  await page.goto(page.url().replace(/a=[^&]*/, 'a=agents-db'));
  await expect(page.getByTestId('error')).toContainText(
    /agents-db.*isn't a valid address of a run.*Write store\/task/s,
  );
  await page.getByRole('button', { name: /^A: Choose a run/ }).click();
  await page
    .getByTestId('picker')
    .getByRole('option', { name: /revenue/ })
    .click();
  await page.getByTestId('picker').getByRole('option').first().click();
  await expect(page.getByTestId('runs-page')).toHaveAttribute('data-state', 'ready');
});

test.describe('two tasks of the list', () => {
  test('are selected with keys or the mouse, and compared', async ({ page, demo }) => {
    await openAt(page, demo, '/tasks');
    await expect(page.getByTestId('tasks-page')).toHaveAttribute('data-state', 'ready');
    const bar = page.getByTestId('picked-bar');
    await page.keyboard.press('x');
    await expect(bar).toContainText('1 selected. Select another one to compare their runs.');
    await page.keyboard.press('Escape');
    await expect(bar).toHaveCount(0);
    await page.keyboard.press('x');
    const first = await bar.locator('.picked-name').innerText();
    const other = page.getByRole('list', { name: 'Tasks' }).getByRole('checkbox').nth(3);
    await other.check();
    await expect(bar).toContainText('2 selected.');
    expect(await seriousIssues(page)).toEqual([]);
    await page.keyboard.press('c');
    await expect(page).toHaveURL(/\/compare\/runs\?a=[^&]+&b=[^&]+/);
    await expect(page.getByTestId('run-a')).toContainText(first.replace(/^A /, ''));
    await expect(page.getByTestId('runs-page')).toHaveAttribute('data-state', 'ready');
    await page.goBack();
    await expect(page.getByTestId('tasks-page')).toHaveAttribute('data-state', 'ready');
  });
});

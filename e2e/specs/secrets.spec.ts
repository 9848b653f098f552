import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { expect, goTo, openAt, test } from '../support/fixtures.ts';
import { CLI } from '../support/inspector.ts';
import { content, historyRow, workbenchPath } from '../support/pages.ts';

const BODY = 'a1B2c3D4'.repeat(5);
const OPENAI = `sk-proj-${BODY}`;
const AWS = 'AKIAQ7EXAMPLE7SECRET';
const GITHUB = `ghp_${BODY}`;
/** What must not be read anywhere: more of a secret than the hint that a mask leaves. */
const PARTS = [OPENAI.slice(4), OPENAI.slice(-12), AWS.slice(4), AWS.slice(-8), GITHUB.slice(4, 24), BODY.slice(0, 16)];

const state = (step: number): string =>
  JSON.stringify({
    step,
    env: { OPENAI_API_KEY: OPENAI, [GITHUB]: 'a key that is a secret', aws: [AWS, `of step ${step}`] },
    log: `line one\n${OPENAI} was used in a long line of text that is compared word by word, at step ${step}\n${GITHUB}`,
    rotated: step < 3 ? OPENAI : `sk-proj-${'zZ9y'.repeat(10)}`,
    conversation_history: [
      { role: 'user', content: `use ${OPENAI} for this` },
      { role: 'assistant', content: `done with ${GITHUB}`, tool_calls: [{ name: AWS, args: { token: GITHUB } }] },
    ],
    plan: [
      { description: `call with ${OPENAI}`, status: 'completed' },
      { description: 'next', status: 'failed', error: `401 for ${GITHUB}` },
    ],
    lastError: { message: `refused ${AWS}` },
  });

async function seed(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  try {
    for (const step of [1, 2, 3]) {
      await store.save({
        task: 'leaky',
        id: `cp-${step}`,
        text: state(step),
        stepIndex: step,
        status: step === 3 ? 'failed' : 'completed',
        description: `step with ${OPENAI}`,
        ...(step === 1 ? {} : { parent: { task: 'leaky', id: `cp-${step - 1}` } }),
      });
    }
  } finally {
    await store.close();
  }
}

/** Every place of the page where stored text may be: text, attributes, values of fields, title. */
const wholePage = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll('input, textarea')].map((field) =>
      'value' in field ? field.value : '',
    );
    return [document.title, document.documentElement.outerHTML, ...fields].join('\n');
  });

/** Nothing is being fetched any longer that the page would draw. */
async function drawn(page: Page): Promise<void> {
  await expect(page.locator('.skeleton, .loading-bar')).toHaveCount(0);
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 500 })));
}

async function expectMasked(page: Page, where: string): Promise<void> {
  const html = await wholePage(page);
  expect(
    PARTS.filter((part) => html.includes(part)),
    where,
  ).toEqual([]);
}

const ROUTES: readonly (readonly [name: string, path: string])[] = [
  ['tasks', '/tasks'],
  ...(['changes', 'state', 'chat', 'plan', 'raw', 'meta'] as const).map(
    (view) => [view, workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', view })] as const,
  ),
  ['all values', workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', only: '0' })],
  ['diff as tree', workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', as: 'tree', path: '$.rotated' })],
  ['diff side by side', workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', as: 'split' })],
  ['edit', '/t/leaky-db/leaky/edit?cp=cp-3'],
  ['edit as text', '/t/leaky-db/leaky/edit?cp=cp-3&mode=text'],
  ['focused value', workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', view: 'state', path: '$.env.OPENAI_API_KEY' })],
  ['focused key', workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', view: 'state', path: `$.env.${GITHUB}` })],
  ['tree', '/t/leaky-db/leaky/tree'],
  ['compare', `/compare?a=${encodeURIComponent('leaky-db/leaky/cp-1')}&b=${encodeURIComponent('leaky-db/leaky/cp-3')}`],
  ['errors', '/errors'],
  ['inbox', '/inbox'],
  ['search', '/search?q=line'],
  ['storage', '/storage'],
  ['usage', '/usage'],
  ['activity', '/activity'],
  ['trash', '/trash'],
  ['stores', '/stores'],
];

test('S59: no page contains a secret of a known shape until it is revealed', async ({ page, folder, start }) => {
  test.setTimeout(120_000);
  const path = join(folder, 'leaky.db');
  await seed(path);
  const inspector = await start([path]);
  await openAt(page, inspector);
  await expect(page.getByTestId('mask-toggle')).toBeVisible();
  for (const [name, route] of ROUTES) {
    await test.step(name, async () => {
      await goTo(page, route);
      await expect(page.getByTestId('mask-toggle')).toBeVisible();
      await drawn(page);
      await expectMasked(page, name);
    });
  }

  await openAt(page, inspector, workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', path: '$.rotated' }));
  await expect(page.getByTestId('focused-value').getByText('masked')).toBeVisible();
  await test.step('dialogs, menus, the palette', async () => {
    await historyRow(page, 'cp-2').click();
    await page.keyboard.press('r');
    await expect(page.getByRole('dialog').getByTestId('diff-summary')).toBeVisible();
    await expectMasked(page, 'restore dialog');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.getByTestId('base-picker').press('Enter');
    await expect(page.getByRole('dialog', { name: 'Compare with' })).toBeVisible();
    await expectMasked(page, 'base picker');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('combobox')).toBeFocused();
    await expectMasked(page, 'palette');
    await page.keyboard.press('Escape');
  });

  await test.step('revealed by the bar, and masked again after a reload', async () => {
    await openAt(page, inspector, workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', view: 'state' }));
    const toggle = page.getByTestId('mask-toggle');
    await expect(toggle).toHaveText('Secrets masked');
    await toggle.click();
    await expect(toggle).toHaveAttribute('aria-pressed', 'true');
    await expect(toggle).toHaveText('Secrets revealed');
    await expect(content(page)).toContainText(AWS);
    await page.reload();
    await expect(content(page)).toContainText(/AKIA••••#[0-9a-f]{3}/);
    await expectMasked(page, 'after a reload');
  });
});

test('what is copied is masked, until secrets are revealed', async ({ page, context, folder, start }) => {
  const path = join(folder, 'leaky.db');
  await seed(path);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // The keys are quicker than the changes: what is copied waits for them.
  await page.route('**/diff?**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await route.continue();
  });
  await openAt(page, await start([path]), workbenchPath('leaky-db', 'leaky', { cp: 'cp-3', path: '$.rotated' }));
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect(page.getByTestId('focused-value')).toContainText(/sk-p••••#[0-9a-f]{3}/);
  await page.keyboard.type('yv');
  await expect(page.getByText('Secrets in it are masked. Reveal them to copy it as stored.')).toBeVisible();
  expect(await clipboard()).toMatch(/^"sk-p••••#[0-9a-f]{3}"$/);
  await expect(page.getByTestId('base-picker')).toBeVisible();
  await page.keyboard.type('ym');
  await expect(page.getByText('The view as Markdown, secrets masked, is on the clipboard.')).toBeVisible();
  expect(await clipboard()).toContain('$.rotated');
  expect(await clipboard()).not.toContain(BODY.slice(0, 16));
  await page.getByTestId('mask-toggle').click();
  await page.keyboard.type('yv');
  await expect(page.getByText('It contains a secret, which was copied unmasked.')).toBeVisible();
  expect(await clipboard()).toBe(`"sk-proj-${'zZ9y'.repeat(10)}"`);
});

test('lists on the command line are masked, show is not', async ({ folder }) => {
  const path = join(folder, 'leaky.db');
  await seed(path);
  const run = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, CHECKPOINT_INSPECTOR_STATE: join(folder, 'journal') };
    return (await promisify(execFile)(process.execPath, [CLI, ...args, '-s', path], { env })).stdout;
  };
  for (const args of [
    ['tasks'],
    ['list', 'leaky'],
    ['tree', 'leaky'],
    ['diff', 'cp-1', 'cp-3'],
    ['show', 'cp-3', '--meta'],
  ]) {
    const out = await run(...args);
    expect(
      PARTS.filter((part) => out.includes(part)),
      args.join(' '),
    ).toEqual([]);
  }
  expect(await run('list', 'leaky', '--reveal')).toContain(OPENAI);
  expect(await run('show', 'cp-3')).toBe(`${state(3)}\n`);
});

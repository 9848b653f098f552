import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { expect, openAt, test as base } from '../support/fixtures.ts';
import { type Inspector, startInspector } from '../support/inspector.ts';
import { content, historyList, taskRows, workbenchPath } from '../support/pages.ts';

const FOREIGN = 'https://pwned.example/x.png';
const PAYLOADS: Readonly<Record<string, string>> = {
  'script tag': '<script>window.__pwned=1</script>',
  'closing script': '</script><script>window.__pwned=1</script>',
  'image onerror': '<img src=x onerror="window.__pwned=1">',
  'svg onload': '<svg onload="window.__pwned=1"><animate onbegin="window.__pwned=1" attributeName="x"/></svg>',
  'javascript url': 'javascript:window.__pwned=1//',
  'markdown image': `![x](${FOREIGN}) [y](javascript:window.__pwned=1)`,
  'foreign frame': `<iframe src="${FOREIGN}"></iframe><link rel=stylesheet href="${FOREIGN}"><style>@import "${FOREIGN}"</style>`,
  'ansi and controls': '\u001b[31mred\u001b[0m\u001b]8;;https://pwned.example\u0007link\u001b]8;;\u0007\u0000\u0008',
  'bidi override': '\u202Eexe.cod\u2066\u200B\uFEFFphotos',
  'template injection': '{{constructor.constructor("window.__pwned=1")()}}${window.__pwned=1}<%= 1 %>',
  'prototype keys': '__proto__',
  'very long': `${'<b>'.repeat(1_000)}end`,
};

/** The payload as role, key, content, tool call, step and metadata, where every view has something to draw. */
const stateOf = (payload: string): string =>
  JSON.stringify({
    conversation_history: [
      { id: payload, role: 'user', content: payload },
      {
        role: payload,
        name: payload,
        content: payload,
        tool_calls: [{ id: payload, name: payload, args: { [payload]: payload } }],
      },
    ],
    plan: [{ stepId: payload, name: payload, status: payload }],
    lastError: { message: payload },
    metadata: { [payload]: payload },
    href: payload,
  });

/** As long as fits an address with room to spare; the text below it is whole. */
const idOf = (payload: string): string => payload.slice(0, 600);

/** As a name is shown: what a screen would hide or reorder is an escape. */
const visible = (text: string): string =>
  text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (sign) => String.raw`\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);

async function writeStore(path: string): Promise<void> {
  const store = await openSqliteStore({ path });
  for (const payload of Object.values(PAYLOADS)) {
    const task = idOf(payload);
    const common = { task, description: payload, agentId: payload };
    await store.save({ ...common, id: `${task} before`, text: '{"n":0}' });
    await store.save({
      ...common,
      id: task,
      text: stateOf(payload),
      parent: { task, id: `${task} before` },
      status: 'failed',
    });
  }
  await store.close();
}

/** A server whose one store holds every payload, each in a task of its own; these tests only look at it. */
const test = base.extend<object, { hostile: Inspector }>({
  hostile: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'inspector-hostile-'));
      const path = join(folder, 'hostile.db');
      await writeStore(path);
      const inspector = await startInspector([path], { state: join(folder, 'journal') });
      await use(inspector);
      await inspector.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    { scope: 'worker' },
  ],
});

/** Nothing of a payload ran, became an element, or leads away from the page. */
async function expectInert(page: Page): Promise<void> {
  const found = await page.evaluate(() => {
    // The graph library's own mention is not a part of a payload.
    const links = [
      ...document.querySelectorAll(':is([href], [src], [action]):not(.react-flow__attribution a)'),
    ].flatMap((element) =>
      ['href', 'src', 'action'].map((name) => element.getAttribute(name)).filter((value) => value !== null),
    );
    return {
      ran: Object.hasOwn(window, '__pwned'),
      away: links.filter(
        (link) =>
          !['data:', 'blob:'].includes(new URL(link, location.href).protocol) &&
          new URL(link, location.href).origin !== location.origin,
      ),
      elements: document.querySelectorAll(
        '[onerror], [onload], [onbegin], iframe, img, main script, main style, main link',
      ).length,
    };
  });
  expect(found).toEqual({ ran: false, away: [], elements: 0 });
}

test.beforeEach(async ({ page }) => {
  // A dialog would be a script that ran.
  page.on('dialog', () => page.evaluate(() => Object.assign(window, { __pwned: 'dialog' })));
});

test('payloads in the list of tasks are text', async ({ page, hostile }) => {
  await openAt(page, hostile, '/tasks');
  const rows = taskRows(page);
  await expect(rows).toHaveCount(Object.keys(PAYLOADS).length);
  for (const name of ['script tag', 'markdown image', 'template injection']) {
    await expect(rows.filter({ hasText: PAYLOADS[name] ?? 'missing' })).not.toHaveCount(0);
  }
  await expectInert(page);
});

for (const [name, payload] of Object.entries(PAYLOADS)) {
  test(`${name} is text in every view, in Compare, in a dialog and in the tree`, async ({ page, hostile }) => {
    await openAt(page, hostile, workbenchPath('hostile-db', idOf(payload)));
    await expect(page.getByRole('heading', { level: 1 })).toHaveAttribute('title', visible(idOf(payload)));
    await expect(historyList(page).getByRole('option')).toHaveCount(2);
    await expect(page.getByTestId('changes-tab')).toHaveAttribute('data-state', 'ready');
    // Chat and Plan come once the state is known to have them.
    await expect(page.getByRole('tab')).toHaveCount(6);
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await expect(tab).toHaveAttribute('aria-selected', 'true');
      await expect(page.getByRole('tabpanel').locator('[role="progressbar"], .skeleton')).toHaveCount(0);
      await expect(page.getByRole('tabpanel')).not.toBeEmpty();
      await expectInert(page);
    }
    await page.getByRole('tab', { name: 'Raw' }).click();
    await expect(page.getByLabel('Stored bytes')).toHaveText(stateOf(payload), { useInnerText: false });
    await page.keyboard.press('c');
    await expect(page.getByTestId('split-list')).toBeVisible();
    await expectInert(page);
    await page.goBack();
    await expect(content(page).getByRole('heading', { level: 2 })).toBeVisible();
    await page.keyboard.press('r');
    await expect(page.getByRole('dialog')).toHaveAttribute('data-phase', 'ready');
    await expectInert(page);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Tree' }).click();
    await expect(page.getByTestId('tree-node').first()).toBeVisible();
    await expectInert(page);
  });
}

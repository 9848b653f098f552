import { join } from 'node:path';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';
import { seriousIssues } from '../support/axe.ts';
import { expect, openAt, test } from '../support/fixtures.ts';
import { workbenchPath } from '../support/pages.ts';

const ASKED = [
  { role: 'user', content: 'Rank A, B and C', created_at: '2026-01-01T14:17:02Z' },
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id: 'call_1', function: { name: 'fetch_revenue', arguments: '{"company":"B"}' } }],
  },
];
const ANSWERED = [
  { role: 'tool', tool_call_id: 'call_1', content: '{"value":4200}' },
  {
    role: 'assistant',
    content:
      'B is **off**:\n\n```python\nvalue / 1_000\n```\n\n![chart](https://pwned.example/x.png) [filing](https://pwned.example)',
  },
];

const stateOf = (messages: readonly object[], revenue: string): string =>
  `{"messages":${JSON.stringify(messages)},"context":{"revenue":{"A":5.10,"B":${revenue}},"cache":true}}`;

test('a conversation, a state and its bytes say what is new, and a value is edited where it is', async ({
  page,
  folder,
  start,
}) => {
  const path = join(folder, 'reading.db');
  const store = await openSqliteStore({ path });
  const task = 'ranking';
  await store.save({ task, id: 'one', text: stateOf(ASKED, '4.2'), stepIndex: 1 });
  const text = stateOf([...ASKED, ...ANSWERED], '4200');
  await store.save({ task, id: 'two', text, stepIndex: 2, parent: { task, id: 'one' } });
  const rows = Array.from({ length: 12_000 }, (_, n) => `{"n":${n}.0,"s":"\\u00e4"}`);
  await store.save({ task, id: 'three', text: `[${rows.join(',')}]`, stepIndex: 3, parent: { task, id: 'two' } });
  await store.close();
  const inspector = await start([path]);

  await openAt(page, inspector, workbenchPath('reading-db', task, { cp: 'two', view: 'chat' }));
  await expect(page.getByTestId('chat-count')).toHaveText('4 messages, 2 new since #01');
  // The result has joined its call, and is marked there; the new message is below the line.
  await expect(page.getByTestId('chat-message')).toHaveCount(3);
  await expect(page.getByTestId('tool-call').getByTestId('tool-result')).toContainText(/new.*4200/s);
  await expect(page.getByTestId('chat-since')).toHaveText('New since #01 2');
  const answer = page.getByTestId('chat-message').last();
  await expect(answer).toHaveAttribute('data-new', 'true');
  await expect(answer.locator('strong')).toHaveText('off');
  await expect(answer.getByLabel('Code in python')).toHaveText('value / 1_000');
  await expect(answer.locator('img, a')).toHaveCount(0);
  await expect(page.getByTestId('chat-message').first().locator('time')).toHaveText('14:17:02 UTC');
  await answer.getByRole('button', { name: 'As stored' }).click();
  // Exactly as stored: no line break and no space is added.
  await expect(answer.locator('pre')).toHaveText(JSON.stringify(ANSWERED[1]), { useInnerText: false });
  await answer.getByRole('button', { name: 'As stored' }).click();
  expect(await seriousIssues(page)).toEqual([]);

  await page.getByRole('tab', { name: 'State' }).click();
  await page.getByRole('button', { name: 'Expand all' }).click();
  const row = page.getByTestId('state-tree').locator('[data-path="$.context.revenue.B"]');
  await expect(row).toHaveClass(/\bchanged\b/);
  await expect(row).toContainText(/^~changed B:4200was 4\.2$/);
  await expect(page.getByTestId('state-tree').locator('[data-path="$.messages[3]"]')).toHaveClass(/\badded\b/);
  await row.click();
  expect(await seriousIssues(page)).toEqual([]);

  await page.getByRole('tab', { name: 'Raw' }).click();
  const raw = page.getByLabel('Stored bytes');
  await expect(raw).toHaveText(text, { useInnerText: false });
  await page.getByTestId('raw-formatted').click();
  await expect(raw.locator('[data-line="2"]')).toHaveText(/^ {2}"messages": \[/, { useInnerText: false });
  await page.keyboard.press('Control+f');
  await page.keyboard.type('4200');
  await expect(page.getByTestId('raw-matches')).toHaveText('1 of 2 matches');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('raw-matches')).toHaveText('2 of 2 matches');
  await expect(raw.locator('mark.here')).toHaveText('4200');
  expect(await seriousIssues(page)).toEqual([]);

  await page.goto(`${inspector.origin}/t/reading-db/${task}/edit?cp=two&path=${encodeURIComponent('$.context.cache')}`);
  const cache = page.getByTestId('edit-tree').locator('[data-path="$.context.cache"]');
  await expect(cache).toBeVisible();
  const before = await cache.boundingBox();
  await cache.dblclick();
  const field = page.getByTestId('edit-value');
  await expect(field).toBeFocused();
  // The field is over its row, and the row is where it was.
  expect(await cache.boundingBox()).toEqual(before);
  const place = await field.boundingBox();
  expect(Math.abs((place?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(12);
  await page.keyboard.press('Escape');

  // Formatted for reading; what was only laid out is not a change, and one new value leaves every other byte.
  await page.getByRole('button', { name: 'Text' }).click();
  const editor = page.getByRole('textbox', { name: 'State as JSON text' });
  await expect(editor).toContainText('"A":5.10');
  await page.getByRole('button', { name: 'Format' }).click();
  await expect(page.getByTestId('edit')).toHaveAttribute('data-state', 'same');

  // A long text is formatted in a worker; numbers and escapes stay as stored.
  await page.goto(`${inspector.origin}${workbenchPath('reading-db', task, { cp: 'three', view: 'raw' })}`);
  await page.getByTestId('raw-formatted').click();
  await expect(raw.locator('[data-line="3"]')).toHaveText('  {"n":1.0,"s":"\\u00e4"},\n', { useInnerText: false });
  await expect(page.getByTestId('raw-formatted')).toHaveAttribute('aria-pressed', 'true');
});

import { appendFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CONTROL, HTML, LONG, shownOf } from '../log/fixtures/hostile.ts';
import { openCodex } from './fixtures/open.ts';

const THREAD = '01a20000-0000-7000-8000-000000000001';
const UNREADABLE = expect.stringMatching(/^byte-\d+$/);

const line = (type: string, payload: unknown, timestamp = '2026-11-22T02:34:41.228Z') => ({ timestamp, type, payload });
const item = (payload: object) => line('response_item', payload);
const call = (id: string, words: string) =>
  item({ type: 'function_call', name: words, call_id: id, arguments: JSON.stringify({ cmd: words }) });
const output = (id: string, words: string) => item({ type: 'function_call_output', call_id: id, output: words });
const turn = (id: string, words: string) => [
  line('event_msg', { type: 'task_started', turn_id: id }),
  line('event_msg', { type: 'user_message', message: words }),
  item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: words }] }),
  line('event_msg', { type: 'task_complete', turn_id: id, error: words === HTML ? { message: words } : undefined }),
];

/** Lines between the first turn and the last, and the checkpoints that they are. */
const CASES: readonly [string, readonly (object | string)[], readonly string[]][] = [
  ['HTML in every field', [...turn(HTML, HTML), call('c', HTML), output('c', HTML)], [HTML, 'c']],
  ['control characters in every field', [...turn(CONTROL, CONTROL), call(CONTROL, CONTROL)], [CONTROL, CONTROL + '#2']],
  ['HTML for a kind and a time', [line(HTML, { type: HTML }, HTML), line('event_msg', { type: HTML }, HTML)], []],
  ['a line of 10 MB', [call('long', 'cat'), output('long', LONG)], ['long']],
  ['10 MB that are no JSON', [`{"${LONG}`], [UNREADABLE]],
  ['a call twice', [call('c', 'ls'), output('c', '1'), output('c', '2')], ['c', 'c#2']],
  ['names of what every object has', [call('__proto__', 'ls'), output('__proto__', 'x')], ['__proto__']],
  ['values of other types', ['7', 'null', '[]', '{}'], [UNREADABLE, UNREADABLE, UNREADABLE, UNREADABLE]],
];

it.each(CASES)('%s: no line is hidden, and what comes after is shown', async (_what, lines, ids) => {
  const root = await mkdtemp(join(tmpdir(), 'codex-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = join(root, 'sessions/2026/11/22');
  await mkdir(folder, { recursive: true });
  const path = join(folder, `rollout-2026-11-22T02-34-41-${THREAD}.jsonl`);
  const all = [line('session_meta', { id: THREAD }), ...turn('first', 'before'), ...lines, ...turn('last', 'after')];
  await writeFile(path, all.map((one) => `${typeof one === 'string' ? one : JSON.stringify(one)}\n`).join(''));
  const { size } = await stat(path);
  await appendFile(path, '{"torn');
  const shown = await shownOf(await openCodex(root), THREAD);
  expect(shown.ids).toEqual(['first', ...ids, 'last']);
  expect(shown.bytes).toBe(size);
  expect(shown.note).toContain('6 bytes without an end');
  expect(shown.latest).toMatch(/"text":"after"\}\]\}\]\}$/);
  for (const words of shown.descriptions) {
    expect(words).not.toMatch(/\p{Cc}/u);
    expect(words.length).toBeLessThan(150);
  }
});

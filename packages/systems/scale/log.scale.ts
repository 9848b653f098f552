/** A session of 200 MB: what is read of it is counted in bytes, the time it takes is the processor's. */
import { storeId } from '@checkpoint-inspector/core';
import { appendFile, mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codexRules } from '../src/codex/rules.ts';
import { LogSource } from '../src/log/index.ts';

const THREAD = '01a20000-0000-7000-8000-000000000001';
const SIZE = 200_000_000;
const MB = 1_000_000;
let root = '';
let path = '';
let size = 0;

const line = (type: string, payload: object): string =>
  `${JSON.stringify({ timestamp: '2026-11-22T02:34:41.228Z', ordinal: 1, type, payload })}\n`;

/** A turn as Codex writes it: thirty calls with their answers, and what it counts and shows beside them. */
function turnOf(turn: number): string {
  const id = `01a20000-0000-7000-9000-${String(turn).padStart(12, '0')}`;
  const output = 'a line of what a command has printed, as there are many of them\\n'.repeat(100);
  const calls = Array.from({ length: 30 }, (_, n) => {
    const call_id = `call_${turn}_${n}`;
    return [
      line('response_item', { type: 'function_call', name: 'exec_command', arguments: '{"cmd":"make"}', call_id }),
      line('token_usage_record', { thread_id: THREAD, turn_id: id, usage: { input_tokens: 1, pad: 'x'.repeat(500) } }),
      line('event_msg', {
        type: 'item_completed',
        turn_id: id,
        item: { type: 'CommandExecution', aggregated_output: output },
      }),
      line('response_item', { type: 'function_call_output', call_id, output }),
      line('event_msg', { type: 'token_count', info: { total_token_usage: { total_tokens: turn * 30 + n } } }),
    ].join('');
  });
  return [
    line('event_msg', { type: 'task_started', turn_id: id }),
    line('response_item', {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: `question ${turn}` }],
    }),
    ...calls,
    line('event_msg', { type: 'task_complete', turn_id: id, duration_ms: 5 }),
  ].join('');
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'large-log-'));
  const folder = join(root, 'sessions/2026/11/22');
  await mkdir(folder, { recursive: true });
  path = join(folder, `rollout-2026-11-22T02-34-41-${THREAD}.jsonl`);
  const file = await open(path, 'w');
  const first = line('session_meta', { id: THREAD });
  await file.write(first);
  size = Buffer.byteLength(first);
  for (let turn = 0; size < SIZE; turn++) {
    const text = turnOf(turn);
    await file.write(text);
    size += Buffer.byteLength(text);
  }
  await file.close();
});
afterAll(() => rm(root, { recursive: true }));

it('lists it by its head and tail, reads it once for a page, and then what is appended', async () => {
  let [read, spent] = [0, 0];
  const measure = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    read = 0;
    const before = process.cpuUsage();
    const began = performance.now();
    const result = await work();
    const { user, system } = process.cpuUsage(before);
    spent = Math.round((user + system) / 1000);
    const took = Math.round(performance.now() - began);
    const resident = Math.round(process.memoryUsage().rss / MB);
    console.log(`${what}: ${read} bytes read, ${spent} ms of processor, ${took} ms, ${resident} MB resident`);
    return result;
  };
  const source = await LogSource.open(
    { id: storeId('large'), label: 'large', location: root, root, onRead: (bytes) => (read += bytes) },
    codexRules,
  );
  const tasks = await measure('list', () => source.tasks());
  expect(tasks.items).toMatchObject([{ atLeast: true, status: 'completed' }]);
  expect(read).toBeLessThan(200_000);
  const page = await measure('first page', () => source.checkpoints(THREAD, { limit: 100 }));
  expect(read).toBe(size);
  expect(page.items).toHaveLength(100);
  expect(spent).toBeLessThan(1_000);
  expect(process.memoryUsage().rss).toBeLessThan(300 * MB);
  const added = turnOf(99_999_999);
  await appendFile(path, added);
  const next = await measure('after a turn was appended', () => source.checkpoints(THREAD, { limit: 1 }));
  expect(next.items[0]?.id).toContain('99999999');
  expect(read).toBeLessThan(Buffer.byteLength(added) + 1_000);
  await measure('tree', async () => {
    let count = 0;
    for await (const { seq } of source.lineage(THREAD)) count = seq;
    return count;
  });
  expect(read).toBe(0);
  const last = page.items[0]?.id ?? '';
  const resident = process.memoryUsage().rss;
  const state = await measure('state of the latest', () => source.state({ task: THREAD, id: last }));
  const characters = state?.text.length ?? 0;
  expect(characters).toBeGreaterThan(SIZE / 3);
  // Its items and the text that they make, and no further copy of either.
  expect(process.memoryUsage().rss - resident).toBeLessThan(3 * characters);
  expect(read).toBe(size);
});

/** A session of 200 MB: what is read of it is counted in bytes, the time it takes is the processor's. */
import { storeId } from '@checkpoint-inspector/core';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codexRules } from '../src/codex/rules.ts';
import { LogSource } from '../src/log/index.ts';
import { turnOf, writeRollout, type Rollout } from './rollout.ts';

const SIZE = 200_000_000;
const MB = 1_000_000;
let root = '';
let rollout: Rollout;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'large-log-'));
  rollout = await writeRollout(root, SIZE);
});
afterAll(() => rm(root, { recursive: true }));

it('lists it by its head and tail, reads it once for a page, and then what is appended', async () => {
  const { thread, path, size } = rollout;
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
  const page = await measure('first page', () => source.checkpoints(thread, { limit: 100 }));
  const once = spent;
  expect(read).toBe(size);
  expect(page.items).toHaveLength(100);
  expect(spent).toBeLessThan(1_000);
  expect(process.memoryUsage().rss).toBeLessThan(300 * MB);
  const steps = page.items.flatMap(({ id, parentId }) =>
    parentId === undefined ? [] : [[parentId, id].map((of) => ({ task: thread, id: of }))],
  );
  const compare = async (): Promise<void> => {
    for (const [before, after] of steps) expect(before && after && (await source.diff(before, after))).toBeDefined();
  };
  await measure('what the page changed, for the first time', compare);
  // It goes through the log once more, and keeps what it needs not to do so again.
  expect(spent / once).toBeLessThan(1.6);
  await measure('the same again', compare);
  expect(read / steps.length).toBeLessThan(2 * MB);
  expect(process.memoryUsage().rss).toBeLessThan(300 * MB);
  const added = turnOf(99_999_999);
  await appendFile(path, added);
  const next = await measure('after a turn was appended', () => source.checkpoints(thread, { limit: 1 }));
  expect(next.items[0]?.id).toContain('99999999');
  expect(read).toBeLessThan(Buffer.byteLength(added) + 1_000);
  await measure('tree', async () => {
    let count = 0;
    for await (const { seq } of source.lineage(thread)) count = seq;
    return count;
  });
  expect(read).toBe(0);
  const last = page.items[0]?.id ?? '';
  const resident = process.memoryUsage().rss;
  const state = await measure('state of the latest', () => source.state({ task: thread, id: last }));
  const characters = state?.text.length ?? 0;
  expect(characters).toBeGreaterThan(SIZE / 3);
  // Its items and the text that they make, and no further copy of either.
  expect(process.memoryUsage().rss - resident).toBeLessThan(3 * characters);
  expect(read).toBe(size);
});

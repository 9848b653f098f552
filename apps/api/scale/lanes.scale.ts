import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInspector, createStoreService, defaultRegistry } from '@checkpoint-inspector/inspector';
import { recordingChanges } from '../src/testing/app.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeManyCheckpoints } from './support/many.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'scale-lanes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('the tree of 50,000 checkpoints in 1,500 lanes is told in parts, each with little wait for other requests', async () => {
  const path = join(folder, 'run.db');
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  const parentOf = (n: number): number => (random() < 0.97 ? n - 1 : Math.max(0, n - 1 - Math.floor(random() * 200)));
  await writeManyCheckpoints(path, { task: 'run', count: 50_000, parentOf });
  const stores = createStoreService({ registry: defaultRegistry() });
  const inspector = createInspector({ stores, changes: recordingChanges().changes, readOnly: true });
  const [opened] = await stores.open(path);
  const store = opened?.id ?? expect.fail('The store did not open.');
  // What is told of every store at its start has been read.
  await inspector.search.settled(120_000);
  const { lanes, trees } = inspector;
  const held: string[] = [];
  const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const delay = monitorEventLoopDelay({ resolution: 1 });
    delay.enable();
    const began = performance.now();
    const answer = await work();
    const took = performance.now() - began;
    delay.disable();
    held.push(`${what} ${Math.round(took)} ms (held ${Math.round(delay.max / 1e6)})`);
    longest = Math.max(longest, delay.max / 1e6);
    return answer;
  };
  let longest = 0;
  await timed('rows of the tree', () => trees.columns(store, 'run'));
  const inView = Array.from({ length: 40 }, (_, at) => `f${at + 1}`);
  const first = await timed('40 lanes compared', () => lanes.list(store, 'run', { compare: inView }));
  expect(first).toMatchObject({ compared: 40, complete: true });
  const all = await timed('all lanes', () => lanes.list(store, 'run', { compare: 'none' }));
  expect(all.items.length).toBeGreaterThan(1_400);
  await timed('all compared', async () => {
    while (!(await lanes.list(store, 'run')).complete);
  });
  console.log(`measured: ${held.join(', ')}`);
  expect(longest).toBeLessThan(150);
  await inspector.close();
});

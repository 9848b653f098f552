/** Files that a dev server rewrites while they are read. */
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CheckpointSource } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { devFolder, openAt, openDev, type DevStore } from './test-store.ts';

const MAIN = { js: '.langgraphjs_api.checkpointer.json', py: '.langgraph_checkpoint.1.pckl' };
const THREADS = { js: 4, py: 15 };
const SERVERS = ['js', 'py'] as const;
const OLD = new Date('2026-01-01');

let store: DevStore | undefined;
afterEach(async () => {
  await store?.close();
  store = undefined;
});
const threadsOf = async (source: CheckpointSource) => (await source.tasks({ limit: 1000 })).items.length;

describe.each(SERVERS)('%s', (server) => {
  test('while a file is half-written the last answer stays, and the next whole one is read', async () => {
    store = await openDev(server);
    const { source, folder } = store;
    const file = join(folder, MAIN[server]);
    const whole = readFileSync(file);
    for (const part of [0, 1, 20_000, whole.length - 1]) {
      writeFileSync(file, whole.subarray(0, part));
      expect(await threadsOf(source)).toBe(THREADS[server]);
    }
    writeFileSync(file, whole);
    expect(await threadsOf(source)).toBe(THREADS[server]);
  });

  test('a file that is missing for a moment loses nothing', async () => {
    store = await openDev(server);
    const file = join(store.folder, MAIN[server]);
    renameSync(file, `${file}.tmp`);
    expect(await threadsOf(store.source).catch((error: unknown) => error)).toMatchObject({ code: 'not_found' });
    renameSync(`${file}.tmp`, file);
    expect(await threadsOf(store.source)).toBe(THREADS[server]);
  });

  test('what was cut long ago is damaged, and says so also after a good answer', async () => {
    store = await openDev(server);
    const file = join(store.folder, MAIN[server]);
    truncateSync(file, 1000);
    for (const name of readdirSync(store.folder)) utimesSync(join(store.folder, name), OLD, OLD);
    await expect(store.source.tasks()).rejects.toMatchObject({ code: 'unreadable' });
    await expect(store.source.tasks()).rejects.toMatchObject({ code: 'unreadable' });
  });

  test('opening what is being written is busy; it opens as soon as it is whole', async () => {
    const folder = devFolder(server);
    const file = join(folder, MAIN[server]);
    const whole = readFileSync(file);
    const target = { kind: 'path', path: folder, is: 'folder' } as const;
    truncateSync(file, 20_000);
    await expect(openAt(target)).rejects.toMatchObject({ code: 'busy' });
    writeFileSync(file, whole);
    const source = await openAt(target);
    expect(await threadsOf(source)).toBe(THREADS[server]);
    await source.close?.();
    rmSync(join(folder, '..'), { recursive: true });
  });

  test('a lineage keeps to the files that it began with while they are rewritten and read again', async () => {
    store = await openDev(server);
    const { source, folder } = store;
    const [task] = (await source.tasks({ limit: 1 })).items;
    const rows = source.lineage(task?.id ?? '')[Symbol.asyncIterator]();
    const first = await rows.next();
    const file = join(folder, MAIN[server]);
    for (let n = 0; n < 3; n++) {
      utimesSync(file, new Date(), new Date(Date.now() - n * 1000));
      await threadsOf(source);
    }
    let count = first.done ? 0 : 1;
    while (!(await rows.next()).done) count++;
    expect(count).toBe(task?.checkpointCount);
    expect(await collect(source.lineage(task?.id ?? ''))).toHaveLength(count);
  });

  test('watching tells of a rewrite', async () => {
    store = await openDev(server);
    const told = vi.fn();
    const unwatch = store.source.watch?.(told);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const file = join(store.folder, MAIN[server]);
    writeFileSync(file, readFileSync(file));
    await vi.waitFor(() => expect(told).toHaveBeenCalled(), { timeout: 8_000 });
    unwatch?.();
  });

  test('every change is refused, and says what the server would do to it', async () => {
    store = await openDev(server);
    const before = store.bytes();
    const [task] = (await store.source.tasks({ limit: 1 })).items;
    const ref = { task: task?.id ?? '', id: task?.latestId ?? '' };
    const refused = { code: 'unsupported', message: expect.stringContaining('overwrites this file') };
    await expect(store.source.plan({ kind: 'restore', ref })).rejects.toMatchObject(refused);
    await expect(store.source.plan({ kind: 'fork', ref })).rejects.toMatchObject(refused);
    await expect(store.source.plan({ kind: 'delete', refs: [ref] })).rejects.toMatchObject(refused);
    expect(Object.values(store.source.info.capabilities)).not.toContain(true);
    expect(await store.source.capability?.(ref)).toEqual({});
    expect(store.bytes()).toEqual(before);
  });
});

test('a new thread in the JSON is there with the next call', async () => {
  store = await openDev('js');
  const file = join(store.folder, MAIN.js);
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(
      '"storage":{',
      '"storage":{"another":{"":{"1f1e5b1f-8352-62c0-8001-000000000000":["e30=","e30=",null]}},',
    ),
  );
  expect(await threadsOf(store.source)).toBe(5);
  appendFileSync(file, ' ');
  expect(await threadsOf(store.source)).toBe(5);
});

test('two servers in one folder are two stores', async () => {
  const { langgraphDevSystem } = await import('./index.ts');
  const { storeIdFrom } = await import('@checkpoint-inspector/core');
  const folder = devFolder('js');
  for (const n of [1, 2, 3]) {
    const name = `.langgraph_checkpoint.${n}.pckl`;
    writeFileSync(join(folder, name), readFileSync(new URL(`./fixtures/py/.langgraph_api/${name}`, import.meta.url)));
  }
  const options = { label: 'test', location: folder, nameStore: (name: string) => storeIdFrom(name, () => false) };
  const sources = await langgraphDevSystem.open({ kind: 'path', path: folder, is: 'folder' }, options);
  expect(sources.map(({ info }) => info.label)).toEqual(['test (langgraphjs dev)', 'test (langgraph dev)']);
  expect(new Set(sources.map(({ info }) => info.identity)).size).toBe(2);
  expect(await Promise.all(sources.map(threadsOf))).toEqual([4, 15]);
  for (const source of sources) await source.close?.();
  rmSync(join(folder, '..'), { recursive: true });
});

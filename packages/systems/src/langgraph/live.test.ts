import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { copyFileSync, statSync, symlinkSync } from 'node:fs';
import { bytesRead } from '@checkpoint-inspector/config/measure';
import { refKey } from '@checkpoint-inspector/core';
import { allPages, collect } from '@checkpoint-inspector/core/testing';
import { afterEach, expect, test } from 'vitest';
import { langgraphRow } from './index.ts';
import { idAt, insert, openFixture, openRows, openSource, type TestStore } from './test-store.ts';

let store: TestStore;
afterEach(() => store.close());

const require = createRequire(createRequire(import.meta.url).resolve('@checkpoint-inspector/io'));

/** An agent in a process of its own: 200 commits with little patience, then it empties the log. */
const AGENT = `
const Database = require(process.argv[1]);
const db = new Database(process.argv[2], { timeout: 300 });
const add = db.prepare("INSERT INTO checkpoints VALUES ('live', '', ?, NULL, 'json', ?, ?)");
const state = Buffer.from('{"v":4,"id":"x","ts":"2026-01-01T00:00:00Z","channel_values":{"t":"' + 'x'.repeat(20000) + '"},"channel_versions":{},"versions_seen":{}}');
let n = 0;
const step = () => {
  add.run('1f1e5add-' + (n++).toString(16).padStart(4, '0') + '-6000-8001-000000000000', state, Buffer.from('{"source":"loop","step":1,"parents":{}}'));
  if (n < 200) return setTimeout(step, 2);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
};
step();
`;

test('an agent commits while everything is read in a loop: nobody is locked out, and its log is emptied', async () => {
  store = await openRows([]);
  const driver = require.resolve(
    Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3',
  );
  const agent = spawn(process.execPath, ['-e', AGENT, driver, store.path]);
  let errors = '';
  agent.stderr.on('data', (text) => (errors += String(text)));
  const ended = new Promise<number | null>((resolve) => agent.on('exit', resolve));
  let reads = 0;
  while (agent.exitCode === null) {
    await store.source.tasks();
    await store.source.checkpoints('live', { limit: 50 });
    const { ref } = await store.source.latest('live');
    if (ref) await store.source.state(ref);
    reads++;
    await new Promise((resume) => setTimeout(resume, 1));
  }
  expect([await ended, errors]).toEqual([0, '']);
  expect(reads).toBeGreaterThan(10);
  expect((await store.source.tasks()).items[0]?.checkpointCount).toBe(200);
  expect(statSync(`${store.path}-wal`).size).toBeLessThan(8 * 1024 * 1024);
});

test('what another connection commits is seen at once, and told', async () => {
  store = await openRows([
    langgraphRow({ thread: 't', id: idAt(1), ts: '2026-01-01T00:00:00Z', source: 'input', step: -1, values: {} }),
  ]);
  expect((await store.source.latest('t')).ref?.id).toBe(idAt(1));
  const told = new Promise<void>((resolve) => {
    const stop = store.source.watch?.(() => {
      stop?.();
      resolve();
    });
  });
  insert(
    store.database,
    'checkpoints',
    langgraphRow({ thread: 't', id: idAt(2), ts: '2026-01-01T00:00:00Z', source: 'loop', step: 0, values: {} }),
  );
  expect((await store.source.latest('t')).ref?.id).toBe(idAt(2));
  await told;
});

test('a thread of 10,000 checkpoints: every page reads a part, and none is skipped', async () => {
  const ids = Array.from(
    { length: 10_000 },
    (_, n) =>
      `1f1e5add-${(n >> 8).toString(16).padStart(4, '0')}-60${(n & 255).toString(16).padStart(2, '0')}-8001-000000000000`,
  );
  store = await openRows(
    ids.map((id, n) => {
      const more = n === 0 ? {} : { parent: ids[n - 1] ?? '' };
      return langgraphRow({
        thread: 't',
        id,
        ts: '2026-01-01T00:00:00Z',
        source: 'loop',
        step: n,
        values: { text: 'x'.repeat(500) },
        ...more,
      });
    }),
  );
  const reads: number[] = [];
  const items = await allPages(async (cursor) => {
    let page: Awaited<ReturnType<typeof store.source.checkpoints>> = { items: [] };
    reads.push(
      await bytesRead(async () => (page = await store.source.checkpoints('t', cursor === undefined ? {} : { cursor }))),
    );
    return page;
  });
  expect(items.map((item) => item.id)).toEqual(ids.toReversed());
  expect(items.map((item) => item.seq)).toEqual(ids.map((_, n) => 10_000 - n));
  const { size } = statSync(store.path);
  // The 100 pages together: had each to read the thread, this were 100 times the size.
  expect(reads.reduce((sum, read) => sum + read, 0)).toBeLessThan(4 * size);
  const read = await bytesRead(async () => expect(await collect(store.source.lineage('t'))).toHaveLength(10_000));
  expect(read).toBeLessThan(4 * size);
});

test('pages of every size hold the head first and the rest once, subgraphs too', async () => {
  store = await openFixture('subgraph-waiting');
  const all = (await store.source.checkpoints('subgraph-waiting')).items.map((item) => [
    refKey({ ...item, task: item.taskId }),
    item.seq,
  ]);
  expect(all.map(([, seq]) => seq)).toEqual([3, 6, 5, 4, 2, 1]);
  for (const limit of [1, 2, 3, 4, 5, 6]) {
    const items = await allPages((cursor) =>
      store.source.checkpoints('subgraph-waiting', { limit, ...(cursor === undefined ? {} : { cursor }) }),
    );
    expect(items.map((item) => [refKey({ ...item, task: item.taskId }), item.seq])).toEqual(all);
  }
});

test('where side files cannot be made, a copy is shown, it follows the original, and changes are refused in words', async () => {
  store = await openFixture('hitl-waiting');
  store.database.pragma('wal_checkpoint(TRUNCATE)');
  const path = `${store.path}.apart`;
  copyFileSync(store.path, path);
  symlinkSync('nowhere', `${path}-shm`);
  const source = await openSource(path);
  expect(source.info.snapshot).toMatch(/^A private copy/);
  expect(source.info.capabilities.restore).toMatch(/private copy/);
  expect((await source.checkpoints('hitl-waiting')).items).toHaveLength(3);
  store.database.prepare('DELETE FROM checkpoints WHERE parent_checkpoint_id IS NULL').run();
  store.database.pragma('wal_checkpoint(TRUNCATE)');
  copyFileSync(store.path, path);
  expect((await source.checkpoints('hitl-waiting')).items).toHaveLength(2);
  await source.close?.();
});

test('two open sources of one file see the same, and one may close', async () => {
  store = await openFixture();
  const other = await openSource(store.path);
  expect(await other.tasks()).toEqual(await store.source.tasks());
  await other.close?.();
  await expect(other.tasks()).rejects.toMatchObject({ code: 'no_store' });
  expect((await store.source.tasks()).items).toHaveLength(16);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { storeId } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { createStoreService } from '../stores/service.ts';
import { createFailures } from './service.ts';

const COUNT = 50_000;
const EVERY = 500;

async function largeStore() {
  const folder = await mkdtemp(join(tmpdir(), 'failures-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'large.sqlite');
  const store = await openSqliteStore({ path, id: storeId('large') });
  onTestFinished(() => store.close());
  const db = openSqlite(path, { readOnly: false });
  db.transaction(() => {
    const columns = 'task, id, parent_task, parent_id, text, state_hash, size_bytes, status, description, created_at';
    const insert = db.prepare(`INSERT INTO checkpoints (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
    for (let n = 1; n <= COUNT; n++) {
      const parent = n === 1 ? [null, null] : ['soak', String(n - 1)];
      const what = n % EVERY === 0 ? ['failed', `loop ${n}`] : ['completed', 'step'];
      const time = new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString();
      insert.run('soak', String(n), ...parent, '{}', 'h', 2, ...what, time);
    }
  });
  db.close();
  return store;
}

it('says how far it is in a large store, does not block others, and then has every failure', async () => {
  const stores = createStoreService({ registry: { open: async () => [] } });
  stores.add(await largeStore());
  await stores.tasks();
  const failures = createFailures(stores, 1);
  let last = await failures.errors();
  const told = [last];
  const turns: number[] = [];
  for (let work = true; work; work = !last.coverage.complete) {
    // Others have a turn each time that this comes back.
    for (let n = 0; n < 20; n++) {
      const before = performance.now();
      await turn();
      turns.push(performance.now() - before);
    }
    last = await failures.errors();
    told.push(last);
  }
  // The first answer may come before the list of tasks is read.
  expect(told).toContainEqual(
    expect.objectContaining({ items: [], coverage: { n: 0, of: COUNT, unreadable: 0, complete: false } }),
  );
  expect(last.coverage).toEqual({ n: COUNT, of: COUNT, unreadable: 0, complete: true });
  expect(last.items).toMatchObject([
    { pattern: 'loop <n>', count: COUNT / EVERY, current: 1, tasks: [{ lastNotFailed: { id: String(COUNT - 1) } }] },
  ]);
  // What must not be is one long turn for all of it. A faster machine needs fewer turns, and each has its share of the time.
  const time = turns.reduce((sum, one) => sum + one, 0);
  expect(turns.length).toBeGreaterThan(20);
  expect(Math.max(...turns)).toBeLessThan(time / 4);
});

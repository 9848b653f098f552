/** A save and the plan of a restore beside many checkpoints of the task, against few. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@checkpoint-inspector/io';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../src/sqlite/index.ts';

const MANY = 500_000;
const ROUNDS = 41;

it(`beside ${MANY} checkpoints a save, a first page and the plan of a restore take what they take beside 100`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'scale-place-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const few = await storeOf(join(folder, 'few.db'), 100);
  const many = await storeOf(join(folder, 'many.db'), MANY);
  const works: [string, (store: SqliteStore, n: number) => Promise<unknown>][] = [
    ['save', (store, n) => store.save({ task: 't', id: `s${n}`, value: { n } })],
    ['page', (store) => store.checkpoints('t', { limit: 100 })],
    ['tasks', (store) => store.tasks()],
    ['plan', (store) => store.plan({ kind: 'restore', ref: { task: 't', id: 'c7' } })],
  ];
  for (const [name, work] of works) {
    const times: [number[], number[]] = [[], []];
    for (let n = 0; n < ROUNDS; n++) {
      times[0].push(await cpuOf(() => work(few, n)));
      times[1].push(await cpuOf(() => work(many, n)));
    }
    const [one, other] = times.map(median);
    console.log(`measured: ${name}: ${one?.toFixed(3)} ms of cpu beside 100, ${other?.toFixed(3)} beside ${MANY}`);
    expect(other).toBeLessThan((one ?? 0) * 3 + 1);
  }
  await few.close();
  await many.close();
});

async function storeOf(path: string, count: number): Promise<SqliteStore> {
  const store = await openSqliteStore({ path });
  await store.save({ task: 't', id: 'first', value: 1 });
  const db = openSqlite(path, { readOnly: false });
  db.exec(`WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})
    INSERT INTO checkpoints (task, id, root, state_hash, size_bytes, created_at)
    SELECT 't', 'c' || n, 1, 'h', 1, '2026-01-01T00:00:00.000Z' FROM n`);
  db.close();
  return store;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

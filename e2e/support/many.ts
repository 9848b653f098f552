import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { openSqliteStore } from 'checkpoint-inspector/stores/sqlite';

interface Driver {
  readonly default: new (path: string) => {
    prepare(sql: string): { run(...values: readonly unknown[]): unknown };
    transaction(work: () => void): () => void;
    pragma(text: string): unknown;
    close(): void;
  };
}

const INSERT = `INSERT INTO checkpoints
  (task, id, text, state_hash, size_bytes, parent_task, parent_id, step_index, status, description, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** A native store of many small checkpoints, written in one transaction; about one in 30 begins a fork. */
export async function writeManyCheckpoints(path: string, task: string, count: number): Promise<void> {
  await (await openSqliteStore({ path })).close();
  const io = createRequire(resolve(import.meta.dirname, '../../packages/io/package.json'));
  const name = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-napi' : 'better-sqlite3';
  const { default: Database } = (await import(io.resolve(name))) as Driver;
  const db = new Database(path);
  const insert = db.prepare(INSERT);
  let seed = 7;
  const random = (): number => (seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) / 0x7fffffff;
  db.transaction(() => {
    for (let n = 0; n < count; n++) {
      const text = `{"n":${n},"value":${(n * 7919) % 10_007}}`;
      const parent = n === 0 ? undefined : random() < 0.97 ? n - 1 : Math.max(0, n - 1 - Math.floor(random() * 200));
      const hash = createHash('sha256').update(text).digest('hex');
      const from = parent === undefined ? [null, null] : [task, `c-${parent}`];
      const at = new Date(1_700_000_000_000 + n * 1_000).toISOString();
      const status = n % 997 === 996 ? 'failed' : 'completed';
      insert.run(task, `c-${n}`, text, hash, Buffer.byteLength(text), ...from, n, status, `step ${n % 7}`, at);
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

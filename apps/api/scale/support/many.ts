import { createHash } from 'node:crypto';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';

export interface Many {
  readonly task: string;
  readonly count: number;
  /** State of the nth checkpoint, JSON text. */
  readonly textOf?: (n: number) => string;
  /** Parent of the nth checkpoint; default: the one before. */
  readonly parentOf?: (n: number) => number;
}

const INSERT = `INSERT INTO checkpoints
  (task, id, text, state_hash, size_bytes, parent_task, parent_id, step_index, status, description, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Fills a native store in one transaction: saving a million one by one would wait for the disk a million times. */
export async function writeManyCheckpoints(path: string, { task, count, textOf, parentOf }: Many): Promise<void> {
  await (await openSqliteStore({ path })).close();
  const db = openSqlite(path, { readOnly: false });
  const insert = db.prepare(INSERT);
  db.transaction(() => {
    for (let n = 0; n < count; n++) {
      const text = textOf?.(n) ?? `{"n":${n},"value":${(n * 7919) % 10_007}}`;
      const parent = n === 0 ? undefined : `c-${parentOf?.(n) ?? n - 1}`;
      const hash = createHash('sha256').update(text).digest('hex');
      insert.run(
        task,
        `c-${n}`,
        text,
        hash,
        Buffer.byteLength(text),
        parent === undefined ? null : task,
        parent ?? null,
        n,
        n % 997 === 996 ? 'failed' : 'completed',
        `step ${n % 7}`,
        new Date(1_700_000_000_000 + n * 1_000).toISOString(),
      );
    }
  });
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

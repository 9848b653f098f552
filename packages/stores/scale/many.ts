import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '../src/sqlite/index.ts';

/** How many tasks, and checkpoints of each; they are saved in turns, each the child of the one before in its task. */
export interface Shape {
  readonly tasks: number;
  readonly each: number;
}

const STATES = 100;
/** So many rows in a statement, each in a transaction of its own. */
const AT_A_TIME = 100_000;
/** Numbers are part of the text, because the driver binds them as floating-point ones. */
const rows = ({ tasks }: Shape, from: number, to: number): string => `
  WITH RECURSIVE n(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM n WHERE n + 1 < ${to})
  INSERT INTO checkpoints (task, id, root, state_hash, size_bytes, parent_task, parent_id, step_index, trigger, status,
    description, created_at)
  SELECT 't-' || (n % ${tasks}), 'c-' || n, s.root, s.state_hash, s.size_bytes,
    iif(n < ${tasks}, NULL, 't-' || (n % ${tasks})), iif(n < ${tasks}, NULL, 'c-' || (n - ${tasks})), n / ${tasks}, 'auto',
    iif(n % 997 = 996, 'failed', 'completed'), 'step ' || (n % 7),
    strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + n, 'unixepoch')
  FROM n CROSS JOIN checkpoints AS s WHERE s.task = 'states' AND s.namespace = '' AND s.id = 's-' || (n % ${STATES})`;

/** Fills a store by statements, as a million saves would wait for the disk a million times; states are shared by many. */
export async function writeMany(path: string, shape: Shape): Promise<void> {
  const store = await openSqliteStore({ path });
  for (let n = 0; n < STATES; n++) {
    const value = {
      n,
      messages: Array.from({ length: 5 }, (_, at) => ({ role: 'user', content: `${n}: text ${at}` })),
    };
    await store.save({ task: 'states', id: `s-${n}`, value });
  }
  await store.close();
  const db = openSqlite(path, { readOnly: false });
  db.pragma('synchronous = OFF');
  const count = shape.tasks * shape.each;
  for (let from = 0; from < count; from += AT_A_TIME) db.exec(rows(shape, from, Math.min(count, from + AT_A_TIME)));
  db.exec("DELETE FROM checkpoints WHERE task = 'states'");
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

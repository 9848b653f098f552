import type { PoolClient } from 'pg';
import { InspectorError } from '@checkpoint-inspector/core';
import { collectIn } from '../../nodes/index.ts';
import { placeAt } from '../../postgres/places.ts';
import { settings } from '../../postgres/settings.ts';
import { connect } from '../../postgres/target.ts';
import { writePostgres } from '../../postgres/write.ts';
import type { Executor, Side } from '../executor.ts';
import { applyRows, compareRows, settledRows } from '../rows/apply.ts';
import { isRowSteps, RowsJob, type RowSteps } from '../rows/job.ts';
import { doneLines, isRowMark, type RowMark } from '../rows/mark.ts';
import { NodeTables } from '../rows/nodes.ts';
import { changeInParts, settleParts, type Transactions } from '../rows/parts.ts';
import { doWaiting } from '../rows/work.ts';
import { imagesOf, marksOf, stepsOf } from '../shape.ts';
import { lockFor } from './locks.ts';
import { hasNodeTables, isCollectionDue, nodeTablesIn } from './native.ts';
import { PostgresRows } from './rows.ts';

const STATEMENT_MS = 60_000;
/** Writers that come later wait as long as we do. */
const LOCK_MS = 5_000;

/** Rows of a PostgreSQL schema, in one transaction. Its place is the identity of a database that is open. */
export const postgresEngine: Executor = {
  engine: 'postgres',
  async apply(job, hooks) {
    const steps = stepsOf('postgres', isRowSteps, job.steps);
    if (steps.slices) return changeInParts(transactionsOn(job.place, steps), steps, hooks);
    const { images, isDue } = await transaction(job.place, WRITE, async (client, schema) => {
      await lockFor(client, schema, steps);
      await mustCount(client);
      const tables = await tablesIn(client, schema);
      const made = await doWaiting(applyRows(tables, steps));
      await hooks.prepared(made);
      hooks.onStep?.('intent');
      return { images: made, isDue: tables instanceof NodeTables && (await isCollectionDue(client, tables)) };
    });
    hooks.onStep?.('written');
    if (isDue) await collect(job.place);
    return { images, skipped: [], failed: [], done: doneLines(images) };
  },
  async compare(place, marks) {
    const known = marksOf(isRowMark, marks);
    return transaction(place, READ, (client, schema) => sidesOf(client, schema, known));
  },
  async settle(place, images, hooks) {
    const known = imagesOf(isRowMark, images);
    const marks = known.map(({ mark }) => mark);
    const tables = { checks: [], ops: [{ op: 'undo' as const, images: known }] };
    // The server may still be busy with the end of the transaction that was cut off: it is over once these locks are free.
    const sides = await transaction(place, WRITE, async (client, schema) => {
      await lockFor(client, schema, tables);
      return sidesOf(client, schema, marks);
    });
    const isInParts = marks.some(({ part }) => part !== undefined);
    return isInParts ? settleParts(transactionsOn(place, tables), known, sides, hooks) : settledRows(known, sides);
  },
  undo: async (place, images) => new RowsJob('postgres', place).undo(imagesOf(isRowMark, images)),
};

const transactionsOn = (place: string, steps: RowSteps): Transactions => ({
  read: (work) => transaction(place, READ, async (client, schema) => doWaiting(work(await tablesIn(client, schema)))),
  write: (work) =>
    transaction(place, WRITE, async (client, schema) => {
      await lockFor(client, schema, steps);
      await mustCount(client);
      return doWaiting(work(await tablesIn(client, schema)));
    }),
});

async function sidesOf(client: PoolClient, schema: string, marks: readonly RowMark[]): Promise<Side[]> {
  return doWaiting(compareRows(await tablesIn(client, schema), marks));
}

const tablesIn = async (client: PoolClient, schema: string): Promise<NodeTables | PostgresRows> =>
  (await hasNodeTables(client, schema)) ? nodeTablesIn(client, schema) : new PostgresRows(client, schema);

/** The change is done: where the server doesn't get to this now, the next removal makes up for it. */
async function collect(place: string): Promise<void> {
  const { schema, ...target } = placeAt(place);
  const pool = await connect(target);
  try {
    await writePostgres(pool, { schema, lock: 'store' }, collectIn);
  } catch {
    // Its nodes are still counted as removed.
  } finally {
    await pool.close();
  }
}

const READ = 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY';
/**
 * Each statement sees what is committed once the locks are held. Durable at COMMIT; no row is hidden by a policy; rows
 * that belong to each other may be put back in any order where the database allows it.
 */
const WRITE = [
  'BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  'SET LOCAL synchronous_commit = on',
  'SET LOCAL row_security = off',
  `SET LOCAL lock_timeout = ${LOCK_MS}`,
  'SET CONSTRAINTS ALL DEFERRED',
].join('; ');

async function transaction<T>(
  place: string,
  begin: string,
  work: (client: PoolClient, schema: string) => Promise<T>,
): Promise<T> {
  const { schema, ...target } = placeAt(place);
  const pool = await connect(target);
  try {
    return await pool.use(`${begin}; ${settings(schema, STATEMENT_MS)}`, async (client) => {
      const result = await work(client, schema);
      await client.query('COMMIT');
      return result;
    });
  } finally {
    await pool.close();
  }
}

/** Without its counters nobody would notice what triggers and cascades do. */
async function mustCount(client: PoolClient): Promise<void> {
  const sql = `SELECT current_setting('track_counts') = 'on' AND current_setting('server_encoding') = 'UTF8' AS can`;
  const { rows } = await client.query<{ can: boolean }>(sql);
  if (rows[0]?.can === true) return;
  throw new InspectorError(
    'unsupported',
    "The server doesn't count changed rows (track_counts), or its text isn't UTF-8, so a change couldn't be checked.",
  );
}

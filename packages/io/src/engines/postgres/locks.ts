import type { PoolClient } from 'pg';
import { storeLock, taskLock } from '../../postgres/locks.ts';
import { quotedName } from '../../postgres/values.ts';
import type { RowSteps } from '../rows/job.ts';

/**
 * Until the transaction ends nobody else changes what a job rests on. Other inspectors and our own stores take the same
 * advisory locks, of a task or of the whole store; everyone else is kept from writing to the tables, never from reading.
 */
export async function lockFor(client: PoolClient, schema: string, steps: RowSteps): Promise<void> {
  await lockTasks(client, schema, steps.tasks ?? []);
  const tables = tablesOf(steps);
  if (tables.length === 0) return;
  const names = tables.map((table) => `${quotedName(schema)}.${quotedName(table)}`);
  await client.query(`LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE`);
}

/** In the order of their names, so that two jobs never wait for each other. */
export async function lockTasks(client: PoolClient, schema: string, tasks: readonly string[]): Promise<void> {
  const store = storeLock(schema);
  if (tasks.length === 0) {
    await client.query('SELECT pg_advisory_xact_lock($1)', [store]);
    return;
  }
  await client.query('SELECT pg_advisory_xact_lock_shared($1)', [store]);
  for (const task of [...new Set(tasks)].toSorted()) {
    await client.query('SELECT pg_advisory_xact_lock($1)', [taskLock(schema, task)]);
  }
}

function tablesOf({ checks, ops }: RowSteps): string[] {
  const named = [...checks, ...ops].flatMap((step) => {
    if (!('op' in step) || step.op !== 'undo') return [step.table];
    return step.images.map(({ mark }) => mark.table);
  });
  return [...new Set(named)].toSorted();
}

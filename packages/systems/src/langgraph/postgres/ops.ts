/** How plans write LangGraph's rows in PostgreSQL: JSON columns, and values in a table that checkpoints share. */
import { InspectorError, type PlanWarning } from '@checkpoint-inspector/core';
import { postgresJob } from '@checkpoint-inspector/io';
import { isRecord } from '../../folder/view.ts';
import { JAVASCRIPT, type RowOps } from '../plan-parts.ts';
import type { FullRow, Key } from '../queries.ts';
import { parseLoosely } from '../shape.ts';
import { timeIn, timeLike } from '../stamped.ts';
import { editedRow } from './edited.ts';
import { refuseUnstorable } from './jsonb.ts';
import type { PostgresQueries } from './queries.ts';
import { addStart, columnOf, isPython, withStamp } from './versions.ts';
import { blobColumns, BLOBS } from './values.ts';

/** @param place the identity of the open database */
export function postgresOps(place: string, queries: PostgresQueries): RowOps {
  return {
    writes: 'checkpoint_writes',
    job: () => postgresJob(place, []),
    columnsOf: (_row, { checkpoint, metadata }) => {
      const columns = { checkpoint: textOf(checkpoint), metadata: textOf(metadata) };
      for (const text of Object.values(columns)) if (text !== null) refuseUnstorable(text);
      return columns;
    },
    contentOf: (row) => ({
      parent_checkpoint_id: row.parent,
      checkpoint: textOf(row.column ?? null),
      metadata: textOf(row.metadata),
    }),
    stamped: async (thread, row, id, ticks) =>
      new TextEncoder().encode(await stamped(queries, thread, row, { id, ticks })),
    strictFor: (row) => (isPython(row) ? undefined : JAVASCRIPT),
    edited: (thread, row, edit) => editedRow(queries, thread, row, edit),
    sizeOf: (row) => (row.column?.length ?? 0) + (row.metadata?.length ?? 0),
    addValues: async (job, thread, row) => (await addStart(queries, thread, row))(job, thread),
    copyValues: async (job, thread, targetTask, keys) => {
      const set = { thread_id: targetTask };
      job.expectAbsent(BLOBS, set);
      if (keys === undefined) {
        if ((await queries.blobFacts(thread)).count > 0) job.copyAll(BLOBS, { thread_id: thread }, set);
        return;
      }
      for (const blob of await queries.blobsNamed(thread, keys)) job.copy(BLOBS, blobColumns(thread, blob), set);
    },
    deleteValues: async (job, thread, keys) => {
      const { count } = await queries.blobFacts(thread);
      if (keys === undefined && count > 0) job.delete(BLOBS, { thread_id: thread }, { expect: count });
      if (keys === undefined) return;
      for (const blob of await queries.blobsNamed(thread, keys))
        if (!blob.isShared) job.delete(BLOBS, blobColumns(thread, blob));
    },
    warnings: (kind, thread, keys) =>
      kind === 'delete' ? sharedWarning(queries, thread, keys) : collisionWarning(queries, thread),
  };
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** Only id and time change, and what keeps versions apart. @throws InspectorError unsupported */
async function stamped(
  queries: PostgresQueries,
  thread: string,
  row: FullRow,
  { id, ticks }: { readonly id: string; readonly ticks: bigint },
): Promise<string> {
  const text = columnOf(row);
  const checkpoint = parseLoosely(text);
  if (!isRecord(checkpoint) || checkpoint['id'] !== row.id || typeof checkpoint['ts'] !== 'string') {
    throw new InspectorError(
      'unsupported',
      'The JSON of this checkpoint has another id or no time, so LangGraph would not take a copy for it.',
    );
  }
  return (await withStamp(queries, thread, row))(text, { id, ts: timeLike(timeIn(text), ticks) });
}

async function collisionWarning(queries: PostgresQueries, thread: string): Promise<PlanWarning[]> {
  const { greatest, isBranched } = await queries.blobFacts(thread);
  if (greatest === null || !isBranched) return [];
  const message =
    "This thread has branches. LangGraph's PostgresSaver for JavaScript gives values of two branches the same version and keeps the first, so states of a later branch may already show values of an earlier one.";
  return [{ code: 'version_collision', message }];
}

async function sharedWarning(queries: PostgresQueries, thread: string, keys: readonly Key[]): Promise<PlanWarning[]> {
  const shared = (await queries.blobsNamed(thread, keys)).filter(({ isShared }) => isShared).length;
  if (shared === 0) return [];
  const values = shared === 1 ? '1 value' : `${shared} values`;
  const message = `${values} that other checkpoints use too will be kept, so less space becomes free than their size.`;
  return [{ code: 'shared_blobs', message }];
}

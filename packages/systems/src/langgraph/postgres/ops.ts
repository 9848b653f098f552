/** How plans write LangGraph's rows in PostgreSQL: JSON columns, and values in a table that checkpoints share. */
import { InspectorError, patchJson, quoteJson, setMember, type PlanWarning } from '@checkpoint-inspector/core';
import { postgresJob } from '@checkpoint-inspector/io';
import { isRecord, recordOf } from '../../folder/view.ts';
import type { RowOps } from '../plan-parts.ts';
import type { FullRow, Key } from '../queries.ts';
import { parseLoosely } from '../shape.ts';
import { timeIn } from '../stamped.ts';
import { timeLike } from '../uuid6.ts';
import type { PostgresQueries } from './queries.ts';
import type { BlobKey } from './values.ts';

const BLOBS = 'checkpoint_blobs';
const START = '__start__';

/** @param place the identity of the open database */
export function postgresOps(place: string, queries: PostgresQueries): RowOps {
  return {
    writes: 'checkpoint_writes',
    job: () => postgresJob(place, []),
    columnsOf: (_row, { checkpoint, metadata }) => ({ checkpoint: textOf(checkpoint), metadata: textOf(metadata) }),
    contentOf: (row) => ({
      parent_checkpoint_id: row.parent,
      checkpoint: textOf(row.column ?? null),
      metadata: textOf(row.metadata),
    }),
    stamped: (thread, row, id, ticks) => new TextEncoder().encode(stamped(queries, thread, row, { id, ticks })),
    sizeOf: (row) => (row.column?.length ?? 0) + (row.metadata?.length ?? 0),
    addValues: (job, thread, row) => {
      const start = startOf(queries, thread, row);
      if (start === undefined) return;
      const key = blobColumns(thread, { ns: '', channel: START, version: String(start.version) });
      job.expectAbsent(BLOBS, key);
      if (start.source === undefined) job.insert(BLOBS, { ...key, type: 'empty', blob: null });
      else job.copy(BLOBS, { ...key, version: start.source }, { version: String(start.version) });
    },
    copyValues: (job, thread, targetTask, keys) => {
      const set = { thread_id: targetTask };
      job.expectAbsent(BLOBS, set);
      if (keys === undefined) {
        if (queries.blobFacts(thread).count > 0) job.copyAll(BLOBS, { thread_id: thread }, set);
        return;
      }
      for (const blob of queries.blobsNamed(thread, keys)) job.copy(BLOBS, blobColumns(thread, blob), set);
    },
    deleteValues: (job, thread, keys) => {
      const { count } = queries.blobFacts(thread);
      if (keys === undefined && count > 0) job.delete(BLOBS, { thread_id: thread }, { expect: count });
      if (keys === undefined) return;
      for (const blob of queries.blobsNamed(thread, keys))
        if (!blob.isShared) job.delete(BLOBS, blobColumns(thread, blob));
    },
    warnings: (kind, thread, keys) =>
      kind === 'delete' ? sharedWarning(queries, thread, keys) : collisionWarning(queries, thread),
  };
}

function blobColumns(thread: string, { ns, channel, version }: BlobKey) {
  return { thread_id: thread, checkpoint_ns: ns, channel, version };
}

function textOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}

/** Of PostgresSaver for JavaScript alone: a version that is greater than all that the thread has used, and where its value is. */
interface Start {
  readonly version: number;
  /** The version of the stored value; absent where the channel is empty. */
  readonly source?: string;
}

/**
 * JavaScript's saver counts versions from the row that a run continues from, and keeps a value that is there already. After
 * a restore the new run would so be given the values of the old one. A version above all others makes it count on from
 * there. Source: langgraphjs, issue 1812.
 */
function startOf(queries: PostgresQueries, thread: string, row: FullRow): Start | undefined {
  const versions = versionsOf(row);
  if (Object.values(versions).some((version) => typeof version !== 'number')) return undefined;
  const { greatest } = queries.blobFacts(thread);
  if (greatest === null) return undefined;
  const source = typeof versions[START] === 'number' ? String(versions[START]) : undefined;
  const type = source === undefined ? undefined : queries.typeOfBlob(thread, START, source);
  const isEmpty = type === undefined || type === 'empty';
  return { version: greatest + 1, ...(isEmpty || source === undefined ? {} : { source }) };
}

function versionsOf(row: FullRow): Readonly<Record<string, unknown>> {
  const checkpoint = parseLoosely(textOf(row.column ?? null) ?? '');
  return recordOf(recordOf(checkpoint)['channel_versions']);
}

/** Only id and time change, and what keeps versions apart. @throws InspectorError unsupported */
function stamped(
  queries: PostgresQueries,
  thread: string,
  row: FullRow,
  { id, ticks }: { readonly id: string; readonly ticks: bigint },
): string {
  const text = textOf(row.column ?? null) ?? '';
  const checkpoint = parseLoosely(text);
  if (!isRecord(checkpoint) || checkpoint['id'] !== row.id || typeof checkpoint['ts'] !== 'string') {
    throw new InspectorError(
      'unsupported',
      'The JSON of this checkpoint has another id or no time, so LangGraph would not take a copy for it.',
    );
  }
  const copy = patchJson(text, [
    { path: ['id'], text: quoteJson(id) },
    { path: ['ts'], text: quoteJson(timeLike(timeIn(text), ticks)) },
  ]);
  const start = startOf(queries, thread, row);
  if (start === undefined) return copy;
  const version = String(start.version);
  const raised = setMember(copy, ['channel_versions'], START, version);
  const isSeen = start.source === undefined && isRecord(recordOf(checkpoint['versions_seen'])[START]);
  return isSeen ? setMember(raised, ['versions_seen', START], START, version) : raised;
}

function collisionWarning(queries: PostgresQueries, thread: string): PlanWarning[] {
  const { greatest, isBranched } = queries.blobFacts(thread);
  if (greatest === null || !isBranched) return [];
  const message =
    "This thread has branches. LangGraph's PostgresSaver for JavaScript gives values of two branches the same version and keeps the first, so states of a later branch may already show values of an earlier one.";
  return [{ code: 'version_collision', message }];
}

function sharedWarning(queries: PostgresQueries, thread: string, keys: readonly Key[]): PlanWarning[] {
  const shared = queries.blobsNamed(thread, keys).filter(({ isShared }) => isShared).length;
  if (shared === 0) return [];
  const values = shared === 1 ? '1 value' : `${shared} values`;
  const message = `${values} that other checkpoints use too will be kept, so less space becomes free than their size.`;
  return [{ code: 'shared_blobs', message }];
}

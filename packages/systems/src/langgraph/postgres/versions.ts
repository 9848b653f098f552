/** The versions that channels have in the tables of PostgresSaver, and how those of JavaScript are kept apart. */
import { patchJson, quoteJson, setMember } from '@checkpoint-inspector/core';
import type { RowsJob } from '@checkpoint-inspector/io';
import { isRecord, recordOf } from '../../folder/view.ts';
import type { Stamp } from '../edited.ts';
import type { FullRow } from '../queries.ts';
import { parseLoosely } from '../shape.ts';
import type { PostgresQueries } from './queries.ts';
import { blobColumns, BLOBS } from './values.ts';

const START = '__start__';

/** The column `checkpoint`, as the server writes it. */
export function columnOf({ column }: FullRow): string {
  return column === undefined ? '' : Buffer.from(column).toString('utf8');
}

export function versionsOf(row: FullRow): Readonly<Record<string, unknown>> {
  return recordOf(recordOf(parseLoosely(columnOf(row) || 'null'))['channel_versions']);
}

/** Its versions are texts; those of JavaScript are numbers. */
export function isPython(row: FullRow): boolean {
  return Object.values(versionsOf(row)).some((version) => typeof version === 'string');
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
async function startOf(queries: PostgresQueries, thread: string, row: FullRow): Promise<Start | undefined> {
  const versions = versionsOf(row);
  if (Object.values(versions).some((version) => typeof version !== 'number')) return undefined;
  const { greatest } = await queries.blobFacts(thread);
  if (greatest === null) return undefined;
  const source = typeof versions[START] === 'number' ? String(versions[START]) : undefined;
  const type = source === undefined ? undefined : await queries.typeOfBlob(thread, START, source);
  const isEmpty = type === undefined || type === 'empty';
  return { version: greatest + 1, ...(isEmpty || source === undefined ? {} : { source }) };
}

/** Puts another id and time into a text of the row's checkpoint, and what keeps versions apart. */
export async function withStamp(
  queries: PostgresQueries,
  thread: string,
  row: FullRow,
): Promise<(text: string, stamp: Stamp) => string> {
  const start = await startOf(queries, thread, row);
  return (text, { id, ts }) => {
    const copy = patchJson(text, [
      { path: ['id'], text: quoteJson(id) },
      { path: ['ts'], text: quoteJson(ts) },
    ]);
    if (start === undefined) return copy;
    const version = String(start.version);
    const raised = setMember(copy, ['channel_versions'], START, version);
    const seen = recordOf(recordOf(parseLoosely(text))['versions_seen']);
    const isSeen = start.source === undefined && isRecord(seen[START]);
    return isSeen ? setMember(raised, ['versions_seen', START], START, version) : raised;
  };
}

/** The value of that version. */
export async function addStart(
  queries: PostgresQueries,
  source: string,
  row: FullRow,
): Promise<(job: RowsJob, thread: string) => void> {
  const start = await startOf(queries, source, row);
  return (job, thread) => {
    if (start === undefined) return;
    const key = blobColumns(thread, { ns: '', channel: START, version: String(start.version) });
    job.expectAbsent(BLOBS, key);
    if (start.source === undefined) job.insert(BLOBS, { ...key, type: 'empty', blob: null });
    else {
      const from = blobColumns(source, { ns: '', channel: START, version: start.source });
      job.copy(BLOBS, from, { thread_id: thread, version: String(start.version) });
    }
  };
}

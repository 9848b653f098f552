/** Whole rows: the checkpoint's JSON with the values of its channels, which lie in tables of their own. */
import { InspectorError, parseJson, sourceOf, toJsonText } from '@checkpoint-inspector/core';
import type { PostgresReader } from '@checkpoint-inspector/io';
import { payloadText } from '../payload.ts';
import type { FullRow } from '../queries.ts';
import { inOrder } from './batched.ts';
import { ASKED, blobsOf, columnsOf, OF_ASKED, READ, type Asked } from './sql.ts';
import type { Layout } from './tables.ts';

/** Which values are read: all, those that say what runs next, or those of some channels. */
export type Channels = 'all' | 'triggers' | readonly string[];

/** Larger states do not fit into one text. */
const LARGEST = 256 * 1024 * 1024;
/** Whether such a channel has a value is all that is asked; of the others, what is in it. */
const MARKERS = "(x.name = '__start__' OR x.name LIKE 'branch:to:%')";
const LISTS = "(x.name = '__pregel_tasks' OR x.name LIKE 'join:%')";
const TRIGGERS = `(${MARKERS} OR ${LISTS})`;
const LARGEST_LIST = 1024 * 1024;

interface HeadRow {
  readonly n: number;
  readonly ns: string;
  readonly id: string;
  readonly parent: string | null;
  readonly checkpoint: string | null;
  readonly inline: string | null;
  readonly metadata: string | null;
  /** The whole column, where all is read. */
  readonly stored: string | null;
  readonly size: number;
}

interface BlobRow {
  readonly n: number;
  readonly channel: string;
  readonly type: string;
  readonly blob: Uint8Array | null;
  readonly isMarker: boolean;
}

export async function rowsOf(
  reader: PostgresReader,
  layout: Layout,
  asked: readonly Asked[],
  channels: Channels,
): Promise<(FullRow | undefined)[]> {
  const heads = await headsOf(reader, layout, asked, channels);
  const small = heads.map((head) => head !== undefined && head.size <= LARGEST);
  const blobs = await blobRows(
    reader,
    layout,
    asked.filter((_, at) => small[at]),
    channels,
  );
  return heads.map((head, at) => {
    if (head === undefined) return undefined;
    if (!small[at]) return rowFrom(head, { refused: tooLarge(head.size) });
    const own = blobs.shift() ?? [];
    return joined(head, own);
  });
}

function tooLarge(size: number): InspectorError {
  return new InspectorError(
    'too_large',
    `The state has ${Math.round(size / 2 ** 20)} MB, which is too large to be shown.`,
  );
}

/** `channel` is $4, where channels are named. */
function wanted(channels: Channels, name: string): string {
  if (channels === 'all') return 'true';
  return channels === 'triggers' ? TRIGGERS.replaceAll('x.name', name) : `${name} = ANY($4)`;
}

async function headsOf(
  reader: PostgresReader,
  layout: Layout,
  asked: readonly Asked[],
  channels: Channels,
): Promise<(HeadRow | undefined)[]> {
  const inline = `(SELECT jsonb_object_agg(i.key, i.value) FROM jsonb_each(CASE
      jsonb_typeof(c.checkpoint -> 'channel_values') WHEN 'object' THEN c.checkpoint -> 'channel_values' END) i
    WHERE ${wanted(channels, 'i.key')})::text`;
  const sql = `SELECT h.n, h.ns, h.id, h.parent, h.size, CASE WHEN h.size <= ${LARGEST} THEN h.checkpoint END AS checkpoint,
      CASE WHEN h.size <= ${LARGEST} THEN h.inline END AS inline, h.metadata,
      CASE WHEN h.size <= ${LARGEST} THEN h.stored END AS stored
    FROM (SELECT k.n::int AS n, c.checkpoint_ns AS ns, c.checkpoint_id AS id, c.parent_checkpoint_id AS parent,
        CASE jsonb_typeof(c.checkpoint) WHEN 'object' THEN c.checkpoint - 'channel_values' ELSE c.checkpoint END::text AS checkpoint,
        ${channels === 'all' ? 'c.checkpoint::text' : 'NULL::text'} AS stored, ${inline} AS inline, c.metadata::text AS metadata, octet_length(c.checkpoint::text) + coalesce((SELECT
          sum(octet_length(b.blob)) FROM ${blobsOf(layout)} WHERE ${wanted(channels, 'b.channel')}), 0)::float8 AS size
      FROM ${ASKED} JOIN ${layout.checkpoints} c ON ${OF_ASKED}) h`;
  const rows = await reader.query<HeadRow & { readonly n: number }>(sql, parameters(asked, channels));
  return inOrder(asked, rows, ([row]) => row);
}

async function blobRows(
  reader: PostgresReader,
  layout: Layout,
  asked: readonly Asked[],
  channels: Channels,
): Promise<BlobRow[][]> {
  if (asked.length === 0) return [];
  const isPart = channels === 'triggers';
  const marker = isPart ? MARKERS.replaceAll('x.name', 'b.channel') : 'false';
  // Of a type that is not read the name is enough: it says that the row is not read.
  const other = isPart ? `OR b.type NOT IN (${READ})` : '';
  const isRead = isPart
    ? `${wanted(channels, 'b.channel')} AND NOT ${marker} AND octet_length(b.blob) <= ${LARGEST_LIST}`
    : 'true';
  const sql = `SELECT k.n::int AS n, b.channel, b.type, CASE WHEN ${isRead} THEN b.blob END AS blob, ${marker} AS "isMarker"
    FROM ${ASKED} JOIN ${layout.checkpoints} c ON ${OF_ASKED} CROSS JOIN LATERAL (SELECT b.* FROM ${blobsOf(layout)}) b
    WHERE b.type <> 'empty' AND (${wanted(channels, 'b.channel')} ${other})
      AND (${String(!isPart)} OR octet_length(b.blob) <= ${LARGEST_LIST} OR ${marker} ${other})
    ORDER BY k.n, b.channel COLLATE "C"`;
  const rows = await reader.query<BlobRow & { readonly n: number }>(sql, parameters(asked, channels));
  return inOrder(asked, rows, (own) => [...own]);
}

function parameters(asked: readonly Asked[], channels: Channels): (readonly string[])[] {
  return [...columnsOf(asked), ...(typeof channels === 'string' ? [] : [channels])];
}

/** What the row holds itself comes first; where a channel has a blob too, the blob is its value. As LangGraph reads it. */
function joined(head: HeadRow, blobs: readonly BlobRow[]): FullRow {
  const { checkpoint, inline } = head;
  const values = new Map<string, string>();
  if (checkpoint === null || !checkpoint.startsWith('{')) return rowFrom(head, { bytes: checkpoint ?? 'null' });
  for (const { key, text } of membersOf(inline)) values.set(key, text);
  let isDecoded = false;
  try {
    for (const blob of blobs) {
      isDecoded ||= blob.type !== 'json';
      values.set(blob.channel, textOf(blob));
    }
  } catch (error) {
    return rowFrom(head, { refused: InspectorError.from(error) });
  }
  return rowFrom(head, { bytes: withValues(checkpoint, values), note: noteOf(blobs.length > 0, isDecoded) });
}

/** A checkpoint, as the server writes it and without values, with these. */
export function withValues(checkpoint: string, values: ReadonlyMap<string, string>): string {
  const members = [...values].map(([key, text]) => `${toJsonText(key)}:${text}`).join(',');
  const rest = checkpoint.slice(0, -1);
  return `${rest}${rest === '{' ? '' : ', '}"channel_values": {${members}}}`;
}

function noteOf(isJoined: boolean, isDecoded: boolean): string {
  const parts = ["PostgreSQL's JSON", ...(isJoined ? ['joined with the values of the table checkpoint_blobs'] : [])];
  return `${parts.join(' ')}${isDecoded ? ", decoded from Python's msgpack" : ''}`;
}

/** @throws InspectorError with the channel's name */
function textOf({ channel, type, blob, isMarker }: BlobRow): string {
  if (isMarker) return 'null';
  try {
    return payloadText({ type, stored: blob === null ? 'null' : 'blob', bytes: blob });
  } catch (thrown) {
    const { code, message, remedy } = InspectorError.from(thrown);
    throw new InspectorError(code, `The channel "${channel}" can't be read: ${message}`, { cause: thrown, remedy });
  }
}

function membersOf(text: string | null): { key: string; text: string }[] {
  if (text === null) return [];
  const node = parseJson(text);
  if (node.kind !== 'object') return [];
  return node.members.map(({ key, value }) => ({ key, text: sourceOf(text, value) }));
}

function rowFrom(
  { ns, id, parent, metadata, stored }: HeadRow,
  given: { readonly bytes?: string; readonly note?: string; readonly refused?: InspectorError },
): FullRow {
  return {
    ns,
    id,
    parent,
    type: 'json',
    stored: 'blob',
    checkpoint: given.bytes === undefined ? null : Buffer.from(given.bytes),
    metadata: metadata === null ? null : Buffer.from(metadata),
    metadataStored: 'blob',
    ...(given.note === undefined ? {} : { joined: given.note }),
    ...(stored === null ? {} : { column: Buffer.from(stored) }),
    ...(given.refused === undefined ? {} : { refused: given.refused }),
  };
}

/** The column `checkpoint`, as the server writes it. */
export async function storedOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  asked: Asked,
): Promise<Uint8Array | undefined> {
  const sql = `SELECT c.checkpoint::text AS checkpoint FROM ${checkpoints} c
    WHERE c.thread_id = $1 AND c.checkpoint_ns = $2 AND c.checkpoint_id = $3`;
  const [row] = await reader.query<{ checkpoint: string | null }>(sql, asked);
  return row && Buffer.from(row.checkpoint ?? '');
}

/** Of a chain of ancestors, how many are read at first; then twice as many, up to the most. */
const FIRST = 16;
const MOST = 256;

/** Along the parents, until each channel was found, one is missing, or one was there already. */
export async function ancestorsOf(
  reader: PostgresReader,
  layout: Layout,
  [thread, ns, parent, channels]: readonly [string, string, string | null, readonly string[]],
): Promise<FullRow[]> {
  const found: FullRow[] = [];
  const seen = new Set<string>();
  const open = new Set(channels);
  for (let next = parent, many = FIRST; next !== null && open.size > 0; many = Math.min(2 * many, MOST)) {
    const ids: string[] = (await chainOf(reader, layout, [thread, ns, next], many)).filter((id) => !seen.has(id));
    if (ids.length === 0) return found;
    const rows = await rowsOf(
      reader,
      layout,
      ids.map((id): Asked => [thread, ns, id]),
      channels,
    );
    const present = rows.filter((row) => row !== undefined);
    for (const row of present) {
      seen.add(row.id);
      found.push(row);
      for (const channel of storedIn(row)) open.delete(channel);
    }
    next = present.at(-1)?.parent ?? null;
  }
  return found;
}

function storedIn({ checkpoint }: FullRow): string[] {
  if (checkpoint === null) return [];
  const text = Buffer.from(checkpoint).toString('utf8');
  const root = parseJson(text);
  const values = root.kind === 'object' ? root.members.find(({ key }) => key === 'channel_values')?.value : undefined;
  return values?.kind === 'object' ? values.members.map(({ key }) => key) : [];
}

async function chainOf(
  reader: PostgresReader,
  { checkpoints }: Layout,
  [thread, ns, id]: Asked,
  many: number,
): Promise<string[]> {
  const sql = `WITH RECURSIVE a(id, parent, depth) AS (
      SELECT c.checkpoint_id, c.parent_checkpoint_id, 1 FROM ${checkpoints} c
        WHERE c.thread_id = $1 AND c.checkpoint_ns = $2 AND c.checkpoint_id = $3
      UNION ALL SELECT c.checkpoint_id, c.parent_checkpoint_id, a.depth + 1 FROM a JOIN ${checkpoints} c
        ON c.thread_id = $1 AND c.checkpoint_ns = $2 AND c.checkpoint_id = a.parent WHERE a.depth < $4::int)
    SELECT id FROM a ORDER BY depth`;
  const rows = await reader.query<{ id: string }>(sql, [thread, ns, id, many]);
  return [...new Set(rows.map((row) => row.id))];
}

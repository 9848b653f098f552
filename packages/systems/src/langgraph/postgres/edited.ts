/** The row that an edit makes in PostgreSQL. A value that other checkpoints name is never written over. */
import {
  InspectorError,
  memberOf,
  parseJson,
  patchJson,
  quoteJson,
  sourceOf,
  stringOf,
  type JsonNode,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { stampEdits } from '../edited.ts';
import { rewritten } from '../msgpack/write.ts';
import { parseCheckpoint, payloadText } from '../payload.ts';
import type { ChannelEdit, EditedRow } from '../plan-parts.ts';
import type { FullRow } from '../queries.ts';
import { byJsonbOrder, jsonbText } from './jsonb.ts';
import type { PostgresQueries } from './queries.ts';
import { withValues } from './rows.ts';
import { blobColumns, BLOBS, type StoredBlob } from './values.ts';
import { addStart, columnOf, isPython, withStamp } from './versions.ts';

const NIL = Uint8Array.of(0xc0);

/** Where a changed value goes: into the row, into a blob of its own, or nowhere. */
type Place = { readonly inline: string } | { readonly blob: StoredBlob } | undefined;

/**
 * Changed channels get a version that the thread hasn't used yet. Python's saver keeps None, booleans, numbers and texts
 * in the row; everything else becomes a new blob of that version.
 * @throws InspectorError unsupported
 */
export async function editedRow(
  queries: PostgresQueries,
  thread: string,
  row: FullRow,
  edit: ChannelEdit,
): Promise<EditedRow> {
  if (edit.changed.length === 0) return sameRow(queries, thread, row, edit);
  const column = columnOf(row);
  const root = objectIn(column);
  const inline = inlineOf(column, root);
  const place = isPython(row) ? pythonPlace(inline !== undefined) : javaScriptPlace;
  const used = BigInt((await queries.blobFacts(thread)).greatest ?? 0);
  const stamped = patchJson(column, stampEdits(column, root, edit.changed, { ...edit.stamp, used }));
  const values = objectIn(edit.values);
  const places = new Map<string, Place>();
  for (const channel of edit.changed) {
    const version = versionIn(column, channel);
    const old = version === undefined ? undefined : await queries.blobOf(thread, channel, version);
    const node = memberOf(values, channel)?.value;
    places.set(channel, place(channel, { text: edit.values, node, old }));
  }
  const kept = withPlaces(inline ?? new Map(), places);
  const rest = withoutValues(stamped);
  return {
    checkpoint: Buffer.from(inline === undefined ? stamped : withValues(rest, kept)),
    text: withValues(rest, asRead(edit.source, kept, places)),
    addValues: (job, target) => {
      for (const [channel, one] of places) {
        if (one === undefined || !('blob' in one)) continue;
        const key = blobColumns(target, { ns: '', channel, version: versionIn(stamped, channel) ?? '' });
        job.expectAbsent(BLOBS, key).insert(BLOBS, { ...key, ...one.blob });
      }
    },
  };
}

/** Nothing but id and time is new. */
async function sameRow(
  queries: PostgresQueries,
  thread: string,
  row: FullRow,
  { source, stamp }: ChannelEdit,
): Promise<EditedRow> {
  const stamped = await withStamp(queries, thread, row);
  const addValues = await addStart(queries, thread, row);
  return { checkpoint: Buffer.from(stamped(columnOf(row), stamp)), text: stamped(source, stamp), addValues };
}

interface Changed {
  readonly text: string;
  /** Absent where the channel goes. */
  readonly node: JsonNode | undefined;
  /** The blob that it had. */
  readonly old: StoredBlob | undefined;
}

const EMPTY: Place = { blob: { type: 'empty', blob: null } };

/** Source: langgraphjs, checkpoint-postgres, `_dumpBlobs`. */
function javaScriptPlace(channel: string, { text, node, old }: Changed): Place {
  if (node === undefined) return EMPTY;
  if (old === undefined || old.type === 'json' || old.type === 'empty') {
    return { blob: { type: 'json', blob: Buffer.from(sourceOf(text, node)) } };
  }
  throw new InspectorError(
    'unsupported',
    `The channel "${channel}" is stored as ${old.type}, so it can be removed, not changed.`,
    { data: { path: channel }, remedy: "Change it with the graph's own updateState." },
  );
}

/** Since 3.0, small values are in the row, and nothing is written of a channel that goes. Source: langgraph-checkpoint-postgres. */
const pythonPlace =
  (keepsInline: boolean) =>
  (channel: string, { text, node, old }: Changed): Place => {
    if (node === undefined) return keepsInline ? undefined : EMPTY;
    const isSmall = node.kind !== 'object' && node.kind !== 'array';
    if (keepsInline && isSmall) return { inline: jsonbText(text, node, [channel]) };
    const stored = old?.type === 'msgpack' && old.blob !== null ? old.blob : NIL;
    return { blob: { type: 'msgpack', blob: rewritten(stored, sourceOf(text, node), [channel]) } };
  };

/** The values that are in the row itself; `undefined` where its saver keeps none there. */
function inlineOf(text: string, root: JsonObject): Map<string, string> | undefined {
  const values = memberOf(root, 'channel_values')?.value;
  if (values?.kind !== 'object') return undefined;
  return new Map(values.members.map(({ key, value }) => [key, sourceOf(text, value)]));
}

function withPlaces(
  inline: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, Place>,
): ReadonlyMap<string, string> {
  const kept = new Map(inline);
  for (const [channel, place] of places) {
    if (place !== undefined && 'inline' in place) kept.set(channel, place.inline);
    else kept.delete(channel);
  }
  return kept;
}

/** The values as they are joined on reading: those of the row in the server's order, then the blobs by name. */
function asRead(
  source: string,
  inline: ReadonlyMap<string, string>,
  places: ReadonlyMap<string, Place>,
): ReadonlyMap<string, string> {
  const { channelValues } = parseCheckpoint(source);
  const texts = new Map(inline);
  for (const { key, value } of channelValues.members) if (!places.has(key)) texts.set(key, sourceOf(source, value));
  for (const [channel, place] of places) {
    if (place === undefined || !('blob' in place) || place.blob.type === 'empty') continue;
    texts.set(channel, payloadText({ type: place.blob.type, stored: 'blob', bytes: place.blob.blob }));
  }
  const inRow = [...inline.keys()].toSorted(byJsonbOrder);
  const inBlobs = [...texts.keys()].filter((key) => !inline.has(key)).toSorted(byBytes);
  return new Map([...inRow, ...inBlobs].map((key) => [key, texts.get(key) ?? 'null']));
}

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

function withoutValues(text: string): string {
  const members = objectIn(text).members.filter(({ key }) => key !== 'channel_values');
  return `{${members.map(({ key, value }) => `${quoteJson(key)}: ${sourceOf(text, value)}`).join(', ')}}`;
}

function versionIn(text: string, channel: string): string | undefined {
  const versions = memberOf(objectIn(text), 'channel_versions')?.value;
  const version = versions?.kind === 'object' ? memberOf(versions, channel)?.value : undefined;
  return version && stringOf(text, version);
}

function objectIn(text: string): JsonObject {
  const root = parseJson(text);
  if (root.kind === 'object') return root;
  throw new InspectorError('unreadable', "The JSON isn't an object.");
}

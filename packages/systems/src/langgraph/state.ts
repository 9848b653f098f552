import {
  InspectorError,
  memberOf,
  parseJson,
  setMember,
  sourceOf,
  stringOf,
  type JsonNode,
  type JsonObject,
} from '@checkpoint-inspector/core';
import { readMetadata, type Metadata } from './metadata.ts';
import { SNAPSHOT_TYPE } from './msgpack/extension.ts';
import { NO_METADATA, parseCheckpoint, payloadText, type ParsedCheckpoint } from './payload.ts';
import type { FullRow, Queries } from './queries.ts';
import { parseLoosely } from './shape.ts';
import { isRemoval, messageFields, messageId, REMOVE_ALL } from './view.ts';

export const DECODED_NOTE = "decoded from Python's msgpack";

/** The exact slice `channel_values`, unless it is decoded or delta channels are assembled. @throws InspectorError unreadable | … */
export async function readState(
  queries: Queries,
  thread: string,
  row: FullRow,
): Promise<{ text: string; derived?: string }> {
  const text = payloadText({ ...row, bytes: row.checkpoint });
  try {
    const parsed = parseCheckpoint(text);
    // LangGraph reads both or none, and delta channels is unknown without it.
    const { metadata } = soundMetadata(row);
    const assembled = await assembleDeltas(queries, thread, row, parsed, metadata.deltaChannels);
    const decoded = row.type === 'msgpack' ? DECODED_NOTE : undefined;
    const derived = [row.joined, decoded, assembled?.derived].filter((note) => note !== undefined).join('; ');
    const state = assembled?.text ?? sourceOf(text, parsed.channelValues);
    return { text: state, ...(derived === '' ? {} : { derived }) };
  } catch (error) {
    throw withByteOffset(error, text);
  }
}

/** @throws InspectorError unreadable, where a row contains none */
export function soundMetadata(row: FullRow): { text: string; metadata: Metadata } {
  const text = metadataText(row);
  const metadata = readMetadata(text);
  if (text === null || metadata === undefined) {
    throw new InspectorError('unreadable', NO_METADATA);
  }
  return { text, metadata };
}

export function metadataText(row: FullRow): string | null {
  return row.metadata === null ? null : Buffer.from(row.metadata).toString('utf8');
}

function withByteOffset(error: unknown, text: string): unknown {
  if (!InspectorError.is(error) || typeof error.data?.['offset'] !== 'number') return error;
  const offset = Buffer.byteLength(text.slice(0, error.data['offset']));
  return new InspectorError(error.code, error.message, { cause: error, data: { offset } });
}

/** What the ancestors hold of one delta channel. All values are JSON text as stored. */
interface History {
  base?: string;
  /** Oldest first. */
  writes: string[];
  ancestors: number;
}

/**
 * Puts delta channels together: LangGraph stores only their writes, on the ancestors, so their value is that of the
 * nearest ancestor which holds one, and all later writes. Source: langgraph-checkpoint, getDeltaChannelHistory.
 * @returns the state's text, and in words how it was made; `undefined` when nothing had to be assembled
 * @throws InspectorError unreadable, when an ancestor is
 */
export async function assembleDeltas(
  queries: Queries,
  thread: string,
  row: FullRow,
  { text, channelValues }: ParsedCheckpoint,
  deltaChannels: readonly string[],
): Promise<{ text: string; derived: string } | undefined> {
  let state = sourceOf(text, channelValues);
  const notes: string[] = [];
  for (const member of channelValues.members) {
    const snapshot = snapshotValue(text, member.value);
    if (snapshot === undefined || member.duplicate) continue;
    state = setMember(state, [], member.key, snapshot);
    notes.push(`${member.key}: taken from its snapshot`);
  }
  const missing = deltaChannels.filter((channel) => memberOf(channelValues, channel) === undefined);
  const { histories, gap } = await collect(queries, thread, row, missing);
  for (const [channel, history] of histories) {
    if (history.base === undefined && history.writes.length === 0) continue;
    const { value, how } = replay(history);
    state = setMember(state, [], channel, value);
    notes.push(`${channel}: ${how}`);
  }
  if (gap !== undefined) notes.push(`ancestor ${gap} is missing, so older writes are lost`);
  return notes.length === 0 ? undefined : { text: state, derived: notes.join('; ') };
}

async function collect(
  queries: Queries,
  thread: string,
  row: FullRow,
  channels: readonly string[],
): Promise<{ histories: Map<string, History>; gap?: string }> {
  const histories = new Map<string, History>(channels.map((channel) => [channel, { writes: [], ancestors: 0 }]));
  const open = new Map(histories);
  const visited = new Set([row.id]);
  let next = row.parent;
  if (channels.length === 0) return { histories };
  for (const ancestor of await queries.ancestors(thread, row, channels)) {
    if (visited.has(ancestor.id)) return { histories };
    visited.add(ancestor.id);
    const parsed = parseAncestor(ancestor);
    for (const [channel, history] of open) {
      const writes = await queries.writes(thread, ancestor, channel);
      history.writes.unshift(...writes.map((write) => payloadText({ ...write, bytes: write.value })));
      history.ancestors++;
      const stored = memberOf(parsed.channelValues, channel)?.value;
      if (stored === undefined) continue;
      history.base = snapshotValue(parsed.text, stored) ?? sourceOf(parsed.text, stored);
      open.delete(channel);
    }
    if (open.size === 0) return { histories };
    next = ancestor.parent;
  }
  return { histories, ...(next === null ? {} : { gap: next }) };
}

function parseAncestor(row: FullRow): ParsedCheckpoint {
  try {
    return parseCheckpoint(payloadText({ ...row, bytes: row.checkpoint }));
  } catch (cause) {
    const { message } = InspectorError.from(cause);
    throw new InspectorError(
      'unreadable',
      `A delta channel needs the ancestor ${row.id}, which cannot be read: ${message}`,
      { cause },
    );
  }
}

/** The value in a `delta_snapshot` envelope. */
function snapshotValue(text: string, node: JsonNode): string | undefined {
  if (node.kind !== 'object') return undefined;
  const isJavaScript = field(text, node, 'type') === 'delta_snapshot' && field(text, node, 'lc') === '2';
  if (!isJavaScript && field(text, node, '$type') !== SNAPSHOT_TYPE) return undefined;
  const value = memberOf(node, 'value')?.value;
  return value && sourceOf(text, value);
}

function field(text: string, node: JsonObject, key: string): string | undefined {
  const value = memberOf(node, key)?.value;
  return value && stringOf(text, value);
}

/** An `Overwrite` makes a new start; for the rest the reducer must be known, and only that of messages is. */
function replay(history: History): { value: string; how: string } {
  let base = history.base;
  let writes: string[] = [];
  for (const write of history.writes) {
    const overwrite = overwriteValue(write);
    if (overwrite === undefined) {
      writes.push(write);
      continue;
    }
    writes = [];
    base = overwrite === 'null' ? undefined : overwrite;
  }
  const from = `from ${counted(history.writes.length, 'write')} on ${counted(history.ancestors, 'ancestor')}`;
  if (writes.length === 0) return { value: base ?? '[]', how: `assembled ${from}` };
  const messages = reduceMessages([...(base === undefined ? [] : [base]), ...writes]);
  if (messages !== undefined) return { value: messages, how: `assembled ${from}, by the rules for messages` };
  return {
    value: `{"stored":${base ?? 'null'},"writes":[${writes.join(',')}]}`,
    how: `its reducer isn't stored, so the value and the writes are listed ${from}`,
  };
}

function counted(n: number, what: string): string {
  return n === 1 ? `1 ${what}` : `${n} ${what}s`;
}

function overwriteValue(write: string): string | undefined {
  const node = parseJson(write);
  if (node.kind !== 'object') return undefined;
  const value =
    memberOf(node, '__overwrite__') ??
    (field(write, node, 'type') === '__overwrite__' || field(write, node, '$type') === 'langgraph.types.Overwrite'
      ? memberOf(node, 'value')
      : undefined);
  return value && sourceOf(write, value.value);
}

/** Append, replace by id, remove by id. `undefined` when some item is not a message. Source: langgraph, messagesDeltaReducer. */
function reduceMessages(lists: readonly string[]): string | undefined {
  let result: (string | undefined)[] = [];
  const places = new Map<string, number>();
  for (const item of lists.flatMap(itemsOf)) {
    const message = messageFields(parseLoosely(item));
    if (message === undefined) return undefined;
    const id = messageId(message);
    const place = id === undefined ? undefined : places.get(id);
    if (isRemoval(message)) {
      if (id === REMOVE_ALL) {
        result = [];
        places.clear();
      } else if (id !== undefined && place !== undefined) {
        result[place] = undefined;
        places.delete(id);
      }
    } else if (place !== undefined) result[place] = item;
    else {
      if (id !== undefined) places.set(id, result.length);
      result.push(item);
    }
  }
  return `[${result.filter((item) => item !== undefined).join(',')}]`;
}

function itemsOf(text: string): string[] {
  const node = parseJson(text);
  return node.kind === 'array' ? node.items.map((item) => sourceOf(text, item)) : [text];
}

/**
 * Python's dev server keeps the values of channels apart from the checkpoints that name their versions. Here they come
 * together again, as MessagePack: where LangGraph has them, before `channel_versions`.
 */
import { InspectorError, fromJsonText } from '@checkpoint-inspector/core';
import { recordOf } from '../folder/view.ts';
import { msgpackAt } from '../langgraph/msgpack/read.ts';
import type { Typed } from './rows.ts';
import { endOfValue, numberAt } from './skip.ts';

export interface Joined {
  readonly bytes: Uint8Array;
  /** What is not as LangGraph would have it, in words. */
  readonly notes: readonly string[];
}

type ValueOf = (channel: string, version: string) => Typed | undefined;

/** `undefined` where the checkpoint holds its values itself. @throws InspectorError unreadable */
export function joinValues(checkpoint: Uint8Array, valueOf: ValueOf): Joined | undefined {
  const { count, from } = mapHead(checkpoint);
  let versions: { readonly at: number; readonly text: string } | undefined;
  for (let [n, at] = [0, from]; n < count; n++) {
    const value = endOfValue(checkpoint, at);
    const key = msgpackAt(checkpoint, at);
    if (key === '"channel_values"') return undefined;
    if (key === '"channel_versions"') versions = { at, text: msgpackAt(checkpoint, value) };
    at = endOfValue(checkpoint, value);
  }
  if (versions === undefined) return undefined;
  const { values, notes } = valuesOf(versions.text, valueOf);
  const parts = [header(0x80, 0xde, count + 1), checkpoint.subarray(from, versions.at), text('channel_values'), values];
  return { bytes: Buffer.concat([...parts, checkpoint.subarray(versions.at)]), notes };
}

function valuesOf(versions: string, valueOf: ValueOf): { values: Uint8Array; notes: string[] } {
  const members: Uint8Array[] = [];
  const notes: string[] = [];
  const missing: string[] = [];
  for (const [channel, version] of Object.entries(recordOf(fromJsonText(versions)))) {
    const value = valueOf(channel, String(version));
    if (value === undefined) missing.push(channel);
    // The version in which the channel had no value any more.
    if (value === undefined || value.type === 'empty') continue;
    members.push(Buffer.concat([text(channel), encoded(value)]));
    if (!isPlain(value)) notes.push(`${channel}: stored as ${value.type}, which isn't read`);
  }
  if (missing.length > 0) notes.push(`not in the file of values: ${missing.join(', ')}`);
  return { values: Buffer.concat([header(0x80, 0xde, members.length), ...members]), notes };
}

const RAW = new Set(['bytes', 'bytearray']);
const isPlain = ({ type }: Typed): boolean => type === 'msgpack' || type === 'null' || RAW.has(type);

/** One MessagePack value. What is of another type, or damaged, becomes inert data with its type, size and bytes. */
function encoded({ type, bytes }: Typed): Uint8Array {
  if (type === 'null') return Uint8Array.of(0xc0);
  const held = bytes ?? new Uint8Array();
  if (RAW.has(type)) return binary(held);
  if (type === 'msgpack' && isOneValue(held)) return held;
  const body = Buffer.concat([
    Uint8Array.of(0x93),
    text('langgraph'),
    text(type),
    Uint8Array.of(0x81),
    text('data'),
    binary(held),
  ]);
  return Buffer.concat([Uint8Array.of(0xc9), uint32(body.length), Uint8Array.of(KEYWORDS), body]);
}

/** LangGraph's extension for a class with fields by name: nothing is built from it, here as there. */
const KEYWORDS = 2;

function isOneValue(bytes: Uint8Array): boolean {
  try {
    return endOfValue(bytes, 0) === bytes.length;
  } catch {
    return false;
  }
}

function mapHead(bytes: Uint8Array): { readonly count: number; readonly from: number } {
  const head = bytes[0] ?? 0;
  if (head >= 0x80 && head <= 0x8f) return { count: head & 0x0f, from: 1 };
  if (head !== 0xde && head !== 0xdf) throw new InspectorError('unreadable', "The msgpack isn't a map.");
  const width = head === 0xde ? 2 : 4;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { count: numberAt(view, 1, width), from: 1 + width };
}

const text = (value: string): Uint8Array => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Uint8Array.of(0xdb), uint32(bytes.length), bytes]);
};
const binary = (bytes: Uint8Array): Uint8Array => Buffer.concat([Uint8Array.of(0xc6), uint32(bytes.length), bytes]);

/** Short where it can be: readers tell a checkpoint by its first byte. */
function header(short: number, long: number, count: number): Uint8Array {
  if (count < 16) return Uint8Array.of(short | count);
  return Buffer.concat([Uint8Array.of(long + 1), uint32(count)]);
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/**
 * Python's dev server keeps the values of channels apart from the checkpoints that name their versions. Here they come
 * together again, as MessagePack: where LangGraph has them, before `channel_versions`.
 */
import { fromJsonText, InspectorError } from '@checkpoint-inspector/core';
import { recordOf } from '../folder/view.ts';
import { arrayHead, bytesHead, extensionHead, mapHead, textBytes } from '../langgraph/msgpack/heads.ts';
import { msgpackToJson, MsgpackReader } from '../langgraph/msgpack/read.ts';
import type { Typed } from './rows.ts';

export interface Joined {
  readonly bytes: Uint8Array;
  /** What is not as LangGraph would have it, in words. */
  readonly notes: readonly string[];
}

type ValueOf = (channel: string, version: string) => Typed | undefined;

/** `undefined` where the checkpoint holds its values itself. @throws InspectorError unreadable */
export function joinValues(checkpoint: Uint8Array, valueOf: ValueOf): Joined | undefined {
  const reader = new MsgpackReader(checkpoint);
  const count = reader.mapLength();
  if (count === undefined) throw new InspectorError('unreadable', "The msgpack isn't a map.");
  const from = reader.at;
  let versions: { readonly at: number; readonly text: string } | undefined;
  for (let n = 0; n < count; n++) {
    const { at } = reader;
    const key = reader.value();
    if (key === '"channel_values"') return undefined;
    const text = reader.value();
    if (key === '"channel_versions"') versions = { at, text };
  }
  if (versions === undefined) return undefined;
  const { values, notes } = valuesOf(versions.text, valueOf);
  const before = [mapHead(count + 1), checkpoint.subarray(from, versions.at), textBytes('channel_values'), values];
  return { bytes: Buffer.concat([...before, checkpoint.subarray(versions.at)]), notes };
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
    members.push(Buffer.concat([textBytes(channel), encoded(value)]));
    if (!isPlain(value)) notes.push(`${channel}: stored as ${value.type}, which isn't read`);
  }
  if (missing.length > 0) notes.push(`not in the file of values: ${missing.join(', ')}`);
  return { values: Buffer.concat([mapHead(members.length), ...members]), notes };
}

const RAW = new Set(['bytes', 'bytearray']);
const isPlain = ({ type }: Typed): boolean => type === 'msgpack' || type === 'null' || RAW.has(type);

/** LangGraph's extension for a class with fields by name: nothing is built from it, here as there. */
const KEYWORDS = 2;

/** One MessagePack value. What is of another type, or damaged, becomes inert data with its type, size and bytes. */
function encoded({ type, bytes }: Typed): Uint8Array {
  if (type === 'null') return Uint8Array.of(0xc0);
  const held = bytes ?? new Uint8Array();
  const binary = Buffer.concat([bytesHead(held.length), held]);
  if (RAW.has(type)) return binary;
  if (type === 'msgpack' && damageOf(held) === undefined) return held;
  const parts = [textBytes('langgraph'), textBytes(type), mapHead(1), textBytes('data'), binary];
  const body = Buffer.concat([arrayHead(3), ...parts]);
  return Buffer.concat([extensionHead(KEYWORDS, body.length), body]);
}

/** Why these bytes are not one MessagePack value. */
export function damageOf(bytes: Uint8Array): string | undefined {
  try {
    msgpackToJson(bytes);
    return undefined;
  } catch (error) {
    return InspectorError.from(error).message;
  }
}

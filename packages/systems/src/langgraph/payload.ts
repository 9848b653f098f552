import type { SqlValue } from '@checkpoint-inspector/io';
import { InspectorError, memberOf, parseJson, type JsonObject, type Problem } from '@checkpoint-inspector/core';
import { bytesText } from './msgpack/extension.ts';
import { msgpackToJson } from './msgpack/read.ts';

/** The columns that say how a value is stored. */
export interface Payload {
  readonly type: string | null;
  /** SQLite's storage class. LangGraph writes blobs, and its savers read text as well. */
  readonly stored: string;
  readonly bytes: Uint8Array | null;
  /** Why there are no bytes, where that is known already. */
  readonly refused?: InspectorError;
}

export const NO_CHECKPOINT = 'The JSON isn\'t a checkpoint: it has no object "channel_values".';
export const NO_METADATA = "The metadata isn't a JSON object.";

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Values that Python stores under a type of their own. */
const RAW_BYTES = new Set(['bytes', 'bytearray']);
/** Of these types, the JSON text is ours, made for reading; what is stored is Python's. */
export const DECODED = new Set(['msgpack', 'null', ...RAW_BYTES]);

/** JSON text: every byte kept where JSON is stored, else decoded. @throws InspectorError unsupported_version | unreadable | too_large */
export function payloadText(payload: Payload): string {
  const { type, bytes, refused } = payload;
  if (refused !== undefined) throw refused;
  // Python writes an empty value beside it.
  if (type === 'null') return 'null';
  if (type === null || !DECODED.has(type)) return storedJson(payload);
  if (payload.stored !== 'blob' || bytes === null) throw notStored(payload.stored);
  return RAW_BYTES.has(type) ? bytesText(bytes) : msgpackToJson(bytes);
}

/** JSON as stored, so that it can be written again. @throws InspectorError unreadable | unsupported | unsupported_version */
export function storedJson({ type, stored, bytes }: Payload): string {
  if (type !== null && type !== 'json') throw otherType(type);
  if ((stored !== 'blob' && stored !== 'text') || bytes === null) throw notStored(stored);
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new InspectorError('unreadable', "The value isn't valid UTF-8.", { cause });
  }
}

function notStored(stored: string): InspectorError {
  return new InspectorError(
    'unreadable',
    `The value is ${stored === 'null' ? 'NULL' : `stored as ${stored}`}, not a blob or text.`,
  );
}

/** The bytes as a value of this storage class: a row keeps its own when it is compared or copied. */
export function inClass(stored: string, bytes: Uint8Array | null): SqlValue {
  return stored === 'text' && bytes !== null ? Buffer.from(bytes).toString('utf8') : bytes;
}

function otherType(type: string): InspectorError {
  if (DECODED.has(type)) {
    return new InspectorError('unsupported', `${type} payload, which this version can't write.`, {
      remedy: 'Copy it to a new thread instead.',
    });
  }
  return new InspectorError('unsupported_version', `${type} payload, which this version can't read.`, {
    remedy: 'Look at the raw bytes.',
  });
}

export interface ParsedCheckpoint {
  readonly text: string;
  readonly root: JsonObject;
  readonly channelValues: JsonObject;
}

/** @throws InspectorError unreadable */
export function parseCheckpoint(text: string): ParsedCheckpoint {
  const root = parseJson(text);
  const channelValues = root.kind === 'object' ? memberOf(root, 'channel_values')?.value : undefined;
  if (root.kind !== 'object' || channelValues?.kind !== 'object') {
    throw new InspectorError('unreadable', NO_CHECKPOINT);
  }
  return { text, root, channelValues };
}

/** What is beside a row that cannot be read. `text` turns the error's offset into one of bytes. */
export function problemFrom(error: unknown, text?: string): Problem {
  const { code, message, data } = InspectorError.from(error);
  const at = data?.['offset'];
  const offset = typeof at === 'number' ? Buffer.byteLength((text ?? '').slice(0, at)) : undefined;
  return {
    code: code === 'unsupported_version' || code === 'too_large' ? code : 'unreadable',
    message,
    ...(offset === undefined ? {} : { offset }),
  };
}

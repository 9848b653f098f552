import type { SqlValue } from '@checkpoint-inspector/io';
import { InspectorError, memberOf, parseJson, type JsonObject, type Problem } from '@checkpoint-inspector/core';

/** The columns that say how a value is stored. */
export interface Payload {
  readonly type: string | null;
  /** SQLite's storage class. LangGraph writes blobs, and its savers read text as well. */
  readonly stored: string;
  readonly bytes: Uint8Array | null;
}

export const NO_CHECKPOINT = 'The JSON isn\'t a checkpoint: it has no object "channel_values".';
export const NO_METADATA = "The metadata isn't a JSON object.";

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON, every byte kept. @throws InspectorError unsupported_version (msgpack and other payloads) | unreadable */
export function payloadText({ type, stored, bytes }: Payload): string {
  if (type !== null && type !== 'json') throw otherType(type);
  if ((stored !== 'blob' && stored !== 'text') || bytes === null) {
    throw new InspectorError(
      'unreadable',
      `The value is ${stored === 'null' ? 'NULL' : `stored as ${stored}`}, not as a blob or text.`,
    );
  }
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new InspectorError('unreadable', 'The value is not UTF-8.', { cause });
  }
}

/** The bytes as a value of this storage class: a row keeps its own when it is compared or copied. */
export function inClass(stored: string, bytes: Uint8Array | null): SqlValue {
  return stored === 'text' && bytes !== null ? Buffer.from(bytes).toString('utf8') : bytes;
}

function otherType(type: string): InspectorError {
  return new InspectorError('unsupported_version', `${type} payload; not read by this version.`, {
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

/** What stands beside a row that cannot be read. `text` turns the error's offset into one of bytes. */
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

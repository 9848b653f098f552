/**
 * The JSON file of `langgraphjs dev`. Around the values it is superjson, of which only the plain part is needed: a
 * checkpoint is `[checkpoint, metadata, parent]`, a write `[task, channel, value, path]`, and bytes are base64.
 */
import { InspectorError } from '@checkpoint-inspector/core';
import { decodeUtf8 } from '@checkpoint-inspector/io';
import { isRecord, recordOf } from '../folder/view.ts';
import type { RowSink, Typed } from './rows.ts';

/** @throws InspectorError unreadable */
export function readJavaScript(bytes: Uint8Array, into: RowSink): void {
  const root = parsed(decodeUtf8(bytes));
  const stored = isRecord(root) ? root['json'] : undefined;
  if (!isRecord(stored) || !isRecord(stored['storage'])) throw damaged('has no object "storage"');
  for (const [thread, namespaces] of members(stored['storage'], 'storage')) {
    for (const [ns, checkpoints] of members(namespaces, `storage of thread ${thread}`)) {
      for (const [id, entry] of members(checkpoints, `namespace "${ns}" of thread ${thread}`)) {
        const [checkpoint, metadata, parent] = listOf(entry);
        const known = typeof parent === 'string' ? parent : null;
        into.checkpoint({
          thread,
          ns,
          id,
          parent: known,
          checkpoint: json(checkpoint),
          metadata: json(metadata).bytes,
          refused: misshapen(entry),
        });
      }
    }
  }
  for (const [place, writes] of members(stored['writes'] ?? {}, 'writes')) {
    const [thread, ns, id] = placeOf(place);
    for (const [key, entry] of members(writes, `writes of ${place}`)) {
      const [task, channel, value, path] = listOf(entry).map((part) => (typeof part === 'string' ? part : undefined));
      const at = key.lastIndexOf(',');
      into.write({
        thread,
        ns,
        id,
        task: task ?? key.slice(0, Math.max(0, at)),
        idx: indexOf(key.slice(at + 1)),
        channel: channel ?? '',
        value: json(value),
        path: path ?? '',
      });
    }
  }
}

/** Threads whose last run ended with an error, by the server's own file; whatever is wrong with it, checkpoints are read. */
export function failedThreads(ops: Uint8Array | undefined): ReadonlySet<string> {
  if (ops === undefined) return new Set();
  try {
    const threads = recordOf(recordOf(recordOf(parsed(decodeUtf8(ops)))['json'])['threads']);
    const failed = Object.entries(threads).filter(([, thread]) => recordOf(thread)['status'] === 'error');
    return new Set(failed.map(([id]) => id));
  } catch (error) {
    // Half-written, or of another version.
    if (InspectorError.is(error)) return new Set();
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw damaged("isn't valid JSON", cause);
  }
}

const damaged = (what: string, cause?: unknown): InspectorError =>
  new InspectorError('unreadable', `The checkpoint file of langgraphjs dev ${what}.`, { cause });

function members(value: unknown, what: string): [string, unknown][] {
  if (!isRecord(value)) throw damaged(`has something other than an object as ${what}`);
  return Object.entries(value);
}

/** What is wrong with an entry of a checkpoint, in words. */
function misshapen(entry: unknown): string | undefined {
  const [checkpoint, metadata] = listOf(entry);
  if (typeof checkpoint !== 'string' || typeof metadata !== 'string') {
    return "The entry isn't a list of checkpoint, metadata and parent.";
  }
  const bad = json(checkpoint).bytes === null ? 'checkpoint' : json(metadata).bytes === null ? 'metadata' : undefined;
  return bad && `The ${bad} isn't valid base64.`;
}

const listOf = (entry: unknown): readonly unknown[] => (Array.isArray(entry) ? entry : []);

/** The bytes of a JSON text in base64; `null` for anything else, which is then a damaged row. */
function json(base64: unknown): Typed {
  if (typeof base64 !== 'string') return { type: 'json', bytes: null };
  const bytes = Buffer.from(base64, 'base64');
  return { type: 'json', bytes: bytes.toString('base64') === base64 ? bytes : null };
}

/** `["thread","namespace","id"]`, as the server writes a key. */
function placeOf(key: string): readonly [thread: string, ns: string, id: string] {
  const parts = listOf(parsed(key));
  const [thread, ns, id] = parts;
  if (typeof thread !== 'string' || typeof ns !== 'string' || typeof id !== 'string') {
    throw damaged(`has writes under ${key.slice(0, 200)}, which names no checkpoint`);
  }
  return [thread, ns, id];
}

function indexOf(text: string): number {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : 0;
}

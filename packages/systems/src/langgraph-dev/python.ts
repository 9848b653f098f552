/**
 * The three pickles of `langgraph dev` for Python: checkpoints, writes, and the values of channels. What they hold are
 * dicts, tuples and typed bytes; older versions have no third file, and the values in the checkpoints.
 */
import { InspectorError } from '@checkpoint-inspector/core';
import { msgpackToJson } from '../langgraph/msgpack/read.ts';
import { damageOf } from './join.ts';
import { metadataOfPickle } from './pickle/metadata.ts';
import { FILE_RULES, readPickle } from './pickle/read.ts';
import { Dict, Text, type Pickled } from './pickle/value.ts';
import type { DevCheckpoint, RowSink, Typed } from './rows.ts';

export interface PythonFiles {
  readonly checkpoints: Uint8Array;
  readonly writes?: Uint8Array | undefined;
  readonly blobs?: Uint8Array | undefined;
}

/** @throws InspectorError unreadable | unsupported_version | too_large */
export function readPython(files: PythonFiles, into: RowSink): void {
  readCheckpoints(rootOf(files.checkpoints, 'checkpoints'), into);
  if (files.writes) readWrites(rootOf(files.writes, 'writes'), into);
  if (files.blobs) readBlobs(rootOf(files.blobs, 'values'), into);
}

function rootOf(bytes: Uint8Array, what: string): Dict {
  return inFile(what, () => dictOf(readPickle(bytes, FILE_RULES), what));
}

/** Names the file of the three that is wrong. */
function inFile<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    const { code, message, remedy, data } = InspectorError.from(thrown);
    throw new InspectorError(code, `The file of ${what}: ${message}`, { cause: thrown, remedy, ...(data && { data }) });
  }
}

/** `{thread: {namespace: {id: (checkpoint, metadata, parent)}}}` */
function readCheckpoints(root: Dict, into: RowSink): void {
  for (const [thread, namespaces] of root.entries) {
    for (const [ns, checkpoints] of dictOf(namespaces, 'checkpoints').entries) {
      for (const [id, entry] of dictOf(checkpoints, 'checkpoints').entries) {
        const [stored, metadata, parent] = Array.isArray(entry) ? entry : [];
        const checkpoint = typedOf(stored);
        into.checkpoint({
          thread: textOf(thread, 'checkpoints'),
          ns: textOf(ns, 'checkpoints'),
          id: textOf(id, 'checkpoints'),
          parent: parent instanceof Text ? parent.toString() : null,
          checkpoint,
          // Msgpack that was cut, or goes on: told here, where lists look at its ends only.
          refused: checkpoint.type === 'msgpack' && checkpoint.bytes ? damageOf(checkpoint.bytes) : undefined,
          ...metadataOf(typedOf(metadata)),
        });
      }
    }
  }
}

/** `{(thread, namespace, id): {(task, index): (task, channel, value, path)}}` */
function readWrites(root: Dict, into: RowSink): void {
  for (const [place, writes] of root.entries) {
    const [thread, ns, id] = textsOf(place, 3, 'writes');
    for (const [key, entry] of dictOf(writes, 'writes').entries) {
      const [task, channel, value, path] = Array.isArray(entry) ? entry : [];
      const idx = Array.isArray(key) ? key[1] : undefined;
      into.write({
        thread,
        ns,
        id,
        task: textOf(task, 'writes'),
        idx: typeof idx === 'number' ? idx : 0,
        channel: textOf(channel, 'writes'),
        value: typedOf(value),
        path: path instanceof Text ? path.toString() : '',
      });
    }
  }
}

/** `{(thread, namespace, channel, version): value}` */
function readBlobs(root: Dict, into: RowSink): void {
  for (const [place, value] of root.entries) {
    if (!Array.isArray(place) || place.length !== 4) throw misshapen('values');
    const [thread, ns, channel, version] = place.map((part) =>
      typeof part === 'number' ? String(part) : textOf(part, 'values'),
    );
    into.blob({
      thread: thread ?? '',
      ns: ns ?? '',
      channel: channel ?? '',
      version: version ?? '',
      value: typedOf(value),
    });
  }
}

/** `(type, bytes)`; without bytes for anything else, which is then a damaged row. */
function typedOf(value: Pickled | undefined): Typed {
  const [type, bytes] = Array.isArray(value) ? value : [];
  return {
    type: type instanceof Text ? type.toString() : 'msgpack',
    bytes: bytes instanceof Uint8Array ? bytes : null,
  };
}

/** As JSON text, which is how SQLite files have it; or why there is none. */
function metadataOf({ type, bytes }: Typed): Pick<DevCheckpoint, 'metadata' | 'refused'> {
  try {
    if (bytes === null) throw new InspectorError('unreadable', 'it has no bytes.');
    return { metadata: type === 'json' ? bytes : Buffer.from(metadataText(type, bytes)) };
  } catch (error) {
    if (!InspectorError.is(error)) throw error;
    return { metadata: null, refused: `The metadata can't be read: ${error.message}` };
  }
}

function metadataText(type: string, bytes: Uint8Array): string {
  if (type === 'msgpack') return msgpackToJson(bytes);
  if (type === 'pickle') return metadataOfPickle(bytes);
  throw new InspectorError('unsupported_version', `it is stored as ${type}.`);
}

const misshapen = (what: string): InspectorError =>
  new InspectorError('unreadable', `The pickle doesn't hold ${what} of LangGraph.`);

function dictOf(value: Pickled | undefined, what: string): Dict {
  if (value instanceof Dict) return value;
  throw misshapen(what);
}

function textOf(value: Pickled | undefined, what: string): string {
  if (value instanceof Text) return value.toString();
  throw misshapen(what);
}

function textsOf(value: Pickled, count: 3, what: string): readonly [string, string, string] {
  if (!Array.isArray(value) || value.length !== count) throw misshapen(what);
  const [first, second, third] = value;
  return [textOf(first, what), textOf(second, what), textOf(third, what)];
}

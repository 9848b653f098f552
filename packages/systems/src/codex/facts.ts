/** What a rollout is, from its name and its first lines; what Codex keeps beside its rollouts. */
import { InspectorError } from '@checkpoint-inspector/core';
import { lookInto, MAX_FILE_BYTES, readBounded, realPath, tableNames } from '@checkpoint-inspector/io';
import { Decompress } from 'fzstd';
import { join } from 'node:path';
import { textOfBytes } from '../folder/document.ts';
import { numberIn, recordOf, textIn } from '../folder/view.ts';
import type { Line, LogCodec, LogExtras, LogFacts, LogFile } from '../log/index.ts';
import { ARCHIVE, rolloutName } from './names.ts';
import { isCall, kindOf, payloadIn, readRecord, userWords } from './records.ts';

const MOST_TITLE = 200;
const INDEX_BYTES = 8 * 1024 * 1024;
/** A little that is compressed may be much. */
const PIECE_BYTES = 16 * 1024;
const DATABASE = 'state_5.sqlite';

export function describeRollout({ name }: LogFile, head: readonly Line[]): LogFacts {
  const { thread = name, segment } = rolloutName(name) ?? {};
  const meta = head[0] && kindOf(head[0])?.type === 'session_meta' ? payloadIn(head[0].bytes) : undefined;
  const base = recordOf(meta?.['history_base']);
  const [key, end] = [textIn(base, 'thread_id'), numberIn(base, 'end_byte_offset')];
  const commit = textIn(recordOf(meta?.['git']), 'commit_hash');
  return {
    session: thread,
    key: segment,
    title: titleIn(head),
    isEarly: !head.some(isAnswer),
    kind: name.startsWith(`${ARCHIVE}/`) || name.includes(`/${ARCHIVE}/`) ? 'archived' : undefined,
    base: key !== undefined && end !== undefined ? { key, end } : undefined,
    gitCommit: commit,
  };
}

/** What a person asked first; the first messages of a thread are context that Codex adds. */
function titleIn(head: readonly Line[]): string | undefined {
  for (const line of head) {
    const kind = kindOf(line);
    if (kind?.type !== 'event_msg' || (kind.of !== 'item_completed' && kind.of !== 'user_message')) continue;
    const words = userWords(payloadIn(line.bytes) ?? {});
    if (words !== undefined && words.trim() !== '') return words.trim().slice(0, MOST_TITLE);
  }
  return undefined;
}

const isAnswer = (line: Line): boolean => {
  const kind = kindOf(line);
  if (kind?.type !== 'response_item') return false;
  return isCall(kind.of) || (kind.of === 'message' && payloadIn(line.bytes)?.['role'] === 'assistant');
};

/** Names that were given to threads, and what the databases say that isn't so here. The logs alone are the truth. */
export async function codexExtras(root: string): Promise<LogExtras> {
  const moved = copiedFrom(root);
  const titles = await namesIn(join(root, 'session_index.jsonl'));
  return moved === undefined ? { titles } : { titles, notes: [moved] };
}

async function namesIn(path: string): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const text = await readBounded(path, { maxBytes: INDEX_BYTES }).then(textOfBytes, () => '');
  for (const line of text.split('\n')) {
    const entry = readRecord(Buffer.from(line));
    const [id, name] = entry ? [textIn(entry, 'id'), textIn(entry, 'thread_name')] : [];
    // Appended at each change: the last one counts.
    if (id !== undefined && name !== undefined && name !== '') names.set(id, name);
  }
  return names;
}

/** C15: Codex finds a thread by the whole path in its database, so from a copy it writes into the original. */
export function copiedFrom(root: string): string | undefined {
  const paths = rolloutPaths(join(root, DATABASE));
  const home = `${realPath(root)}/`;
  const other = paths.find((path) => !path.startsWith(home) && !path.startsWith(`${root}/`));
  if (other === undefined) return undefined;
  return `This folder was copied: its ${DATABASE} names ${other.replace(/\/(?:sessions|archived_sessions)\/.*/s, '')}. Resuming here makes Codex write there, unless the databases are deleted.`;
}

function rolloutPaths(path: string): readonly string[] {
  try {
    const rows = lookInto(path, (database) =>
      tableNames(database).includes('threads')
        ? database.prepare<{ rollout_path: unknown }>('SELECT rollout_path FROM threads LIMIT +?').all(1_000)
        : [],
    );
    return (rows ?? []).flatMap(({ rollout_path: found }) => (typeof found === 'string' ? [found] : []));
  } catch {
    // Not there, locked, or of another version: it was only a hint.
    return [];
  }
}

/** As many bytes as are wanted, or all. @throws InspectorError unreadable | too_large */
function decodeZstd(stored: Uint8Array, wanted = Infinity): Buffer {
  const parts: Uint8Array[] = [];
  let length = 0;
  const stream = new Decompress((part) => {
    parts.push(part);
    length += part.length;
  });
  try {
    for (let at = 0; at < stored.length; at += PIECE_BYTES) {
      stream.push(stored.subarray(at, at + PIECE_BYTES), wanted === Infinity && at + PIECE_BYTES >= stored.length);
      if (length >= wanted) break;
      if (length > MAX_FILE_BYTES) throw tooLarge(length);
    }
  } catch (cause) {
    if (InspectorError.is(cause)) throw cause;
    const words = cause instanceof Error ? cause.message : 'unknown';
    throw new InspectorError('unreadable', `The file isn't valid Zstandard data: ${words}.`, { cause });
  }
  return Buffer.concat(parts);
}

/** Rollouts that were compressed. */
export const zstd: LogCodec = { decode: async (stored) => decodeZstd(stored), head: decodeZstd };

const tooLarge = (length: number): InspectorError =>
  new InspectorError('too_large', `The decompressed file has over ${length} bytes; the limit is ${MAX_FILE_BYTES}.`);

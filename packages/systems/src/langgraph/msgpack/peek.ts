/** What lists say of a checkpoint from its first and last bytes, without its state. */
import { isRecord } from '../../folder/view.ts';
import { parseLoosely, seenOf, type VersionsSeen } from '../shape.ts';
import { msgpackAt, MsgpackReader } from './read.ts';

/** A map of few members; before `ts` only the version and the id, as LangGraph writes them. */
const TIME = /^[\x80-\x8f](?:\xa1v[^\x80-\xff]|\xa2id\xd9\$[0-9a-f-]{36})*\xa2ts(?:\xd9(.)|([\xa0-\xbf]))/s;

/** `ts` as stored, where it is before the values. */
export function msgpackTime(start: Uint8Array | null): string | undefined {
  const text = start === null ? '' : Buffer.from(start).toString('latin1');
  const found = TIME.exec(text);
  if (found === null) return undefined;
  const [all, long, short] = found;
  const length = long === undefined ? (short?.charCodeAt(0) ?? 0) & 0x1f : long.charCodeAt(0);
  return text.slice(all.length, all.length + length);
}

const SEEN = Buffer.from('\xadversions_seen', 'latin1');

/** `versions_seen`, which LangGraph writes after the values. @throws InspectorError where the bytes after its name aren't a value */
export function msgpackSeenAt(end: Uint8Array): VersionsSeen | undefined {
  const at = Buffer.from(end.buffer, end.byteOffset, end.byteLength).lastIndexOf(SEEN);
  const value = at < 0 ? undefined : parseLoosely(msgpackAt(end, at + SEEN.length));
  return isRecord(value) ? seenOf(value) : undefined;
}

/** A map whose last members are complete, each a key and a value; in between nothing is looked at. */
export function looksWhole(start: Uint8Array, end: Uint8Array | null): boolean {
  const isMap = start[0] !== undefined && start[0] >= 0x80 && start[0] <= 0x8f;
  const at = end === null ? -1 : Buffer.from(end.buffer, end.byteOffset, end.byteLength).lastIndexOf(SEEN);
  if (!isMap || end === null || at < 0) return false;
  try {
    const reader = new MsgpackReader(end, at);
    let values = 0;
    for (; !reader.isAtEnd(); values++) reader.value();
    return values % 2 === 0;
  } catch {
    return false;
  }
}

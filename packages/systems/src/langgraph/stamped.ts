/** A stored checkpoint under another id and time: every other byte stays. */
import {
  InspectorError,
  memberOf,
  parseJson,
  patchJson,
  quoteJson,
  sourceOf,
  stringOf,
  timeOfTicks,
} from '@checkpoint-inspector/core';
import { textBytes } from './msgpack/heads.ts';
import { membersOf, spliced } from './msgpack/members.ts';
import { parseCheckpoint, payloadText, storedJson } from './payload.ts';
import type { FullRow } from './queries.ts';

/** @throws InspectorError unreadable | unsupported | unsupported_version */
export function stampedCopy(row: FullRow, id: string, ticks: bigint): Uint8Array {
  const payload = { ...row, bytes: row.checkpoint };
  const before = payloadText(payload);
  const ts = timeLike(timeIn(before), ticks);
  const copy = row.type === 'msgpack' && row.checkpoint ? inMsgpack(row.checkpoint, id, ts) : inJson(payload, id, ts);
  const after = payloadText({ ...payload, bytes: copy });
  const [was, is] = [parseCheckpoint(before), parseCheckpoint(after)];
  const isSame = sourceOf(before, was.channelValues) === sourceOf(after, is.channelValues);
  if (isSame && textAt(after, 'id') === id) return copy;
  throw new InspectorError('unsupported', "This row can't be copied without changing its state.");
}

function inJson(payload: Parameters<typeof storedJson>[0], id: string, ts: string): Uint8Array {
  const patched = patchJson(storedJson(payload), [
    { path: ['id'], text: quoteJson(id) },
    { path: ['ts'], text: quoteJson(ts) },
  ]);
  return new TextEncoder().encode(patched);
}

function inMsgpack(bytes: Uint8Array, id: string, ts: string): Uint8Array {
  const members = membersOf(bytes);
  const parts = Object.entries({ id, ts }).map(([key, text]) => {
    const span = members.get(quoteJson(key));
    if (span) return { ...span, by: textBytes(text) };
    throw new InspectorError(
      'unsupported',
      `This checkpoint has no "${key}", so LangGraph would not take a copy for it.`,
    );
  });
  return spliced(bytes, parts);
}

/** `ts` as stored. */
export function timeIn(checkpoint: string): string | undefined {
  return textAt(checkpoint, 'ts');
}

function textAt(json: string, key: string): string | undefined {
  const root = parseJson(json);
  const value = root.kind === 'object' ? memberOf(root, key)?.value : undefined;
  return value?.kind === 'string' ? stringOf(json, value) : undefined;
}

/** Python writes an offset, JavaScript a Z. */
export const hasPythonsForm = (time: string | undefined): boolean => time !== undefined && /[+-]\d\d:\d\d$/.test(time);

/** The same as LangGraph for Python writes it, where the text beside it was: microseconds and an offset. */
export function timeLike(known: string | undefined, ticks: bigint): string {
  const time = timeOfTicks(ticks);
  if (!hasPythonsForm(known)) return time;
  const micros = String((ticks / 10n) % 1000n).padStart(3, '0');
  return `${time.slice(0, -1)}${micros}+00:00`;
}

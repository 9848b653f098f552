/** What steps wrote from a checkpoint: as rows of our own stores, and as people see it. */
import { compact } from '../compact.ts';
import type { Beside, NewWrite, PendingRequest, PendingWrite, StepError } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { memberOf, parseJson, sourceOf, stringOf, type JsonNode } from '../json/index.ts';
import type { CheckpointRef } from '../model.ts';
import { checkRef } from '../options.ts';
import { checkJson, checkText, invalid, number, text } from './row.ts';
import type { NativeRow } from './tables.ts';

export const ERROR_CHANNEL = '__error__';
export const QUESTION_CHANNEL = '__interrupt__';
const OWN_CHANNELS = [ERROR_CHANNEL, QUESTION_CHANNEL, '__scheduled__', '__resume__'];
/** A larger value is named with its size. */
const LARGEST_SHOWN = 64 * 1024;
/** Of very many writes, the first are given. */
const MOST_SHOWN = 500;

/** What to save of each write. @throws InspectorError invalid_input */
export function toWriteRows(ref: CheckpointRef, writes: readonly NewWrite[]): NativeRow[] {
  checkRef(ref);
  for (const [name, value] of Object.entries({ task: ref.task, id: ref.id, namespace: ref.namespace ?? '' }))
    checkText(name, value);
  for (const [name, value] of Object.entries({ id: ref.id, task: ref.task }))
    if (value === '') throw invalid(name, 'is empty');
  return writes.map((write) => {
    const { run, index, channel, path = '', node } = write;
    for (const [name, value] of Object.entries({ run, channel, path, node: node ?? '', text: write.text }))
      checkText(name, value);
    if (!Number.isSafeInteger(index)) throw invalid('index', `must be a whole number, not ${index}`);
    checkJson(write.text);
    const { task, namespace = '', id } = ref;
    return { task, namespace, id, run, idx: index, path, node: node ?? null, channel, text: write.text };
  });
}

/** A write as it was saved. */
export function toWrite(row: NativeRow): NewWrite {
  return compact({
    run: text(row, 'run') ?? '',
    index: number(row, 'idx') ?? 0,
    channel: text(row, 'channel') ?? '',
    text: text(row, 'text') ?? '',
    node: text(row, 'node'),
    path: text(row, 'path') || undefined,
  });
}

/** The order in which writes are read: texts by code points, as databases sort UTF-8. */
export function compareWrites(a: NewWrite, b: NewWrite): number {
  return byCodePoint(a.path ?? '', b.path ?? '') || byCodePoint(a.run, b.run) || a.index - b.index;
}

function byCodePoint(a: string, b: string): number {
  for (let at = 0; at < a.length && at < b.length; at++) {
    const difference = ranked(a.charCodeAt(at)) - ranked(b.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Halves of surrogate pairs belong to the highest code points. */
const ranked = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Nothing where the checkpoint has nothing beside it: then its state tells of errors. */
export function besideOf(
  writes: readonly NewWrite[],
  {
    beside,
    isNewest,
    status,
  }: { readonly beside: string | undefined; readonly isNewest: boolean; readonly status?: unknown },
): Beside | undefined {
  if (writes.length === 0 && beside === undefined) return undefined;
  const errors = errorsIn(writes);
  const plain = writes.filter(({ channel }) => !OWN_CHANNELS.includes(channel));
  const next = nextIn(beside, isNewest ? plain : []);
  const more = plain.length - MOST_SHOWN;
  return {
    ...(errors[0] === undefined ? {} : { error: errors[0].text, errors }),
    // A row that says itself that it failed is not the good one that the failed step began from.
    ...(errors.length > 0 && beside === undefined && status === 'failed' ? { own: true as const } : {}),
    requests: writes.filter(({ channel }) => channel === QUESTION_CHANNEL).flatMap(questionsIn),
    writes: plain.slice(0, MOST_SHOWN).map(shown),
    ...(more > 0 ? { moreWrites: more } : {}),
    ...(next === undefined ? {} : { next }),
  };
}

/** Where one step fails, those beside it are aborted: theirs come after what made them stop. */
function errorsIn(writes: readonly NewWrite[]): StepError[] {
  const errors = writes
    .filter(({ channel }) => channel === ERROR_CHANNEL)
    .map(({ text: stored, node }): StepError => ({
      text: wordsOfError(stored),
      ...(node === undefined ? {} : { node }),
    }));
  const isAbort = (error: StepError): boolean => error.text.startsWith('AbortError: ');
  return [...errors.filter((error) => !isAbort(error)), ...errors.filter(isAbort)];
}

/** An error as stored, in words. @example wordsOfError('{"message":"no","name":"TypeError"}') // 'TypeError: no' */
export function wordsOfError(stored: string): string {
  const value: unknown = JSON.parse(stored);
  if (typeof value === 'string') return value;
  const { name, message } = Object(value) as { name?: unknown; message?: unknown };
  if (typeof message !== 'string') return stored;
  return typeof name === 'string' && name !== '' ? `${name}: ${message}` : message;
}

/** Names of what runs next, without those that have finished. */
function nextIn(beside: string | undefined, done: readonly NewWrite[]): string[] | undefined {
  const value: unknown = beside === undefined ? undefined : JSON.parse(beside);
  const names: unknown = typeof value === 'object' && value !== null && 'next' in value ? value.next : undefined;
  if (!Array.isArray(names)) return undefined;
  const next = names.filter((name) => typeof name === 'string');
  for (const [, node] of new Map(done.map((write) => [write.run, write.node]))) {
    const at = next.indexOf(node ?? '');
    if (at !== -1) next.splice(at, 1);
  }
  return next;
}

function shown({ run, node, channel, text: stored }: NewWrite): PendingWrite {
  const sizeBytes = new TextEncoder().encode(stored).length;
  const value = sizeBytes > LARGEST_SHOWN ? { problem: 'The value is too large to show here.' } : { text: stored };
  return { taskId: run, ...(node === undefined ? {} : { node }), channel, ...value, sizeBytes };
}

/** One question or a list of them: each a value with an id, cut from the text so that numbers keep their digits. */
function questionsIn({ text: stored, node }: NewWrite): PendingRequest[] {
  const from = node === undefined ? {} : { from: node };
  try {
    const root = parseJson(stored);
    return (root.kind === 'array' ? root.items : [root]).map((item) => ({ ...questionOf(stored, item), ...from }));
  } catch (error) {
    return [{ ...from, text: `The question can't be read: ${InspectorError.from(error).message}`, unread: true }];
  }
}

function questionOf(stored: string, node: JsonNode): PendingRequest {
  const value = node.kind === 'object' ? (memberOf(node, 'value')?.value ?? node) : node;
  const id = node.kind === 'object' ? memberOf(node, 'id')?.value : undefined;
  return {
    ...(id?.kind === 'string' ? { id: stringOf(stored, id) } : {}),
    text: value.kind === 'string' ? stringOf(stored, value) : sourceOf(stored, value),
  };
}

/** A rollout as a plan writes it, and what it will read back as. */
import { InspectorError, memberOf, parseJson, quoteJson, setMember, sourceOf } from '@checkpoint-inspector/core';
import { sha256 } from '@checkpoint-inspector/io';
import { randomBytes } from 'node:crypto';
import { LineSplitter, marksIn, type FoundMark, type LogBasis, type Mark, type Slice } from '../log/index.ts';
import { kindOf } from './records.ts';
import { CodexReplay } from './replay.ts';
import { codexOutline } from './outline.ts';

/** More than a job can hold in memory beside the rest. */
const MOST_BYTES = 256 * 1024 * 1024;
const ORDINAL = /^(\{"timestamp":"[^"\\]*","ordinal":)(\d+)(?=,)/;
const HEAD_BYTES = 240;
/** A character for each byte: what is copied stays as it is, text or not. */
const BYTES = 'latin1';

/** The lines that a mark's state comes from, without the first lines of their files. */
export interface KeptLines {
  /** Of the first file. */
  readonly session: string;
  readonly lines: readonly string[];
  /** The last context of the world and of a turn: Codex adds them again where they are missing. */
  readonly contexts: readonly string[];
  /** Lines are numbered: the form of 0.169, which forks by reference. */
  readonly isNumbered: boolean;
}

/** @throws InspectorError unreadable | too_large */
export async function keptLines(basis: LogBasis, source: FoundMark): Promise<KeptLines> {
  const slices = await wholeChain(basis, source);
  const bytes = slices.reduce((sum, { start, end }) => sum + end - start, 0);
  if (bytes > MOST_BYTES) {
    throw new InspectorError('too_large', `The lines to be copied have ${bytes} bytes; the limit is ${MOST_BYTES}.`, {
      remedy: 'Fork instead: a fork takes one line.',
    });
  }
  let session: string | undefined;
  const lines: string[] = [];
  const contexts = new Map<string, string>();
  for (const slice of slices) {
    await basis.lines(slice, (line) => {
      const type = kindOf(line)?.type;
      const text = line.bytes.toString(BYTES);
      if (type === 'world_state' || type === 'turn_context') contexts.set(type, text);
      if (line.at > 0 || type !== 'session_meta') lines.push(text);
      else session ??= text;
    });
  }
  if (session === undefined)
    throw new InspectorError('unsupported', 'The thread does not begin with a session_meta line.');
  const isNumbered = ORDINAL.test(session);
  return { session, lines, contexts: [...contexts.values()], isNumbered };
}

/** All of it, also where the state needs less. */
const wholeChain = (basis: LogBasis, { mark, ...source }: FoundMark): Promise<readonly Slice[]> =>
  basis.chain({ ...source, mark: { ...mark, from: 0 } });

/** The text of a thread as it is, under another id, with its lines numbered again. */
export function copiedRollout({ session, lines, isNumbered }: KeptLines, id: string): Buffer {
  const all = [sessionFor(session, id), ...lines];
  return rolloutOf(isNumbered ? all.map(numbered) : all);
}

/** A thread whose history begins with these items, as after a compaction. `items` are JSON texts. */
export function editedRollout(kept: KeptLines, id: string, items: readonly string[], now: Date): Buffer {
  const ordinal = kept.isNumbered ? '"ordinal":1,' : '';
  // A record is one line; between values a line break means nothing.
  const history = Buffer.from(items.map((item) => item.replaceAll(/[\r\n]+/g, ' ')).join(',')).toString(BYTES);
  const line = `{"timestamp":${quoteJson(now.toISOString())},${ordinal}"type":"compacted","payload":{"message":"","replacement_history":[${history}]}}`;
  const all = [sessionFor(kept.session, id), line, ...kept.contexts];
  return rolloutOf(kept.isNumbered ? all.map(numbered) : all);
}

/** One line that is a whole fork: the lines before are those of the other file. */
export function referringRollout(
  session: string,
  id: string,
  base: { thread: string; ordinal: number; end: number },
  now: Date,
): Buffer {
  const history = `{"thread_id":${quoteJson(base.thread)},"end_ordinal_exclusive":${base.ordinal},"end_byte_offset":${base.end}}`;
  const members = {
    forked_from_id: quoteJson(base.thread),
    forked_from_ordinal_exclusive: `${base.ordinal}`,
    timestamp: quoteJson(now.toISOString()),
    history_base: history,
  };
  let text = sessionFor(session, id);
  for (const [key, value] of Object.entries(members)) text = setMember(text, ['payload'], key, value);
  return rolloutOf([numbered(text, base.ordinal)]);
}

/** The first line for another thread. */
function sessionFor(session: string, id: string): string {
  const named = setMember(session, ['payload'], 'id', quoteJson(id));
  const payload = memberOf(objectIn(named), 'payload')?.value;
  const hasSession = payload?.kind === 'object' && memberOf(payload, 'session_id') !== undefined;
  return hasSession ? setMember(named, ['payload'], 'session_id', quoteJson(id)) : named;
}

function objectIn(text: string) {
  const root = parseJson(text);
  if (root.kind === 'object') return root;
  throw new InspectorError('unreadable', "The thread's first line isn't an object.");
}

const numbered = (line: string, ordinal: number): string =>
  line.slice(0, HEAD_BYTES).replace(ORDINAL, `$1${ordinal}`) + line.slice(HEAD_BYTES);

const rolloutOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((line) => `${line}\n`).join(''), BYTES);

/** The ordinal behind a mark, where its lines are numbered. */
export async function ordinalBehind(basis: LogBasis, { file, mark }: FoundMark): Promise<number | undefined> {
  let last: string | undefined;
  await basis.lines({ file, start: 0, end: mark.end }, ({ bytes }) => {
    last = ORDINAL.exec(bytes.toString('latin1', 0, HEAD_BYTES))?.[2];
  });
  return last === undefined ? undefined : Number(last) + 1;
}

/** The checkpoints of a rollout that isn't written yet, and the state of its last one. */
export function readBack(
  bytes: Buffer,
  source: FoundMark,
  thread: string,
): { marks: readonly Mark[]; proofHash: string } {
  const part = { file: source.file, facts: { session: thread } };
  const { marks } = marksIn(bytes, 0, part, { outline: codexOutline });
  const last = marks.at(-1);
  if (!last) throw new InspectorError('unsupported', 'Before this checkpoint there is nothing to go back to.');
  const replay = new CodexReplay();
  const from = last.from ?? 0;
  new LineSplitter(from, (line) => replay.line(line)).push(bytes.subarray(from, last.end));
  return { marks, proofHash: sha256(replay.text()) };
}

/** What the state of a fork by reference reads back as: all lines before it, replayed. */
export async function replayed(basis: LogBasis, source: FoundMark): Promise<string> {
  const replay = new CodexReplay();
  for (const slice of await wholeChain(basis, source)) await basis.lines(slice, (line) => replay.line(line));
  return sha256(replay.text());
}

/** The items of an edited state as they are in its text. */
export function itemsIn(text: string): readonly string[] | undefined {
  const root = parseJson(text);
  const items = root.kind === 'object' ? memberOf(root, 'items')?.value : undefined;
  return items?.kind === 'array' ? items.items.map((item) => sourceOf(text, item)) : undefined;
}

/** An id as Codex makes them: it begins with the time. */
export function threadId(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** In local time, as Codex names its files. */
export function fileName(id: string, now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  return `rollout-${day}T${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('-')}-${id}.jsonl`;
}

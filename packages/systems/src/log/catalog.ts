/** Which sessions there are, from the names of files, their stat, and the head and tail of each. */
import { InspectorError, type Problem } from '@checkpoint-inspector/core';
import { fileStamp } from '@checkpoint-inspector/io';
import type { Line, LogFacts, LogFile, LogRules, Mark } from './contract.ts';
import { lossWords } from './damage.ts';
import { LineSplitter, MAX_LINE_BYTES, type LogBytes } from './lines.ts';
import type { LogListing, LogTree } from './tree.ts';

const HEAD_BYTES = 64 * 1024;
const TAIL_BYTES = 32 * 1024;
/** A longer line at the end isn't read for a list. */
const MOST_BYTES = 1024 * 1024;
const AT_ONCE = 8;
/** So long after a look at all files, in milliseconds, one looks at those that are asked for. */
const MOMENT_MS = 1_000;

export interface LogPart {
  readonly file: LogFile;
  readonly facts: LogFacts;
}

/** The files of one task, in the order in which they were begun. */
export interface Session {
  readonly id: string;
  readonly parts: readonly LogPart[];
  /** What to know about files that were left out. */
  readonly note?: string | undefined;
}

/** What the end of a log tells. */
export interface Ending {
  readonly last?: Mark;
  readonly count: number;
  readonly unreadable: number;
  /** The end is all of it. */
  readonly isWhole: boolean;
  /** What a log that is read whole for the list has to say. */
  readonly note?: string;
}

type Sessions = ReadonlyMap<string, Session>;

interface Look {
  readonly ino: bigint;
  readonly size: number;
  readonly facts: LogFacts;
}

export class LogCatalog {
  readonly #tree: LogTree;
  readonly #bytes: LogBytes;
  readonly #rules: LogRules;
  readonly #looks = new Map<string, Look>();
  #last: { readonly at: number; readonly listing: LogListing; readonly sessions: Sessions } | undefined;
  readonly #endings = new Map<string, { readonly stamp: string; readonly ending: Ending }>();

  constructor(tree: LogTree, bytes: LogBytes, rules: LogRules) {
    this.#tree = tree;
    this.#bytes = bytes;
    this.#rules = rules;
  }

  /**
   * What there is in the sessions. Where its files are as they were a moment ago, and no file came or went, the others
   * aren't looked at: going from state to state of a session costs the same however many are beside it.
   * @param filesOf of what was found; `undefined` where all have to be looked at
   * @throws InspectorError not_found | unreadable
   */
  async find<T>(wanted: (sessions: Sessions) => T, filesOf: (found: T) => readonly LogFile[] | undefined): Promise<T> {
    const last = this.#last;
    if (last && performance.now() - last.at < MOMENT_MS) {
      const found = wanted(last.sessions);
      const files = filesOf(found);
      if (files && (await this.#tree.isSame(last.listing, files))) return found;
    }
    return wanted(await this.sessions());
  }

  /** All of them as they are now. @throws InspectorError not_found | unreadable */
  async sessions(signal?: AbortSignal): Promise<Sessions> {
    const at = performance.now();
    const listing = await this.#tree.list(signal);
    const { files } = listing;
    for (let at = 0; at < files.length; at += AT_ONCE) {
      signal?.throwIfAborted();
      await Promise.all(files.slice(at, at + AT_ONCE).map((file) => this.#look(file)));
    }
    const here = new Set(files.map((file) => file.name));
    for (const name of this.#looks.keys()) if (!here.has(name)) this.#forget(name);
    const sessions = new Map<string, { id: string; parts: LogPart[] }>();
    for (const file of files.toSorted(byBaseName)) {
      const facts = this.#looks.get(file.name)?.facts;
      if (!facts) continue;
      const session = sessions.get(facts.session);
      if (session) session.parts.push({ file, facts });
      else sessions.set(facts.session, { id: facts.session, parts: [{ file, facts }] });
    }
    const found = new Map([...sessions].map(([id, session]) => [id, withoutLeftOvers(session)]));
    this.#last = { at, listing, sessions: found };
    return found;
  }

  /** The last marks before a byte, by default before the end. */
  async ending(part: LogPart, end = part.file.entry.size): Promise<Ending> {
    const { file } = part;
    const stamp = `${file.entry.size}\0${file.entry.mtimeNs}\0${file.entry.ino}\0${end}`;
    const known = this.#endings.get(file.name);
    if (known?.stamp === stamp) return known.ending;
    const ending = await this.#readEnding(part, end).catch((): Ending => ({ count: 0, unreadable: 0, isWhole: false }));
    if (end === file.entry.size) this.#endings.set(file.name, { stamp, ending });
    return ending;
  }

  /** What changes as soon as a session's files do. */
  async stamps(): Promise<ReadonlyMap<string, string>> {
    const stampOf = ({ parts, note }: Session): string =>
      [note, ...parts.map(({ file }) => fileStamp(file.entry))].join('\0');
    return new Map([...(await this.sessions())].map(([id, session]) => [id, stampOf(session)]));
  }

  async #readEnding(part: LogPart, end: number): Promise<Ending> {
    const isCompressed = this.#bytes.isCompressed(part.file);
    // Its end can't be had without all that is before it.
    if (isCompressed && part.file.entry.size > MOST_BYTES) return { count: 0, unreadable: 0, isWhole: false };
    if (isCompressed) return readWhole(await this.#bytes.range(part.file, 0, Infinity), part, this.#rules);
    for (let bytes = end <= HEAD_BYTES + TAIL_BYTES ? end : TAIL_BYTES; ; bytes *= 4) {
      const start = Math.max(0, end - bytes);
      const read = await this.#bytes.range(part.file, start, end);
      if (start === 0) return readWhole(read, part, this.#rules);
      const first = read.indexOf(0x0a) + 1;
      const { marks } = first === 0 ? { marks: [] } : marksIn(read.subarray(first), start + first, part, this.#rules);
      if (marks.length > 0 || bytes >= MOST_BYTES) return endingOf(marks);
    }
  }

  async #look(file: LogFile): Promise<void> {
    const known = this.#looks.get(file.name);
    // A log only grows, so its head stays; one that was still being begun is looked at again.
    if (
      known?.ino === file.entry.ino &&
      known.size <= file.entry.size &&
      ((known.size >= HEAD_BYTES && !known.facts.isEarly) || known.size === file.entry.size)
    )
      return;
    const facts = await this.#facts(file).catch((error: unknown) =>
      InspectorError.from(error).code === 'not_found' ? undefined : this.#rules.describe(file, []),
    );
    if (facts === undefined) return this.#forget(file.name);
    this.#looks.set(file.name, { ino: file.entry.ino, size: file.entry.size, facts });
  }

  /** As far as the line that gives it its title: what a person asked first may be longer than all that is before. */
  async #facts(file: LogFile): Promise<LogFacts> {
    for (let bytes = HEAD_BYTES; ; bytes *= 4) {
      const read = await this.#bytes.head(file, bytes);
      const lines: Line[] = [];
      const splitter = new LineSplitter(0, (line) => lines.push(line));
      splitter.push(read);
      if (read.length < bytes) splitter.end();
      const facts = this.#rules.describe(file, lines);
      const isEnough = lines.length > 0 && (facts.title !== undefined || !facts.isEarly);
      if (isEnough || read.length < bytes || bytes > MAX_LINE_BYTES) return facts;
    }
  }

  #forget(name: string): void {
    this.#looks.delete(name);
    this.#endings.delete(name);
  }
}

function withoutLeftOvers(session: Session): Session {
  const parts = session.parts.filter(({ facts }) => facts.leftOver === undefined);
  if (parts.length === 0 || parts.length === session.parts.length) return session;
  return { id: session.id, parts, note: session.parts.find(({ facts }) => facts.leftOver)?.facts.leftOver };
}

function endingOf(marks: readonly Mark[]): Ending {
  const last = marks.findLast((mark) => !mark.problem);
  const unreadable = marks.filter((mark) => mark.problem).length;
  return { ...(last && { last }), count: marks.length, unreadable, isWhole: false };
}

function readWhole(bytes: Buffer, part: LogPart, rules: LogRules): Ending {
  const { marks, note } = marksIn(bytes, 0, part, rules);
  return { ...endingOf(marks), isWhole: true, ...(note === undefined ? {} : { note }) };
}

/** The marks in some whole lines, and what there is to say about them. */
export function marksIn(bytes: Buffer, at: number, { file, facts }: LogPart, rules: Pick<LogRules, 'outline'>) {
  const marks: Mark[] = [];
  const outline = rules.outline((mark) => marks.push(mark), file, facts);
  const splitter = new LineSplitter(at, (line) => outline.line(line));
  splitter.push(bytes);
  splitter.end();
  return { marks: [...marks, ...(outline.open?.() ?? [])], note: logNote(outline.note?.(), splitter) };
}

/** What to know about the lines of a log. */
export function logNote(
  note: string | undefined,
  { torn, shared }: Pick<LineSplitter, 'torn' | 'shared'>,
): string | undefined {
  const glued = shared === 1 ? '1 line holds several records' : `${shared} lines hold several records`;
  return joinNotes(
    note,
    shared === 0 ? undefined : `${glued} without a line break between them: each is read here.`,
    torn === 0 ? undefined : `The last line is still being written, or was cut off: ${torn} bytes without an end.`,
  );
}

export const joinNotes = (...notes: readonly (string | undefined)[]): string | undefined =>
  notes.filter((note) => note !== undefined).join(' ') || undefined;

/** For a line that isn't a record of the system. @param words why, unless its bytes tell */
export function unreadableLine(line: Line, words: string): Mark {
  const { at, end } = line;
  const problem: Problem = { code: 'unreadable', message: lossWords(line) ?? words, offset: at };
  return { id: `byte-${at}`, start: at, end, status: 'unknown', problem };
}

const baseName = ({ name }: LogFile): string => name.slice(name.lastIndexOf('/') + 1);

function byBaseName(a: LogFile, b: LogFile): number {
  const [one, other] = [baseName(a), baseName(b)];
  if (one !== other) return one < other ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}

/** Open sessions, and how the lines before a mark are found. */
import {
  InspectorError,
  type CallOptions,
  type CheckpointRef,
  type GrownStates,
  type Problem,
} from '@checkpoint-inspector/core';
import { fileStamp } from '@checkpoint-inspector/io';
import { joinNotes, LogCatalog, type LogPart, type Session } from './catalog.ts';
import type { MarkColumns } from './columns.ts';
import type { FoundMark, LogOptions, LogRules, Slice } from './contract.ts';
import { LogBytes } from './lines.ts';
import type { Known, Row } from './listing.ts';
import { Growths } from './growths.ts';
import { Replays } from './replays.ts';
import { SessionMarks } from './session.ts';
import { LogTree } from './tree.ts';

/** Of sessions that were read, so many marks are kept, and always the newest session. */
const KEPT_MARKS = 300_000;
const UNREADABLE_ID = /^byte-(\d+)$/;
/** A text that is shorter than a log's id isn't one. */
const MOST_ID = 1_000;

const isProblem = (base: CheckpointRef | Problem | undefined): base is Problem => base !== undefined && 'code' in base;

/** One session as it is now. */
export class OpenSession {
  readonly #task: string;
  readonly #read: SessionMarks;

  constructor(task: string, read: SessionMarks) {
    this.#task = task;
    this.#read = read;
  }

  get length(): number {
    return this.#read.marks.length;
  }

  indexOf(id: string): number | undefined {
    return this.#read.marks.indexOf(id);
  }

  /** The last one that can be read. */
  get latest(): number | undefined {
    for (let at = this.length - 1; at >= 0; at--) if (!this.#problemAt(at)) return at;
    return undefined;
  }

  get unreadable(): number {
    let count = 0;
    for (let at = 0; at < this.length; at++) if (this.#problemAt(at)) count++;
    return count;
  }

  get note(): string | undefined {
    return this.#read.note;
  }

  row(at: number, latest = this.latest): Row {
    const { marks, bases } = this.#read;
    const mark = marks.at(at);
    if (!mark) throw new InspectorError('internal', `No mark ${at}.`);
    const file = marks.fileAt(at);
    const parent = this.#parentOf(at);
    const problem = this.#problemAt(at);
    // Only the end of a session is running: what has others after it came to its end.
    const status = mark.status === 'running' && this.#read.isPast(at) ? 'completed' : mark.status;
    const base = bases[file];
    const facts = this.#read.parts[file]?.facts;
    const lineage = parent === undefined ? 'none' : mark.parent || parent === base ? 'recorded' : 'inferred';
    return {
      task: this.#task,
      seq: at + 1,
      mark: { ...mark, status, ...(problem && { problem }) },
      ...(parent && { parent }),
      lineage,
      isLatest: at === latest,
      agentId: facts?.agentId,
      gitCommit: facts?.gitCommit,
      stateBytes: mark.from ? mark.end - mark.from : mark.end + (facts?.base?.end ?? 0),
    };
  }

  at(at: number, latest = this.latest): FoundMark {
    const { mark, isLatest } = this.row(at, latest);
    const part = this.#read.parts[this.#read.marks.fileAt(at)];
    if (!part) throw new InspectorError('internal', `No file of mark ${at}.`);
    return { ref: { task: this.#task, id: mark.id }, mark, start: mark.start, isLatest, ...part };
  }

  find(id: string): FoundMark | undefined {
    const at = this.indexOf(id);
    return at === undefined ? undefined : this.at(at);
  }

  #problemAt(at: number): Problem | undefined {
    const base = this.#read.bases[this.#read.marks.fileAt(at)];
    return isProblem(base) ? base : this.#read.marks.problemAt(at);
  }

  #parentOf(at: number): CheckpointRef | undefined {
    const { marks, bases } = this.#read;
    const own = marks.at(at)?.parent;
    if (own) return own === 'none' ? undefined : own;
    const file = marks.fileAt(at);
    if (at > 0 && marks.fileAt(at - 1) === file) return { task: this.#task, id: marks.at(at - 1)?.id ?? '' };
    const base = bases[file];
    return isProblem(base) ? undefined : base;
  }
}

const turned = ({ members, list }: GrownStates): GrownStates => ({
  members: members.map(({ key, before: after, after: before }) => ({ key, before, after })),
  list: { ...list, before: list.after, after: list.before },
});

const partsOf = (sessions: ReadonlyMap<string, Session>): LogPart[] =>
  [...sessions.values()].flatMap(({ parts }) => parts);

interface Kept {
  readonly read: SessionMarks;
  readonly open: OpenSession;
}

export class LogStore {
  readonly bytes: LogBytes;
  readonly catalog: LogCatalog;
  readonly #rules: LogRules;
  readonly #replays: Replays;
  readonly #growths: Growths;
  /** The one asked for last at the end. */
  readonly #sessions = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<unknown>>();

  constructor(options: LogOptions, rules: LogRules) {
    this.#rules = rules;
    this.bytes = new LogBytes(options, rules);
    this.catalog = new LogCatalog(new LogTree(options, rules), this.bytes, rules);
    this.#replays = new Replays(this.bytes, rules, options);
    this.#growths = new Growths(this.bytes, rules);
  }

  forget(): void {
    this.#sessions.clear();
  }

  /** As it is now; `undefined` where there is none. */
  async open(task: string): Promise<OpenSession | undefined> {
    const before = this.#reading.get(task);
    const reading = (async () => {
      await before?.catch(() => undefined);
      const session = await this.catalog.find(
        (sessions) => sessions.get(task),
        (found) => found?.parts.map(({ file }) => file),
      );
      if (!session) return undefined;
      const known = this.#sessions.get(task);
      const read =
        known && (await known.read.canGoOn(session)) ? known.read : new SessionMarks(this.bytes, this.#rules);
      if (known && known.read !== read) {
        this.#replays.forget();
        this.#growths.forget();
      }
      await read.goOn(session, (part, marks) => this.#baseOf(part, marks, session));
      return this.#keep(task, known?.read === read ? known : { read, open: new OpenSession(task, read) });
    })();
    this.#reading.set(task, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(task) === reading) this.#reading.delete(task);
    }
  }

  /** What is known of a session without reading it whole. */
  async known(session: Session): Promise<Known> {
    const kept = this.#sessions.get(session.id);
    const isCurrent =
      kept?.read.parts.length === session.parts.length &&
      kept.read.parts.every(
        ({ file }, at) => fileStamp(file.entry) === fileStamp(session.parts[at]?.file.entry ?? file.entry),
      );
    if (kept && isCurrent) {
      const { open } = kept;
      const last = open.latest === undefined ? undefined : open.row(open.latest).mark;
      return { last, count: open.length, unreadable: open.unreadable, isWhole: true, ...(await this.#noteOf(session)) };
    }
    const endings = await Promise.all(session.parts.map((part) => this.catalog.ending(part)));
    const unread = await this.#isBroken(session);
    const sum = (of: (one: (typeof endings)[number]) => number): number =>
      endings.reduce((all, one) => all + of(one), 0);
    return {
      last: unread ? undefined : endings.findLast((one) => one.last)?.last,
      count: sum((one) => one.count),
      unreadable: unread ? sum((one) => one.count) : sum((one) => one.unreadable),
      isWhole: endings.every((one) => one.isWhole),
      ...(await this.#noteOf(session)),
    };
  }

  /** The same before and after a session was opened. */
  async #noteOf({ parts, note: about }: Session): Promise<{ readonly note?: string }> {
    const last = parts.at(-1);
    const note = joinNotes(about, last && (await this.catalog.ending(last)).note);
    return note === undefined ? {} : { note };
  }

  /** @throws InspectorError unreadable | too_large */
  async text(found: FoundMark, options?: CallOptions): Promise<string> {
    return this.#replays.text(found.mark, await this.chain(found), options);
  }

  /** What one of two states has more than the other. @returns undefined where the states have to be read @throws as chain */
  async grown(before: FoundMark, after: FoundMark, signal?: AbortSignal): Promise<GrownStates | undefined> {
    const [old, own] = [await this.chain(before), await this.chain(after)];
    const grown = await this.#growths.between(old, own, signal);
    if (grown) return grown;
    const back = await this.#growths.between(own, old, signal);
    return back && turned(back);
  }

  /** The slices that a state is made of, the oldest first. @throws InspectorError unreadable where a base is missing */
  async chain({ file, facts, mark }: Pick<FoundMark, 'file' | 'facts' | 'mark'>): Promise<Slice[]> {
    const from = mark.from ?? 0;
    const own: Slice = { file, start: from, end: mark.end };
    if (from > 0 || !facts.base) return [own];
    const chain = await this.#chainBefore({ file, facts });
    if ('code' in chain) throw new InspectorError(chain.code, chain.message);
    return [...chain, own];
  }

  /** Refs with this id: sessions that weren't read are searched for its bytes first. */
  async find(id: string, signal?: AbortSignal): Promise<CheckpointRef[]> {
    if (id === '' || id.length > MOST_ID) return [];
    const refs: CheckpointRef[] = [];
    for (const session of (await this.catalog.sessions(signal)).values()) {
      signal?.throwIfAborted();
      if (!this.#sessions.has(session.id) && !(await this.#mayHold(session, id))) continue;
      if ((await this.open(session.id))?.indexOf(id) !== undefined) refs.push({ task: session.id, id });
    }
    return refs;
  }

  async #mayHold({ parts }: Session, id: string): Promise<boolean> {
    const unreadable = UNREADABLE_ID.exec(id)?.[1];
    // A second mark with the same id has a number behind it.
    const wanted = Buffer.from(JSON.stringify(id.replace(/#\d+$/, '')).slice(1, -1));
    for (const { file } of parts) {
      if (unreadable !== undefined && Number(unreadable) < file.entry.size) return true;
      let before = Buffer.alloc(0);
      let isThere = false;
      await this.bytes.pieces(file, {}, (piece) => {
        isThere ||=
          piece.includes(wanted) || Buffer.concat([before, piece.subarray(0, wanted.length)]).includes(wanted);
        before = Buffer.from(piece.subarray(-wanted.length));
      });
      if (isThere) return true;
    }
    return false;
  }

  async #isBroken({ parts }: Session): Promise<boolean> {
    const last = parts.at(-1);
    return last?.facts.base !== undefined && 'code' in (await this.#chainBefore(last));
  }

  async #baseOf(part: LogPart, marks: MarkColumns, session: Session): Promise<CheckpointRef | Problem | undefined> {
    const { base } = part.facts;
    if (!base) return undefined;
    const chain = await this.#chainBefore(part);
    if ('code' in chain) return chain;
    const from = chain.at(-1);
    const own = session.parts.findIndex(({ file }) => file.name === from?.file.name);
    if (own !== -1) {
      const at = marks.lastBefore(own, base.end);
      return at === undefined ? undefined : { task: session.id, id: marks.at(at)?.id ?? '' };
    }
    const other = partsOf(await this.catalog.sessions()).find(({ file }) => file.name === from?.file.name);
    if (!other) return undefined;
    const { last } = await this.catalog.ending(other, base.end);
    // A fork of a fork without own steps goes on where that one was taken.
    return last ? { task: other.facts.session, id: last.id } : this.#baseOf(other, marks, { ...session, parts: [] });
  }

  /** The slices before a file's first line, or why they can't be had. */
  #chainBefore(part: LogPart): Promise<Slice[] | Problem> {
    return this.catalog.find(
      (sessions) => this.#chainAmong(partsOf(sessions), part),
      (chain) => ('code' in chain ? undefined : chain.map(({ file }) => file)),
    );
  }

  #chainAmong(parts: readonly LogPart[], part: Pick<LogPart, 'file' | 'facts'>): Slice[] | Problem {
    const chain: Slice[] = [];
    const seen = new Set([part.file.name]);
    for (let base = part.facts.base; base;) {
      const wanted = base;
      const from = parts.find(({ facts }) => (facts.key ?? facts.session) === wanted.key);
      if (!from) {
        return { code: 'unreadable', message: `The log it is based on is missing: ${wanted.key}.` };
      }
      if (seen.has(from.file.name)) return { code: 'unreadable', message: 'It is based on itself, through others.' };
      if (from.file.entry.size < wanted.end && !this.bytes.isCompressed(from.file)) {
        const message = `The log it is based on is shorter than the ${wanted.end} bytes that it needs: ${wanted.key}.`;
        return { code: 'unreadable', message };
      }
      seen.add(from.file.name);
      chain.unshift({ file: from.file, start: 0, end: wanted.end });
      base = from.facts.base;
    }
    return chain;
  }

  #keep(task: string, kept: Kept): OpenSession {
    this.#sessions.delete(task);
    this.#sessions.set(task, kept);
    let marks = [...this.#sessions.values()].reduce((sum, { read }) => sum + read.marks.length, 0);
    for (const [old, { read }] of this.#sessions) {
      if (marks <= KEPT_MARKS || old === task) break;
      marks -= read.marks.length;
      this.#sessions.delete(old);
    }
    return kept.open;
  }
}

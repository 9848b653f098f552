/** Rows of a tree that LangGraph wrote one after the other, as columns: without an object for each. */
import { arePlainTimes, type LineageRun } from '@checkpoint-inspector/core';
import type { Outliner } from './listing.ts';
import { createdAtOf, stepWords } from './meta.ts';
import { readMetadata } from './metadata.ts';
import { PackedLines } from './packed-lines.ts';
import { plainMetadataAt } from './plain-metadata.ts';
import type { Key, Outlines, PackedOutlines, Queries, RowsMark } from './queries.ts';
import { bytesThatRan, NodeNames, readSeen, seenAt, SeenBytes } from './seen-bytes.ts';
import { orNothing, SeenVersions } from './seen-versions.ts';

export interface TreeRun {
  readonly part: LineageRun;
  readonly mark: RowsMark;
  readonly last: Key;
  readonly failed: readonly Key[];
}

/** After so many times that there is none, nobody asks again: the thread was written another way. */
const MOST_MISSES = 3;
/** Graphs have fewer combinations of nodes that run together. */
const MOST_WORDS = 1_000;
const ROW = { ns: '', type: 'json', metadata: null, start: null } as const;

/** Parents of the rows of a run; absent: each is the row before. */
type Parents = readonly (string | null)[] | undefined;

/** Along the index of a thread that has the root's rows only. */
export class TreeRuns {
  readonly #pack: ReturnType<Outlines['packing']>;
  readonly #outliner: Outliner;
  readonly #versions: SeenVersions;
  readonly #sizes: readonly number[];
  /** So many of these are too large for the rows that are left. */
  #tooLarge = 0;
  readonly #names = new NodeNames();
  readonly #words = new Map<string, string>();
  /** What the last row of the last run had seen, and the row after it. */
  #seen = { last: new SeenBytes(), now: new SeenBytes() };
  /** Of that run; absent where what it had seen has to be looked up. */
  #lastId: string | undefined;
  /** How far from the end of a row this may be. */
  #back = 0;
  #misses = 0;

  /** @param sizes of runs, the largest first */
  constructor(queries: Queries & Outlines, thread: string, outliner: Outliner, sizes: readonly number[]) {
    this.#pack = queries.packing(thread);
    this.#outliner = outliner;
    this.#versions = new SeenVersions(queries, thread);
    this.#sizes = sizes;
  }

  /** As many of the next rows as can be; absent where a run cannot say what there is to say of them. */
  after(last: Key | undefined): TreeRun | undefined {
    const after = last?.id ?? '';
    // The run would have to end there.
    const until = this.#outliner.apart
      .map(({ id }) => id)
      .filter((id) => id > after)
      .toSorted()
      .at(0);
    if (this.#pack === undefined || this.#misses >= MOST_MISSES || until === undefined) return undefined;
    for (const size of this.#sizes.slice(this.#tooLarge)) {
      const rows = this.#pack(after, until, size);
      if (rows === 'few') this.#tooLarge++;
      const run = typeof rows === 'object' && !this.#hasApart(rows) ? this.#runOf(rows, last?.id) : undefined;
      if (run === undefined) continue;
      this.#misses = 0;
      return run;
    }
    this.#misses++;
    return undefined;
  }

  #hasApart({ count, idAt }: PackedOutlines): boolean {
    const [first, last] = [idAt(0), idAt(count - 1)];
    return this.#outliner.apart.some(({ id }) => first <= id && id <= last);
  }

  #runOf(rows: PackedOutlines, before: string | undefined): TreeRun | undefined {
    const { count, idAt } = rows;
    const parents: Parents = isChain(rows, before) ? undefined : (JSON.parse(rows.parents) as (string | null)[]);
    // In a run, none would be taken for the row before.
    if (parents?.some((id) => id === null || id === '') === true) return undefined;
    const [told, times] = [this.#tell(rows, before, parents), timesOf(rows)];
    if (told === undefined || times === undefined) return undefined;
    const failed = this.#outliner.hasFailed ? failedIn(rows, this.#outliner) : [];
    const part = {
      count,
      ids: rows.ids,
      ...(parents && { parents: rows.parents }),
      statuses: statusesOf(count, failed),
      times,
      ...told,
    };
    const keyAt = (at: number): Key => ({ ns: '', id: idAt(at) });
    return { part, mark: rows, last: keyAt(count - 1), failed: failed.map(keyAt) };
  }

  /** Absent where some row is on several lines. */
  #tell(
    { count, metadata, ends, window, idAt }: PackedOutlines,
    before: string | undefined,
    parents: Parents,
  ): Pick<LineageRun, 'steps' | 'descriptions'> | undefined {
    const steps: (number | null)[] = [];
    const descriptions: string[] = [];
    const [said, seen] = [new PackedLines(metadata), new PackedLines(ends)];
    const parentAt = (at: number) => (parents ? parents[at] : at === 0 ? before : idAt(at - 1));
    let { last, now } = this.#seen;
    let isKnown = before === undefined || before === this.#lastId;
    if (before === undefined) last.length = 0;
    for (let at = 0; at < count; at++) {
      const plain = plainMetadataAt(metadata, said.to + 1);
      const isPlain = plain !== undefined && said.nextTo(plain.end);
      if (!isPlain) said.next();
      const own = isPlain ? plain : readMetadata(said.text);
      seen.next();
      const place = seenAt(ends, seen.from, seen.to, seen.to - this.#back);
      const isRead = readSeen(now, ends, place, seen.to, this.#names);
      const isNext = parents === undefined || parents[at] === (at === 0 ? before : idAt(at - 1));
      const ran =
        isRead && isKnown && isNext
          ? bytesThatRan(now, last, this.#names)
          : this.#versions.wordsThatRan({ ...ROW, id: idAt(at), parent: parentAt(at) ?? null, end: seen.text, window });
      steps.push(own?.step ?? null);
      descriptions.push(this.#quoted(stepWords(own, ran)));
      [last, now] = [now, last];
      isKnown = isRead;
      this.#back = seen.to - place;
    }
    this.#seen = { last, now };
    this.#lastId = isKnown ? idAt(count - 1) : undefined;
    if (!said.isAtEnd || !seen.isAtEnd) return undefined;
    return { steps: JSON.stringify(steps), descriptions: `[${descriptions.join(',')}]` };
  }

  /** As JSON. Most steps are made by the same nodes. */
  #quoted(words: string | undefined): string {
    if (words === undefined) return 'null';
    const known = this.#words.get(words) ?? JSON.stringify(words);
    if (this.#words.size < MOST_WORDS) this.#words.set(words, known);
    return known;
  }
}

/** Each row's parent is the row before: then the list of parents is that of the ids, one further. */
function isChain({ ids, parents }: PackedOutlines, before: string | undefined): boolean {
  const first = before === undefined ? '[null' : `["${before}"`;
  const others = parents.slice(first.length + 1, -1);
  return parents.startsWith(first) && ids.slice(1, 1 + others.length) === others;
}

function failedIn({ count, idAt }: PackedOutlines, outliner: Outliner): number[] {
  return Array.from({ length: count }, (_none, at) => at).filter((at) => outliner.isFailed({ ns: '', id: idAt(at) }));
}

function statusesOf(count: number, failed: readonly number[]): string {
  if (failed.length === 0) return 'c'.repeat(count);
  const letters = Array.from({ length: count }, () => 'c');
  for (const at of failed) letters[at] = 'f';
  return letters.join('');
}

function timesOf({ count, times, idAt }: PackedOutlines): string | undefined {
  if (arePlainTimes(times)) return times;
  // Those with escapes are read as the rows are.
  const list = times.includes('\\') ? undefined : orNothing(() => JSON.parse(times) as unknown[]);
  if (list?.length !== count) return undefined;
  return JSON.stringify(list.map((time, at) => createdAtOf(typeof time === 'string' ? time : undefined, idAt(at))));
}

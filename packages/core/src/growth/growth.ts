import { ChildCursor, containerAt, indexJson } from '../json/skim.ts';
import { scanString } from '../json/scan.ts';
import { unquote } from '../json/node.ts';

/** What one top-level entry of the states takes up, over all of them; bytes are those of its values in UTF-8. */
export interface EntryGrowth {
  readonly key: string;
  readonly bytes: number;
  /** In how many states it is. */
  readonly checkpoints: number;
  /** How many different values it had, compared by their text. */
  readonly values: number;
  /** Of `bytes`: values that were stored before, by an earlier state that was added. */
  readonly repeatedBytes: number;
  /** Its largest value. */
  readonly largest: number;
}

/** What makes the states of a task grow. `bytes` is the sum of the entries, the rest and the frame. */
export interface Growth {
  /** States that were added. */
  readonly checkpoints: number;
  /** Of their whole texts, in UTF-8. */
  readonly bytes: number;
  readonly repeatedBytes: number;
  /** Most bytes first. */
  readonly entries: readonly EntryGrowth[];
  /** Entries that are not listed one by one. */
  readonly rest: { readonly entries: number; readonly bytes: number };
  /** What is in no entry: keys, punctuation, spaces, and states that are not objects. */
  readonly frameBytes: number;
}

interface Sum {
  bytes: number;
  checkpoints: number;
  repeatedBytes: number;
  largest: number;
  /** The last state that had the entry: one that has a key twice counts once. */
  last: number;
  readonly values: Set<string>;
}

/** A shorter value is compared as it is. */
const HASHED = 64;

/**
 * Adds up the states of a task, one by one, in any order. Each is skimmed, never parsed into values: `1.0` and `1` are
 * two values. What is kept grows with the different values, not with their length.
 * @param hashOf a digest of a text without collisions, such as sha256
 * @example
 * const tally = new GrowthTally(sha256);
 * for (const text of ['{"files":["a"],"n":1}', '{"files":["a"],"n":2}']) tally.add(text);
 * tally.growth().entries[0]; // { key: 'files', bytes: 10, checkpoints: 2, values: 1, repeatedBytes: 5, largest: 5 }
 */
export class GrowthTally {
  readonly #hashOf: (text: string) => string;
  readonly #sums = new Map<string, Sum>();
  #states = 0;
  #bytes = 0;
  #values = 0;

  constructor(hashOf: (text: string) => string) {
    this.#hashOf = hashOf;
  }

  /** How many different values are remembered, over all entries: what bounds the memory. */
  get values(): number {
    return this.#values;
  }

  /** Nothing of a text that isn't JSON is counted. @throws InspectorError unreadable */
  add(text: string): void {
    const members = membersOf(text);
    this.#states++;
    this.#bytes += utf8Length(text);
    for (const { key, value } of members) this.#count(key, value);
  }

  /** @param most entries that are listed one by one; the others are in `rest` */
  growth(most = Number.POSITIVE_INFINITY): Growth {
    const all = [...this.#sums].map(([key, sum]) => entryOf(key, sum)).toSorted(byBytes);
    const total = (of: (entry: EntryGrowth) => number, from = 0) =>
      all.slice(from).reduce((sum, entry) => sum + of(entry), 0);
    const entries = all.slice(0, most);
    return {
      checkpoints: this.#states,
      bytes: this.#bytes,
      repeatedBytes: total((entry) => entry.repeatedBytes),
      entries,
      rest: { entries: all.length - entries.length, bytes: total((entry) => entry.bytes, entries.length) },
      frameBytes: this.#bytes - total((entry) => entry.bytes),
    };
  }

  #count(key: string, value: string): void {
    const sum = this.#sums.get(key) ?? this.#first(key);
    const bytes = utf8Length(value);
    const mark = value.length < HASHED ? value : `#${this.#hashOf(value)}`;
    sum.bytes += bytes;
    sum.largest = Math.max(sum.largest, bytes);
    if (sum.last !== this.#states) sum.checkpoints++;
    sum.last = this.#states;
    if (sum.values.has(mark)) {
      sum.repeatedBytes += bytes;
      return;
    }
    sum.values.add(mark);
    this.#values++;
  }

  #first(key: string): Sum {
    const sum: Sum = { bytes: 0, checkpoints: 0, repeatedBytes: 0, largest: 0, last: 0, values: new Set() };
    this.#sums.set(key, sum);
    return sum;
  }
}

const byBytes = (a: EntryGrowth, b: EntryGrowth): number => b.bytes - a.bytes || (a.key < b.key ? -1 : 1);

function entryOf(key: string, { values, bytes, checkpoints, repeatedBytes, largest }: Sum): EntryGrowth {
  return { key, bytes, checkpoints, values: values.size, repeatedBytes, largest };
}

/** The top-level members as written; none where the state is not an object. */
function membersOf(text: string): { readonly key: string; readonly value: string }[] {
  const index = indexJson(text);
  const root = containerAt(index, index.start);
  if (root?.kind !== 'object') return [];
  const members: { key: string; value: string }[] = [];
  const cursor = new ChildCursor(index, root);
  while (cursor.next()) {
    const key = unquote(text, cursor.from, scanString(text, cursor.from));
    members.push({ key, value: text.slice(cursor.start, cursor.end) });
  }
  return members;
}

const utf8Length = (text: string): number =>
  /[\u0080-\uffff]/.test(text) ? new TextEncoder().encode(text).length : text.length;

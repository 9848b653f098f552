import { MAX_DEPTH, PartialDiff } from '../diff/diff.ts';
import { PLACES } from '../diff/identity.ts';
import type { Diff, DiffOptions } from '../diff/index.ts';
import { child, ROOT, step, type Trail } from '../diff/trail.ts';
import { equalJson, quoteJson } from '../json/index.ts';
import { differingMembers, type Entries, entriesIn, entriesOf, type Entry, sharedEnds } from './entries.ts';
import { type NodeLimits, NodeReader, type NodeWork, type Slot, TooMuch } from './reading.ts';

/** Two values that are to be compared, or one that the other state has not. */
interface Pair {
  readonly before: Slot | undefined;
  readonly after: Slot | undefined;
  readonly was: Trail;
  readonly now: Trail;
}

/** Where two arrays are. */
type Place = Pick<Pair, 'was' | 'now'>;

/** So many elements of two arrays have equal ones in the same place, counted from the front and from the end. */
interface Ends {
  readonly head: number;
  readonly tail: number;
}

/** Above these the texts are compared faster, and off the event loop. */
export const DIFF_LIMITS: NodeLimits = { reads: 2_000, characters: 4_000_000 };

/**
 * What `diffJson` says of two stored states, without reading what they share.
 * @returns undefined where so much differs that their texts are cheaper to compare
 * @throws InspectorError unreadable (a node is missing) | invalid_input (an ignore rule)
 * @example const diff = answerNodes(diffNodes(root, other), (ids) => readBodies(db, ids));
 */
export function* diffNodes(
  before: number,
  after: number,
  options: DiffOptions = {},
  limits: NodeLimits = DIFF_LIMITS,
): NodeWork<Diff | undefined> {
  const comparison = new NodeComparison(new NodeReader(limits), new PartialDiff(options));
  try {
    yield* comparison.run({ before: { id: before }, after: { id: after }, was: ROOT, now: ROOT });
    return comparison.diff.result();
  } catch (error) {
    if (error instanceof TooMuch) return undefined;
    throw error;
  }
}

class NodeComparison {
  readonly diff: PartialDiff;
  readonly #reader: NodeReader;

  constructor(reader: NodeReader, diff: PartialDiff) {
    this.#reader = reader;
    this.diff = diff;
  }

  *run(first: Pair): NodeWork<void> {
    const pairs = [first];
    for (let pair = pairs.pop(); pair; pair = pairs.pop()) pairs.push(...(yield* this.#compare(pair)).toReversed());
  }

  /** Tells what differs; answers the pairs that come next. */
  *#compare(pair: Pair): NodeWork<readonly Pair[]> {
    const { before, after, now } = pair;
    if (before && after && this.#reader.isSame(before, after)) return [];
    if (before && after && now.depth < MAX_DEPTH) {
      yield* this.#reader.load([before, after].flatMap((slot) => ('id' in slot ? [slot.id] : [])));
      const olds = yield* entriesOf(this.#reader, before);
      const news = yield* entriesOf(this.#reader, after);
      if (olds?.kind === 'object' && news?.kind === 'object') return yield* this.#objects(olds, news, pair);
      if (olds?.kind === 'array' && news?.kind === 'array') return yield* this.#arrays(olds, news, pair);
    }
    return yield* this.#whole(pair);
  }

  *#whole(pair: Pair): NodeWork<readonly Pair[]> {
    const { before, after } = pair;
    const old = before && (yield* this.#reader.text(before));
    this.diff.add(old, after && (yield* this.#reader.text(after)), pair);
    return [];
  }

  *#objects(before: Entries, after: Entries, pair: Pair): NodeWork<readonly Pair[]> {
    const { was, now } = pair;
    const [oldMembers, newMembers] = yield* differingMembers(this.#reader, before, after);
    if ([...oldMembers, ...newMembers].some(({ duplicate }) => duplicate)) return yield* this.#whole(pair);
    const olds = byKey(oldMembers);
    const news = byKey(newMembers);
    const changed = [...olds].map(([key, slot]): Pair => {
      const other = news.get(key);
      return other === undefined
        ? { before: slot, after: undefined, was: child(was, key), now }
        : { before: slot, after: other, ...step(was, now, key, key) };
    });
    const added = [...news].filter(([key]) => !olds.has(key));
    return [...changed, ...added.map(([key, slot]) => ({ before: undefined, after: slot, was, now: child(now, key) }))];
  }

  *#arrays(before: Entries, after: Entries, place: Place): NodeWork<readonly Pair[]> {
    const near = yield* this.#sameEnds(before, after);
    const [old, ...others] = yield* this.#between(before, near);
    const [own, ...more] = yield* this.#between(after, near);
    if (old && own && others.length + more.length === 0 && (yield* this.#isOneChanged(old, own, place)))
      return [{ before: old, after: own, ...step(place.was, place.now, near.head, near.head) }];
    const ends = yield* this.#equalEnds(before, after, near);
    const oldText = yield* this.#arrayText(before, ends);
    const newText = yield* this.#arrayText(after, ends);
    const { head, tail } = ends;
    const isOneSided = Math.min(before.count, after.count) === head + tail;
    if (isOneSided || head + tail === 0 || this.diff.isDecided(oldText, newText, place.now)) {
      this.diff.add(oldText, newText, { ...place, offset: head });
      return [];
    }
    const all = { head: 0, tail: 0 };
    this.diff.add(yield* this.#arrayText(before, all), yield* this.#arrayText(after, all), place);
    return [];
  }

  *#between(entries: Entries, { head, tail }: Ends): NodeWork<readonly Slot[]> {
    return (yield* entriesIn(this.#reader, entries, head, entries.count - tail)).map(({ slot }) => slot);
  }

  *#arrayText(entries: Entries, ends: Ends): NodeWork<string> {
    const slots = yield* this.#between(entries, ends);
    return `[${(yield* this.#reader.texts(slots)).join(',')}]`;
  }

  /** Without looking into any element. */
  *#sameEnds(before: Entries, after: Entries): NodeWork<Ends> {
    const ends = yield* sharedEnds(this.#reader, before, after);
    const olds = yield* this.#between(before, ends);
    const news = yield* this.#between(after, ends);
    const most = Math.min(olds.length, news.length);
    let first = 0;
    while (first < most && this.#reader.isSame(olds[first], news[first])) first++;
    let last = 0;
    while (last < most - first && this.#reader.isSame(olds.at(-1 - last), news.at(-1 - last))) last++;
    return { head: ends.head + first, tail: ends.tail + last };
  }

  /** As many as the texts would have, the front first: elements can be equal in different nodes, and repeat. */
  *#equalEnds(before: Entries, after: Entries, near: Ends): NodeWork<Ends> {
    const most = Math.min(before.count, after.count);
    let { head } = near;
    while (head < most && (yield* this.#isEqual(before, head, after, head))) head++;
    let tail = Math.min(near.tail, most - head);
    while (tail < most - head && (yield* this.#isEqual(before, before.count - 1 - tail, after, after.count - 1 - tail)))
      tail++;
    return { head, tail };
  }

  *#isEqual(before: Entries, i: number, after: Entries, j: number): NodeWork<boolean> {
    const [old] = yield* entriesIn(this.#reader, before, i, i + 1);
    const [own] = yield* entriesIn(this.#reader, after, j, j + 1);
    if (!old || !own) return false;
    if (this.#reader.isSame(old.slot, own.slot)) return true;
    if ((yield* this.#reader.kindOf(old.slot)) !== (yield* this.#reader.kindOf(own.slot))) return false;
    const [a = '', b = ''] = yield* this.#reader.texts([old.slot, own.slot]);
    return equalJson(a, b);
  }

  /** True where one element of two arrays is not the same, and it is the changed one whatever identifies the others. */
  *#isOneChanged(before: Slot, after: Slot, { now }: Place): NodeWork<boolean> {
    const kind = yield* this.#reader.kindOf(before);
    if (kind !== (yield* this.#reader.kindOf(after)) || (kind !== 'object' && kind !== 'array')) return false;
    const [a, b] = [yield* this.#identity(before), yield* this.#identity(after)];
    return a !== undefined && b !== undefined && this.diff.isDecided(`[${a}]`, `[${b}]`, now);
  }

  /** The element with nothing but what may identify it. */
  *#identity(slot: Slot, inside?: typeof NESTED): NodeWork<string | undefined> {
    const members: string[] = [];
    for (const { key = '', duplicate, slot: value } of yield* this.#members(slot)) {
      if (duplicate) return undefined;
      if (PLACES.includes(key)) members.push(`${quoteJson(key)}:${yield* this.#scalarText(value)}`);
      if (key !== NESTED || inside) continue;
      const nested = yield* this.#identity(value, NESTED);
      if (nested === undefined) return undefined;
      members.push(`"${NESTED}":${nested}`);
    }
    return `{${members.join(',')}}`;
  }

  *#members(slot: Slot): NodeWork<readonly Entry[]> {
    const entries = yield* entriesOf(this.#reader, slot);
    return entries?.kind === 'object' ? yield* entriesIn(this.#reader, entries, 0, entries.count) : [];
  }

  /** A container identifies nothing, so it isn't read. */
  *#scalarText(slot: Slot): NodeWork<string> {
    const kind = yield* this.#reader.kindOf(slot);
    return kind === 'object' || kind === 'array' ? 'null' : yield* this.#reader.text(slot);
  }
}

/** Where LangChain's messages carry their identity. */
const NESTED = 'kwargs';

const byKey = (members: readonly Entry[]): ReadonlyMap<string, Slot> =>
  new Map(members.map(({ key = '', slot }) => [key, slot]));

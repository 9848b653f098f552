import { groupByKey } from '../json/equal.ts';
import type { JsonArray, JsonNode, JsonObject } from '../json/node.ts';
import { formatPath, type Path } from '../json/path.ts';
import { leavesOf } from '../json/tape.ts';
import { checkTexts } from '../json/texts.ts';
import { checkKeys } from '../options.ts';
import { alignArrays, matchesAlone } from './arrays.ts';
import { Document, equalIn, isTaken } from './document.ts';
import type { Elements } from './identity.ts';
import { IgnoreRules } from './ignore.ts';
import { child, pathOf, ROOT, step, type Trail } from './trail.ts';
import type { Diff, Difference, DiffOptions, DiffSummary } from './types.ts';

/** Deeper than this, an unequal value is one row. */
export const MAX_DEPTH = 2_000;

/** Two values to compare; `was` is the old path, the same trail as `now` until an index shifts. */
interface Pair {
  readonly before: JsonNode;
  readonly after: JsonNode;
  readonly was: Trail;
  readonly now: Trail;
  /** Of arrays: the index of their first elements. */
  readonly offset?: number;
}

/** What is left to do: compare two values or write one row. */
type Task =
  | Pair
  | { readonly added: JsonNode; readonly now: Trail }
  | { readonly removed: JsonNode; readonly was: Trail }
  | { readonly moved: JsonNode; readonly was: Trail; readonly now: Trail };

/**
 * Compares two states. Array elements are matched by identity or equal value, so that a move is one row and an
 * insertion in front is one row. Objects are compared by key; when a value that a later duplicate of its key hides
 * is not the same, the whole object is one `changed` row. Below 2,000 levels an unequal value is one row.
 * @throws InspectorError unreadable (a text is not JSON) | invalid_input (no text, a misspelt option, an ignore rule)
 * @example diffJson('{"a":1}', '{"a":"1"}').items // [{ path: '$.a', kind: 'type-changed', before: '1', after: '"1"' }]
 */
export function diffJson(before: string, after: string, options: DiffOptions = {}): Diff & { readonly equal: number } {
  checkTexts(before, after);
  checkKeys(options, ['ignore']);
  const old = new Document(before);
  return diffDocuments(old, new Document(after, { before: old }), options);
}

/** Entries of two lists or two objects, before and after; what differs only where there are as many. */
export interface EntriesDiff {
  readonly before: number;
  readonly after: number;
  readonly items?: readonly Difference[];
}

/**
 * What became of the entries of a list or an object.
 * @returns undefined where one of them has no entries, such as a number
 * @throws InspectorError unreadable
 * @example diffEntries('[1,2]', '[1,2,3]') // { before: 2, after: 3 }
 */
export function diffEntries(before: string, after: string): EntriesDiff | undefined {
  const old = new Document(before);
  const now = new Document(after, { before: old });
  const counts = { before: entriesOf(old.root), after: entriesOf(now.root) };
  if (counts.before === undefined || counts.after === undefined) return undefined;
  const count = { before: counts.before, after: counts.after };
  return count.before === count.after ? { ...count, items: diffDocuments(old, now, {}).items } : count;
}

function entriesOf(node: JsonNode): number | undefined {
  if (node.kind === 'array') return node.items.length;
  return node.kind === 'object' ? node.members.length : undefined;
}

function diffDocuments(before: Document, after: Document, options: DiffOptions): Diff & { readonly equal: number } {
  const ignore = new IgnoreRules(options.ignore ?? []);
  const items: Difference[] = [];
  const comparison = new Comparison(before, after, ignore, (row) => items.push(inWords(row, before, after)));
  comparison.run();
  return { items, summary: summarise(items), ignored: ignore.counts(), equal: comparison.equal };
}

function inWords({ kind, path, from, old, now }: Row, before: Document, after: Document): Difference {
  return {
    path: formatPath(path),
    kind,
    ...(old ? { before: before.source(old) } : {}),
    ...(from ? { from: formatPath(from) } : {}),
    ...(now ? { after: after.source(now) } : {}),
  };
}

/** Where a part of two states is. */
export interface PartAt {
  readonly was: Trail;
  readonly now: Trail;
  /** Of arrays: how many equal elements are in front of both parts. */
  readonly offset?: number;
}

/** What differs between two states of which only some parts have been read; the others are known to be equal. */
export class PartialDiff {
  readonly #ignore: IgnoreRules;
  readonly #items: Difference[] = [];

  constructor({ ignore = [] }: DiffOptions) {
    this.#ignore = new IgnoreRules(ignore);
  }

  /** The texts of one part, each absent where its state has none there. */
  add(before: string | undefined, after: string | undefined, at: PartAt): void {
    const [old, now] = [new Document(before ?? 'null'), new Document(after ?? 'null')];
    const tell = (row: Row): void => void this.#items.push(inWords(row, old, now));
    const comparison = new Comparison(old, now, this.#ignore, tell);
    if (before === undefined) comparison.run({ added: now.root, now: at.now });
    else if (after === undefined) comparison.run({ removed: old.root, was: at.was });
    else comparison.run({ ...at, before: old.root, after: now.root });
  }

  /**
   * True where `add` says of these elements what it would say of the whole arrays: `before` and `after` are arrays of
   * all elements between their equal ends.
   */
  isDecided(before: string, after: string, now: Trail): boolean {
    const [old, own] = [elementsOf(before), elementsOf(after)];
    return matchesAlone(old, own, (identity) => !this.#ignore.covers([...pathOf(now), 0, ...identity]));
  }

  result(): Diff {
    return { items: this.#items, summary: summarise(this.#items), ignored: this.#ignore.counts() };
  }
}

function elementsOf(text: string): Elements {
  const document = new Document(text);
  return { document, items: document.root.kind === 'array' ? document.root.items : [] };
}

/** One row of a diff before it is put into words. */
interface Row {
  readonly kind: Difference['kind'];
  readonly path: Path;
  readonly from?: Path | undefined;
  readonly old?: JsonNode | undefined;
  readonly now?: JsonNode | undefined;
}

function summarise(items: readonly Difference[]): DiffSummary {
  const counts = { added: 0, removed: 0, changed: 0, moved: 0 };
  for (const { kind } of items) counts[kind === 'type-changed' ? 'changed' : kind]++;
  return counts;
}

class Comparison {
  equal = 0;
  readonly #before: Document;
  readonly #after: Document;
  readonly #ignore: IgnoreRules;
  readonly #tell: (row: Row) => void;
  /** A stack, so that no depth overflows; the next task is the last. */
  readonly #tasks: Task[] = [];

  constructor(before: Document, after: Document, ignore: IgnoreRules, tell: (row: Row) => void) {
    this.#before = before;
    this.#after = after;
    this.#ignore = ignore;
    this.#tell = tell;
  }

  run(first: Task = { before: this.#before.root, after: this.#after.root, was: ROOT, now: ROOT }): void {
    this.#tasks.push(first);
    for (let task = this.#tasks.pop(); task; task = this.#tasks.pop()) {
      if ('before' in task) this.#compare(task);
      else if ('added' in task) this.#row(task.now, { kind: 'added', now: task.added });
      else if ('removed' in task) this.#row(task.was, { kind: 'removed', old: task.removed });
      else this.#row(task.now, { kind: 'moved', from: pathOf(task.was), now: task.moved });
    }
  }

  #compare(pair: Pair): void {
    const { before, after, now } = pair;
    if (this.#isWritten(before, after)) {
      this.#count(before);
    } else if (before.kind !== after.kind) {
      this.#row(now, { kind: 'type-changed', old: before, now: after });
    } else if (before.kind === 'array' && after.kind === 'array' && now.depth < MAX_DEPTH) {
      this.#compareArrays(pair, before, after);
    } else if (this.#canCompareMembers(pair) && before.kind === 'object' && after.kind === 'object') {
      this.#compareObjects(pair, before, after);
    } else if (equalIn(this.#before, before, this.#after, after)) {
      this.#count(after);
    } else {
      this.#row(now, { kind: 'changed', old: before, now: after });
    }
  }

  /** Not when values that only duplicate keys hide differ: no path can name them. */
  #canCompareMembers({ before, after, now }: Pair): boolean {
    if (now.depth >= MAX_DEPTH || before.kind !== 'object' || after.kind !== 'object') return false;
    if (!hasDuplicate(before) && !hasDuplicate(after)) return true;
    const olds = groupByKey(before);
    const news = groupByKey(after);
    return [...new Set([...olds.keys(), ...news.keys()])].every((key) => {
      const hiddenOld = olds.get(key)?.slice(0, -1) ?? [];
      const hiddenNew = news.get(key)?.slice(0, -1) ?? [];
      return (
        hiddenOld.length === hiddenNew.length && hiddenOld.every((node, nth) => this.#isSame(node, hiddenNew[nth]))
      );
    });
  }

  #isSame(before: JsonNode, after: JsonNode | undefined): boolean {
    return after !== undefined && equalIn(this.#before, before, this.#after, after);
  }

  #compareObjects({ was, now }: Pair, before: JsonObject, after: JsonObject): void {
    if (before.members.length + after.members.length === 0) this.equal++;
    const tasks: Task[] = [];
    for (const { key, old, own } of membersOf(before, after)) {
      if (old === undefined) tasks.push({ added: own, now: child(now, key) });
      else if (own === undefined) tasks.push({ removed: old, was: child(was, key) });
      else if (this.#isWritten(old, own)) this.#count(old);
      else tasks.push({ before: old, after: own, ...step(was, now, key, key) });
    }
    this.#doNext(tasks);
  }

  /** Whether both are written in the same way. */
  #isWritten(before: JsonNode, after: JsonNode): boolean {
    return isTaken(before, after) || this.#before.source(before) === this.#after.source(after);
  }

  #compareArrays({ was, now, offset = 0 }: Pair, before: JsonArray, after: JsonArray): void {
    const { places, removed } = alignArrays(
      { document: this.#before, items: before.items },
      { document: this.#after, items: after.items },
      (identity) => !this.#ignore.covers([...pathOf(now), 0, ...identity]),
    );
    if (before.items.length + after.items.length === 0) this.equal++;
    const tasks: Task[] = [];
    const removals = removed.values();
    let gone = removals.next();
    const removeUpTo = (index: number): void => {
      for (; !gone.done && gone.value < index; gone = removals.next()) {
        const value = before.items[gone.value];
        if (value) tasks.push({ removed: value, was: child(was, offset + gone.value) });
      }
    };
    for (const { to, from, moved, equal } of places) {
      const value = after.items[to];
      const other = from === undefined ? undefined : before.items[from];
      if (value === undefined) continue;
      if (from === undefined || other === undefined) {
        tasks.push({ added: value, now: child(now, offset + to) });
        continue;
      }
      if (!moved) removeUpTo(from);
      if (equal || (!moved && isTaken(other, value))) {
        this.#count(other);
        continue;
      }
      const trails = step(was, now, offset + from, offset + to);
      if (moved) tasks.push({ moved: value, ...trails });
      tasks.push({ before: other, after: value, ...trails });
    }
    removeUpTo(before.items.length);
    this.#doNext(tasks);
  }

  /** Puts tasks before all others, the first one first. */
  #doNext(tasks: readonly Task[]): void {
    for (let i = tasks.length - 1; i >= 0; i--) {
      const task = tasks[i];
      if (task) this.#tasks.push(task);
    }
  }

  #count(equal: JsonNode): void {
    this.equal += leavesOf(equal);
  }

  #row(trail: Trail, { kind, from, old, now }: Omit<Row, 'path'>): void {
    const path = pathOf(trail);
    if (!this.#ignore.hides(path)) this.#tell({ kind, path, from, old, now });
  }
}

type MemberPair =
  | { readonly key: string; readonly old: JsonNode; readonly own: JsonNode | undefined }
  | { readonly key: string; readonly old: undefined; readonly own: JsonNode };

/** Those of the first, then those that only the second has; of duplicates the last one counts. */
function membersOf(one: JsonObject, other: JsonObject): readonly MemberPair[] {
  const pairs: MemberPair[] = [];
  // Most keys are where they were.
  for (const { key, value } of hasDuplicate(one) || hasDuplicate(other) ? [] : one.members) {
    const own = other.members[pairs.length];
    if (own?.key !== key) break;
    pairs.push({ key, old: value, own: own.value });
  }
  const same = pairs.length;
  const restOf = ({ members }: JsonObject) => new Map(members.slice(same).map(({ key, value }) => [key, value]));
  const [before, after] = [restOf(one), restOf(other)];
  for (const [key, old] of before) pairs.push({ key, old, own: after.get(key) });
  for (const [key, own] of after) if (!before.has(key)) pairs.push({ key, old: undefined, own });
  return pairs;
}

function hasDuplicate(object: JsonObject): boolean {
  return object.members.some((member) => member.duplicate === true);
}

import type { JsonNode } from '../json/node.ts';
import { equalIn, type Document } from './document.ts';
import {
  identify,
  mayHaveId,
  possibleIdentities,
  type Elements,
  type Identities,
  type Identity,
  type MayUse,
} from './identity.ts';
import { matchClasses, Matching } from './matching.ts';

/** What became of one place of the new array. */
export interface Place {
  /** Index in the new array. */
  readonly to: number;
  /** Index in the old array; absent when the element is new. */
  readonly from?: number;
  readonly moved?: true;
  /** Known to be equal: nothing to compare inside. */
  readonly equal?: true;
}

/** Every new index once, ascending, and the old indices that are gone, ascending. */
export interface Alignment {
  readonly places: readonly Place[];
  readonly removed: readonly number[];
}

/**
 * Says which element became which: equal ends first, then by identity, then by equal value, then elements without
 * identity by their order between two elements that stayed.
 */
export function alignArrays(before: Elements, after: Elements, mayUse: MayUse): Alignment {
  const head = equalHead(before, after);
  const tail = equalTail(before, after, head);
  const countBefore = before.items.length - tail - head;
  const countAfter = after.items.length - tail - head;
  const matching = new Matching(countBefore, countAfter);
  if (countBefore > 0 && countAfter > 0) {
    const hasId =
      before.items.slice(head, head + countBefore).some(mayHaveId) ||
      after.items.slice(head, head + countAfter).some(mayHaveId);
    matchMiddle(before, after, head, hasId ? identify(before, after, mayUse) : undefined, matching);
  }

  const places: Place[] = [];
  for (let to = 0; to < head; to++) places.push({ to, from: to, equal: true });
  for (const [index, from] of matching.from.entries()) {
    const to = head + index;
    if (from < 0) places.push({ to });
    else places.push(matching.moved.has(index) ? { to, from: head + from, moved: true } : { to, from: head + from });
  }
  const shift = countBefore - countAfter;
  for (let to = head + countAfter; to < after.items.length; to++) places.push({ to, from: to + shift, equal: true });
  return { places, removed: matching.removed().map((index) => head + index) };
}

function equalHead(before: Elements, after: Elements): number {
  const most = Math.min(before.items.length, after.items.length);
  let head = 0;
  while (head < most && isEqualAt(before, head, after, head)) head++;
  return head;
}

function equalTail(before: Elements, after: Elements, head: number): number {
  const most = Math.min(before.items.length, after.items.length) - head;
  let tail = 0;
  while (tail < most && isEqualAt(before, before.items.length - 1 - tail, after, after.items.length - 1 - tail)) tail++;
  return tail;
}

function isEqualAt(before: Elements, i: number, after: Elements, j: number): boolean {
  const a = before.items[i];
  const b = after.items[j];
  return a !== undefined && b !== undefined && equalIn(before.document, a, after.document, b);
}

/** Matches what is between the equal ends; indices of `matching` count from `head`. */
function matchMiddle(
  before: Elements,
  after: Elements,
  head: number,
  ids: Identities | undefined,
  matching: Matching,
): void {
  const idBefore = (i: number): Identity => ids?.before[head + i];
  const idAfter = (j: number): Identity => ids?.after[head + j];
  const book = new ClassBook();
  const classesOf = ({ document, items }: Elements, ids: readonly Identity[] | undefined, count: number): number[] => {
    const classes: number[] = [];
    for (let at = head; at < head + count; at++) classes.push(book.classOf(document, items[at], ids?.[at]));
    return classes;
  };
  matchClasses(
    classesOf(before, ids?.before, matching.to.length),
    classesOf(after, ids?.after, matching.from.length),
    matching,
  );
  matching.pairGaps(
    (i) => idBefore(i) === undefined,
    (j) => idAfter(j) === undefined,
  );
}

/**
 * True where the elements between the equal ends of two arrays match in one way only, whatever is at those ends: which
 * identity counts depends on all elements, and these are not all.
 */
export function matchesAlone(before: Elements, after: Elements, mayUse: MayUse): boolean {
  const [first, ...others] = [undefined, ...possibleIdentities(before, after, mayUse)].map((ids) => {
    const matching = new Matching(before.items.length, after.items.length);
    matchMiddle(before, after, 0, ids, matching);
    return matching;
  });
  return others.every((other) => first?.isSame(other));
}

/** Numbers for elements: the same number for the same identity, or for equal values where there is none. */
class ClassBook {
  readonly #byId = new Map<string | number, number>();
  readonly #byHash = new Map<number, { document: Document; node: JsonNode; number: number }[]>();
  #count = 0;

  classOf(document: Document, node: JsonNode | undefined, id: Identity): number {
    if (id !== undefined) {
      const known = this.#byId.get(id);
      if (known === undefined) this.#byId.set(id, this.#count);
      return known ?? this.#count++;
    }
    if (node === undefined) return this.#count++;
    const hash = document.hash(node);
    const bucket = this.#byHash.get(hash) ?? [];
    const known = bucket.find((entry) => equalIn(entry.document, entry.node, document, node));
    if (known) return known.number;
    bucket.push({ document, node, number: this.#count });
    this.#byHash.set(hash, bucket);
    return this.#count++;
  }
}

import { PLACES } from '../diff/identity.ts';
import { matchClasses, Matching } from '../diff/matching.ts';
import type { Path } from '../json/path.ts';
import { hashOf, isEqual, textOf } from './same.ts';
import type { Identities, Identity, ListNode, Node, ObjectNode } from './tree.ts';

/** The places at which an entry may have its identity, by their number in `PLACES`. */
const NUMBERS = new Map(PLACES.map((place, at) => [place, at]));
const NESTED = 'kwargs';
const IN_NESTED = NUMBERS.get(`${NESTED}.id`) ?? -1;

/** Of the same list in two states: all entries before and after everything that changed are the same. */
export interface Alignment {
  readonly head: number;
  /** Entries between the equal ends. */
  readonly before: number;
  readonly after: number;
  readonly matching: Matching;
}

/** As `alignArrays`, for lists that share what did not change. @param mayUse whether identities may be at this place */
export function align(before: ListNode, after: ListNode, mayUse: (steps: Path) => boolean): Alignment {
  const [olds, news] = [before.items, after.items];
  const most = Math.min(olds.length, news.length);
  let head = 0;
  while (head < most && isEqualAt(olds, head, news, head)) head++;
  let tail = 0;
  while (tail < most - head && isEqualAt(olds, olds.length - 1 - tail, news, news.length - 1 - tail)) tail++;
  const [left, right] = [olds.length - tail - head, news.length - tail - head];
  const matching = new Matching(left, right);
  if (left > 0 && right > 0) matchMiddle(before, after, head, mayUse, matching);
  return { head, before: left, after: right, matching };
}

function isEqualAt(olds: readonly Node[], i: number, news: readonly Node[], j: number): boolean {
  const [a, b] = [olds[i], news[j]];
  return a !== undefined && b !== undefined && (a === b || isEqual(a, b));
}

function matchMiddle(
  before: ListNode,
  after: ListNode,
  head: number,
  mayUse: (steps: Path) => boolean,
  matching: Matching,
): void {
  const isOfOne = matching.to.length === 1 && matching.from.length === 1;
  // Whatever place the identities are at, it has the same.
  if (isOfOne && haveSameIds(before.items[head], after.items[head])) return matching.pair(0, 0);
  const ids = identify(before, after, mayUse);
  const idBefore = (i: number): string | undefined => ids?.[0][head + i];
  const idAfter = (j: number): string | undefined => ids?.[1][head + j];
  if (isOfOne) {
    // They are not equal: only an identity can tell whether one became the other.
    if (idBefore(0) === idAfter(0)) matching.pair(0, 0);
    return;
  }
  const book = new ClassBook();
  matchClasses(
    Array.from(matching.to, (_, i) => book.classOf(before.items[head + i], idBefore(i))),
    Array.from(matching.from, (_, j) => book.classOf(after.items[head + j], idAfter(j))),
    matching,
  );
  matching.pairGaps(
    (i) => idBefore(i) === undefined,
    (j) => idAfter(j) === undefined,
  );
}

type Ids = readonly (string | undefined)[];

/** As in a diff: the identity that most entries carry, if it is unique in each of the two lists. */
function identify(
  before: ListNode,
  after: ListNode,
  mayUse: (steps: Path) => boolean,
): readonly [Ids, Ids] | undefined {
  const [olds, news] = [identitiesOf(before), identitiesOf(after)];
  let best: readonly [Ids, Ids] | undefined;
  let most = 0;
  for (const [at, place] of PLACES.entries()) {
    const [a, b] = [olds[at], news[at]];
    if (a === undefined || b === undefined || a.count === 0 || b.count === 0) continue;
    const count = a.count + b.count;
    if (count <= most || !a.isUnique || !b.isUnique || !mayUse(place.split('.'))) continue;
    most = count;
    best = [a.ids, b.ids];
  }
  return best;
}

function identitiesOf(list: ListNode): readonly (Identities | undefined)[] {
  if (list.identities) return list.identities;
  const columns: (Identities | undefined)[] = PLACES.map(() => undefined);
  for (const [index, item] of list.items.entries()) {
    if (item.kind === 'object') for (const { at, id } of idsOf(item)) enter(columns, at, index, id);
  }
  return (list.identities = columns);
}

const NO_IDS: readonly Identity[] = [];

/** What an entry has at the places of identities; found once, because most entries are in many states. */
function idsOf(object: ObjectNode): readonly Identity[] {
  if (object.ids) return object.ids;
  let found: Identity[] | undefined;
  for (const { key, value } of object.members) {
    const own = NUMBERS.get(key);
    const isNested = own === undefined && key === NESTED && value.kind === 'object';
    const id = own === undefined ? (isNested ? idOf(value.member('id')?.value) : undefined) : idOf(value);
    if (id !== undefined) (found ??= []).push({ at: own ?? IN_NESTED, id });
  }
  return (object.ids = found ?? NO_IDS);
}

function haveSameIds(one: Node | undefined, other: Node | undefined): boolean {
  if (one?.kind !== 'object' || other?.kind !== 'object') return false;
  const [a, b] = [idsOf(one), idsOf(other)];
  return a.length === b.length && a.every(({ at, id }, nth) => b[nth]?.at === at && b[nth].id === id);
}

function idOf(node: Node | undefined): string | undefined {
  if (node?.kind !== 'string' && node?.kind !== 'number') return undefined;
  const value = node.kind === 'string' ? textOf(node) : node.text;
  return value === '' ? undefined : `${node.kind} ${value}`;
}

function enter(columns: (Identities | undefined)[], at: number, index: number, id: string): void {
  const column = (columns[at] ??= { ids: [], seen: new Set(), count: 0, isUnique: true });
  // A key that occurs twice in an entry is no identity either.
  if (column.seen.has(id) || column.ids[index] !== undefined) column.isUnique = false;
  column.seen.add(id);
  column.ids[index] = id;
  column.count++;
}

/** Numbers for entries: the same for the same identity, or for equal values where there is none. */
class ClassBook {
  readonly #byId = new Map<string, number>();
  readonly #byNode = new Map<Node, number>();
  readonly #byHash = new Map<number, { node: Node; number: number }[]>();
  #count = 0;

  classOf(node: Node | undefined, id: string | undefined): number {
    if (node === undefined) return this.#count++;
    const known = id === undefined ? this.#byNode.get(node) : this.#byId.get(id);
    const number = known ?? (id === undefined ? this.#byValue(node) : this.#count++);
    if (known !== undefined) return known;
    if (id === undefined) this.#byNode.set(node, number);
    else this.#byId.set(id, number);
    return number;
  }

  #byValue(node: Node): number {
    const hash = hashOf(node);
    const bucket = this.#byHash.get(hash) ?? [];
    const same = bucket.find((one) => isEqual(one.node, node));
    if (same) return same.number;
    bucket.push({ node, number: this.#count });
    this.#byHash.set(hash, bucket);
    return this.#count++;
  }
}

import { memberOf, sourceOf, stringOf, type JsonNode, type JsonObject } from '../json/node.ts';
import { valuesOf } from '../json/tape.ts';
import type { Document } from './document.ts';

/** Array elements of one state. */
export interface Elements {
  readonly document: Document;
  readonly items: readonly JsonNode[];
}

/** Equal where the identity is the same one. */
export type Identity = string | number | undefined;

/** Identities of both sides, aligned with their items; `undefined` where an element has none. */
export interface Identities {
  readonly before: readonly Identity[];
  readonly after: readonly Identity[];
}

/** Where the identity of an array element may be, best first. LangChain messages carry it inside `kwargs`. */
export const PLACES = [
  'id',
  '_id',
  'key',
  'uuid',
  'stepId',
  'requestId',
  'checkpointId',
  'tool_call_id',
  'name',
  'kwargs.id',
];
const NESTED = 'kwargs';

/** The steps from an element to its identity. */
export type IdentityPath = readonly string[];

/** So many elements may be gone before one that was taken from there. */
const AHEAD = 8;

/** Whether elements may be identified by this place. */
export type MayUse = (path: IdentityPath) => boolean;

const KEYS = new Set([...PLACES, NESTED]);

/** False where an element has no identity, whichever place it is looked for at. */
export const mayHaveId = (item: JsonNode): boolean =>
  item.kind === 'object' && item.members.some(({ key }) => KEYS.has(key));

/**
 * The identity that most elements carry, if it is unique within each of the two arrays; ties go to the better name.
 * Elements without it take no part. `mayUse` can refuse a place: an ignored id identifies nothing.
 */
export function identify(before: Elements, after: Elements, mayUse: MayUse): Identities | undefined {
  return identifyAll(before, after, mayUse) ?? identifyMost(before, after, mayUse);
}

/** By the best of all places, where every element has it: nothing else needs to be looked at. */
function identifyAll(before: Elements, after: Elements, mayUse: MayUse): Identities | undefined {
  const [place = ''] = PLACES;
  if (!mayUse([place])) return undefined;
  const numbers = new Map<string, number>();
  const idsBefore = idsOfAll(before, place, numbers);
  const idsAfter = idsBefore && idsOfAll(after, place, numbers, before.items);
  return idsAfter && { before: idsBefore, after: idsAfter };
}

/**
 * A number for each id, and so for each element: those `before` have the numbers from 0 on. Nothing where an id is there
 * twice, or an element has none. @param numbers by id; grows
 */
function idsOfAll(
  { document, items }: Elements,
  place: string,
  numbers: Map<string, number>,
  before: readonly JsonNode[] = [],
): number[] | undefined {
  const ids: number[] = [];
  const seen = new Uint8Array(numbers.size + items.length);
  let next = 0;
  for (const item of items) {
    const { document: home, node } = document.home(item);
    const number = placeOf(before, node, next) ?? numberOf(numbers, onlyId(home, node, place));
    if (number === undefined || seen[number] === 1) return undefined;
    seen[number] = 1;
    if (number < before.length) next = number + 1;
    ids.push(number);
  }
  return items.length > 0 ? ids : undefined;
}

function numberOf(numbers: Map<string, number>, id: string | undefined): number | undefined {
  if (id === undefined) return undefined;
  const known = numbers.get(id);
  if (known === undefined) numbers.set(id, numbers.size);
  return known ?? numbers.size - 1;
}

/** Where a value is that was taken from there: most keep their order. */
function placeOf(items: readonly JsonNode[], node: JsonNode, from: number): number | undefined {
  for (let at = from; at < from + AHEAD; at++) if (items[at] === node) return at;
  return undefined;
}

/** None where the element has two. */
function onlyId(home: Document, node: JsonNode, place: string): string | undefined {
  let found: string | undefined;
  if (node.kind !== 'object') return undefined;
  for (const value of valuesOf(node, place)) {
    const id = idText(home, value);
    if (id !== undefined && found !== undefined) return undefined;
    found ??= id;
  }
  return found;
}

function identifyMost(before: Elements, after: Elements, mayUse: MayUse): Identities | undefined {
  const idsBefore = collect(before);
  const idsAfter = collect(after);
  let best: Identities | undefined;
  let most = 0;
  for (const place of PLACES) {
    const a = idsBefore.get(place);
    const b = idsAfter.get(place);
    if (!a?.count || !b?.count) continue;
    const count = a.count + b.count;
    if (count <= most || !a.isUnique || !b.isUnique || !mayUse(place.split('.'))) continue;
    most = count;
    best = { before: a.ids, after: b.ids };
  }
  return best;
}

/** Every choice of `identify` for arrays of which these are only some elements. */
export function possibleIdentities(before: Elements, after: Elements, mayUse: MayUse): readonly Identities[] {
  const idsBefore = collect(before);
  const idsAfter = collect(after);
  return PLACES.flatMap((place) => {
    const a = idsBefore.get(place);
    const b = idsAfter.get(place);
    const isPossible = a?.isUnique && b?.isUnique && a.count + b.count > 0 && mayUse(place.split('.'));
    return isPossible ? [{ before: a.ids, after: b.ids }] : [];
  });
}

/** The ids found at one place; most places have none. */
interface Column {
  ids: (string | undefined)[];
  readonly seen: Set<string>;
  count: number;
  isUnique: boolean;
}

function collect({ document, items }: Elements): Map<string, Column> {
  const columns = new Map(PLACES.map((place): [string, Column] => [place, emptyColumn()]));
  const enter = (column: Column, index: number, id: string | undefined): void => {
    if (id === undefined) return;
    if (column.count++ === 0) column.ids = Array.from({ length: items.length });
    // A key that occurs twice in an element is not an identity either: the second entry ends the uniqueness.
    if (column.seen.has(id) || column.ids[index] !== undefined) column.isUnique = false;
    column.seen.add(id);
    column.ids[index] = id;
  };
  for (const [index, item] of items.entries()) {
    const { document: home, node } = document.home(item);
    if (node.kind !== 'object') continue;
    for (const { key, value } of node.members) {
      const column = columns.get(key);
      if (column) enter(column, index, idText(home, value));
      else if (key === NESTED && value.kind === 'object') {
        const nested = columns.get('kwargs.id');
        if (nested) enter(nested, index, idText(home, idOf(value)));
      }
    }
  }
  return columns;
}

const emptyColumn = (): Column => ({ ids: [], seen: new Set(), count: 0, isUnique: true });

function idOf(object: JsonObject): JsonNode | undefined {
  return memberOf(object, 'id')?.value;
}

/** A number as written, a string after a quote: no number begins with one. */
function idText({ text }: Document, node: JsonNode | undefined): string | undefined {
  if (node?.kind === 'number') return sourceOf(text, node);
  if (node?.kind !== 'string' || node.end - node.start === 2) return undefined;
  const token = text.slice(node.start, node.end - 1);
  return token.includes('\\') ? `"${stringOf(text, node)}` : token;
}

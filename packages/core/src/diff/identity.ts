import { memberOf, stringOf, type JsonNode, type JsonObject } from '../json/node.ts';
import type { Document } from './document.ts';

/** Array elements of one state. */
export interface Elements {
  readonly document: Document;
  readonly items: readonly JsonNode[];
}

/** Identities of both sides, aligned with their items; `undefined` where an element has none. */
export interface Identities {
  readonly before: readonly (string | undefined)[];
  readonly after: readonly (string | undefined)[];
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

/** Whether elements may be identified by this place. */
export type MayUse = (path: IdentityPath) => boolean;

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
  const idsBefore = idsOfAll(before, place);
  const idsAfter = idsBefore && idsOfAll(after, place);
  return idsAfter && { before: idsBefore, after: idsAfter };
}

function idsOfAll({ document, items }: Elements, place: string): string[] | undefined {
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const { document: home, node } = document.home(item);
    if (node.kind !== 'object') return undefined;
    for (const { key, value } of node.members) {
      const id = key === place ? idText(home, value) : undefined;
      if (id === undefined) continue;
      // Of another element, or of this one for the second time.
      if (ids.size > index || ids.has(id)) return undefined;
      ids.add(id);
    }
    if (ids.size <= index) return undefined;
  }
  return items.length > 0 ? [...ids] : undefined;
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

function idText({ text }: Document, node: JsonNode | undefined): string | undefined {
  if (node?.kind !== 'string' && node?.kind !== 'number') return undefined;
  const id = stringOf(text, node);
  return id === '' ? undefined : `${node.kind} ${id}`;
}

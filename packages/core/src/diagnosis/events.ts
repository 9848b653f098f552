import type { Path } from '../json/path.ts';
import type { Row } from './compare.ts';
import type { Leaf } from './leaf.ts';
import type { Label, Place } from './place.ts';
import { placeBelow, type Survey } from './places.ts';
import { isContainer, isSameText, isVector, kindOf, leafOf, type Node } from './tree.ts';

export interface Change {
  /** Place of the checkpoint on the branch, 0 = its root. */
  readonly step: number;
  readonly kind: 'added' | 'removed' | 'changed' | 'type-changed';
  readonly before?: Leaf | undefined;
  readonly after?: Leaf | undefined;
}

/** One change of one value at one checkpoint. A run has very many: they share their places. */
export class Event implements Change {
  readonly place: Place;
  readonly step: number;
  readonly kind: Change['kind'];
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;

  constructor(place: Place, { step, kind, before, after }: Change) {
    this.place = place;
    this.step = step;
    this.kind = kind;
    this.before = before;
    this.after = after;
  }

  /** The number of this change among those of its value, in the order of the run; -1 of what only should have come. */
  nth = -1;
  /** Its number among all changes of the run; -1 likewise. */
  at = -1;

  get path(): Path {
    return this.place.path;
  }
  get slot(): Label {
    return this.place.slot;
  }
  get key(): Label {
    return this.place.key;
  }
  get names(): readonly string[] {
    return this.place.names;
  }
  get collection(): number | undefined {
    return this.place.collection;
  }
}

/** A step that writes more is a load; the rest of it says nothing new. */
const MOST_LEAVES = 2_000;

/** Of the first state: all of it is added. */
export function firstEvents(step: number, root: Node, top: Place): Event[] {
  const events: Event[] = [];
  addWritten({ step, kind: 'added', node: root, place: top, was: undefined }, events);
  return events;
}

export function eventsOf(step: number, rows: readonly Row[], before: Survey, after: Survey): Event[] {
  const events: Event[] = [];
  for (const place of emptied(rows, before, after)) addRemoved(step, place, before, events);
  for (const row of rows) {
    if (isInVector(row, before, after)) continue;
    const { kind, place, now, old } = row;
    if (kind === 'removed') {
      if (old) events.push(new Event(place, { step, kind, before: kindOf(old) }));
      continue;
    }
    if (now === undefined) continue;
    const was = kind === 'added' ? undefined : oldNode(row, before);
    addWritten({ step, kind, node: now, place, was: was && kindOf(was) }, events);
    if (events.length > MOST_LEAVES) break;
  }
  return events;
}

/** Lists and maps that lost most of their entries and got no others: one event rather than one an entry. */
function emptied(rows: readonly Row[], before: Survey, after: Survey): readonly Place[] {
  const gone = new Map<Place, number>();
  for (const { kind, place } of rows) {
    const holder = kind === 'removed' ? place.parent : undefined;
    if (holder !== undefined && holder.depth > 0) gone.set(holder, (gone.get(holder) ?? 0) + 1);
  }
  if (gone.size === 0) return NO_PLACES;
  return [...gone].flatMap(([holder, count]) => {
    if (count < 3 || isVector(before.at(holder))) return [];
    const had = sizeOf(before.at(holder));
    return count >= had * 0.6 && sizeOf(after.at(holder)) <= had * 0.4 ? [holder] : [];
  });
}

const NO_PLACES: readonly Place[] = [];

/** A figure of an embedding: what it is says nothing to anyone. */
function isInVector({ place: { step, parent }, was, now, old }: Row, before: Survey, after: Survey): boolean {
  if (typeof step !== 'number' || parent === undefined || (now ?? old)?.kind !== 'number') return false;
  return isVector(after.at(parent)) || (was.parent !== undefined && isVector(before.at(was.parent)));
}

const sizeOf = (node: Node | undefined): number => (isContainer(node) ? node.size : 0);

function addRemoved(step: number, place: Place, before: Survey, events: Event[]): void {
  const node = before.at(place);
  if (node) events.push(new Event(place, { step, kind: 'removed', before: kindOf(node) }));
}

/** Entries may have moved: the old value is at the place with the same names. */
function oldNode({ place, was, old }: Row, before: Survey): Node | undefined {
  if (place === was) return old;
  const same = before.node(place.path);
  if (same !== undefined && old !== undefined && isSameText(same, old)) return same;
  return before.find(place.key);
}

interface Writing {
  readonly step: number;
  readonly kind: 'added' | 'changed' | 'type-changed';
  readonly node: Node;
  readonly place: Place;
  readonly was: Leaf | undefined;
}

/** One event a leaf. */
function addWritten({ step, kind, node: root, place: top, was }: Writing, events: Event[]): void {
  const own = leafOf(root);
  if (own) {
    events.push(new Event(top, { step, kind, before: was, after: own }));
    return;
  }
  if (kind === 'type-changed' && was) {
    events.push(new Event(top, { step, kind, before: was, after: kindOf(root) }));
  }
  const nodes = [root];
  const places = [top];
  for (let count = 0; count < MOST_LEAVES; count++) {
    const [node, place] = [nodes.pop(), places.pop()];
    if (node === undefined || place === undefined) return;
    const leaf = leafOf(node);
    if (leaf) {
      events.push(new Event(place, { step, kind: 'added', before: undefined, after: leaf }));
      continue;
    }
    if (!isContainer(node) || isVector(node)) continue;
    for (let at = node.size - 1; at >= 0; at--) {
      const inner = node.nodeAt(at);
      if (inner === undefined) continue;
      nodes.push(inner);
      places.push(placeBelow(place, node, node.nameAt(at)));
    }
  }
}

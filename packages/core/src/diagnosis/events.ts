import type { Row } from '../diff/diff.ts';
import type { JsonNode } from '../json/node.ts';
import type { Path } from '../json/path.ts';
import type { Place } from './place.ts';
import type { Survey } from './places.ts';
import { kindOf, type Leaf } from './values.ts';

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

  get path(): Path {
    return this.place.path;
  }
  get slots(): readonly string[] {
    return this.place.slots;
  }
  get keys(): readonly string[] {
    return this.place.keys;
  }
  get slot(): string {
    return this.place.slot;
  }
  get key(): string {
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

/** @param before absent at the first checkpoint: all of it is added */
export function eventsOf(step: number, rows: readonly Row[], before: Survey | undefined, after: Survey): Event[] {
  const events: Event[] = [];
  if (before) for (const path of emptied(rows, before, after)) addRemoved(step, path, before, events);
  for (const row of rows) {
    const { kind, path, now } = row;
    if (kind === 'moved') continue;
    if (kind === 'removed') {
      if (before) addRemoved(step, path, before, events);
      continue;
    }
    if (now === undefined) continue;
    const place = after.place(path);
    const was = kind === 'added' || before === undefined ? undefined : oldNode(row, before, place);
    addWritten({ step, kind, node: now, place, after, was: was && before && kindOf(before.document, was) }, events);
    if (events.length > MOST_LEAVES) break;
  }
  return events;
}

/** Lists and maps that lost most of their entries and got no others: one event rather than one an entry. */
function emptied(rows: readonly Row[], before: Survey, after: Survey): Path[] {
  const gone = new Map<Place, { path: Path; count: number }>();
  for (const { kind, path } of rows) {
    if (kind !== 'removed') continue;
    const holder = before.place(path).parent;
    if (holder === undefined || holder.path.length === 0) continue;
    const known = gone.get(holder);
    if (known) known.count += 1;
    else gone.set(holder, { path: holder.path, count: 1 });
  }
  return [...gone].flatMap(([holder, { path, count }]) => {
    if (count < 3) return [];
    const had = sizeOf(before.at(holder));
    return count >= had * 0.6 && sizeOf(after.node(path)) <= had * 0.4 ? [path] : [];
  });
}

function sizeOf(node: JsonNode | undefined): number {
  if (node?.kind === 'array') return node.items.length;
  return node?.kind === 'object' ? node.members.length : 0;
}

function addRemoved(step: number, path: Path, before: Survey, events: Event[]): void {
  const place = before.place(path);
  const node = before.at(place);
  if (node) events.push(new Event(place, { step, kind: 'removed', before: kindOf(before.document, node) }));
}

/** Entries may have moved: the old value is at the place with the same names. */
function oldNode({ path, old }: Row, before: Survey, place: Place): JsonNode | undefined {
  const same = before.node(path);
  if (same !== undefined && old !== undefined && isSame(before, same, old)) return same;
  return before.find(place.keys);
}

const isSame = ({ document }: Survey, a: JsonNode, b: JsonNode): boolean =>
  a === b || (a.end - a.start === b.end - b.start && document.source(a) === document.source(b));

interface Writing {
  readonly step: number;
  readonly kind: 'added' | 'changed' | 'type-changed';
  readonly node: JsonNode;
  readonly place: Place;
  readonly after: Survey;
  readonly was: Leaf | undefined;
}

/** One event a leaf. */
function addWritten({ step, kind, node: root, place: top, after, was }: Writing, events: Event[]): void {
  const own = after.leaf(root);
  if (own) {
    events.push(new Event(top, { step, kind, before: was, after: own }));
    return;
  }
  if (kind === 'type-changed' && was) {
    events.push(new Event(top, { step, kind, before: was, after: kindOf(after.document, root) }));
  }
  const nodes = [root];
  const places = [top];
  for (let count = 0; count < MOST_LEAVES; count++) {
    const [node, place] = [nodes.pop(), places.pop()];
    if (node === undefined || place === undefined) return;
    const leaf = after.leaf(node);
    if (leaf) {
      events.push(new Event(place, { step, kind: 'added', after: leaf }));
      continue;
    }
    const members = after.entries(node);
    for (let at = members.length - 1; at >= 0; at--) {
      const member = members[at];
      if (member === undefined) continue;
      nodes.push(member.node);
      places.push(after.below(place, node, member.name));
    }
  }
}

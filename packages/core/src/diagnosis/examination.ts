import { isBlank } from './leaf.ts';
import { InspectorError } from '../errors.ts';
import type { Path } from '../json/path.ts';
import { missedIn, type Missing } from './absence.ts';
import { rowsBetween } from './compare.ts';
import { eventsOf, firstEvents, type Event } from './events.ts';
import { Place, type Label } from './place.ts';
import { Survey } from './places.ts';
import { readTree } from './read.ts';
import { Relations } from './relations.ts';
import { odditiesOf, oddHolder, oddKey, siblingsOf, type Oddity, type Others } from './siblings.ts';
import { isContainer, isSameText, leafOf, sourceOf, type Node } from './tree.ts';
import type { DiagnosedStep } from './types.ts';

/** A change with what can be seen of it in the two states around it. */
export interface Seen {
  readonly event: Event;
  /** How it is unlike the entries beside it, less what it was before. */
  readonly oddities: readonly Oddity[];
  /** Relations between the fields of its entry that hold for the others. */
  readonly relations: readonly string[];
}

/** A step that writes more values is a load: only so many of them are compared with their neighbours. */
const COMPARED = 600;

/** The two states around the changes of one step. */
interface View {
  readonly before: Survey | undefined;
  readonly after: Survey;
  readonly relations: Relations;
  /** The number of its first change that is not compared with its neighbours. */
  readonly end: number;
}

/** Goes over a branch once, the root first. */
export class Examination {
  readonly steps: DiagnosedStep[] = [];
  /** Every change, in the order of the steps. */
  readonly events: Event[] = [];
  /** Values that all others of their kind got in a step, and these did not. */
  readonly missed: Missing[] = [];
  readonly #ignore: readonly string[];
  readonly #top = new Place();
  /** By step. */
  readonly #views: (View | undefined)[] = [];
  #last: Survey | undefined;

  constructor(ignore: readonly string[] = []) {
    this.#ignore = ignore;
  }

  /** The last state that could be read. */
  get last(): Survey | undefined {
    return this.#last;
  }

  observe(step: DiagnosedStep): void {
    const at = this.steps.length;
    this.steps.push(step);
    const before = this.#last;
    const after = step.text === undefined ? undefined : this.#surveyed(step.text, before);
    if (after === undefined) return;
    this.#last = after;
    const events =
      before === undefined
        ? firstEvents(at, after.root, this.#top)
        : eventsOf(at, rowsBetween(before, after, this.#top, this.#ignore), before, after);
    const end = this.events.length + COMPARED;
    this.#views[at] = { before, after, relations: new Relations(after), end };
    for (const event of events) event.at = this.events.push(event) - 1;
    if (before) this.missed.push(...missedIn(at, events, after));
  }

  /** The JSON text at a path in the state of a step, by its number; `undefined` where nothing is. */
  textAt(step: number, path: Path): string | undefined {
    const node = this.#views[step]?.after.node(path);
    return node && sourceOf(node);
  }

  /** The JSON text of the same place after a step, wherever its entry was then; `undefined` where it wasn't there. */
  valueAt({ step, key }: Event): string | undefined {
    const node = this.#views[step]?.after.find(key);
    return node && sourceOf(node);
  }

  /** What a place held before a step, and after it. */
  around({ step }: Event, key: Label): readonly (string | undefined)[] {
    const view = this.#views[step];
    return [view?.before, view?.after].map((survey) => {
      const node = survey?.find(key);
      return node && sourceOf(node);
    });
  }

  /** Whether a step left a place as it was: of a list or a map at least as large, of an entry all of it. */
  leftAlone({ step, key, place }: Event): boolean {
    const [then, now] = [this.#views[step]?.before?.find(key), this.#views[step]?.after.find(key)];
    if (then === undefined || now === undefined) return then === now;
    if (isContainer(then) && isContainer(now) && !place.isEntry) return then.size >= now.size;
    return isSameText(then, now);
  }

  /** What can be seen of a change; most of them nobody looks at. */
  look(event: Event): Seen {
    const view = this.#views[event.step];
    return view === undefined || event.at >= view.end ? plain(event) : look(event, view, this.#last);
  }

  /** A state that is not JSON is a gap. */
  #surveyed(text: string, before: Survey | undefined): Survey | undefined {
    try {
      return new Survey(readTree(text, before?.root), this.#top);
    } catch (error) {
      if (InspectorError.is(error)) return undefined;
      throw error;
    }
  }
}

const NOTHING: readonly never[] = [];

/** Nothing about it is odd. */
export const plain = (event: Event): Seen => ({ event, oddities: NOTHING, relations: NOTHING });

/** Entries of a list that are compared as a whole. */
const MOST_TWINS = 300;
/** Characters from which two entries are hardly ever the same, and how odd that is: with keys they may well be two. */
const TWIN = { array: [12, 0.8], object: [40, 0.4] } as const;

/** It came with an entry, or as one, that an entry before it in its list is like, while no others are alike. */
function twinOf(after: Survey, { place: { holder }, path, collection }: Event): number {
  const list = holder && after.at(holder);
  const at = path[collection ?? -1];
  if (at === undefined || !isContainer(list) || list.size > MOST_TWINS) return 0;
  const items = list.kind === 'array' ? list.items : list.members.map(({ value }) => value);
  const nth = list.kind === 'array' ? Number(at) : list.members.findIndex(({ key }) => key === at);
  const own = items[nth];
  const [least, strength] = TWIN[list.kind];
  if (own === undefined || own.end - own.start < least || !holdsValue(own)) return 0;
  const isLast = items.findLastIndex((item) => isSameText(item, own)) === nth;
  return isLast && items.filter((item) => isSameText(item, own)).length === 2 ? strength : 0;
}

/** Something in it is filled in. */
function holdsValue(node: Node): boolean {
  if (node.kind === 'object' && node.leaf === undefined) return node.members.some(({ value }) => holdsValue(value));
  if (node.kind === 'array' && node.leaf === undefined) return node.items.some(holdsValue);
  return !isBlank(leafOf(node));
}

/** Most of these values are no longer among those. */
function haveChanged(then: Others, now: Others): boolean {
  const left = now.map(({ text }) => text);
  const stayed = then.count(({ text }) => {
    const at = left.indexOf(text);
    if (at >= 0) left[at] = '';
    return at >= 0;
  });
  return stayed < then.length * 0.5;
}

/** How a first value is odd beside those that others have in the end, where it is still there, and these are too. */
function addLater(now: Oddity[], { after, key, place: first }: Event, then: Survey, last: Survey): void {
  const path = last.pathOf(key);
  if (path === undefined || after === undefined || isBlank(after)) return;
  const place = last.place(path);
  if (leafOf(last.at(place))?.text !== after.text) return;
  const others = siblingsOf(last, place);
  if (haveChanged(siblingsOf(then, first).filled(), others)) return;
  for (const oddity of odditiesOf(after, others)) {
    const at = now.findIndex(({ why }) => why === oddity.why);
    if (at < 0) now.push(oddity);
    else if ((now[at]?.strength ?? 0) < oddity.strength) now[at] = oddity;
  }
}

/** A field that went from its entry, while the others still have theirs. */
function lostIn({ kind, place }: Event, before: Survey | undefined): readonly Oddity[] {
  if (kind !== 'removed' || place.isEntry || before === undefined || place.holder === undefined) return NOTHING;
  const of = siblingsOf(before, place).filled().length;
  const holder = before.at(place.holder);
  const size = isContainer(holder) ? holder.size : 0;
  return of < FEWEST || of < (size - 1) * NEARLY_ALL
    ? NOTHING
    : [{ why: 'missing', strength: (of * 0.9) / (of + 1), of }];
}

const FEWEST = 3;
const NEARLY_ALL = 0.8;

/** @param last tells more of values that came one after the other: most of the others may not have been there yet */
function look(event: Event, { before, after, relations }: View, last: Survey | undefined): Seen {
  if (event.after === undefined) return { event, oddities: lostIn(event, before), relations: NOTHING };
  const key = event.kind === 'added' ? oddKey(after, event.place) : undefined;
  const holder = event.kind === 'added' ? oddHolder(after, event.place) : undefined;
  const now = odditiesOf(event.after, siblingsOf(after, event.place));
  if (isBlank(event.before) && last !== undefined && last !== after) addLater(now, event, after, last);
  const twin = event.kind === 'added' ? twinOf(after, event) : 0;
  if (twin > 0) now.push({ why: 'twin', strength: twin, of: 1 });
  if (key) now.push({ why: 'key', strength: 0.9, ...key });
  if (holder) now.push({ why: 'holder', strength: 0.9, ...holder });
  const broken = relations.brokenAt(event.place);
  if (now.length === 0 && broken.length === 0) return plain(event);
  const was = now.length > 0 && before && event.before ? odditiesOf(event.before, siblingsOf(before, event.place)) : [];
  const oddities: Oddity[] = [];
  for (const oddity of now) {
    const same = was.find(({ why }) => why === oddity.why);
    const strength = oddity.strength - (same?.strength ?? 0);
    if (strength > 0.05) oddities.push(same === undefined ? oddity : { ...oddity, strength });
  }
  return { event, oddities, relations: broken.map(({ words }) => words) };
}

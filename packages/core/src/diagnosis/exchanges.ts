import type { Event } from './events.ts';
import type { Label } from './place.ts';

/** A place outside of all lists, as far as it was gone over. */
interface Place {
  step: number;
  /** Steps in which anything in it changed, and those in which something gave way to something else. */
  readonly steps: Set<number>;
  replaced: number;
  isAdded: boolean;
  isGone: boolean;
  isSwitched: boolean;
  /** The fields that came in this step, and in all; how many those of each step are together. */
  readonly own: Set<Label>;
  readonly fields: Set<Label>;
  count: number;
}

/** Where a list gave way to an object, or a value to either; and where it never did. */
const FEWEST = 2;
const FEWEST_ALIKE = 3;
const MOST_OF = 0.3;
/** Times as many fields in all as in each step. */
const MIXED = 1.8;
const DEEPEST = 4;

/**
 * What is written over with something of another shape again and again, and the steps in which it was: the answer of
 * the tool that was called last.
 */
export function exchangesIn(events: readonly Event[]): ReadonlyMap<Label, ReadonlySet<number>> {
  const places = new Map<Label, Place>();
  for (const event of events) {
    if (event.step === 0) continue;
    const { slot } = event;
    // A value that is replaced by an object, or the other way round, is such a place itself.
    const isOther = event.kind === 'type-changed' && (isHolder(event.before) || isHolder(event.after));
    for (let at = isOther ? slot : slot.parent; at !== undefined && at.depth > 0; at = at.parent)
      if (at.depth <= DEEPEST && at.lists.length === 0) enter(places, at, event, isOther);
  }
  const found = new Map<Label, ReadonlySet<number>>();
  for (const [label, place] of places) {
    close(place);
    if (isExchanged(place)) found.set(label, place.steps);
  }
  // What holds others changes with them.
  for (const label of found.keys()) for (let at = label.parent; at !== undefined; at = at.parent) found.delete(at);
  return found;
}

const isHolder = (leaf: Event['after']): boolean => leaf?.kind === 'fields' || leaf?.kind === 'list';

const isExchanged = ({ steps, replaced, isSwitched, fields, count }: Place): boolean =>
  replaced >= (isSwitched ? FEWEST : FEWEST_ALIKE) &&
  replaced >= steps.size * MOST_OF &&
  fields.size * replaced >= MIXED * count;

function enter(places: Map<Label, Place>, label: Label, event: Event, isOther: boolean): void {
  const { step, kind, slot, place: at } = event;
  let place = places.get(label);
  if (place === undefined) places.set(label, (place = newPlace(step)));
  if (place.step !== step) {
    close(place);
    place.step = step;
  }
  place.steps.add(step);
  // Of a list the first entries go while others come.
  const isField = kind === 'removed' && slot.parent === label && typeof at.step === 'string';
  place.isSwitched ||= isOther && slot === label;
  place.isGone ||= isField || (isOther && slot === label);
  if (kind !== 'added') return;
  place.isAdded = true;
  place.own.add(slot);
}

function close(place: Place): void {
  if (place.isAdded && place.isGone) {
    place.replaced += 1;
    place.count += place.own.size;
    for (const field of place.own) place.fields.add(field);
  }
  place.own.clear();
  place.isAdded = false;
  place.isGone = false;
}

const newPlace = (step: number): Place => ({
  step,
  steps: new Set(),
  replaced: 0,
  isAdded: false,
  isGone: false,
  isSwitched: false,
  own: new Set(),
  fields: new Set(),
  count: 0,
});

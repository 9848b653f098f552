import type { Event } from './events.ts';

/** More pairs in a step are a list that was put into another order. */
const MOST_PAIRS = 2;

/** Changes that gave an entry the value of another one, and that one its own; by what they changed. */
export function swapsIn(events: readonly Event[]): ReadonlyMap<Event, Event> {
  const swaps = new Map<Event, Event>();
  const pairs = new Map<string, Event[]>();
  for (const event of events) {
    if (!isSwappable(event)) continue;
    const [before = '', after = ''] = [event.before?.text, event.after?.text];
    const other = pairs.get(keyOf(event, after, before))?.pop();
    if (other !== undefined) {
      swaps.set(event, other).set(other, event);
      continue;
    }
    const key = keyOf(event, before, after);
    const known = pairs.get(key);
    if (known) known.push(event);
    else pairs.set(key, [event]);
  }
  const counts = new Map<string, number>();
  for (const event of swaps.keys()) counts.set(actOf(event), (counts.get(actOf(event)) ?? 0) + 1);
  for (const event of swaps.keys()) if ((counts.get(actOf(event)) ?? 0) > MOST_PAIRS * 2) swaps.delete(event);
  return swaps;
}

const actOf = ({ step, slot }: Event): string => `${step} ${slot.id}`;
const keyOf = (event: Event, before: string, after: string): string => `${actOf(event)} ${before}\n${after}`;

/** A field of an entry with a value that others don't have by chance, as flags and small counts do. */
function isSwappable({ kind, collection, place, before, after }: Event): boolean {
  if (kind !== 'changed' || collection === undefined || place.isEntry) return false;
  return [before, after].every((leaf) => leaf !== undefined && leaf.text.length >= 3 && leaf.kind !== 'boolean');
}

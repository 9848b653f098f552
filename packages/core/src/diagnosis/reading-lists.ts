import type { Event } from './events.ts';

/** The slot of the innermost list or map around an event. */
export function listOf({ slots, collection = 0 }: Pick<Event, 'slots' | 'collection'>): string {
  return slots.slice(0, collection).join('\n');
}

/** The entry of that list, by name. */
export function entryOf({ keys, collection = 0 }: Pick<Event, 'keys' | 'collection'>): string {
  return keys.slice(0, collection + 1).join('\n');
}

interface List {
  /** How many leaves were written, by step. */
  readonly steps: Map<number, number>;
  readonly entries: Set<string>;
  readonly worded: Set<string>;
  readonly places: Set<string>;
}

/** Something that reads as a sentence rather than as a name. */
const WORDED = /\S\s+\S+\s+\S/;

/**
 * Lists that are read rather than worked on: they grow step after step by entries that hold sentences, or are replaced
 * as a whole again and again. What an agent is told and what its tools answer is in there.
 */
export function readingLists(events: readonly Event[], steps: number): ReadonlySet<string> {
  const lists = new Map<string, List>();
  for (const event of events) {
    if (event.collection === undefined || event.step === 0) continue;
    const slot = listOf(event);
    const list = lists.get(slot) ?? { steps: new Map(), entries: new Set(), worded: new Set(), places: new Set() };
    list.places.add(event.key);
    list.steps.set(event.step, (list.steps.get(event.step) ?? 0) + 1);
    if (event.kind === 'added') {
      list.entries.add(entryOf(event));
      if (event.after?.kind === 'string' && WORDED.test(event.after.value)) list.worded.add(entryOf(event));
    }
    lists.set(slot, list);
  }
  const often = Math.max(2, Math.min(5, steps * 0.15));
  const read = [...lists].filter(([, list]) => list.steps.size >= often && (isTold(list) || isReplaced(list)));
  return new Set(read.map(([slot]) => slot));
}

const isTold = ({ worded, entries }: List): boolean => worded.size >= 2 && worded.size * 2 >= entries.size;

/** In nearly every step that touches it, most of what it holds then is new. */
function isReplaced({ steps, places, entries }: List): boolean {
  if (steps.size < 3 || entries.size < 4) return false;
  const written = [...steps.values()].reduce((sum, count) => sum + count, 0);
  const rows = Math.max(...steps.values());
  return written / steps.size > 0.5 * rows && written > 1.6 * places.size;
}

import type { Event } from './events.ts';
import type { Label, Place } from './place.ts';
import { isLikeId } from './siblings.ts';
import { joined } from './values.ts';

const MOST_NAME = 64;
const FEWEST = 3;

/** What entries are called that are told apart by a number: a line has one, and people name its part. */
export class Aliases {
  /** By the number of the entry, as words. */
  readonly #byEntry: (string[] | undefined)[] = [];

  /** @param places those that are worked on, by their last event */
  constructor(places: readonly Event[]) {
    const bySlot = new Map<Label, Event[]>();
    const taken = new Set(places.map(({ place }) => place.spokenName));
    for (const event of places) {
      const { place, after } = event;
      if (place.isEntry || place.depth - 2 !== place.collection || after?.kind !== 'string') continue;
      // An entry with a name of its own is called by that; a code of it may be another's.
      if (/\D/.test(place.spokenName)) continue;
      if (after.value.length > MOST_NAME || taken.has(joined(after.value))) continue;
      const known = bySlot.get(event.slot);
      if (known) known.push(event);
      else bySlot.set(event.slot, [event]);
    }
    for (const events of bySlot.values()) if (isNaming(events)) for (const event of events) this.#enter(event);
  }

  #enter({ place, after }: Event): void {
    const { value = '' } = after ?? {};
    (this.#byEntry[place.entry.id] ??= []).push(joined(value));
  }

  of({ entry, collection }: Place): readonly string[] {
    return collection === undefined ? NONE : (this.#byEntry[entry.id] ?? NONE);
  }
}

/** Places by all that their entries are called, as words. */
export function byNames(places: Iterable<Event>, aliases: Aliases): ReadonlyMap<string, readonly Event[]> {
  const found = new Map<string, Event[]>();
  for (const event of places) {
    for (const name of [event.place.spokenName, ...aliases.of(event.place)]) {
      const known = found.get(name);
      if (known) known.push(event);
      else if (name !== '') found.set(name, [event]);
    }
  }
  return found;
}

const NONE: readonly string[] = [];

/** Each entry has another one, and all look like ids. */
function isNaming(events: readonly Event[]): boolean {
  const values = new Set(events.map(({ after }) => after?.value));
  return (
    values.size >= FEWEST && values.size === events.length && events.every(({ after }) => isLikeId(after?.value ?? ''))
  );
}

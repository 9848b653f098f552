import type { Event } from './events.ts';
import type { Label, Place } from './place.ts';
import type { Passage } from './passages.ts';

/** Values of a field that are looked for in what was read: more would tell the same. */
const MOST = 12;
const FEWEST = 3;
/** Share of the values found that have the same words before them. */
const MOSTLY = 0.6;

interface Heard {
  readonly field: readonly string[];
  looked: number;
  found: number;
  /** How often its values have its own name before them. */
  own: number;
  /** How often its values have these words before them. */
  readonly times: Map<string, number>;
}

/** What fields are called in what is read: `seen_by` may be "vet" there. Learned from values that were read. */
export class Fields {
  readonly #bySlot: (readonly (readonly string[])[] | undefined)[] = [];

  readonly #known = new Set<Label>();

  /** @param worked changes of what is worked on @param about what their step read of their entry */
  constructor(worked: readonly Event[], about: (event: Event) => readonly Passage[] | undefined) {
    const heard = new Map<Label, Heard>();
    for (const event of worked) if (isField(event.place)) hear(event, about(event), heard);
    const most = new Map<string, number>();
    for (const { times } of heard.values())
      for (const [name, count] of times) most.set(name, Math.max(most.get(name) ?? 0, count));
    for (const [slot, { field, found, own, times }] of heard) {
      if (own > 0) this.#known.add(slot);
      const [name, count] = [...times].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
      // Another field has this name, and its values come with it more often.
      if (count < Math.max(FEWEST, found * MOSTLY) || count < (most.get(name) ?? 0)) continue;
      this.#bySlot[slot.id] = [field, name.split(' ')];
    }
  }

  /** What is read calls it by its own name: `full_price` is another field then. */
  isCalledSo({ slot }: Place): boolean {
    return this.#known.has(slot);
  }

  /** Its own words, and those that are used for it. */
  of({ slot, field }: Place): readonly (readonly string[])[] {
    return (this.#bySlot[slot.id] ??= [field]);
  }
}

const isField = ({ collection, field, spokenName }: Place): boolean =>
  collection !== undefined && field.length > 0 && spokenName !== '';

function hear({ place, after }: Event, passages: readonly Passage[] | undefined, heard: Map<Label, Heard>): void {
  if (passages === undefined || after === undefined) return;
  let known = heard.get(place.slot);
  if (known === undefined)
    heard.set(place.slot, (known = { field: place.field, looked: 0, found: 0, own: 0, times: new Map() }));
  if ((known.looked += 1) > MOST) return;
  for (const passage of passages) {
    const name = passage.wordsBefore(after);
    if (name === undefined) continue;
    known.found += 1;
    if (name === place.field.join(' ')) known.own += 1;
    else if (name !== '') known.times.set(name, (known.times.get(name) ?? 0) + 1);
    return;
  }
}

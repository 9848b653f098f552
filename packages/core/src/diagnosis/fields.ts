import type { Event } from './events.ts';
import { isBlank, type Leaf } from './leaf.ts';
import type { Label, Place } from './place.ts';
import type { Passage } from './passages.ts';

/** Values of a field that are looked for in what was read: more would tell the same. */
const MOST = 12;
const FEWEST = 3;
/** Share of the values found that have the same words before them. */
const MOSTLY = 0.6;

type About = (event: Event) => readonly Passage[];

interface Heard {
  readonly field: readonly string[];
  looked: number;
  found: number;
  /** How often its values have its own name before them. */
  own: number;
  /** How often its values have these words before them. */
  readonly times: Map<string, number>;
  /** Of values that were converted: the different figures with one name that all are as many times smaller. */
  readonly converted: Map<string, Set<number>>;
}

/** What fields are called in what is read: `seen_by` may be "vet" there. Learned from values that were read. */
export class Fields {
  readonly #bySlot: (readonly (readonly string[])[] | undefined)[] = [];

  readonly #known = new Set<Label>();

  /** @param worked changes of what is worked on @param about what their step read of their entry */
  constructor(worked: readonly Event[], about: About) {
    const heard = new Map<Label, Heard>();
    for (const event of worked) if (isField(event.place)) hear(event, about, heard);
    const most = new Map<string, number>();
    for (const { times } of heard.values())
      for (const [name, count] of times) most.set(name, Math.max(most.get(name) ?? 0, count));
    for (const [slot, one] of heard) {
      if (one.own > 0) this.#known.add(slot);
      const [name, count] = nameIn(one) ?? conversionIn(one) ?? NONE;
      // Another field has this name, and its values come with it more often.
      if (count >= FEWEST && count >= (most.get(name) ?? 0)) this.#bySlot[slot.id] = [one.field, name.split(' ')];
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

function hear(event: Event, about: About, heard: Map<Label, Heard>): void {
  const { place, after } = event;
  if (after === undefined || isBlank(after)) return;
  let known = heard.get(place.slot);
  if (known !== undefined && known.looked >= MOST) return;
  const passages = about(event);
  if (passages.length === 0) return;
  if (known === undefined)
    heard.set(
      place.slot,
      (known = { field: place.field, looked: 0, found: 0, own: 0, times: new Map(), converted: new Map() }),
    );
  known.looked += 1;
  for (const passage of passages) {
    const name = passage.wordsBefore(after);
    if (name === undefined) continue;
    known.found += 1;
    if (name === place.field.join(' ')) known.own += 1;
    else if (name !== '') known.times.set(name, (known.times.get(name) ?? 0) + 1);
    return;
  }
  hearConverted(after, passages, known);
}

/** Under which names there are figures of another size. */
function hearConverted({ number }: Leaf, passages: readonly Passage[], { converted }: Heard): void {
  if (number === undefined || number === 0) return;
  for (const { figures } of passages)
    for (const { name, value } of figures) {
      const id = `${(Math.abs(number) / value).toPrecision(3)} ${name}`;
      converted.set(id, (converted.get(id) ?? new Set()).add(value));
    }
}

/** What most values have before them, and how many of them do. */
function nameIn({ found, times }: Heard): readonly [string, number] | undefined {
  const most = [...times].reduce((a, b) => (b[1] > a[1] ? b : a), NONE);
  return most[1] < Math.max(FEWEST, found * MOSTLY) ? undefined : most;
}

/** The same of values that were converted. */
function conversionIn({ looked, own, times, converted }: Heard): readonly [string, number] | undefined {
  const [id, values] = [...converted].reduce((a, b) => (b[1].size > a[1].size ? b : a), ['', new Set<number>()]);
  return own > 0 || times.size > 0 || values.size < looked * MOSTLY
    ? undefined
    : [id.slice(id.indexOf(' ') + 1), values.size];
}

const NONE: readonly [string, number] = ['', 0];

import type { Event } from './events.ts';
import type { Passage } from './passages.ts';
import type { Label } from './place.ts';
import { canBeRead } from './readings.ts';
import { MEASURE } from './units.ts';
import { COMMON } from './values.ts';

/** Values of a field that are looked up: more would tell the same. */
const MOST = 40;
const FEWEST = 2;
const FEWEST_UNITS = 3;

/** What was read of an entry has two values for one field: which was taken, and which of others. */
export interface Source {
  readonly taken: string;
  readonly usual: string;
}

interface Taken {
  readonly event: Event;
  /** What the value is called there. */
  readonly name: string;
  readonly passage: Passage;
}

/** Under which names values were read that a step wrote: `{"claimed":50,"granted":47}`. */
export class Sources {
  readonly #bySlot = new Map<Label, readonly Taken[]>();
  readonly #events = new Map<Label, Event[]>();
  readonly #units = new Map<Event, string | undefined>();
  readonly #about: (event: Event) => readonly Passage[];

  /** @param about what the step of a change read of its entry */
  constructor(worked: readonly Event[], about: (event: Event) => readonly Passage[]) {
    this.#about = about;
    for (const event of worked) {
      const known = this.#events.get(event.slot);
      if (known) known.push(event);
      else this.#events.set(event.slot, [event]);
    }
  }

  /** Where a value has another name than those of others, though both names were there each time. */
  of(event: Event): Source | undefined {
    const all = this.#takenOf(event.slot);
    const own = all.find((one) => one.event === event);
    if (own === undefined) return undefined;
    const names = new Map<string, number>();
    let alike = 0;
    for (const { name, passage, event: other } of all) {
      if (other === event || !mentions(passage, own.name)) continue;
      if (name === own.name) alike += 1;
      else if (mentions(own.passage, name)) names.set(name, (names.get(name) ?? 0) + 1);
    }
    const [usual, count] = [...names].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    if (count < FEWEST || count <= alike * 2) return undefined;
    // Both may have the same value.
    const isBoth = event.after !== undefined && own.passage.claim(usual.split(' '))?.agreesWith(event.after) === true;
    return isBoth ? undefined : { taken: own.name, usual };
  }

  /** In what unit a figure was taken, and others of its kind: the unit itself was left behind. */
  unit(event: Event): Source | undefined {
    const own = this.#unitOf(event);
    if (own === undefined) return undefined;
    const units = new Map<string, number>();
    for (const other of (this.#events.get(event.slot) ?? []).slice(-MOST)) {
      const unit = other === event ? undefined : this.#unitOf(other);
      if (unit !== undefined) units.set(unit, (units.get(unit) ?? 0) + 1);
    }
    const [usual, count] = [...units].reduce((a, b) => (b[1] > a[1] ? b : a), ['', 0]);
    return usual === own || count < FEWEST_UNITS || count < 4 * (units.get(own) ?? 0)
      ? undefined
      : { taken: own, usual };
  }

  #unitOf(event: Event): string | undefined {
    if (!this.#units.has(event)) this.#units.set(event, this.#unitRead(event));
    return this.#units.get(event);
  }

  #unitRead(event: Event): string | undefined {
    const { after } = event;
    if (after?.number === undefined || !canBeRead(after)) return undefined;
    for (const { text } of this.#about(event))
      for (const [, digits = '', unit = ''] of text.matchAll(MEASURE))
        if (Number(digits.replaceAll(',', '')) === after.number && !COMMON.has(unit)) return unit;
    return undefined;
  }

  #takenOf(slot: Label): readonly Taken[] {
    const known = this.#bySlot.get(slot);
    if (known !== undefined) return known;
    const all = (this.#events.get(slot) ?? []).slice(-MOST).flatMap((event) => this.#taken(event) ?? []);
    // Mostly all have the same name.
    const found = all.some(({ name }) => name !== all[0]?.name) ? all : NONE;
    this.#bySlot.set(slot, found);
    return found;
  }

  #taken(event: Event): Taken | undefined {
    if (event.after === undefined || event.place.field.length === 0 || !canBeRead(event.after)) return undefined;
    for (const passage of this.#about(event)) {
      const name = passage.wordsBefore(event.after);
      if (name !== undefined && LABEL.test(name)) return { event, name, passage };
    }
    return undefined;
  }
}

const NONE: readonly Taken[] = [];

/** Not a letter or a number alone. */
const LABEL = /\p{L}{2}/u;

const mentions = (passage: Passage, name: string): boolean => passage.mentions(name.split(' '));

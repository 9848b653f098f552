import type { Aliases } from './aliases.ts';
import type { Event } from './events.ts';
import type { Label, Place } from './place.ts';
import { listOf } from './reading-lists.ts';
import type { Names, Reading } from './readings.ts';

type Named = ReadonlyMap<Label, ReadonlySet<string>>;

const NOTHING: Named = new Map();
const FEWEST = 4;
const MOST_NAME = 64;

/** Which entries the titles of steps name, and whether it is these that the steps change. */
export class Titles {
  /** By step: the lists of which entries are named, with these names. */
  readonly #named: readonly Named[];
  readonly #aliases: Aliases;
  readonly #names: Names;
  /** Of changes, by the list around them. */
  readonly #rates = new Map<Label | undefined, { of: number; own: number }>();
  /** Of values that are names of entries, by their slot. */
  readonly #told = new Map<Label, { of: number; own: number }>();

  /** @param worked changes of what is worked on */
  constructor(readings: readonly (Reading | undefined)[], names: Names, aliases: Aliases, worked: readonly Event[]) {
    this.#named = readings.map((reading) => (reading === undefined ? NOTHING : namedIn(reading, names)));
    this.#aliases = aliases;
    this.#names = names;
    for (const event of worked) {
      const isTold = this.#isTold(event);
      if (isTold !== undefined) {
        const told = this.#told.get(event.slot) ?? { of: 0, own: 0 };
        told.of += 1;
        told.own += Number(isTold);
        this.#told.set(event.slot, told);
      }
      const fit = this.isNamed(event);
      if (fit === undefined) continue;
      const rate = this.#rates.get(listOf(event)) ?? { of: 0, own: 0 };
      rate.of += 1;
      rate.own += Number(fit);
      this.#rates.set(listOf(event), rate);
    }
  }

  /** Of a change to another entry than those that the step names: how strictly steps keep to these, 0 to 1. */
  strays(event: Event): number {
    if (this.isNamed(event) !== false) return 0;
    const { of = 0, own = 0 } = this.#rates.get(listOf(event)) ?? {};
    const rate = of < FEWEST ? 0 : own / (of - 1);
    return rate < 0.75 ? 0 : rate;
  }

  /** Of the name of another entry than the title names: how strictly such values are what the title names, 0 to 1. */
  misnames(event: Event): number {
    if (this.#isTold(event) !== false) return 0;
    const { of = 0, own = 0 } = this.#told.get(event.slot) ?? {};
    const rate = of < FEWEST ? 0 : own / (of - 1);
    return rate < 0.95 ? 0 : rate;
  }

  /** `undefined` where the value isn't the name of such an entry as the title names. */
  #isTold({ step, after, place }: Event): boolean | undefined {
    const named = this.#named[step] ?? NOTHING;
    // What an entry itself is called is new.
    if (
      named.size === 0 ||
      after?.joined === place.spokenName ||
      after?.kind !== 'string' ||
      after.value.length > MOST_NAME
    )
      return undefined;
    let isTold: boolean | undefined;
    for (const list of this.#names.listsOf(after.joined)) {
      const own = named.get(list);
      if (own?.has(after.joined)) return true;
      if (own !== undefined) isTold = false;
    }
    return isTold;
  }

  /** `undefined` where the title names no entry of the lists around it. */
  isNamed({ place, step }: Pick<Event, 'place' | 'step'>): boolean | undefined {
    const named = this.#named[step] ?? NOTHING;
    let isNamed: boolean | undefined;
    for (let at: Place | undefined = named.size === 0 ? undefined : place; at?.holder; at = at.holder) {
      const own = named.get(at.holder.slot);
      if (own === undefined) continue;
      const called = [at.spokenName, ...this.#aliases.of(at)];
      if (!called.some((name) => own.has(name))) return false;
      isNamed = true;
    }
    return isNamed;
  }
}

function namedIn({ titled }: Reading, names: Names): Named {
  const found = new Map<Label, Set<string>>();
  for (const name of titled)
    for (const list of names.listsOf(name)) found.set(list, (found.get(list) ?? new Set()).add(name));
  return found;
}

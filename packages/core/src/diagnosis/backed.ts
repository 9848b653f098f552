import type { Event } from './events.ts';
import { isBlank } from './leaf.ts';
import { canBeRead, type Backing } from './readings.ts';
import { MOST_LABELS } from './reading-lists.ts';

const NO_RATE = { rate: 0, of: 0 };
/** Changes that are looked at to learn a rate from them: more would tell the same. */
export const SAMPLE = { slot: 6, beside: 4, run: 24 };

/** The share of some changes, and how many these are. */
export interface Rate {
  readonly rate: number;
  readonly of: number;
}

/** What the reading says of what was written, for the slots of those few changes that somebody asks about. */
export class Backed {
  readonly #all: (Event[] | undefined)[] = [];
  readonly #bySlot: (Event[] | undefined)[] = [];
  readonly #rates: (Rate | undefined)[] = [];
  readonly #lined: (Rate | undefined)[] = [];
  readonly #beside = new Map<number, number>();
  readonly #backing: (event: Event) => Backing;

  constructor(worked: readonly Event[], backing: (event: Event) => Backing) {
    this.#backing = backing;
    for (const event of worked) {
      (this.#all[event.slot.id] ??= []).push(event);
      if (canBeRead(event.after)) (this.#bySlot[event.slot.id] ??= []).push(event);
    }
  }

  rate(event: Event): Rate {
    return this.#rateOf(event, this.#rates, this.#isBacked);
  }

  lined(event: Event): Rate {
    return this.#rateOf(event, this.#lined, this.#isLined);
  }

  /** What is loaded may have been read, and what is counted down later not. */
  #rateOf({ slot: { id }, kind }: Event, rates: (Rate | undefined)[], test: (event: Event) => boolean): Rate {
    const events = this.#bySlot[id];
    if (events === undefined) return NO_RATE;
    const isChange = kind === 'changed';
    const rate = rates[2 * id + Number(isChange)];
    if (rate !== undefined) return rate;
    const own = mostOf(events, (one) => (isChange ? one.kind === kind : isBlank(one.before)));
    return (rates[2 * id + Number(isChange)] = { rate: shareOf(own, SAMPLE.slot, test), of: own.length });
  }

  /** Of the same field, in the same step. */
  beside({ step, slot }: Event): readonly Event[] {
    return this.#all[slot.id]?.filter((event) => event.step === step) ?? [];
  }

  unbackedBeside({ step, slot }: Event): number {
    const number = step * MOST_LABELS + slot.id;
    const known = this.#beside.get(number);
    if (known !== undefined) return known;
    const own = this.#bySlot[slot.id]?.filter((event) => event.step === step && event.after?.kind !== 'null') ?? [];
    const found = Math.max(1, Math.round(own.length * shareOf(own, SAMPLE.beside, (one) => !this.#isBacked(one))));
    this.#beside.set(number, found);
    return found;
  }

  readonly #isLined = (event: Event): boolean => this.#backing(event).backed >= 2;
  readonly #isBacked = (event: Event): boolean => this.#backing(event).backed > 0;
}

/** Those of a kind; all of them, where these are few. */
function mostOf(events: readonly Event[], test: (event: Event) => boolean): readonly Event[] {
  const found = events.filter(test);
  return found.length > MANY ? found : events;
}

const MANY = 3;

/** Of so many of them at most, evenly spread. */
export function shareOf(events: readonly Event[], most: number, test: (event: Event) => boolean): number {
  const every = Math.max(1, events.length / most);
  let of = 0;
  let found = 0;
  for (let at = 0; at < events.length; at += every) {
    const event = events[Math.floor(at)];
    if (event === undefined) continue;
    of += 1;
    found += Number(test(event));
  }
  return of === 0 ? 0 : found / of;
}

import type { Event } from './events.ts';
import type { Leaf } from './values.ts';

/** The values of every place over the run. */
export class Histories {
  readonly #byKey = new Map<string, Event[]>();

  constructor(events: readonly Event[]) {
    for (const event of events) {
      const known = this.#byKey.get(event.key);
      if (known) known.push(event);
      else this.#byKey.set(event.key, [event]);
    }
  }

  of(key: string): readonly Event[] {
    return this.#byKey.get(key) ?? [];
  }

  /** Every place, by its last event. */
  *ends(): Generator<Event> {
    for (const events of this.#byKey.values()) {
      const last = events.at(-1);
      if (last) yield last;
    }
  }

  /** What is there after a step; absent where nothing is. */
  at(key: string, step: number): Leaf | undefined {
    return this.of(key).findLast((event) => event.step <= step)?.after;
  }
}

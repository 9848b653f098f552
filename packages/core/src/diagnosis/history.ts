import type { Event } from './events.ts';
import type { Leaf } from './leaf.ts';
import type { Label } from './place.ts';

const NONE: readonly Event[] = [];

/** The values of every place over the run. */
export class Histories {
  /** By the number of the key. */
  readonly #byKey: (Event[] | undefined)[] = [];
  /** Every place, by its last event. */
  readonly ends: readonly Event[];

  constructor(events: readonly Event[]) {
    const all: Event[][] = [];
    for (const event of events) {
      const { id } = event.key;
      const known = this.#byKey[id];
      event.nth = known?.length ?? 0;
      if (known) known.push(event);
      else all.push((this.#byKey[id] = [event]));
    }
    this.ends = all.map((own) => own[own.length - 1]).filter((event) => event !== undefined);
  }

  of({ id }: Label): readonly Event[] {
    return this.#byKey[id] ?? NONE;
  }

  /** What is there after a step; absent where nothing is. */
  at(key: Label, step: number): Leaf | undefined {
    const events = this.of(key);
    for (let at = events.length - 1; at >= 0; at--) {
      const event = events[at];
      if (event !== undefined && event.step <= step) return event.after;
    }
    return undefined;
  }
}

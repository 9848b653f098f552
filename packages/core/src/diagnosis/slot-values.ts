import type { Event } from './events.ts';

/** How often each value was written, in which shapes, and how many writes that are. */
export interface Values {
  readonly values: ReadonlyMap<string, number>;
  readonly shapes: ReadonlyMap<string, number>;
  readonly writes: number;
}

export function valuesIn(events: readonly Event[]): Values {
  const values = new Map<string, number>();
  const shapes = new Map<string, number>();
  let writes = 0;
  for (const { after } of events) {
    if (after === undefined) continue;
    values.set(after.value, (values.get(after.value) ?? 0) + 1);
    shapes.set(after.shape, (shapes.get(after.shape) ?? 0) + 1);
    writes += 1;
  }
  return { values, shapes, writes };
}

export const NO_VALUES: Values = { values: new Map(), shapes: new Map(), writes: 0 };

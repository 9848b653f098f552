import type { Event } from './events.ts';
import type { Label } from './place.ts';
import type { Reading } from './readings.ts';
import { wordsOf } from './values.ts';

/** Where so many other lists of a kind came whole, one that did not is odd. */
const FEWEST = 2;
const MOST_ITEMS = 40;
const MOST_VALUE = 60;

/** What was read of lists of plain values that came with fewer of them, by the last value of each. */
export function cutsIn(
  worked: readonly Event[],
  readings: readonly (Reading | undefined)[],
): ReadonlyMap<Event, string> {
  const whole = new Map<Label, number>();
  const cut: { readonly list: Label; readonly last: Event; readonly said: string }[] = [];
  for (const items of listsIn(worked)) {
    const [first] = items;
    const last = items.at(-1);
    const list = first?.place.holder;
    if (first === undefined || last === undefined || list === undefined) continue;
    const passages = readings[first.step]?.about.get(list.spokenName) ?? [];
    const said = passages.flatMap(
      (passage) => passage.listOf(items.map(({ after }) => wordsOf(after?.value ?? ''))) ?? [],
    );
    if (said.length === 0) continue;
    if (said.includes('')) whole.set(list.slot, (whole.get(list.slot) ?? 0) + 1);
    else cut.push({ list: list.slot, last, said: said[0] ?? '' });
  }
  return new Map(
    cut.flatMap(({ list, last, said }) => ((whole.get(list) ?? 0) < FEWEST ? [] : [[last, said] as const])),
  );
}

/** Values that were written as the whole of a list in one step, in their order. */
function listsIn(worked: readonly Event[]): readonly (readonly Event[])[] {
  const lists = new Map<string, Event[]>();
  for (const event of worked) {
    const { place, kind, step, after } = event;
    if (kind !== 'added' || !place.isEntry || typeof place.step !== 'number' || place.spokenName === '') continue;
    if (after === undefined || after.value.length > MOST_VALUE || after.value === '') continue;
    const name = `${step} ${place.holder?.key.id ?? ''}`;
    const known = lists.get(name);
    // A list that grows was there before.
    if (known === undefined && place.step !== 0) continue;
    if (known === undefined) lists.set(name, [event]);
    else if (known.length < MOST_ITEMS) known.push(event);
  }
  return [...lists.values()];
}

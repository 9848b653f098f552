import type { Event } from './events.ts';
import type { Label } from './place.ts';
import type { Passage, SaidList } from './passages.ts';
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
  passagesOf: (event: Event) => readonly Passage[],
): ReadonlyMap<Event, string> {
  const bySlot = new Map<Label, { readonly signs: Set<string>; readonly lists: List[] }>();
  for (const items of listsIn(worked)) {
    const [first] = items;
    const last = items.at(-1);
    const list = first?.place.holder;
    if (first === undefined || last === undefined || list === undefined) continue;
    const values = items.map(({ after }) => wordsOf(after?.value ?? ''));
    const said = passagesOf(first).flatMap((passage) => passage.listOf(values) ?? []);
    if (said.length === 0) continue;
    const known = bySlot.get(list.slot) ?? { signs: new Set(), lists: [] };
    bySlot.set(list.slot, known);
    for (const { between } of said) if (between !== '') known.signs.add(between);
    known.lists.push({ last, said });
  }
  return new Map([...brokenOff(worked, readings), ...[...bySlot.values()].flatMap(cutFrom)]);
}

interface List {
  readonly last: Event;
  readonly said: readonly SaidList[];
}

/** Those that went on in all that was read of them, where others did not. */
function cutFrom({ signs, lists }: { readonly signs: ReadonlySet<string>; readonly lists: readonly List[] }) {
  const cut = lists.filter(({ said }) => said.every(({ next }) => signs.has(next)));
  if (lists.length - cut.length < FEWEST) return [];
  return cut.map(({ last, said }) => [last, said[0]?.text ?? ''] as const);
}

const WORDS = /\S\s+\S+\s+\S/;
const LETTER = /[\p{L}\p{N}]/u;
const GOES_ON = /^ ?[\p{L}\p{N}]/u;
const MOST_TEXT = 400;

/** Texts that go on where they were read, by what is left of them; those of the others were taken whole. */
function brokenOff(
  worked: readonly Event[],
  readings: readonly (Reading | undefined)[],
): readonly (readonly [Event, string])[] {
  const bySlot = new Map<Label, { whole: number; readonly broken: [Event, string][] }>();
  for (const event of worked) {
    const { after, slot, step } = event;
    const reading = readings[step];
    if (after?.kind !== 'string' || after.value.length > MOST_TEXT || reading === undefined || !WORDS.test(after.value))
      continue;
    const value = after.value.trimEnd();
    const at = reading.read.indexOf(value);
    if (at < 0) continue;
    const known = bySlot.get(slot) ?? { whole: 0, broken: [] };
    bySlot.set(slot, known);
    const end = at + value.length;
    const [rest = ''] = reading.read.slice(end, end + 40).split(/["\n]/);
    if (LETTER.test(value.at(-1) ?? '') && GOES_ON.test(rest)) known.broken.push([event, `${value}${rest}`]);
    else known.whole += 1;
  }
  return [...bySlot.values()].flatMap(({ whole, broken }) =>
    whole >= FEWEST && broken.length * 3 <= whole ? broken : [],
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

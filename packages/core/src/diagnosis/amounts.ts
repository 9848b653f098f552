import { Event } from './events.ts';
import type { Histories } from './history.ts';
import type { Label, Place } from './place.ts';
import type { Line } from './passages.ts';
import { canBeRead, type Reading } from './readings.ts';
import { numbersIn } from './values.ts';

/** What steps read of amounts by which numbers were to change, and whether these changed so. */
export interface Amounts {
  /** Share of the changes of its slot that were read of; 0 where this one was too, or nothing is known. */
  missing(event: Event): number;
  /** Values that didn't change in a step that read an amount for them. */
  readonly ignored: readonly Event[];
  /** It moved by just what came with an entry in the same step, as an account does. */
  isPosted(event: Event): boolean;
}

type Readings = readonly (Reading | undefined)[];

interface Slot {
  readonly unread: Set<Event>;
  of: number;
}

const FEWEST = { missing: 3, ignored: 5 };
const LEAST = { missing: 0.7, ignored: 0.85 };
const MOST_LINES = 40;

/** Of stocks, balances and counts: `3 pcs taken from D-05`, and there are three fewer. */
export function amountsIn(events: readonly Event[], readings: Readings, histories: Histories): Amounts {
  const slots = new Map<Label, Slot>();
  for (const event of events) {
    const amount = amountOf(event);
    const reading = readings[event.step];
    if (amount === undefined || reading === undefined || event.names.length === 0) continue;
    const slot = slots.get(event.slot) ?? { unread: new Set(), of: 0 };
    slots.set(event.slot, slot);
    slot.of += 1;
    if (!reading.lines.some((line) => saysAmount(line, amount) && isAbout(line, event.place))) slot.unread.add(event);
  }
  const rateOf = (slot: Label, what: keyof typeof FEWEST): number => {
    const { of, unread } = slots.get(slot) ?? NOTHING;
    const rate = of < FEWEST[what] ? 0 : (of - unread.size) / of;
    return rate < LEAST[what] ? 0 : rate;
  };
  const came = cameIn(events);
  return {
    isPosted: (event) => {
      const amount = amountOf(event);
      return amount !== undefined && (came.get(event.step)?.some((figure) => isSame(figure, amount)) ?? false);
    },
    missing: (event) => (slots.get(event.slot)?.unread.has(event) === true ? rateOf(event.slot, 'missing') : 0),
    ignored: histories.ends.flatMap(({ slot, key, place }) => {
      if (rateOf(slot, 'ignored') === 0) return [];
      const steps = new Set(histories.of(key).map(({ step }) => step));
      return ignoredAt(place, steps, readings).flatMap((step): Event[] => {
        const leaf = histories.at(key, step);
        return leaf?.number === undefined
          ? []
          : [new Event(place, { step, kind: 'changed', before: leaf, after: leaf })];
      });
    }),
  };
}

/** Figures of the entries that came, by step. */
function cameIn(events: readonly Event[]): ReadonlyMap<number, readonly number[]> {
  const came = new Map<number, number[]>();
  for (const { kind, step, after, collection } of events) {
    if (kind !== 'added' || collection === undefined || after?.number === undefined || !canBeRead(after)) continue;
    const known = came.get(step);
    if (known) known.push(Math.abs(after.number));
    else came.set(step, [Math.abs(after.number)]);
  }
  return came;
}

/** Sums of figures with decimals are off by less. */
const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= Math.max(0.006, b * 1e-6);

const NOTHING: Slot = { unread: new Set(), of: 0 };

function amountOf({ kind, before, after }: Event): number | undefined {
  if (kind !== 'changed' || before?.number === undefined || after?.number === undefined) return undefined;
  return Math.abs(after.number - before.number);
}

const saysAmount = ({ said }: Line, amount: number): boolean =>
  said.numbers.some((one) => Math.abs(Math.abs(one) - amount) <= 1e-6 * Math.max(1, amount));

/** It names all entries around the place. */
const isAbout = ({ said }: Line, { spoken }: Place): boolean => {
  const words = ` ${said.joined} `;
  return spoken.every((name) => words.includes(` ${name} `));
};

/** Steps that read a line with a figure about a place and did not change it, nor did the next one. */
function ignoredAt(place: Place, changed: ReadonlySet<number>, readings: Readings): number[] {
  const inName = new Set(place.spoken.flatMap((name) => numbersIn(name)));
  return readings.flatMap((reading, step) => {
    if (reading === undefined || step === 0 || changed.has(step) || changed.has(step + 1)) return [];
    const lines = reading.lines.slice(0, MOST_LINES);
    const isRead = lines.some((one) => isAbout(one, place) && one.said.numbers.some((number) => !inName.has(number)));
    return isRead ? [step] : [];
  });
}

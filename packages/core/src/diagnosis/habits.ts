import type { Event } from './events.ts';
import type { Histories } from './history.ts';
import { ANY } from './place.ts';
import { shapeOf } from './values.ts';

/** How a value behaves over the run. */
export interface Habit {
  /** Checkpoints from its first appearance to this change. */
  readonly age: number;
  /** Changes of it before, and after. */
  readonly earlier: number;
  readonly later: number;
  /** Share of the checkpoints since its first appearance in which it changed, over the whole run. */
  readonly rate: number;
  /** Share of the checkpoints in which anything in its slot changed after being added. */
  readonly slotRate: number;
  /** It went one way at every change before, and goes the other way now. */
  readonly turns: boolean;
  /** It is the only entry of its kind that was ever written again. */
  readonly only: boolean;
  /** How often, in other steps, a value of its kind went from the same to the same. */
  readonly routine: number;
  /** A value that its kind never had, where few different ones do: how many writes say so. */
  readonly novel: number;
  /** The value that it nearly is. */
  readonly nearly?: string;
  /** How many of its kind changed in the same checkpoint, itself included. */
  readonly batch: number;
  /** How many of them in the same way. */
  readonly alike: number;
  /** What became of it: put back as it was, changed again, or kept. */
  readonly fate: 'restored' | 'changed' | 'kept';
  /** It goes back to a value that it had before. */
  readonly returns: boolean;
  /** It was there from the first checkpoint on. */
  readonly isOld: boolean;
  /** At most one field beside it was ever written again. */
  readonly isLone: boolean;
}

/** What is known of all values of one slot. */
class SlotHabit {
  readonly entries = new Set<string>();
  /** Those of them that were written again. */
  readonly rewritten = new Set<string>();
  readonly steps = new Set<number>();
  readonly values = new Map<string, number>();
  writes = 0;
  /** By checkpoint and kind. */
  readonly batches = new Map<number, Batch>();
  /** From what to what, for the fields of one entry. */
  readonly ways = new Map<string, Times>();
}

/** Changes of one kind in one slot at one checkpoint. */
interface Batch {
  readonly events: Event[];
  /** How many of them did what, once somebody asks. */
  ways?: ReadonlyMap<string, number>;
}

/** In how many checkpoints, and the last of them. */
interface Times {
  of: number;
  last: number;
}

const KINDS = ['added', 'removed', 'changed', 'type-changed'] as const;
const batchId = ({ step, kind }: Event): number => step * KINDS.length + KINDS.indexOf(kind);

const around = ({ key }: Event): string => key.slice(0, key.lastIndexOf('\n'));

export class Habits {
  readonly #steps: number;
  readonly #histories: Histories;
  readonly #slots = new Map<string, SlotHabit>();
  /** By the object around them: the fields that were written again. */
  readonly #moving = new Map<string, Set<string>>();

  /** @param events in the order of their steps */
  constructor(events: readonly Event[], histories: Histories, steps: number) {
    this.#steps = steps;
    this.#histories = histories;
    for (const event of events) this.#enter(event);
  }

  #enter(event: Event): void {
    const { key, slot, step, kind, after } = event;
    const habit = this.#made(slot);
    habit.entries.add(key);
    enterBatch(habit, event);
    if (after) {
      habit.values.set(after.value, (habit.values.get(after.value) ?? 0) + 1);
      habit.writes += 1;
    }
    if (kind === 'changed') enterWay(this.#made(waySlot(event)), event);
    if (kind === 'added') return;
    const holder = around(event);
    this.#moving.set(holder, (this.#moving.get(holder) ?? new Set()).add(key));
    habit.rewritten.add(key);
    habit.steps.add(step);
  }

  #made(slot: string): SlotHabit {
    const known = this.#slots.get(slot);
    if (known) return known;
    const made = new SlotHabit();
    this.#slots.set(slot, made);
    return made;
  }

  /** Share of the checkpoints since its first appearance in which it changed: what goes with every step. */
  rate(key: string): number {
    const all = this.#histories.of(key);
    const first = all[0]?.step ?? 0;
    return (all.length - 1) / Math.max(1, this.#steps - 1 - first);
  }

  changes(key: string): number {
    return this.#histories.of(key).length - 1;
  }

  of(event: Event): Habit {
    const all = this.#histories.of(event.key);
    const at = all.indexOf(event);
    const first = all[0]?.step ?? event.step;
    const own = at < 0 ? all.findLastIndex(({ step }) => step < event.step) : at - 1;
    const later = all.length - 1 - (at < 0 ? own : at);
    const slot = this.#slots.get(event.slot);
    const batch = slot?.batches.get(batchId(event));
    return {
      age: event.step - first,
      earlier: Math.max(0, own),
      later,
      fate: later === 0 ? 'kept' : fateOf(event, all.at(-1)),
      returns: returnsAt(event, all, own),
      isOld: first === 0,
      isLone: (this.#moving.get(around(event))?.size ?? 0) <= 2,
      rate: this.rate(event.key),
      slotRate: (slot?.steps.size ?? 0) / Math.max(1, this.#steps - 1),
      turns: turnsAt(event, all, own),
      only: isOnly(event, slot),
      routine: (this.#slots.get(waySlot(event))?.ways.get(wayKey(event))?.of ?? 1) - 1,
      ...noveltyOf(event, slot),
      batch: batch?.events.length ?? 1,
      alike: batch ? alikeIn(batch, event) : 1,
    };
  }
}

function isOnly({ kind }: Event, slot: SlotHabit | undefined): boolean {
  if (kind === 'added' || kind === 'removed') return false;
  return slot?.rewritten.size === 1 && slot.entries.size >= 3;
}

function noveltyOf({ after }: Event, slot: SlotHabit | undefined): { novel: number; nearly?: string } {
  if (slot === undefined || after?.kind !== 'string' || slot.values.get(after.value) !== 1) return { novel: 0 };
  const { values } = slot;
  const writes = slot.writes - 1;
  if (values.size < 2 || values.size - 1 > Math.max(3, writes / 3)) return { novel: 0 };
  const known = [...values.keys()].filter((value) => value !== after.value);
  const nearly = /\d/.test(after.value) ? undefined : known.find((value) => isSlipOf(value, after.value));
  if (nearly !== undefined && shapeOf(nearly) !== shapeOf(after.value)) {
    const isUsual = known.some((value) => value !== nearly && shapeOf(value) === shapeOf(after.value));
    if (isUsual) return { novel: writes };
  }
  return nearly === undefined ? { novel: writes } : { novel: writes, nearly };
}

/** The same letters in another order, one more or one less, or only the beginning. */
function isSlipOf(known: string, value: string): boolean {
  if (known === value || value.length < 3 || known.length < 3) return false;
  const [a, b] = [known.toLowerCase(), value.toLowerCase()];
  if (a === b || a.startsWith(b) || b.startsWith(a)) return Math.abs(a.length - b.length) <= 4;
  const sorted = (text: string): string => text.split('').toSorted().join('');
  if (a.length === b.length) return sorted(a) === sorted(b) || (differing(a, b) === 1 && a.at(-1) === b.at(-1));
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (long.length - short.length > 1) return false;
  return long.split('').some((_, at) => long.slice(0, at) + long.slice(at + 1) === short);
}

const differing = (a: string, b: string): number => a.split('').filter((letter, at) => letter !== b[at]).length;

/** The slot of the entry, or of the object, that the field is in. */
const waySlot = ({ slots, slot, place }: Event): string => (slots.at(-1) === ANY ? slot : (place.parent?.slot ?? ''));
const wayKey = ({ before, after }: Event): string => `${before?.text ?? ''}\n${after?.text ?? ''}`;

function enterWay({ ways }: SlotHabit, event: Event): void {
  const key = wayKey(event);
  const known = ways.get(key);
  if (known === undefined) ways.set(key, { of: 1, last: event.step });
  else if (known.last !== event.step) {
    known.of += 1;
    known.last = event.step;
  }
}

function enterBatch({ batches }: SlotHabit, event: Event): void {
  const id = batchId(event);
  const known = batches.get(id);
  if (known) known.events.push(event);
  else batches.set(id, { events: [event] });
}

/** How many of a batch do the same: one act, such as a switch of units or a turned sign. */
function alikeIn(batch: Batch, event: Event): number {
  if (batch.events.length === 1 && batch.events[0] === event) return 1;
  batch.ways ??= tally(batch.events);
  return batch.ways.get(wayOfChange(event)) ?? 1;
}

function tally(events: readonly Event[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) {
    const way = wayOfChange(event);
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  return counts;
}

function wayOfChange({ before, after }: Event): string {
  if (before?.number === undefined || after?.number === undefined) return `to ${after?.value ?? ''}`;
  if (before.number === 0 || after.number === 0) return after.number === 0 ? 'zeroed' : '';
  const ratio = Math.log10(Math.abs(after.number / before.number));
  return `${before.number * after.number < 0 ? 'turned ' : ''}${Math.abs(ratio) < 0.3 ? '' : ratio.toFixed(1)}`;
}

/** It had this value before. */
function returnsAt({ after }: Event, all: readonly Event[], to: number): boolean {
  for (let at = 0; at <= to; at++) {
    const earlier = all[at]?.after;
    if (earlier !== undefined && earlier.text === after?.text) return true;
  }
  return false;
}

function fateOf(event: Event, last: Event | undefined): Habit['fate'] {
  return last?.after !== undefined && last.after.text === event.before?.text ? 'restored' : 'changed';
}

/** @param to the last of the events before it */
function turnsAt(event: Event, all: readonly Event[], to: number): boolean {
  const way = wayOf(event);
  if (way === undefined || to < 2) return false;
  let ways = 0;
  for (let at = 0; at <= to; at++) {
    const earlier = all[at];
    const one = earlier && wayOf(earlier);
    if (one === undefined) continue;
    if (one === way) return false;
    ways += 1;
  }
  return ways >= 3;
}

function wayOf({ before, after }: Event): number | undefined {
  if (before?.number === undefined || after?.number === undefined || before.number === after.number) return undefined;
  return Math.sign(after.number - before.number);
}

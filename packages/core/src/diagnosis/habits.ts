import type { Event } from './events.ts';
import type { Histories } from './history.ts';
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
}

export class Habits {
  readonly #steps: number;
  readonly #histories: Histories;
  readonly #rewritten = new Map<string, Set<string>>();
  readonly #entries = new Map<string, Set<string>>();
  readonly #slotSteps = new Map<string, Set<number>>();
  readonly #alike = new Map<string, number>();
  readonly #batch = new Map<string, number>();
  readonly #ways = new Map<string, Set<number>>();
  readonly #values = new Map<string, Map<string, number>>();

  constructor(events: readonly Event[], histories: Histories, steps: number) {
    this.#steps = steps;
    this.#histories = histories;
    for (const event of events) {
      const alike = alikeKey(event);
      this.#alike.set(alike, (this.#alike.get(alike) ?? 0) + 1);
      const batch = batchKey(event);
      this.#batch.set(batch, (this.#batch.get(batch) ?? 0) + 1);
      add(this.#entries, event.slot, event.key);
      if (event.after) {
        const values = this.#values.get(event.slot) ?? new Map<string, number>();
        values.set(event.after.value, (values.get(event.after.value) ?? 0) + 1);
        this.#values.set(event.slot, values);
      }
      if (event.kind === 'changed') add(this.#ways, wayKey(event), event.step);
      if (event.kind === 'added') continue;
      add(this.#rewritten, event.slot, event.key);
      add(this.#slotSteps, event.slot, event.step);
    }
  }

  /** Share of the checkpoints since its first appearance in which it changed: what goes with every step. */
  rate(key: string): number {
    const all = this.#histories.of(key);
    const first = all[0]?.step ?? 0;
    return (all.length - 1) / Math.max(1, this.#steps - 1 - first);
  }

  of(event: Event): Habit {
    const all = this.#histories.of(event.key);
    const at = all.indexOf(event);
    const first = all[0]?.step ?? event.step;
    const own = at < 0 ? all.findLastIndex(({ step }) => step < event.step) : at - 1;
    const later = all.length - 1 - (at < 0 ? own : at);
    return {
      age: event.step - first,
      earlier: Math.max(0, own),
      later,
      fate: later === 0 ? 'kept' : fateOf(event, all.at(-1)),
      returns: all.some(
        (one, index) => index <= own && one.after !== undefined && one.after.text === event.after?.text,
      ),
      isOld: first === 0,
      rate: this.rate(event.key),
      slotRate: (this.#slotSteps.get(event.slot)?.size ?? 0) / Math.max(1, this.#steps - 1),
      turns: turnsAt(event, all, own),
      only: this.#isOnly(event),
      routine: (this.#ways.get(wayKey(event))?.size ?? 1) - 1,
      ...this.#novelty(event),
      batch: this.#batch.get(batchKey(event)) ?? 1,
      alike: this.#alike.get(alikeKey(event)) ?? 1,
    };
  }

  #isOnly({ kind, slot }: Event): boolean {
    if (kind === 'added' || kind === 'removed') return false;
    return this.#rewritten.get(slot)?.size === 1 && (this.#entries.get(slot)?.size ?? 0) >= 3;
  }

  #novelty({ slot, after }: Event): { novel: number; nearly?: string } {
    const values = after?.kind === 'string' ? this.#values.get(slot) : undefined;
    if (after === undefined || values === undefined || values.get(after.value) !== 1) return { novel: 0 };
    const writes = [...values.values()].reduce((sum, count) => sum + count, -1);
    const known = [...values.keys()].filter((value) => value !== after.value);
    if (known.length === 0 || values.size - 1 > Math.max(3, writes / 3)) return { novel: 0 };
    const nearly = /\d/.test(after.value) ? undefined : known.find((value) => isSlipOf(value, after.value));
    if (nearly !== undefined && shapeOf(nearly) !== shapeOf(after.value)) {
      const isUsual = known.some((value) => value !== nearly && shapeOf(value) === shapeOf(after.value));
      if (isUsual) return { novel: writes };
    }
    return nearly === undefined ? { novel: writes } : { novel: writes, nearly };
  }
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

const wayKey = ({ slots, before, after }: Event): string =>
  `${(slots.at(-1) === '*' ? slots : slots.slice(0, -1)).join('\n')}\n${before?.text ?? ''}\n${after?.text ?? ''}`;
const batchKey = (event: Event): string => `${event.step} ${event.kind} ${event.slot}`;
const alikeKey = (event: Event): string => `${batchKey(event)} ${wayOfChange(event)}`;

/** Changes of one kind that do the same are one act: a switch of units, a turned sign. */
function wayOfChange({ before, after }: Event): string {
  if (before?.number === undefined || after?.number === undefined) return `to ${after?.value ?? ''}`;
  if (before.number === 0 || after.number === 0) return after.number === 0 ? 'zeroed' : '';
  const ratio = Math.log10(Math.abs(after.number / before.number));
  return `${before.number * after.number < 0 ? 'turned ' : ''}${Math.abs(ratio) < 0.3 ? '' : ratio.toFixed(1)}`;
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

function add<T>(map: Map<string, Set<T>>, key: string, member: T): void {
  const known = map.get(key);
  if (known) known.add(member);
  else map.set(key, new Set([member]));
}

import type { Event } from './events.ts';
import type { Histories } from './history.ts';

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
  /** How many changed just so in the same checkpoint, itself included. */
  readonly alike: number;
}

export class Habits {
  readonly #steps: number;
  readonly #histories: Histories;
  readonly #rewritten = new Map<string, Set<string>>();
  readonly #entries = new Map<string, Set<string>>();
  readonly #slotSteps = new Map<string, Set<number>>();
  readonly #alike = new Map<string, number>();
  readonly #ways = new Map<string, Set<number>>();
  readonly #values = new Map<string, Map<string, number>>();

  constructor(events: readonly Event[], histories: Histories, steps: number) {
    this.#steps = steps;
    this.#histories = histories;
    for (const event of events) {
      const alike = alikeKey(event);
      this.#alike.set(alike, (this.#alike.get(alike) ?? 0) + 1);
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

  of(event: Event): Habit {
    const all = this.#histories.of(event.key);
    const first = all[0]?.step ?? event.step;
    const before = all.filter(({ step }) => step < event.step);
    const changes = all.filter(({ step }) => step > first).length;
    const life = Math.max(1, this.#steps - 1 - first);
    const rewritten = this.#rewritten.get(event.slot)?.size ?? 0;
    return {
      age: event.step - first,
      earlier: before.filter(({ step }) => step > first).length,
      later: all.filter(({ step }) => step > event.step).length,
      rate: changes / life,
      slotRate: (this.#slotSteps.get(event.slot)?.size ?? 0) / Math.max(1, this.#steps - 1),
      turns: turnsAt(event, before),
      only: event.kind !== 'added' && rewritten === 1 && (this.#entries.get(event.slot)?.size ?? 0) >= 3,
      routine: (this.#ways.get(wayKey(event))?.size ?? 1) - 1,
      novel: this.#novelty(event),
      alike: this.#alike.get(alikeKey(event)) ?? 1,
    };
  }

  #novelty({ slot, after }: Event): number {
    if (after?.kind !== 'string') return 0;
    const values = this.#values.get(slot);
    if (values === undefined || values.get(after.value) !== 1) return 0;
    const writes = [...values.values()].reduce((sum, count) => sum + count, -1);
    const others = [...values.values()].filter((count) => count > 1).length;
    const single = values.size - 1 - others;
    return single <= others * 0.5 && values.size - 1 <= Math.max(2, writes / 4) ? writes : 0;
  }
}

const wayKey = ({ slot, before, after }: Event): string => `${slot}\n${before?.text ?? ''}\n${after?.text ?? ''}`;
const alikeKey = (event: Event): string => `${event.step} ${event.kind} ${event.slot}`;

function turnsAt(event: Event, before: readonly Event[]): boolean {
  const ways = before.flatMap((one) => wayOf(one) ?? []);
  const way = wayOf(event);
  return way !== undefined && ways.length >= 3 && ways.every((one) => one === -way);
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

import { Act } from './acts.ts';
import type { Event } from './events.ts';
import type { Histories } from './history.ts';
import { isBlank } from './leaf.ts';
import { ANY, type Label } from './place.ts';
import { isSlipOf } from './slips.ts';
import { NO_VALUES, valuesIn, type Values } from './slot-values.ts';
import { shapeOf } from './values.ts';

/** What is known of all values of one slot. */
class SlotHabit {
  readonly #events: Event[] = [];
  /** The first of them that was written again, and whether another one was. */
  #again: Label | undefined;
  #isAgain = false;
  /** Checkpoints in which anything in it changed after being added. */
  steps = 0;
  /** Values that came where there was none yet, and checkpoints in which entries were removed. */
  fills = 0;
  removals = 0;
  #lastStep = -1;
  #lastRemoval = -1;
  #values: Values | undefined;
  /** By checkpoint and kind, once somebody asks; as all that follows. */
  #batches: ReadonlyMap<number, Batch> | undefined;
  /** Of the fields of one entry. */
  readonly #changes: Event[] = [];
  #ways: ReadonlyMap<string, Times> | undefined;
  #moved: number | undefined;

  enter(event: Event): void {
    const { key, step, kind } = event;
    this.#events.push(event);
    if (kind === 'added') return;
    if (kind === 'removed' && this.#lastRemoval !== step) this.removals += 1;
    if (kind === 'removed') this.#lastRemoval = step;
    else if (isBlank(event.before)) this.fills += 1;
    if (this.#again === undefined) this.#again = key;
    else if (this.#again !== key) this.#isAgain = true;
    if (this.#lastStep !== step) this.steps += 1;
    this.#lastStep = step;
  }

  enterChange(event: Event): void {
    this.#changes.push(event);
  }

  batch(event: Event): Batch | undefined {
    this.#batches ??= batchesOf(this.#events);
    return this.#batches.get(batchId(event));
  }

  /** From what to what. */
  get ways(): ReadonlyMap<string, Times> {
    return (this.#ways ??= waysOf(this.#changes));
  }

  values(): Values {
    return (this.#values ??= valuesIn(this.#events));
  }

  /** Share of the other entries whose value was ever written again; 0 of few. */
  get moved(): number {
    return (this.#moved ??= movedIn(this.#events));
  }

  /** Of three or more entries one alone was ever written again. */
  get isOfOne(): boolean {
    return this.#again !== undefined && !this.#isAgain && new Set(this.#events.map(({ key }) => key)).size >= 3;
  }
}

const FEW = 4;

function movedIn(events: readonly Event[]): number {
  const keys = new Set<Label>();
  const moved = new Set<Label>();
  for (const { key, kind } of events) {
    keys.add(key);
    if (kind.endsWith('changed')) moved.add(key);
  }
  return keys.size < FEW ? 0 : Math.max(0, moved.size - 1) / (keys.size - 1);
}

/** Changes of one kind in one slot at one checkpoint. */
interface Batch {
  readonly events: Event[];
  /** How many of them did what, once somebody asks. */
  ways?: ReadonlyMap<string, number>;
  act?: Act;
}

/** In how many checkpoints, and the last of them. */
interface Times {
  of: number;
  last: number;
}

const KINDS = ['added', 'removed', 'changed', 'type-changed'] as const;
const batchId = ({ step, kind }: Event): number => step * KINDS.length + KINDS.indexOf(kind);

/** What is around it, by the number of its key. */
const around = ({ key }: Event): number => (key.parent ?? key).id;

export class Habits {
  readonly #steps: number;
  readonly #histories: Histories;
  /** By the number of the slot. */
  readonly #slots: (SlotHabit | undefined)[] = [];
  /** By the object around them: the fields that were written again. */
  readonly #moving: (Set<Label> | undefined)[] = [];

  /** @param events in the order of their steps */
  constructor(events: readonly Event[], histories: Histories, steps: number) {
    this.#steps = steps;
    this.#histories = histories;
    for (const event of events) this.#enter(event);
  }

  #enter(event: Event): void {
    this.#made(event.slot).enter(event);
    if (event.kind === 'added') return;
    if (event.kind === 'changed') this.#made(waySlot(event)).enterChange(event);
    (this.#moving[around(event)] ??= new Set()).add(event.key);
  }

  #made({ id }: Label): SlotHabit {
    return (this.#slots[id] ??= new SlotHabit());
  }

  /** Share of the checkpoints since its first appearance in which it changed: what goes with every step. */
  rate(key: Label): number {
    const all = this.#histories.of(key);
    return (all.length - 1) / Math.max(1, this.#steps - 1 - (all[0]?.step ?? 0));
  }

  changes(key: Label): number {
    return this.#histories.of(key).length - 1;
  }

  of(event: Event): Habit {
    return new Habit(event, this.#histories.of(event.key), this.rate(event.key), {
      steps: this.#steps,
      slot: this.#slots[event.slot.id],
      fields: event.kind.endsWith('changed') ? this.#slots[waySlot(event).id] : undefined,
      moving: this.#moving[around(event)]?.size ?? 0,
    });
  }
}

/** What is around the value. */
interface Around {
  readonly steps: number;
  readonly slot: SlotHabit | undefined;
  /** Of all fields of the entry. */
  readonly fields: SlotHabit | undefined;
  /** Fields beside it, and itself, that were ever written again. */
  readonly moving: number;
}

/** How a value behaves over the run; found out as far as somebody asks. */
export class Habit {
  readonly #event: Event;
  readonly #all: readonly Event[];
  readonly #around: Around;
  /** The place of the change before it in the history of the value. */
  readonly #before: number;
  /** Share of the checkpoints since its first appearance in which it changed, over the whole run. */
  readonly rate: number;
  /** Changes of it afterwards. */
  readonly later: number;
  #alike: number | undefined;
  #turns: boolean | undefined;

  constructor(event: Event, all: readonly Event[], rate: number, around: Around) {
    this.#event = event;
    this.#all = all;
    this.#around = around;
    this.rate = rate;
    const isOwn = event.nth >= 0;
    this.#before = isOwn ? event.nth - 1 : all.findLastIndex(({ step }) => step < event.step);
    this.later = all.length - 1 - (isOwn ? event.nth : this.#before);
  }

  get #first(): number {
    return this.#all[0]?.step ?? this.#event.step;
  }

  /** Checkpoints from its first appearance to this change. */
  get age(): number {
    return this.#event.step - this.#first;
  }

  /** Changes of it before. */
  get earlier(): number {
    return Math.max(0, this.#before);
  }

  /** It was there from the first checkpoint on. */
  get isOld(): boolean {
    return this.#first === 0;
  }

  /** At most one field beside it was ever written again. */
  get isLone(): boolean {
    return this.#around.moving <= 2;
  }

  /** Share of the checkpoints in which anything in its slot changed after being added. */
  get slotRate(): number {
    return (this.#around.slot?.steps ?? 0) / Math.max(1, this.#around.steps - 1);
  }

  /** Share of the others of its kind that were ever written again. */
  get moved(): number {
    return this.#around.slot?.moved ?? 0;
  }

  /** It was put back as it was. */
  get isRestored(): boolean {
    const last = this.later === 0 ? undefined : this.#all.at(-1)?.after;
    return last !== undefined && last.text === this.#event.before?.text;
  }

  /** It is without a value, as it was at another time. */
  get isEmptiedAgain(): boolean {
    return isBlank(this.#event.after) && this.#all.some((one) => one !== this.#event && isVoid(one));
  }

  /** Other values of its kind came where there was none yet. */
  get fills(): number {
    return this.#around.slot?.fills ?? 0;
  }

  /** Checkpoints in which entries of its kind were removed. */
  get removals(): number {
    return this.#around.slot?.removals ?? 0;
  }

  /** It went one way at every change before, and goes the other way now. */
  get turns(): boolean {
    return (this.#turns ??= turnsAt(this.#event, this.#all, this.#before));
  }

  /** It goes up and down through zero as it likes. */
  get swings(): boolean {
    return this.#all.filter(isTurned).length > 2;
  }

  /** It is the only entry of its kind that was ever written again. */
  get only(): boolean {
    const { kind } = this.#event;
    return kind !== 'added' && kind !== 'removed' && this.#around.slot?.isOfOne === true;
  }

  /** How often, in other steps, a value of its kind went from the same to the same. */
  get routine(): number {
    return (this.#around.fields?.ways.get(wayKey(this.#event))?.of ?? 1) - 1;
  }

  /** How many other values of its kind are or were the same, or are written in the same way. */
  get others(): { readonly same: number; readonly alike: number } {
    const { value = '', shape = '' } = this.#event.after ?? {};
    const { values, shapes } = this.#around.slot?.values() ?? NO_VALUES;
    return { same: (values.get(value) ?? 1) - 1, alike: (shapes.get(shape) ?? 1) - 1 };
  }

  /** A value that its kind never had, where few different ones do: how many writes say so, and which it nearly is. */
  novelty(): Novelty {
    return noveltyOf(this.#event, this.#around.slot);
  }

  /** How many of its kind changed in the same checkpoint, itself included. */
  get batch(): number {
    return this.#around.slot?.batch(this.#event)?.events.length ?? 1;
  }

  /** What was done to them, where there are several. */
  get act(): Act | undefined {
    const batch = this.#around.slot?.batch(this.#event);
    if (batch === undefined || batch.events.length <= 3) return undefined;
    return (batch.act ??= new Act(batch.events));
  }

  /** How many of them in the same way. */
  get alike(): number {
    if (this.#alike !== undefined) return this.#alike;
    const batch = this.#around.slot?.batch(this.#event);
    return (this.#alike = batch ? alikeIn(batch, this.#event) : 1);
  }
}

const isTurned = ({ before, after }: Event): boolean => (before?.number ?? 0) * (after?.number ?? 0) < 0;

const isVoid = ({ kind, before }: Event): boolean => kind === 'removed' || (kind !== 'added' && isBlank(before));

interface Novelty {
  readonly novel: number;
  readonly nearly?: string;
}

const NOTHING_NEW: Novelty = { novel: 0 };

function noveltyOf({ after }: Event, slot: SlotHabit | undefined): Novelty {
  if (slot === undefined || after?.kind !== 'string' || after.joined === '') return NOTHING_NEW;
  const { values, writes: all } = slot.values();
  if (values.get(after.value) !== 1) return NOTHING_NEW;
  const writes = all - 1;
  if (values.size < 2 || values.size - 1 > Math.max(3, writes / 3)) return NOTHING_NEW;
  const known = [...values.keys()].filter((value) => value !== after.value);
  const nearly = /\d/.test(after.value) ? undefined : known.find((value) => isSlipOf(value, after.value));
  if (nearly !== undefined && shapeOf(nearly) !== shapeOf(after.value)) {
    const isUsual = known.some((value) => value !== nearly && shapeOf(value) === shapeOf(after.value));
    if (isUsual) return { novel: writes };
  }
  return nearly === undefined ? { novel: writes } : { novel: writes, nearly };
}

/** The slot of the entry, or of the object, that the field is in. */
const waySlot = ({ slot }: Event): Label => (slot.step === ANY ? slot : (slot.parent ?? slot));
const wayKey = ({ before, after }: Event): string => `${before?.text ?? ''}\n${after?.text ?? ''}`;

function waysOf(changes: readonly Event[]): ReadonlyMap<string, Times> {
  const ways = new Map<string, Times>();
  for (const event of changes) {
    const key = wayKey(event);
    const known = ways.get(key);
    if (known === undefined) ways.set(key, { of: 1, last: event.step });
    else if (known.last !== event.step) {
      known.of += 1;
      known.last = event.step;
    }
  }
  return ways;
}

function batchesOf(events: readonly Event[]): ReadonlyMap<number, Batch> {
  const batches = new Map<number, Batch>();
  for (const event of events) {
    const id = batchId(event);
    const known = batches.get(id);
    if (known) known.events.push(event);
    else batches.set(id, { events: [event] });
  }
  return batches;
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

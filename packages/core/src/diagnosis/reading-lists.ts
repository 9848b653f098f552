import { roleOf } from '../chat/messages.ts';
import type { Event } from './events.ts';
import { ANY, type Label, type Place } from './place.ts';
import { Names } from './readings.ts';
import type { Passing } from './passing.ts';
import type { DiagnosedStep } from './types.ts';
import type { Texts } from './tokens.ts';
import { joined } from './values.ts';
import { each, type Work } from './work.ts';

/** The slot of the innermost list or map around an event. */
export const listOf = ({ place }: Event): Label | undefined => place.holder?.slot;

/** In such a text or list, however deep, or one itself that is replaced again and again. */
export function isInside(slot: Label, lists: ReadingLists, { slots }: Passing): boolean {
  if (slots.size > 0) for (let at: Label | undefined = slot; at; at = at.parent) if (slots.has(at)) return true;
  if (lists.size === 0) return false;
  if (lists.get(slot) === 'replaced') return true;
  for (let at = slot; at.parent; at = at.parent) if (at.step === ANY && lists.has(at.parent)) return true;
  return false;
}

interface List {
  readonly slot: Label;
  /** Leaves that are there, by their places, and what is there. */
  readonly live: Map<Label, Label>;
  /** How many entries were added after the first checkpoint, and how many of them contain a sentence, by step. */
  entries: number;
  worded: number;
  /** How many of them are messages of somebody, by their role. */
  spoken: number;
  /** The entry that is entered, and whether it is counted as one with a sentence: its fields follow each other. */
  own: Label | undefined;
  isWorded: boolean;
  /** It was there before this step. */
  isLate: boolean;
  /** The step in which an entry came. */
  readonly since: Map<Label, number>;
  /** The step that is entered; what was there before it, and what of that is gone. */
  step: number;
  had: number;
  gone: number;
  /** Steps after the first in which anything in it changed. */
  steps: number;
  /** Steps in which most of what was there gave way to something else. */
  wholesale: number;
  /** Leaves that were written over after the entry was added. */
  edits: number;
  /** Its entries have fields. */
  rows: boolean;
  /** The fields of all entries, and of the one that is entered; how many those of each entry are together. */
  readonly slots: Set<Label>;
  readonly ownSlots: Set<Label>;
  fields: number;
  /** Entries in whose place another one came. */
  swapped: number;
  /** What its entries are called. */
  readonly names: Set<string>;
  /** What they say. */
  readonly texts: string[];
}

/** Something that reads as a sentence rather than as a name. */
const WORDED = /\S\s+\S+\s+\S/;
const MOST_OF = 0.6;
const MOST_TEXT = 2_000;
/** Share of the steps in which a list must have grown, or have been replaced, to be one that is read. */
const TOLD = 0.15;
const REPLACED = 0.15;
const MOST_NAME = 64;
/** A number of a label is smaller. */
export const MOST_LABELS = 2 ** 32;

/** How each of them was told, by its slot. */
export type ReadingLists = ReadonlyMap<Label, 'told' | 'replaced'>;

/**
 * Lists that are read rather than worked on: they grow step after step by entries that hold sentences, or are replaced
 * as a whole again and again. What an agent is told and what its tools answer is in there.
 */
export function* readingLists(
  events: readonly Event[],
  steps: readonly DiagnosedStep[],
  { texts, passing }: { readonly texts: Texts; readonly passing: Passing },
): Work<ReadingLists> {
  const lists = yield* followed(events, Math.max(2, Math.min(5, steps.length * REPLACED)));
  const read = [...lists.values()].flatMap((list) => {
    const way = wayOf(list, steps.length);
    return way === undefined ? [] : [{ list, way }];
  });
  const titles = steps.flatMap(({ description }) => description ?? []);
  const slots = slotsOf(new Set(read.flatMap(({ list }) => (list.names.size < 2 ? [] : [...list.names]))), events);
  const found: typeof read = [];
  const isListed = listedIn(events, new Set(read.map(({ list }) => list.slot)));
  for (const one of read) {
    const { list, way } = one;
    const said = read.flatMap((other) => (other.list === list ? [] : other.list.texts));
    const isWorkedOn =
      isPassing(list) || isConversation(list) || isJournal(list, steps.length) || (way === 'replaced' && isListed(list))
        ? false
        : (yield* isTalkedAbout(list, [...said, ...passing.texts, ...titles], texts)) || isReferredTo(list, slots);
    if (!isWorkedOn) found.push(one);
  }
  return new Map(
    found.flatMap(({ list: { slot }, way }) => [slot, ...around(slot, lists)].map((one) => [one, way] as const)),
  );
}

/** What became of the lists that changed in so many steps; of all others nothing can be said. */
function* followed(events: readonly Event[], fewest: number): Work<ReadonlyMap<Label, List>> {
  const isOften = yield* changedOften(events, fewest);
  const lists = new Map<Label, List>();
  yield* each(events, (event) => {
    for (const slot of event.slot.lists) {
      if (!isOften(slot)) continue;
      let list = lists.get(slot);
      if (list === undefined) lists.set(slot, (list = emptyList(slot)));
      if (list.step !== event.step) begin(list, event.step);
      enter(list, event);
    }
  });
  for (const list of lists.values()) begin(list, Infinity);
  return lists;
}

function* changedOften(events: readonly Event[], fewest: number): Work<(slot: Label) => boolean> {
  const times: number[] = [];
  const last: number[] = [];
  yield* each(events, ({ slot, step }) => {
    if (step === 0) return;
    for (const { id } of slot.lists) {
      if (last[id] === step) continue;
      last[id] = step;
      times[id] = (times[id] ?? 0) + 1;
    }
  });
  return ({ id }) => (times[id] ?? 0) >= fewest;
}

/** Where each of these texts is a value. */
function slotsOf(names: ReadonlySet<string>, events: readonly Event[]): ReadonlyMap<string, ReadonlySet<Label>> {
  const found = new Map<string, Set<Label>>();
  if (names.size === 0) return found;
  for (const { after, slot } of events) {
    if (after?.kind !== 'string' || after.value.length > MOST_NAME || !names.has(after.value)) continue;
    const slots = found.get(after.value);
    if (slots) slots.add(slot);
    else found.set(after.value, new Set([slot]));
  }
  return found;
}

function wayOf(list: List, steps: number): 'told' | 'replaced' | undefined {
  const { steps: times } = list;
  if (times >= Math.max(2, Math.min(5, steps * REPLACED)) && isReplaced(list)) return 'replaced';
  if (times >= Math.max(2, steps * TOLD) && (isTold(list) || isConversation(list) || isJournal(list, steps)))
    return 'told';
  return undefined;
}

/** The list whose entries hold such a list: a message is read with all that it holds. */
function around(slot: Label, lists: ReadonlyMap<Label, List>): Label[] {
  for (let at = slot.parent; at?.parent?.parent; at = at.parent) {
    if (at.step === ANY) return lists.get(at.parent)?.names.size === 0 ? [at.parent] : [];
  }
  return [];
}

/** Its entries have names, and others name them: these are what the agent works on. */
function* isTalkedAbout({ names }: List, texts: readonly string[], known: Texts): Work<boolean> {
  if (names.size < 2) return false;
  const asked = new Names();
  for (const name of names) asked.add(name);
  const said = new Set<string>();
  yield* each(texts, (text) => asked.addNamed(known.tokens(text).words, said));
  let found = 0;
  for (const name of names) if (said.has(joined(name))) found += 1;
  return found >= 2 && found >= names.size * 0.25;
}

/** Other lists hold the names of its entries. */
function isReferredTo({ names, slot: own }: List, slots: ReadonlyMap<string, ReadonlySet<Label>>): boolean {
  if (names.size < 2) return false;
  const found = [...names].filter((name) =>
    [...(slots.get(name) ?? [])].some((slot) => slot === own || !slot.isWithin(own)),
  );
  return found.length >= 2 && found.length >= names.size * 0.25;
}

/** Nearly all its entries are those of lists that stay: it is what was looked up of them. */
function listedIn(events: readonly Event[], read: ReadonlySet<Label>): (list: List) => boolean {
  let listed: Set<string> | undefined;
  return ({ names, entries }) => {
    if (names.size < 2 || entries < FEWEST_CALLS) return false;
    listed ??= new Set(
      events.flatMap(({ place }) => (place.holder && !read.has(place.holder.slot) ? place.names.slice(-1) : [])),
    );
    let count = 0;
    for (const name of names) if (listed.has(name)) count += 1;
    return count >= names.size * MOST_OF;
  };
}

const emptyList = (slot: Label): List => ({
  slot,
  live: new Map(),
  entries: 0,
  worded: 0,
  spoken: 0,
  own: undefined,
  isWorded: false,
  isLate: false,
  since: new Map(),
  step: -1,
  had: 0,
  gone: 0,
  steps: 0,
  wholesale: 0,
  edits: 0,
  rows: false,
  slots: new Set(),
  ownSlots: new Set(),
  fields: 0,
  swapped: 0,
  names: new Set(),
  texts: [],
});

/** Closes the step that was entered, and opens another one. */
function begin(list: List, step: number): void {
  if (list.step > 0) {
    list.steps += 1;
    if (list.had > 0 && list.gone >= MOST_OF * list.had) list.wholesale += 1;
  }
  list.step = step;
  list.own = undefined;
  list.had = list.live.size;
  list.gone = 0;
}

function enter(list: List, { place, slot, kind, step, after }: Event): void {
  const { spot, key } = place;
  if (kind === 'removed') {
    for (const [one, held] of list.live) {
      if (!one.isWithin(spot)) continue;
      list.gone += 1;
      // Another one may have come to its place in the same step.
      if (held.isWithin(key)) list.live.delete(one);
    }
    return;
  }
  const own = place.key.up(list.slot.depth + 1);
  if (place.depth > own.depth) list.rows = true;
  list.live.set(spot, key);
  if (kind !== 'added') {
    list.gone += 1;
    list.edits += 1;
    if (kind === 'changed' && own.step === `=${after?.value ?? ''}`) list.swapped += 1;
    return;
  }
  if (step === 0) return;
  if (list.own !== own) enterNew(list, own, { place, step });
  list.fields += Number(!list.ownSlots.has(slot));
  list.ownSlots.add(slot);
  list.slots.add(slot);
  // A field that comes later is work on the entry.
  if (list.isLate) list.edits += 1;
  if (after?.kind !== 'string') return;
  if (isRole(place, own) && roleOf(after.value) !== 'other') list.spoken += 1;
  if (!WORDED.test(after.value) && !isJson(after.value)) return;
  if (!list.isWorded) list.worded += 1;
  list.isWorded = true;
  list.texts.push(after.value.slice(0, MOST_TEXT));
}

/** The number of a message: texts have such numbers anyway. */
const COUNTED = /^\d{1,3}$/;

/** The same of a key of a map: longer numbers are those of rooms or orders. */
const COUNTED_KEY = /^\d{1,2}$/;

/** When it came: other places have the time of the same step. */
const MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

/** What a tool answered, in a text. */
const isJson = (value: string): boolean => value.length > FEWEST_JSON && /^[{[]/.test(value) && /[}\]]$/.test(value);

const FEWEST_JSON = 20;

/** The next entry in which something was added. */
function enterNew(list: List, own: Label, { place, step }: Pick<Event, 'place' | 'step'>): void {
  list.own = own;
  list.ownSlots.clear();
  list.isWorded = false;
  list.entries += 1;
  const since = list.since.get(own);
  if (since === undefined) list.since.set(own, step);
  const isNamed = own.step.startsWith('=');
  const isKey = typeof place.up(own.depth).step === 'string';
  const isPlace = !isKey && /^\d+$/.test(own.step);
  list.isLate = !isPlace && since !== undefined && since < step;
  const name = isNamed ? own.step.slice(1) : own.step;
  const isNumber = isKey ? COUNTED_KEY.test(name) : isNamed ? COUNTED.test(name) : isPlace;
  if (!isNumber && !MOMENT.test(name)) list.names.add(name);
}

/** What was said is not written over; only a window of the newest shifts. */
const isTold = ({ worded, entries, edits, wholesale, steps }: List): boolean =>
  worded >= 2 && worded * 2 >= entries && (edits * 4 <= entries || wholesale * 2 >= steps);

/** Messages, whatever they say: a tool's answers may be nothing but JSON. */
const isConversation = ({ spoken, entries, edits }: List): boolean =>
  spoken >= FEWEST_SPOKEN && spoken >= entries * MOST_OF && edits * 4 <= entries;

/** It goes on at most steps with entries of all kinds: calls, and what became of each. */
const isJournal = ({ steps: times, entries, edits, slots, fields }: List, steps: number): boolean =>
  entries >= FEWEST_CALLS && times >= steps * 0.5 && edits * 10 <= entries && slots.size * entries >= MIXED * fields;

const FEWEST_CALLS = 4;
/** Times as many fields in all as in each. */
const MIXED = 1.8;

const FEWEST_SPOKEN = 3;

const isRole = ({ step, depth }: Place, own: Label): boolean =>
  depth === own.depth + 1 && (step === 'role' || step === 'type');

/** Other entries come in place of those that were there. */
const isPassing = ({ steps, swapped, wholesale }: List): boolean =>
  swapped >= 2 && swapped * 2 >= steps && wholesale * 3 >= steps;

/** Rows, not figures: figures that are all worked out again are not a reading. */
const isReplaced = (list: List): boolean =>
  isPassing(list) ||
  (list.rows && list.live.size >= 2 && list.wholesale >= 2 && list.wholesale >= MOST_OF * (list.steps - 1));

import type { Event } from './events.ts';
import { ANY } from './place.ts';
import { joined } from './readings.ts';
import type { DiagnosedStep } from './types.ts';

/** The slot of the innermost list or map around an event. */
export const listOf = ({ place }: Event): string => place.holder?.slot.slice(1) ?? '';

/** The lists and maps around an event, the outermost first; a state that is one itself is none. */
function* listsAround({ slots, collection = 0 }: Event): Generator<string> {
  for (let depth = 1; depth <= collection; depth++) {
    if (slots[depth] === ANY) yield slots.slice(0, depth).join('\n');
  }
}

/** The entry of that list, by name. */
export const entryOf = ({ place }: Event): string => place.entry;

interface List {
  /** Leaves that are there. */
  readonly live: Set<string>;
  /** Entries that were added after the first checkpoint, and those of them that contain a sentence. */
  readonly entries: Set<string>;
  readonly worded: Set<string>;
  /** The step in which an entry came. */
  readonly since: Map<string, number>;
  readonly steps: Set<number>;
  /** Steps in which most of what was there gave way to something else. */
  wholesale: number;
  /** Leaves that were written over after the entry was added. */
  edits: number;
  /** Its entries have fields. */
  rows: boolean;
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
const LOGGED = 0.6;
const MOST_NAME = 64;

/**
 * Lists that are read rather than worked on: they grow step after step by entries that hold sentences, or are replaced
 * as a whole again and again. What an agent is told and what its tools answer is in there.
 */
export function readingLists(
  events: readonly Event[],
  steps: readonly DiagnosedStep[],
): ReadonlyMap<string, 'told' | 'replaced'> {
  const lists = new Map<string, List>();
  for (const group of byStep(events)) {
    const touched = new Map<string, Event[]>();
    for (const event of group) {
      for (const slot of listsAround(event)) {
        const known = touched.get(slot);
        if (known) known.push(event);
        else touched.set(slot, [event]);
      }
    }
    for (const [slot, own] of touched) {
      const list = lists.get(slot) ?? emptyList();
      lists.set(slot, list);
      enter(list, own, slot.split('\n').length);
    }
  }
  const read = [...lists].flatMap(([slot, list]) => {
    const way = wayOf(list, steps.length);
    return way === undefined ? [] : [{ slot, list, way }];
  });
  const titles = steps.flatMap(({ description }) => description ?? []);
  const values = new Map<string, Set<string>>();
  for (const { after, slot } of events) {
    if (after?.kind !== 'string' || after.value.length > MOST_NAME) continue;
    values.set(after.value, (values.get(after.value) ?? new Set()).add(slot.slice(1)));
  }
  const found = read.filter(({ slot, list }) => {
    if (isPassing(list)) return true;
    const said = read.flatMap((other) => (other.slot === slot ? [] : other.list.texts));
    return !isTalkedAbout(list, [...said, ...titles]) && !isReferredTo(slot, list, values);
  });
  return new Map(found.flatMap(({ slot, way }) => [slot, ...around(slot, lists)].map((one) => [one, way] as const)));
}

function wayOf(list: List, steps: number): 'told' | 'replaced' | undefined {
  const times = list.steps.size;
  if (times >= Math.max(2, Math.min(5, steps * REPLACED)) && isReplaced(list)) return 'replaced';
  if (times >= Math.max(2, steps * TOLD) && isTold(list)) return 'told';
  return times >= Math.max(6, steps * LOGGED) && list.edits * 4 <= list.entries.size ? 'told' : undefined;
}

/** The list whose entries hold such a list: a message is read with all that it holds. */
function around(slot: string, lists: ReadonlyMap<string, List>): string[] {
  const at = slot.lastIndexOf('\n*\n');
  const outer = at < 0 ? undefined : slot.slice(0, at);
  const list = outer === undefined ? undefined : lists.get(outer);
  return outer !== undefined && list !== undefined && list.names.size === 0 ? [outer] : [];
}

/** Its entries have names, and others name them: these are what the agent works on. */
function isTalkedAbout({ names }: List, texts: readonly string[]): boolean {
  if (names.size < 2) return false;
  const text = ` ${texts.map(joined).join(' ')} `;
  const found = [...names].filter((name) => text.includes(` ${joined(name)} `));
  return found.length >= 2 && found.length >= names.size * 0.25;
}

/** Other lists hold the names of its entries. */
function isReferredTo(own: string, { names }: List, values: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const found = [...names].filter((name) => [...(values.get(name) ?? [])].some((slot) => !slot.startsWith(`${own}\n`)));
  return found.length >= 2 && found.length >= names.size * 0.25;
}

const emptyList = (): List => ({
  live: new Set(),
  entries: new Set(),
  worded: new Set(),
  since: new Map(),
  steps: new Set(),
  wholesale: 0,
  edits: 0,
  rows: false,
  swapped: 0,
  names: new Set(),
  texts: [],
});

function* byStep(events: readonly Event[]): Generator<readonly Event[]> {
  let from = 0;
  for (let at = 1; at <= events.length; at++) {
    if (events[at]?.step === events[from]?.step) continue;
    yield events.slice(from, at);
    from = at;
  }
}

function enter(list: List, events: readonly Event[], depth: number): void {
  const step = events[0]?.step ?? 0;
  const had = list.live.size;
  let gone = 0;
  for (const event of events) {
    const path = event.path.join('\n');
    if (event.kind === 'removed') {
      for (const key of list.live)
        if (key === path || key.startsWith(`${path}\n`)) gone += Number(list.live.delete(key));
      continue;
    }
    if (event.kind !== 'added') gone += 1;
    if (depth < event.path.length - 1) list.rows = true;
    if (event.kind === 'changed' && event.keys[depth] === `=${event.after?.value ?? ''}`) list.swapped += 1;
    if (event.kind !== 'added') list.edits += 1;
    list.live.add(path);
    if (step === 0 || event.kind !== 'added') continue;
    const name = event.keys[depth];
    const own = event.keys.slice(0, depth + 1).join('\n');
    // A field that comes later is work on the entry.
    const since = list.since.get(own);
    if (since === undefined) list.since.set(own, step);
    else if (since < step && name?.startsWith('=')) list.edits += 1;
    const entry = `${step} ${own}`;
    list.entries.add(entry);
    if (name?.startsWith('=')) list.names.add(name.slice(1));
    else if (name !== undefined && !/^\d+$/.test(name)) list.names.add(name);
    if (event.after?.kind !== 'string' || !WORDED.test(event.after.value)) continue;
    list.worded.add(entry);
    list.texts.push(event.after.value.slice(0, MOST_TEXT));
  }
  if (step === 0) return;
  list.steps.add(step);
  if (had > 0 && gone >= MOST_OF * had) list.wholesale += 1;
}

/** What was said is not written over; only a window of the newest shifts. */
const isTold = ({ worded, entries, edits, wholesale, steps }: List): boolean =>
  worded.size >= 2 && worded.size * 2 >= entries.size && (edits * 4 <= entries.size || wholesale * 2 >= steps.size);

/** Other entries come in place of those that were there. */
const isPassing = ({ steps, swapped, wholesale }: List): boolean =>
  swapped >= 2 && swapped * 2 >= steps.size && wholesale * 3 >= steps.size;

/** Rows, not figures: figures that are all worked out again are not a reading. */
const isReplaced = (list: List): boolean =>
  isPassing(list) ||
  (list.rows && list.live.size >= 2 && list.wholesale >= 2 && list.wholesale >= MOST_OF * (list.steps.size - 1));

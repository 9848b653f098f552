import type { Event } from './events.ts';
import { joined } from './readings.ts';

/** The slot of the innermost list or map around an event. */
export function listOf({ slots, collection = 0 }: Pick<Event, 'slots' | 'collection'>): string {
  return slots.slice(0, collection).join('\n');
}

/** The entry of that list, by name. */
export function entryOf({ keys, collection = 0 }: Pick<Event, 'keys' | 'collection'>): string {
  return keys.slice(0, collection + 1).join('\n');
}

interface List {
  /** Leaves that are there. */
  readonly live: Set<string>;
  /** Entries that were added after the first checkpoint, and those of them that hold a sentence. */
  readonly entries: Set<string>;
  readonly worded: Set<string>;
  readonly steps: Set<number>;
  /** Steps in which most of what was there came anew. */
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

/**
 * Lists that are read rather than worked on: they grow step after step by entries that hold sentences, or are replaced
 * as a whole again and again. What an agent is told and what its tools answer is in there.
 */
export function readingLists(events: readonly Event[], steps: number): ReadonlySet<string> {
  const lists = new Map<string, List>();
  for (const group of byStep(events)) {
    const touched = new Map<string, Event[]>();
    for (const event of group) {
      if (event.collection === undefined) continue;
      const slot = listOf(event);
      const known = touched.get(slot);
      if (known) known.push(event);
      else touched.set(slot, [event]);
    }
    for (const [slot, own] of touched) {
      const list = lists.get(slot) ?? emptyList();
      lists.set(slot, list);
      enter(list, own);
    }
  }
  const read = [...lists].filter(
    ([, list]) =>
      (list.steps.size >= Math.max(2, steps * TOLD) && isTold(list)) ||
      (list.steps.size >= Math.max(6, steps * LOGGED) && list.edits * 4 <= list.entries.size) ||
      (list.steps.size >= Math.max(2, Math.min(5, steps * REPLACED)) && isReplaced(list)),
  );
  const found = read.filter(([slot, list]) => !isTalkedAbout(list, read, slot)).map(([slot]) => slot);
  return new Set(found.flatMap((slot) => [slot, ...around(slot, lists)]));
}

/** The list whose entries hold such a list: a message is read with all that it holds. */
function around(slot: string, lists: ReadonlyMap<string, List>): string[] {
  const at = slot.lastIndexOf('\n*\n');
  const outer = at < 0 ? undefined : slot.slice(0, at);
  const list = outer === undefined ? undefined : lists.get(outer);
  return outer !== undefined && list !== undefined && list.names.size === 0 ? [outer] : [];
}

/** Its entries have names, and others name them: these are what the agent works on. */
function isTalkedAbout({ names }: List, all: readonly [string, List][], slot: string): boolean {
  if (names.size < 2) return false;
  const texts = all.flatMap(([other, { texts: said }]) => (other === slot ? [] : said));
  const text = ` ${texts.map(joined).join(' ')} `;
  const found = [...names].filter((name) => text.includes(` ${joined(name)} `));
  return found.length >= 2 && found.length >= names.size * 0.25;
}

const emptyList = (): List => ({
  live: new Set(),
  entries: new Set(),
  worded: new Set(),
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

function enter(list: List, events: readonly Event[]): void {
  const step = events[0]?.step ?? 0;
  const had = list.live.size;
  let written = 0;
  for (const event of events) {
    if (event.kind === 'removed') {
      const gone = event.path.join('\n');
      for (const key of list.live) if (key === gone || key.startsWith(`${gone}\n`)) list.live.delete(key);
      continue;
    }
    written += 1;
    if (event.collection !== event.path.length - 1) list.rows = true;
    if (event.kind === 'changed' && event.keys[event.collection ?? 0] === `=${event.after?.value ?? ''}`)
      list.swapped += 1;
    if (event.kind !== 'added') list.edits += 1;
    list.live.add(event.path.join('\n'));
    if (step === 0 || event.kind !== 'added') continue;
    const entry = `${step} ${entryOf(event)}`;
    list.entries.add(entry);
    const name = event.collection === undefined ? undefined : event.keys[event.collection];
    if (name?.startsWith('=')) list.names.add(name.slice(1));
    else if (name !== undefined && !/^\d+$/.test(name)) list.names.add(name);
    if (event.after?.kind !== 'string' || !WORDED.test(event.after.value)) continue;
    list.worded.add(entry);
    list.texts.push(event.after.value.slice(0, MOST_TEXT));
  }
  if (step === 0) return;
  list.steps.add(step);
  if (had > 0 && written >= MOST_OF * list.live.size) list.wholesale += 1;
}

/** What was said is not written over; only a window of the newest shifts. */
const isTold = ({ worded, entries, edits, wholesale, steps }: List): boolean =>
  worded.size >= 2 && worded.size * 2 >= entries.size && (edits * 4 <= entries.size || wholesale * 2 >= steps.size);

/** Rows, not figures: figures that are all worked out anew are no reading. */
const isReplaced = ({ steps, wholesale, live, rows, swapped }: List): boolean =>
  (swapped >= 2 && swapped * 2 >= steps.size) ||
  (rows && live.size >= 2 && wholesale >= 2 && wholesale >= MOST_OF * (steps.size - 1));

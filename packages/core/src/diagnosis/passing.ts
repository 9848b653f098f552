import type { Event } from './events.ts';
import { exchangesIn } from './exchanges.ts';
import { unquote } from '../json/node.ts';
import type { Leaf } from './leaf.ts';
import type { Label } from './place.ts';
import { isTextAt } from './tree.ts';
import { tokensOf } from './tokens.ts';

/**
 * What an agent has before it for a while: a page that was fetched, the answer of a tool, the message it works on; and
 * notes that are only ever gone on with.
 */
export interface Passing {
  readonly slots: ReadonlySet<Label>;
  readonly texts: readonly string[];
}

interface Sequence {
  readonly texts: string[];
  readonly steps: Set<number>;
  last: Leaf;
  /** Texts that have little in common with the one before. */
  others: number;
  /** Texts that go on where the one before ended. */
  grown: number;
}

const SHORTEST = 20;
const FEWEST = 3;
const MOST_OF = 0.6;
const SAME = 0.8;
const MOST_TEXT = 2_000;

/** Texts outside of all lists that give way to others again and again, with what holds nothing but such a text. */
export function passingIn(events: readonly Event[]): Passing {
  const sequences = new Map<Label, Sequence>();
  for (const { slot, after, step } of events) {
    if (after?.kind !== 'string' || slot.depth === 0 || slot.lists.length > 0 || !isText(after.value)) continue;
    enter(sequences, slot, after, step);
  }
  const found = [...sequences].filter(([, one]) => isPassing(one));
  const passing = new Map<Label, ReadonlySet<number>>(found.map(([slot, { steps }]) => [slot, steps]));
  for (const [slot, steps] of exchangesIn(events)) passing.set(slot, steps);
  const slots = new Set(passing.keys());
  for (const holder of holdersOf(passing, events)) slots.add(holder);
  return { slots, texts: found.flatMap(([, { texts }]) => texts) };
}

/** The answer of a tool, without a blank. */
const JSON_TEXT = /^[{[].*".*[}\]]$/s;

/** Words, and not a time or an id, which many states have a new one of at every step. */
const isText = (value: string): boolean =>
  value.length >= SHORTEST &&
  (/\s/.test(value.trim()) || JSON_TEXT.test(value)) &&
  tokensOf(value).words.filter((word) => /\p{L}{2}/u.test(word)).length >= FEWEST;

const isPassing = ({ texts: { length }, others, grown }: Sequence): boolean =>
  length >= FEWEST && Math.max(others, grown) >= Math.max(FEWEST - 1, MOST_OF * (length - 1));

function enter(sequences: Map<Label, Sequence>, slot: Label, leaf: Leaf, step: number): void {
  const text = leaf.value.slice(0, MOST_TEXT);
  const known = sequences.get(slot);
  if (known === undefined) {
    sequences.set(slot, { texts: [text], steps: new Set([step]), last: leaf, others: 0, grown: 0 });
    return;
  }
  const before = known.texts.at(-1) ?? '';
  if (addedTo(known.last, leaf) !== undefined) known.grown += 1;
  else if (text !== before) known.others += Number(!isVersionOf(text, before));
  known.texts.push(text);
  known.steps.add(step);
  known.last = leaf;
}

/** What was written at the end of a text, however long that is; `undefined` where something else changed. */
export function addedTo(before: Leaf | undefined, after: Leaf): string | undefined {
  if (before?.kind !== 'string' || after.kind !== 'string') return undefined;
  const { home, start, end } = before;
  // Both are compared as stored, without the last quote.
  const length = end - start - 1;
  if (after.end - after.start <= length + 1 || !isTextAt(after.home, after.start, home, start, end - 1))
    return undefined;
  return unquote(`"${after.home.slice(after.start + length, after.end)}`, 0, after.end - after.start - length + 1);
}

/** Characters of a text that may tell something. */
const NOTICED = 25;

/** A text of several words, wherever it is: what one step wrote down, a later one may have read. */
export const isNotice = ({ after }: Event): boolean =>
  after?.kind === 'string' && after.end - after.start >= NOTICED && after.isProse;

/** A draft is mended: most of its words stay. */
function isVersionOf(text: string, before: string): boolean {
  const known = new Set(tokensOf(before).words);
  const words = new Set(tokensOf(text).words);
  const same = [...words].filter((word) => known.has(word)).length;
  return same >= SAME * words.size;
}

/** Fields of an object that holds what is read and nothing else. */
const MOST_FIELDS = 6;

interface Holder {
  readonly steps: Set<number>;
  readonly fields: Set<Label>;
}

/** Small objects in which hardly anything ever changes without what passes in them. */
function holdersOf(passing: ReadonlyMap<Label, ReadonlySet<number>>, events: readonly Event[]): Label[] {
  const holders = new Map<Label, Holder>();
  for (const { parent } of passing.keys())
    if (parent !== undefined && parent.depth > 0) holders.set(parent, { steps: new Set(), fields: new Set() });
  if (holders.size === 0) return [];
  for (const { slot, step } of events) {
    for (let at = slot.parent; at !== undefined && at.depth > 0; at = at.parent) {
      const holder = holders.get(at);
      if (holder === undefined) continue;
      holder.steps.add(step);
      const field = slot.up(at.depth + 1);
      holder.fields.add(passing.has(field) ? field : slot);
    }
  }
  return [...passing].flatMap(([{ parent }, own]) => {
    const holder = parent && holders.get(parent);
    if (parent === undefined || holder === undefined || holder.fields.size > MOST_FIELDS) return [];
    const without = [...holder.steps].filter((step) => !own.has(step)).length;
    return without * 3 <= own.size ? [parent] : [];
  });
}

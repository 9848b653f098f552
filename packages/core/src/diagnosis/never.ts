import { isBlank } from './leaf.ts';
import type { Path } from '../json/path.ts';
import { Event } from './events.ts';
import type { Histories } from './history.ts';
import type { Label, Place } from './place.ts';
import type { Survey } from './places.ts';
import { isSlipOf } from './slips.ts';
import { isContainer, type ListNode, type ObjectNode } from './tree.ts';

const MOST_FIELDS = 400;
/** Fields of an entry, and of what is in it. */
const MOST_INNER = 30;
const FEWEST = 5;
const NEARLY_ALL = 0.85;
/** More than so many are no exceptions, however long the list. */
const MOST_WITHOUT = 20;

/**
 * Entries that are still without what nearly all others of their list got by the end: each at the step in which its
 * neighbours got it.
 */
export function neverGot(last: Survey, histories: Histories, isRead: (event: Event) => boolean): Event[] {
  const fields = new Map<Place, Map<Label, Place>>();
  let count = 0;
  for (const event of histories.ends) {
    const { place } = event;
    const { holder } = place;
    if (holder === undefined || place.isEntry || count >= MOST_FIELDS || isRead(event)) continue;
    let known = fields.get(holder);
    if (known === undefined) fields.set(holder, (known = new Map()));
    if (known.has(place.slot)) continue;
    known.set(place.slot, place);
    count += 1;
  }
  return [...fields.values()].flatMap((known) =>
    [...known.values()].flatMap((place) => without(place, last, histories)),
  );
}

function without({ path, collection = 0, holder }: Place, last: Survey, histories: Histories): Event[] {
  const list = holder && last.at(holder);
  if (holder === undefined || !isContainer(list)) return [];
  const rest = path.slice(collection + 1);
  const leaves = list.column(rest);
  const missing = leaves.flatMap((leaf, at) => (isBlank(leaf) ? [at] : []));
  const filled = leaves.length - missing.length;
  const isRule = leaves.length >= FEWEST && (missing.length === 1 || filled >= leaves.length * NEARLY_ALL);
  if (!isRule || missing.length === 0 || missing.length > MOST_WITHOUT) return [];
  const placeOf = (at: number): Place => last.place([...holder.path, list.nameAt(at), ...rest]);
  const filledAt = (at: number): number | undefined =>
    isBlank(leaves[at]) ? undefined : histories.of(placeOf(at).key).find(({ after }) => !isBlank(after))?.step;
  return missing.flatMap((at): Event[] => {
    const place = placeOf(at);
    if (isUnderSlip(place, list, last)) return [];
    const born = bornAt(place, last, histories);
    const step =
      (born < Infinity && isFilledAtBirth(leaves, at, { placeOf, filledAt, last, histories }) ? born : undefined) ??
      workedOnAt(place, born, last, histories) ??
      nearest(leaves.length, at, (near) => {
        const filled = filledAt(near);
        return filled === undefined || filled < born ? undefined : filled;
      });
    const leaf = leaves[at];
    return step === undefined ? [] : [new Event(place, { step, kind: 'changed', before: leaf, after: leaf })];
  });
}

interface Filling {
  readonly placeOf: (at: number) => Place;
  readonly filledAt: (at: number) => number | undefined;
  readonly last: Survey;
  readonly histories: Histories;
}

/** The entry before or after it had the value from its beginning on. */
function isFilledAtBirth(
  leaves: { readonly length: number },
  at: number,
  { placeOf, filledAt, last, histories }: Filling,
): boolean {
  const near = nearest(leaves.length, at, (beside) => (filledAt(beside) === undefined ? undefined : beside));
  return near !== undefined && filledAt(near) === bornAt(placeOf(near), last, histories);
}

/** The value is there, under a name that is nearly its own and that no other entry has. */
export function isUnderSlip({ parent, step: field }: Place, list: ListNode | ObjectNode, last: Survey): boolean {
  const holder = parent && last.at(parent);
  if (holder?.kind !== 'object' || typeof field !== 'string') return false;
  const rest = parent?.path.slice((parent.collection ?? 0) + 1) ?? [];
  return holder.members.some(
    ({ key }) => isSlipOf(field, key) && list.column([...rest, key]).filter((leaf) => leaf !== undefined).length === 1,
  );
}

/** The first step in which anything of its entry was written. */
function bornAt({ path, collection = 0 }: Place, last: Survey, histories: Histories): number {
  const entry = path.slice(0, collection + 1);
  const node = last.node(entry);
  let born = Infinity;
  for (let at = 0; isContainer(node) && at < node.size; at++) {
    const [first] = histories.of(last.place([...entry, node.nameAt(at)]).key);
    if (first !== undefined) born = Math.min(born, first.step);
  }
  return born;
}

/** The step in which most of its entry was written after it came; the last of several. */
function workedOnAt(
  { path, collection = 0 }: Place,
  born: number,
  last: Survey,
  histories: Histories,
): number | undefined {
  const counts = new Map<number, number>();
  const go = (at: Path): void => {
    const node = last.node(at);
    if (isContainer(node) && node.size <= MOST_INNER) {
      for (let inner = 0; inner < node.size; inner++) go([...at, node.nameAt(inner)]);
      return;
    }
    for (const { step } of histories.of(last.place(at).key))
      if (step > born) counts.set(step, (counts.get(step) ?? 0) + 1);
  };
  go(path.slice(0, collection + 1));
  const most = Math.max(0, ...counts.values());
  return most === 0 ? undefined : Math.max(...[...counts].flatMap(([step, count]) => (count === most ? [step] : [])));
}

/** What is found of the entry beside it, or of the one beside that. */
function nearest(entries: number, at: number, find: (entry: number) => number | undefined): number | undefined {
  for (let off = 1; off < entries; off++) {
    const found = find(at - off) ?? find(at + off);
    if (found !== undefined) return found;
  }
  return undefined;
}

import type { Event } from './events.ts';
import type { Label } from './place.ts';

/** Entries that are added up on their own. */
export interface Group {
  readonly entries: ReadonlySet<Label>;
  readonly kind?: string | undefined;
  /** By which field they are of one kind. */
  readonly by?: Label;
}

const MOST_KINDS = 12;
const FEWEST = 2;

export function madeIn<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

export function kindsOf(ends: readonly Event[]): readonly string[] {
  const [first] = ends;
  if (first?.collection === undefined || ends.length < FEWEST) return [];
  const values = ends.flatMap(({ after }) => (after?.kind === 'string' ? [after.value] : []));
  const kinds = new Set(values);
  return areKinds(kinds.size, values.length) ? [...kinds] : [];
}

/** What the lists are called that the values are in. */
export const listsOf = (ends: readonly Event[]): readonly string[] =>
  new Set(ends.map(({ place }) => place.holder)).size < FEWEST
    ? []
    : ends.flatMap(({ place }) => (place.holder ? kindOf(place.holder.key) : []));

/** Few different ones among many values. */
const areKinds = (different: number, all: number): boolean => different <= MOST_KINDS && different < all;

/** The entries of each list, where there are several of one kind. */
export function holdersOf(columns: readonly (readonly [Label, ReadonlyMap<Label, number>])[]): readonly Group[] {
  const holders = new Map<Label | undefined, Set<Label>>();
  for (const [, column] of columns)
    for (const entry of column.keys()) madeIn(holders, entry.parent, () => new Set<Label>()).add(entry);
  if (holders.size === 1) return [];
  return [...holders].map(([holder, found]) => ({ entries: found, kind: holder && kindOf(holder) }));
}

/** A list is called as the entry is that has it, or by its own key. */
const kindOf = ({ parent, step }: Label): string => (parent?.step.startsWith('=') ? parent.step.slice(1) : step);

/** The entries of each kind, where there are few kinds. */
export function kindsIn([by, texts]: readonly [Label, ReadonlyMap<Label, string>]): readonly Group[] {
  const kinds = new Map<string, Set<Label>>();
  for (const [entry, text] of texts) madeIn(kinds, text, () => new Set<Label>()).add(entry);
  return areKinds(kinds.size, texts.size) ? [...kinds].map(([kind, found]) => ({ entries: found, kind, by })) : [];
}

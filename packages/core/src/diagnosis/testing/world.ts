import type { Path } from '../../json/path.ts';
import { at, isObj, type Json, type Obj } from './json.ts';
import type { Rng } from './rng.ts';

/** How one field of an entry gets its value. */
export interface Field {
  readonly make: (rng: Rng, nth: number, kin: Kin) => Json;
  /** The words that it may hold. */
  readonly options?: readonly string[];
  /** It contains an id of this collection. */
  readonly refs?: Collection;
  /** Not there when the entry is first written. */
  readonly later?: boolean;
  /** No tool's answer ever tells it. */
  readonly quiet?: boolean;
}

/** What a new value may depend on. */
export interface Kin {
  /** Ids of another collection as they are now. */
  ids(of: Collection): readonly string[];
  readonly dates: DateStyle;
}

export type DateStyle = 'iso' | 'time' | 'dots' | 'slashes';

/** A list of entries with ids, a map of alike objects, or a map of scalars. */
export interface Collection {
  /** What one of them is called. */
  readonly noun: string;
  readonly path: Path;
  /** The key of an entry's id in a list; absent for maps. */
  readonly id?: string;
  readonly label: (nth: number, rng: Rng) => string;
  readonly fields: Readonly<Record<string, Field>>;
  /** A map of scalars: what each is. */
  readonly scalar?: Field;
  /** How many there are in a run of middle size. */
  readonly count: number;
}

/** One value of the run that is not a result of others. */
export interface Spot {
  readonly of: Collection;
  readonly id: string;
  /** Absent in a map of scalars. */
  readonly field?: string;
}

export function idsOf(state: Obj, { path, id }: Collection): string[] {
  const all = at(state, path);
  if (Array.isArray(all) && id !== undefined)
    return all.flatMap((entry) => {
      const value = at(entry, [id]);
      return typeof value === 'string' ? [value] : [];
    });
  return isObj(all) ? Object.keys(all) : [];
}

/** Where an entry is now. */
export function entryPath(state: Obj, { path, id }: Collection, wanted: string): Path | undefined {
  const all = at(state, path);
  if (Array.isArray(all) && id !== undefined) {
    const nth = all.findIndex((entry) => at(entry, [id]) === wanted);
    return nth < 0 ? undefined : [...path, nth];
  }
  return isObj(all) && Object.hasOwn(all, wanted) ? [...path, wanted] : undefined;
}

export function spotPath(state: Obj, { of, id, field }: Spot): Path | undefined {
  const entry = entryPath(state, of, id);
  return entry && field !== undefined ? [...entry, field] : entry;
}

export function fieldOf({ of, field }: Spot): Field | undefined {
  return field === undefined ? of.scalar : of.fields[field];
}

export function valueOf(state: Obj, spot: Spot): Json | undefined {
  const path = spotPath(state, spot);
  return path && at(state, path);
}

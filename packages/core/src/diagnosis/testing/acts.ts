import type { Path } from '../../json/path.ts';
import { at, like, num, isNumber, type Json, type Obj } from './json.ts';
import type { Kit } from './kit.ts';
import { rngOf, type Rng } from './rng.ts';
import type { CaseSet } from './style.ts';
import { entryPath, idsOf, type Collection } from './world.ts';

/** Work of one step; false: there was nothing to do. */
export interface Act {
  readonly name: string;
  readonly weight: number;
  readonly run: (kit: Kit) => boolean;
}

/** A kind of work that agents do, and the state that they keep. */
export interface Domain {
  readonly name: string;
  readonly set: CaseSet;
  /** What the user asks for at the start. */
  readonly goal: string;
  readonly collections: readonly Collection[];
  readonly start: (rng: Rng) => Obj;
  /** Containers that nobody has a reason to change. */
  readonly constants: readonly Path[];
  readonly acts: readonly Act[];
  /** Results that are made from the rest. */
  readonly sums: readonly { readonly name: string; readonly run: (kit: Kit) => void }[];
}

/** How many entries the run will have. */
const wanted = (kit: Kit, of: Collection): number =>
  Math.max(3, Math.round(of.count * kit.style.scale * (0.7 + rngOf(kit.style.seed, of.noun, 'count').next() * 0.6)));

/** Adds the next few entries until all are there. */
export function load(of: Collection, name: string, weight: number, batch = 6): Act {
  return {
    name,
    weight,
    run(kit) {
      const length = kit.added(of);
      const target = wanted(kit, of);
      if (length >= target) return false;
      const more = Math.min(target - length, kit.rng(`batch ${of.noun}`).int(2, batch));
      for (let nth = length; nth < length + more; nth++) kit.add(of, nth);
      return true;
    },
  };
}

type Next = (old: Json | undefined, rng: Rng, entry: Json | undefined, kit: Kit) => Json | undefined;
type Only = (entry: Json | undefined) => boolean;

/** Writes one field of every entry again, or of those that `only` picks. */
export function refresh(
  of: Collection,
  field: string | undefined,
  name: string,
  weight: number,
  next: Next,
  only?: Only,
): Act {
  return { name, weight, run: (kit) => writeAll(kit, of, field, next, idsOf(kit.state, of), only) > 1 };
}

/** Writes some fields of a few entries. */
export function update(
  of: Collection,
  fields: Readonly<Record<string, Next>>,
  name: string,
  weight: number,
  only?: Only,
): Act {
  return {
    name,
    weight,
    run(kit) {
      const rng = kit.rng(`pick ${name}`);
      const fit = idsOf(kit.state, of).filter((id) => only?.(kit.get(of, id)) ?? true);
      if (fit.length === 0) return false;
      const ids = rng.some(fit, rng.int(1, 5));
      for (const id of ids) {
        for (const [field, next] of Object.entries(fields)) writeAll(kit, of, field, next, [id]);
      }
      return true;
    },
  };
}

/** Moves a few entries on to the next of some stages. */
export function advance(of: Collection, field: string, name: string, weight: number, stages: readonly string[]): Act {
  const next = (old: Json | undefined): string | undefined => stages[stages.indexOf(String(old)) + 1];
  return update(of, { [field]: next }, name, weight, (entry) => next(at(entry, [field])) !== undefined);
}

function writeAll(
  kit: Kit,
  of: Collection,
  field: string | undefined,
  next: Next,
  ids: readonly string[],
  only?: Only,
): number {
  let written = 0;
  for (const id of ids) {
    const path = entryPath(kit.state, of, id);
    const entry = path && at(kit.state, path);
    if (!path || (only && !only(entry))) continue;
    const rng = kit.rng(`${of.noun} ${id} ${field ?? ''}`);
    const value = next(field === undefined ? entry : at(entry, [field]), rng, entry, kit);
    if (value === undefined) continue;
    kit.set(of, id, field, value);
    written++;
  }
  return written;
}

/** Another number near the old one. */
export const drift =
  (share: number): Next =>
  (old, rng) =>
    isNumber(old) ? like(old, num(old) * (1 + (rng.next() * 2 - 1) * share)) : undefined;

/** The entry's field as its collection makes it, drawn again. */
export const anew =
  (of: Collection, field: string): Next =>
  (_old, rng, _entry, kit) =>
    of.fields[field]?.make(rng, 0, kit);

export function entriesOf(kit: Kit, of: Collection): { id: string; entry: Json | undefined }[] {
  return idsOf(kit.state, of).map((id) => ({ id, entry: kit.get(of, id) }));
}

/** Sum of a field, over all or the entries of one group. */
export function total(kit: Kit, of: Collection, field: string, only: Only = () => true): number {
  return entriesOf(kit, of)
    .filter(({ entry }) => only(entry))
    .reduce((sum, { entry }) => sum + num(at(entry, [field])), 0);
}

/** How many entries have each word in a field. */
export function tally(kit: Kit, of: Collection, field: string): Obj {
  const counts: Record<string, number> = {};
  for (const { entry } of entriesOf(kit, of)) {
    const word = String(at(entry, [field]) ?? 'none');
    counts[word] = (counts[word] ?? 0) + 1;
  }
  return counts;
}

/** Ids by a number, the largest first. */
export function ranked(kit: Kit, of: Collection, field: string, most: number): string[] {
  return entriesOf(kit, of)
    .map(({ id, entry }) => ({ id, value: num(at(entry, [field])) }))
    .sort((a, b) => b.value - a.value)
    .slice(0, most)
    .map(({ id }) => id);
}

export const rounded = (value: number, decimals: number): number => Number(value.toFixed(decimals));

import type { Aliases } from './aliases.ts';
import type { Claims } from './claims.ts';
import { Event } from './events.ts';
import type { Fields } from './fields.ts';
import type { Histories } from './history.ts';
import type { Omission } from './jobs.ts';
import { isBlank, type Leaf } from './leaf.ts';
import type { Label, Place } from './place.ts';
import type { Survey } from './places.ts';
import type { Reading } from './readings.ts';
import { isContainer } from './tree.ts';

interface Known {
  readonly readings: readonly (Reading | undefined)[];
  readonly last: Survey;
  readonly histories: Histories;
  readonly aliases: Aliases;
  readonly fields: Fields;
  readonly claims: Claims;
}

/** So many others have the field, and what was read of it mostly came to be so. */
const FEWEST = 2;
const TRUSTED = 0.6;
const MOST = { fields: 400, missing: 40 };

/** Fields that others of a list have, of which a step read a value for an entry that still has none. */
export function unwritten(known: Known): readonly Omission[] {
  return fieldsIn(known).flatMap((field) => unwrittenIn(field, known));
}

interface Field {
  /** One of its places in each list. */
  readonly places: Map<Place, Place>;
  /** How many values it has in all of them, and one of these. */
  filled: number;
  sample: Leaf | undefined;
}

/** The fields of the entries of all lists; lists that are each part of an entry have the same. */
function fieldsIn({ histories, claims }: Known): readonly Field[] {
  const found = new Map<Label, Field>();
  for (const { place, slot, after } of histories.ends) {
    if (place.holder === undefined || place.isEntry || (claims.trust(slot) ?? 0) < TRUSTED) continue;
    const known = found.get(slot) ?? { places: new Map<Place, Place>(), filled: 0, sample: undefined };
    if (found.size >= MOST.fields && !found.has(slot)) break;
    found.set(slot, known);
    known.places.set(place.holder, place);
    if (isBlank(after)) continue;
    known.filled += 1;
    known.sample ??= after;
  }
  return [...found.values()];
}

function unwrittenIn({ places, filled, sample }: Field, known: Known): Omission[] {
  if (filled < FEWEST || sample === undefined) return [];
  return [...places.values()].flatMap((place) => unwrittenBeside(place, sample, known));
}

function unwrittenBeside({ path, collection = 0, holder }: Place, sample: Leaf, known: Known): Omission[] {
  const { last, aliases, claims } = known;
  const list = holder && last.at(holder);
  if (holder === undefined || !isContainer(list)) return [];
  const rest = path.slice(collection + 1);
  const leaves = list.column(rest);
  const missing = leaves.flatMap((leaf, at) => (isBlank(leaf) ? [at] : []));
  if (missing.length === 0 || missing.length > MOST.missing) return [];
  return missing.flatMap((at): Omission[] => {
    const place = last.place([...holder.path, list.nameAt(at), ...rest]);
    const names = [place.spokenName, ...aliases.of(place)];
    const step = known.readings.findIndex((reading) => reading !== undefined && isRead(reading, place, names, known));
    if (step < 1) return [];
    const event = new Event(place, { step, kind: 'changed', before: leaves[at], after: leaves[at] });
    return [
      {
        event,
        rate: claims.trust(place.slot) ?? 0,
        of: leaves.length,
        words: 'The step read a value for it, but wrote none.',
      },
    ];
  });

  function isRead(reading: Reading, place: Place, names: readonly string[], { fields }: Known): boolean {
    const passages = names.flatMap((name) => reading.about.get(name) ?? []);
    if (passages.length === 0) return false;
    const own = fields.of(place).filter((field) => field.length > 0 && reading.mentions(field));
    return passages.some((passage) => own.some((field) => passage.claim(field)?.agreesWith(sample) !== undefined));
  }
}

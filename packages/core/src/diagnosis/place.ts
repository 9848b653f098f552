import type { Path } from '../json/path.ts';
import { wordsOf } from './values.ts';

/** In a slot: any entry of a list, or of a map of entries that are alike. */
export const ANY = '*';

/** How a step leads from a place to one below it. */
interface Below {
  readonly step: string | number;
  /** It leads to an entry of a list or of a map. */
  readonly isEntry: boolean;
  /** What the entry of a list is called. */
  readonly name: string | undefined;
}

/** Where a value is, told in three ways. There is one of each in a run: what is known of it is found out once. */
export class Place {
  readonly parent: Place | undefined;
  /** The last step of the path. */
  readonly step: string | number;
  readonly path: Path;
  /** The steps of the same field of every entry: `items`, `*`, `price`. */
  readonly slots: readonly string[];
  /** The steps of this entry's field, by the name of the entry where it has one: they outlive a move. */
  readonly keys: readonly string[];
  /** Both as one text. */
  readonly slot: string;
  readonly key: string;
  /** What the entries on the way are called: ids, names, keys of maps. */
  readonly names: readonly string[];
  /** How many steps of the path lead to the innermost list or map, and its place. */
  readonly collection: number | undefined;
  readonly holder: Place | undefined;
  /** Most places have nothing below them, and nearly all others have either fields or entries. */
  #fields: Map<string | number, Place> | undefined;
  #entries: Map<string | number, Place> | undefined;
  #named: Map<string, Place> | undefined;
  #entry: string | undefined;
  #rest: string | undefined;
  #spoken: readonly string[] | undefined;

  constructor(parent?: Place, below?: Below) {
    this.parent = parent;
    this.step = below?.step ?? '';
    if (parent === undefined || below === undefined) {
      this.path = this.slots = this.keys = this.names = [];
      this.slot = this.key = '';
      return;
    }
    const { step, isEntry, name } = below;
    const slot = isEntry ? ANY : String(step);
    const key = name === undefined ? String(step) : `=${name}`;
    const own = name ?? (isEntry && typeof step === 'string' ? step : undefined);
    this.path = [...parent.path, step];
    this.slots = [...parent.slots, slot];
    this.keys = [...parent.keys, key];
    this.slot = `${parent.slot}\n${slot}`;
    this.key = `${parent.key}\n${key}`;
    this.names = own === undefined ? parent.names : [...parent.names, own];
    this.collection = isEntry ? parent.path.length : parent.collection;
    this.holder = isEntry ? parent : parent.holder;
  }

  below(step: string | number, isEntry: boolean, name: string | undefined): Place {
    if (name !== undefined) return this.#known((this.#named ??= new Map()), `${step}\n${name}`, step, isEntry, name);
    const places = isEntry ? (this.#entries ??= new Map()) : (this.#fields ??= new Map());
    return this.#known(places, step, step, isEntry, name);
  }

  #known<K>(places: Map<K, Place>, id: K, step: string | number, isEntry: boolean, name: string | undefined): Place {
    const known = places.get(id);
    if (known) return known;
    const made = new Place(this, { step, isEntry, name });
    places.set(id, made);
    return made;
  }

  /** Its names as their words, so that `T-482` and `t 482` are one. */
  get spoken(): readonly string[] {
    if (this.parent && this.names === this.parent.names) return this.parent.spoken;
    return (this.#spoken ??= this.names.map((name) => wordsOf(name).join(' ')).filter((name) => name !== ''));
  }

  /** The entry of the innermost list around it, by name. */
  get entry(): string {
    return (this.#entry ??= this.keys.slice(0, (this.collection ?? 0) + 1).join('\n'));
  }

  /** The steps from that entry to here, as one text. */
  get rest(): string {
    return (this.#rest ??= this.path.slice((this.collection ?? 0) + 1).join('\n'));
  }
}

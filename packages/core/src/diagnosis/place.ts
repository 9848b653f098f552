import type { Path } from '../json/path.ts';
import { joined, wordsOf } from './values.ts';

/** In a slot: any entry of a list, or of a map of entries that are alike. */
export const ANY = '*';

/** Steps from the root. There is one of each in a run, with a number, so that what is known of it is in a row. */
export class Label {
  readonly id: number;
  readonly parent: Label | undefined;
  readonly step: string;
  readonly depth: number;
  readonly #count: { labels: number };
  #below: Map<string, Label> | undefined;
  #text: string | undefined;
  #lists: readonly Label[] | undefined;

  constructor(count: { labels: number } = { labels: 0 }, parent?: Label, step = '') {
    this.id = count.labels++;
    this.parent = parent;
    this.step = step;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#count = count;
  }

  below(step: string): Label {
    const known = this.#below?.get(step);
    if (known) return known;
    const made = new Label(this.#count, this, step);
    (this.#below ??= new Map()).set(step, made);
    return made;
  }

  /** The label below it, where one was made. */
  known(step: string): Label | undefined {
    return this.#below?.get(step);
  }

  /** The one around it that has so many steps. */
  up(depth: number): Label {
    return this.depth > depth && this.parent ? this.parent.up(depth) : this;
  }

  /** Itself or one inside it. */
  isWithin(other: Label): boolean {
    return this.up(other.depth) === other;
  }

  /** Of a slot: those of the lists and maps around it, the innermost first; a state that is one itself is none. */
  get lists(): readonly Label[] {
    return (this.#lists ??= listsAround(this));
  }

  /** All steps as one text. */
  get text(): string {
    return (this.#text ??= this.parent === undefined ? '' : `${this.parent.text}\n${this.step}`);
  }
}

/** How a step leads from a place to one below it. */
interface Below {
  readonly step: string | number;
  /** It leads to an entry of a list or of a map. */
  readonly isEntry: boolean;
  /** What the entry of a list is called. */
  readonly name: string | undefined;
  /** What the column of a table is called, or a map that is one. */
  readonly column?: string | undefined;
}

const NONE: readonly string[] = [];

/** Where a value is, told in three ways. There is one of each in a run: what is known of it is found out once. */
export class Place {
  readonly parent: Place | undefined;
  /** The last step of the path. */
  readonly step: string | number;
  readonly depth: number;
  /** The same field of every entry: `items`, `*`, `price`. */
  readonly slot: Label;
  /** This entry's field, by the name of the entry where it has one: it outlives a move. */
  readonly key: Label;
  /** What the entries on the way are called: ids, names, keys of maps. */
  readonly names: readonly string[];
  /** How many steps of the path lead to the innermost list or map, and its place. */
  readonly collection: number | undefined;
  readonly holder: Place | undefined;
  /** Most places have nothing below them, and nearly all others have either fields or entries. */
  #fields: Map<string | number, Place> | undefined;
  #entries: Map<string | number, Place> | undefined;
  #named: Map<string, Place>[] | undefined;
  readonly #called: string | undefined;
  readonly #column: string | undefined;
  #path: Path | undefined;
  #spot: Label | undefined;
  #rest: string | undefined;
  #spoken: readonly string[] | undefined;
  #spokenName: string | undefined;
  #field: readonly string[] | undefined;
  #words: readonly string[] | undefined;

  constructor(parent?: Place, below?: Below) {
    this.parent = parent;
    this.step = below?.step ?? '';
    if (parent === undefined || below === undefined) {
      this.depth = 0;
      this.names = [];
      const count = { labels: 0 };
      this.slot = new Label(count);
      this.key = new Label(count);
      return;
    }
    const { step, isEntry, name } = below;
    this.#called = typeof step === 'string' ? step : below.column;
    this.#column = isEntry ? below.column : this.#called;
    const own = name ?? (isEntry && typeof step === 'string' ? step : undefined);
    this.depth = parent.depth + 1;
    this.slot = parent.slot.below(isEntry ? ANY : String(step));
    this.key = parent.key.below(name === undefined ? String(step) : `=${name}`);
    this.names = own === undefined ? parent.names : [...parent.names, own];
    this.collection = isEntry ? parent.depth : parent.collection;
    this.holder = isEntry ? parent : parent.holder;
  }

  below(step: string | number, isEntry: boolean, name: string | undefined, column?: string): Place {
    if (name !== undefined && typeof step === 'number') {
      const places = ((this.#named ??= [])[step] ??= new Map());
      return this.#known(places, name, { step, isEntry, name });
    }
    const places = isEntry ? (this.#entries ??= new Map()) : (this.#fields ??= new Map());
    return this.#known(places, step, { step, isEntry, name, column });
  }

  #known<K>(places: Map<K, Place>, id: K, below: Below): Place {
    const known = places.get(id);
    if (known) return known;
    const made = new Place(this, below);
    places.set(id, made);
    return made;
  }

  get path(): Path {
    return (this.#path ??= this.parent === undefined ? [] : [...this.parent.path, this.step]);
  }

  /** The steps of the path, whatever is there. */
  get spot(): Label {
    return (this.#spot ??= this.parent === undefined ? new Label() : this.parent.spot.below(String(this.step)));
  }

  /** The one around it that so many steps lead to. */
  up(depth: number): Place {
    return this.depth > depth && this.parent ? this.parent.up(depth) : this;
  }

  /** It is itself an entry of the innermost list or map. */
  get isEntry(): boolean {
    return this.collection === this.depth - 1;
  }

  /** Its names as their words, so that `T-482` and `t 482` are one. */
  get spoken(): readonly string[] {
    if (this.parent && this.names === this.parent.names) return this.parent.spoken;
    return (this.#spoken ??= this.names.map(joined).filter((name) => name !== ''));
  }

  /** The last of its names as words; empty where it has none. */
  get spokenName(): string {
    if (this.parent && this.names === this.parent.names) return this.parent.spokenName;
    return (this.#spokenName ??= joined(this.names.at(-1) ?? ''));
  }

  /** The words of the field: of an entry that is itself the value, none, unless its map is a field of several. */
  get field(): readonly string[] {
    return (this.#field ??= this.#column === undefined ? NONE : wordsOf(this.#column));
  }

  /** The words of its last two keys. */
  get words(): readonly string[] {
    return (this.#words ??= [...(this.#above?.ownWords ?? NONE), ...this.ownWords]);
  }

  /** Of its last key. */
  get ownWords(): readonly string[] {
    return this.#called === undefined ? (this.parent?.ownWords ?? NONE) : wordsOf(this.#called);
  }

  /** The place around its last key. */
  get #above(): Place | undefined {
    if (typeof this.step === 'string' || this.parent === undefined) return this.parent;
    return this.parent.#above;
  }

  /** The entry of the innermost list around it, by name. */
  get entry(): Label {
    return this.key.up((this.collection ?? 0) + 1);
  }

  /** The list that its entry is one of, as a slot, and that entry; maps beside each other that are fields have them in common. */
  get row(): { readonly list: Label; readonly entry: Label } | undefined {
    if (this.holder === undefined) return undefined;
    const around = this.isEntry && this.#column !== undefined ? this.holder.parent : undefined;
    if (around === undefined) return { list: this.holder.slot, entry: this.entry };
    return { list: around.slot, entry: around.key.below(String(this.step)) };
  }

  /** The steps from that entry to here, as one text. */
  get rest(): string {
    return (this.#rest ??= this.path.slice((this.collection ?? 0) + 1).join('\n'));
  }
}

function listsAround({ parent, step, depth }: Label): readonly Label[] {
  if (parent === undefined) return NO_LABELS;
  return step === ANY && depth > 1 ? [parent, ...parent.lists] : parent.lists;
}

const NO_LABELS: readonly Label[] = [];

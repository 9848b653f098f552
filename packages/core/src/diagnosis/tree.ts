import { markColumns } from './columns.ts';
import { Leaf } from './leaf.ts';
import { areFigures, areNames, columnsOf, hasHead, isTable } from './tables.ts';
import { oneValue, TYPE } from './typed.ts';
import { shapeOf } from './values.ts';
import type { Path } from '../json/path.ts';

/**
 * A value of a state. A state shares with the one before it all that did not change, so that it is read once, compared
 * by identity, and what is found out about it holds for both.
 */
export type Node = ObjectNode | ListNode | Leaf;

export interface Member {
  readonly key: string;
  /** The text that the key is in, quotes included, and where. */
  readonly home: string;
  readonly start: number;
  readonly end: number;
  /** The same key stood earlier in this object. */
  readonly isDuplicate: boolean;
  readonly value: Node;
}

/** The same field of all entries of a list or a map; absent where an entry has none. */
export type Column = readonly (Leaf | undefined)[];

/** What lists and objects have in common: entries that can be asked for the same field. */
abstract class Container {
  readonly home: string;
  readonly start: number;
  readonly end: number;
  /** As `hashOf`, once somebody asks. */
  hash: number | undefined;
  #columns: Map<string, Column> | undefined;
  #empty: Leaf | undefined;

  constructor(home: string, start: number, end: number) {
    this.home = home;
    this.start = start;
    this.end = end;
  }

  abstract readonly size: number;
  abstract nameAt(at: number): string | number;
  abstract nodeAt(at: number): Node | undefined;

  /** Of nothing inside it. */
  get leaf(): Leaf | undefined {
    return this.size > 0 ? undefined : this.emptyLeaf();
  }

  /** An entry that is unlike the others by what it is for. */
  protected isAside(_at: number): boolean {
    return false;
  }

  protected emptyLeaf(): Leaf {
    return (this.#empty ??= new Leaf('empty', this.home, this.start, this.end));
  }

  /** Read once: each entry is compared with all others. @param field the steps of `rest` as one text */
  column(rest: Path, field: string = rest.join('\n')): Column {
    const known = this.#columns?.get(field);
    if (known) return known;
    const [first] = rest;
    const only = rest.length === 1 ? first : undefined;
    const column: (Leaf | undefined)[] = [];
    for (let at = 0; at < this.size; at++) {
      let node = this.isAside(at) ? undefined : this.nodeAt(at);
      if (only === undefined) for (const step of rest) node = childOf(node, step);
      else node = childOf(node, only);
      column.push(leafOf(node));
    }
    (this.#columns ??= new Map()).set(field, column);
    return column;
  }
}

export class ObjectNode extends Container {
  readonly kind = 'object';
  readonly members: readonly Member[];
  readonly hasDuplicate: boolean;
  /** Once somebody asks. */
  ids: readonly Identity[] | undefined;
  /** One of several maps beside each other with the same keys: a field of the entries that these name. */
  isColumn = false;
  #isMap: boolean | undefined;
  #isFewFigures: boolean | undefined;
  #one: Leaf | false | undefined;

  constructor(home: string, start: number, end: number, members: readonly Member[], hasDuplicate: boolean) {
    super(home, start, end);
    this.members = members;
    this.hasDuplicate = hasDuplicate;
    nameColumns(members);
    markColumns(members);
  }

  get size(): number {
    return this.members.length;
  }
  nameAt(at: number): string {
    return this.members[at]?.key ?? '';
  }
  nodeAt(at: number): Node | undefined {
    return this.members[at]?.value;
  }

  /** Of nothing inside it, and of one that is a single value with the name of its type. */
  override get leaf(): Leaf | undefined {
    const [first] = this.members;
    if (first?.key !== TYPE) return first === undefined ? this.emptyLeaf() : undefined;
    this.#one ??= oneValue(this) ?? false;
    return this.#one === false ? undefined : this.#one;
  }

  /** The last one wins, as in `JSON.parse`. */
  member(key: string): Member | undefined {
    const { members } = this;
    for (let at = members.length - 1; at >= 0; at--) {
      const member = members[at];
      if (member?.key === key) return member;
    }
    return undefined;
  }

  /** Its members are entries of one kind rather than fields. */
  get isMap(): boolean {
    return this.isColumn || (this.#isMap ??= areAlike(this.members));
  }

  get hasNumberedKeys(): boolean {
    return this.members.every(({ key }) => NUMBERED.test(key));
  }

  get isFewFigures(): boolean {
    return (this.#isFewFigures ??=
      this.size <= FEW_FIGURES && this.members.every(({ value }) => value.kind === 'number'));
  }
}

/** What tells an entry of a list from others, and the number of the place where it has that. */
export interface Identity {
  readonly at: number;
  readonly id: string;
}

/** The identities that the entries of a list have at one place. */
export interface Identities {
  readonly ids: (string | undefined)[];
  readonly seen: Set<string>;
  count: number;
  isUnique: boolean;
}

export class ListNode extends Container {
  readonly kind = 'array';
  readonly items: readonly Node[];
  /** What its entries are told apart by, at each place where identities are, once somebody asks. */
  identities: readonly (Identities | undefined)[] | undefined;
  /** As a row of a table: what its columns are called, as far as the table says so. */
  columns: readonly string[] | undefined;
  readonly hasHead: boolean = false;
  #names: readonly string[] | undefined;
  #isVector: boolean | undefined;

  constructor(home: string, start: number, end: number, items: readonly Node[]) {
    super(home, start, end);
    this.items = items;
    if (!isTable(items)) return;
    this.hasHead = hasHead(items);
    const columns = this.hasHead ? columnsOf(items) : [];
    for (const row of items) if (row.kind === 'array') row.columns = columns;
  }

  get size(): number {
    return this.items.length;
  }
  nameAt(at: number): number {
    return at;
  }
  nodeAt(at: number): Node | undefined {
    return this.items[at];
  }

  /** The head of a table is none of its rows. */
  protected override isAside(at: number): boolean {
    return at === 0 && this.hasHead;
  }

  get isVector(): boolean {
    return (this.#isVector ??= areFigures(this.items));
  }

  /** What its entries are called, by the first field that tells all apart; empty where none does. */
  get names(): readonly string[] {
    return (this.#names ??= nameEntries(this.items));
  }
}

/** As `areFigures`. */
export const isVector = (node: Node | undefined): boolean => node?.kind === 'array' && node.isVector;

export const isContainer = (node: Node | undefined): node is ObjectNode | ListNode =>
  node?.kind === 'object' || node?.kind === 'array';

/** `undefined` for a list or an object that has members, unless these are one value together. */
export function leafOf(node: Node | undefined): Leaf | undefined {
  return isContainer(node) ? node.leaf : node;
}

/** As `leafOf`, and of a list or an object that it is one. */
export function kindOf(node: Node): Leaf {
  if (!isContainer(node)) return node;
  return node.leaf ?? new Leaf(node.kind === 'array' ? 'list' : 'fields', node.home, node.start, node.end);
}

export function childOf(node: Node | undefined, step: string | number): Node | undefined {
  if (node?.kind === 'object') return typeof step === 'string' ? node.member(step)?.value : undefined;
  return node?.kind === 'array' && typeof step === 'number' ? node.items[step] : undefined;
}

export const sourceOf = ({ home, start, end }: Node): string => home.slice(start, end);

/** Written in the same characters. */
export function isSameText(a: Node, b: Node): boolean {
  if (a === b) return true;
  return a.end - a.start === b.end - b.start && isTextAt(b.home, b.start, a.home, a.start, a.end);
}

/** From here on a longer comparison is quicker by slices, which have to be made. */
const SHORT = 20;

/** Whether this text, which is as long at least, has the same characters there. */
export function isTextAt(text: string, at: number, home: string, start: number, end: number): boolean {
  const length = end - start;
  if (length > SHORT) {
    const middle = length >> 1;
    if (home.charCodeAt(start + middle) !== text.charCodeAt(at + middle)) return false;
    return home.slice(start, end) === text.slice(at, at + length);
  }
  for (let off = 0; off < length; off++) {
    if (home.charCodeAt(start + off) !== text.charCodeAt(at + off)) return false;
  }
  return true;
}

function areAlike(members: readonly Member[]): boolean {
  const first = members[0]?.value;
  if (first === undefined) return false;
  if (areNumbered(members) || areFilledIn(members)) return true;
  if (members.length < 2) return false;
  const kind = plainKind(first);
  for (const { value } of members) if (plainKind(value) !== kind) return false;
  if (kind !== first.kind) return areAlikeValues(members, kind);
  if (first.kind === 'array') return members.length > 2;
  // Maps that are fields are no entries.
  if (first.kind === 'object' && members.some(({ value }) => value.kind === 'object' && value.isColumn)) return false;
  if (first.kind === 'object') return members.every(({ value }) => value === first || sharesHalf(first, value));
  return areAlikeValues(members, kind);
}

/** An order, a booking: told apart by a number, whatever they have in common. */
const NUMBERED = /^(?=.*\d)(?=.*(?:\p{L}|\d{3}))\S+(?: \S+)?$/u;

const FEW_FIGURES = 6;

const areNumbered = (members: readonly Member[]): boolean =>
  members.every(({ key, value }) => value.kind === 'object' && value.leaf === undefined && NUMBERED.test(key));

/** Values of numbered entries that come one after the other: the others have none yet. */
function areFilledIn(members: readonly Member[]): boolean {
  if (members.length < FEWEST_FILLED || members.every(({ value }) => value.kind !== 'null')) return false;
  if (!members.every(({ key, value }) => !isContainer(value) && NUMBERED.test(key))) return false;
  const shape = shapeOf(members[0]?.key ?? '');
  return members.filter(({ key }) => shapeOf(key) === shape).length >= members.length * NEARLY_ALL;
}

const FEWEST_FILLED = 3;
const NEARLY_ALL = 0.8;

/** Of one value its kind, also where it is stored as an object. */
function plainKind(node: Node): Node['kind'] | Leaf['kind'] {
  return node.kind === 'object' && node.size > 0 ? (node.leaf?.kind ?? node.kind) : node.kind;
}

function areAlikeValues(members: readonly Member[], kind: Leaf['kind'] | Node['kind']): boolean {
  if (members.length < 3) return false;
  if (kind === 'number') return true;
  if (kind !== 'string') return false;
  const shape = shapeOf(members[0]?.key ?? '');
  return members.every(({ key }) => shapeOf(key) === shape) || areCodes(members);
}

function sharesHalf({ members }: ObjectNode, other: Node): boolean {
  if (other.kind !== 'object') return false;
  if (members.length > 0 && haveSameKeys(members, other.members)) return true;
  const keys = new Set(members.map(({ key }) => key));
  const shared = other.members.filter(({ key }) => keys.has(key)).length;
  return shared * 2 >= Math.max(keys.size, other.members.length) && shared > 0;
}

/** In the same order. */
export function haveSameKeys(a: readonly Member[], b: readonly Member[]): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (a[at]?.key !== b[at]?.key) return false;
  return true;
}

/** Nearly all are spelled alike, with digits: versions, dates, numbers of orders. */
function areCodes(members: readonly Member[]): boolean {
  if (members.length < 4) return false;
  const counts = new Map<string, number>();
  for (const { value } of members) {
    const shape = leafOf(value)?.shape ?? shapeOf('');
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return [...counts].some(([shape, count]) => shape.includes('9') && count >= members.length * 0.8);
}

/** An object with more members isn't a table. */
const MOST_BESIDE = 40;

/** Of rows beside a list of as many names: `{ "columns": ["id", "price"], "rows": [["A-1", 7]] }`. */
function nameColumns(members: readonly Member[]): void {
  if (members.length > MOST_BESIDE) return;
  for (const { value: list } of members) {
    if (list.kind !== 'array' || list.hasHead || list.items[0]?.kind !== 'array') continue;
    const { size } = list.items[0];
    if (size < 2 || !list.items.every((row) => row.kind === 'array' && row.size === size)) continue;
    const heads = members.flatMap(({ value }) => (value.kind === 'array' && value.size === size ? [value] : []));
    const columns = heads.map((head) => columnsOf([head])).find((names) => areNames(names));
    for (const row of columns ? list.items : []) if (row.kind === 'array') row.columns = columns;
  }
}

/** So many of the first columns may tell the rows of a table apart. */
const NAMING = 3;

function nameEntries(items: readonly Node[]): readonly string[] {
  const [first] = items;
  if (first?.kind === 'array' && first.columns !== undefined) {
    for (let at = 0; at < NAMING; at++) {
      const names = namesBy([at], items);
      if (names) return names;
    }
    return [];
  }
  if (first?.kind !== 'object' || first.leaf !== undefined) return [];
  for (const { key } of first.members) {
    const names = namesBy([key], items);
    if (names) return names;
  }
  // An entry in an envelope: `{ "type": "order", "data": { "id": … } }`.
  const [inner, ...others] = first.members.filter(({ value }) => value.kind === 'object' && value.leaf === undefined);
  if (inner?.value.kind !== 'object' || others.length > 0) return [];
  for (const { key } of inner.value.members) {
    const names = namesBy([inner.key, key], items);
    if (names) return names;
  }
  return [];
}

/** Of all entries, if each has a name of its own there. */
function namesBy(path: Path, items: readonly Node[]): readonly string[] | undefined {
  const names = new Set<string>();
  for (const item of items) {
    let node: Node | undefined = item;
    for (const step of path) node = childOf(node, step);
    const name = leafOf(node)?.name ?? '';
    if (name === '' || names.has(name)) return undefined;
    names.add(name);
  }
  return [...names];
}

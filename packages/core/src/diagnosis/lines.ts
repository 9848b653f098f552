/** Entries that are written as one line of text each: `q01 | tape=14.01 | flag=ok`, `A-7: Oak, 12 pieces, due 2025-03-23`. */
import { findSecrets } from '../secrets/find.ts';
import { Leaf, type LeafKind } from './leaf.ts';
import { ObjectNode, type Member, type Node } from './tree.ts';

const FEWEST_LINES = 3;
const FEWEST_PARTS = 3;
const FEWEST_NAMED = 2;
const MOST_PARTS = 24;
const MOST_LINE = 600;
/** Lines that tell how all of them are written, and the share of them that must agree. */
const SAMPLE = 7;
const MOSTLY = 0.7;

const BETWEEN = /\s*[|;\t]\s*|,\s+/;
const NAMED = /^(\p{L}[\p{L}_ -]{0,23}?)\s*[=:]\s*(\S.*)$/u;
const WORD = /^(\p{L}[\p{L}_-]{1,23})\s(\S+)$/u;
const COUNTED = /^([-+]?\d[\d.]*)\s?(\p{L}{1,12})$/u;
/** What the entry is called, before the rest of its line. */
const HEAD = /^(\S{1,24}):\s+(?=\S)/;
/** Where a value is still to come, or unknown. */
const OPEN = /^(?:\?+|[-–—]+|\.{2,}|…|n\/?a|none|null|nil|tbd)$/i;
const NUMBER = /^[-+]?\d+(?:\.\d+)?$/;

interface Part {
  readonly name: string | undefined;
  /** Where in its line. */
  readonly start: number;
  readonly end: number;
  /** From here on it is the value that the name has. */
  readonly value: number;
  readonly valueEnd: number;
}

/** A value in a line: no path leads to it. */
class LinePart extends Leaf {
  constructor(text: string) {
    super(kindOfText(text), text, 0, text.length);
  }

  protected override valued(): string {
    return this.text;
  }
}

/** As if it were JSON. */
function kindOfText(text: string): LeafKind {
  if (NUMBER.test(text)) return 'number';
  if (OPEN.test(text)) return 'null';
  return text === 'true' || text === 'false' ? 'boolean' : 'string';
}

export const isLinePart = (node: Node | undefined): boolean => node instanceof LinePart;

/** A line as the object that it tells. */
class LineNode extends ObjectNode {
  readonly line: Leaf;
  readonly form: string;

  constructor(line: Leaf, form: Form, members: readonly Member[]) {
    super(line.home, line.start, line.end, members, false);
    this.line = line;
    this.form = form.text;
  }

  override get isMap(): boolean {
    return false;
  }
}

export const isLine = (node: Node): boolean => node instanceof LineNode;

/** The text that a line is; any other value as it is. */
export const asText = (node: Node): Node => (node instanceof LineNode ? node.line : node);

/** Whether two lines begin alike: they are of one entry. */
export const areOfOne = (a: string, b: string): boolean => beginningOf(a) === beginningOf(b);

const beginningOf = (text: string): string => HEAD.exec(text)?.[1] ?? text.split(BETWEEN, 1)[0] ?? '';

/** How the lines of a list are written. */
interface Form {
  /** Of each part; what has no name is told by its place. */
  readonly names: readonly string[];
  readonly isNamed: readonly boolean[];
  /** The line begins with what the entry is called. */
  readonly hasHead: boolean;
  readonly text: string;
}

/** The items of a list, those that are lines of one form as objects. */
export function withLines(items: Node[]): Node[] {
  if (items.length < FEWEST_LINES || lineOf(items[0]) === undefined) return items;
  const form = formOf(items);
  return items.map((item) => (form === undefined ? asText(item) : (asLine(item, form) ?? asText(item))));
}

/** Of what can be a line. */
function lineOf(node: Node | undefined): Leaf | undefined {
  const leaf = node === undefined ? undefined : asText(node);
  if (leaf?.kind !== 'string' || leaf.end - leaf.start > MOST_LINE) return undefined;
  return leaf;
}

function formOf(items: readonly Node[]): Form | undefined {
  const step = Math.max(1, (items.length - 1) / (SAMPLE - 1));
  const lines: Leaf[] = [];
  for (let at = 0; Math.round(at) < items.length && lines.length < SAMPLE; at += step) {
    const line = lineOf(items[Math.round(at)]);
    if (line) lines.push(line);
  }
  const heads = lines.map(({ value }) => HEAD.exec(value)?.[1]);
  const hasHead = heads.every((head) => head !== undefined) && new Set(heads).size === heads.length;
  const all = lines.map(({ value }) => partsOf(value, hasHead));
  const size = mostly(all.map(({ length }) => length));
  if (size === undefined || size < FEWEST_PARTS || size > MOST_PARTS) return undefined;
  const alike = all.filter(({ length }) => length === size);
  const found = Array.from({ length: size }, (_none, at) => mostly(alike.map((parts) => parts[at]?.name)));
  const isNamed = found.map((name, at) => name !== undefined && found.indexOf(name) === at);
  if (isNamed.filter(Boolean).length < FEWEST_NAMED) return undefined;
  const names = found.map((name, at) =>
    isNamed[at] && name !== undefined ? name : at === 0 ? 'id' : `part ${at + 1}`,
  );
  return { names, isNamed, hasHead, text: `${hasHead} ${names.join('\n')}` };
}

/** What most have. */
function mostly<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const [value, count] of counts) if (count >= values.length * MOSTLY) return value;
  return undefined;
}

function partsOf(text: string, hasHead: boolean): readonly Part[] {
  const parts: Part[] = [];
  let from = 0;
  const head = hasHead ? HEAD.exec(text) : null;
  if (head) {
    const end = head[1]?.length ?? 0;
    parts.push({ name: undefined, start: 0, end, value: 0, valueEnd: end });
    from = head[0].length;
  }
  for (const piece of text.slice(from).split(BETWEEN)) {
    const start = text.indexOf(piece, from);
    from = start + piece.length;
    parts.push(partOf(piece, start));
  }
  return parts;
}

function partOf(text: string, start: number): Part {
  const end = start + text.length;
  const [, name, value] = NAMED.exec(text) ?? WORD.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { name, start, end, value: end - value.length, valueEnd: end };
  const [, number, unit] = COUNTED.exec(text) ?? [];
  if (number !== undefined && unit !== undefined)
    return { name: unit, start, end, value: start, valueEnd: start + number.length };
  return { name: undefined, start, end, value: start, valueEnd: end };
}

/** At its end a line may have further fields, or not all of them yet. */
function asLine(item: Node, form: Form): Node | undefined {
  if (item instanceof LineNode && item.form === form.text) return item;
  const line = lineOf(item);
  if (line === undefined) return undefined;
  const { value } = line;
  // A part of a secret may not look like one.
  if (findSecrets(value).length > 0) return undefined;
  const parts = partsOf(value, form.hasHead);
  if (parts.length < FEWEST_PARTS || form.isNamed.slice(parts.length).includes(false)) return undefined;
  const members: Member[] = [];
  const keys = new Set<string>();
  for (const [at, part] of parts.entries()) {
    const isNamed = form.isNamed[at] ?? true;
    const key = form.names[at] ?? part.name ?? '';
    if (key === '' || keys.has(key) || (isNamed && part.name !== key)) return undefined;
    keys.add(key);
    const text = isNamed ? value.slice(part.value, part.valueEnd) : value.slice(part.start, part.end);
    members.push({ key, home: key, start: 0, end: key.length, isDuplicate: false, value: new LinePart(text) });
  }
  return new LineNode(line, form, members);
}

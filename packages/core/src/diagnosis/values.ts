import type { Document } from '../diff/document.ts';
import { stringOf, type JsonNode, type JsonScalar } from '../json/node.ts';

type LeafKind = 'string' | 'number' | 'boolean' | 'null' | 'empty' | 'list' | 'object';

/** A leaf never has a longer text; the rest of it decides nothing. */
const LOOKED_AT = 4_000;
/** Not `971e097`: that is the name of a commit. */
const NUMERIC = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * A value without members: what a suspect is about. An empty list or object counts as one. It is the same one for the
 * same text in all states of a run, so that what is found out about it is found out once.
 */
export class Leaf {
  readonly kind: LeafKind;
  /** As stored; only the beginning of a very long one. */
  readonly text: string;
  /** Unescaped, where it is a string; else as stored. */
  readonly value: string;
  /** Of a number, and of a text that is nothing but one. */
  readonly number: number | undefined;
  /** All of it, where `text` is only its beginning. */
  readonly whole: string | undefined;
  #shape: string | undefined;
  #isProse: boolean | undefined;

  constructor(kind: LeafKind, source: string, value: string) {
    this.kind = kind;
    this.text = cut(source);
    this.value = cut(value);
    this.whole = source.length > LOOKED_AT ? source : undefined;
    this.number = this.whole === undefined ? numberOf(kind, value) : undefined;
  }

  /** As `shapeOf`. */
  get shape(): string {
    return (this.#shape ??= shapeOf(this.value));
  }

  get isProse(): boolean {
    return (this.#isProse ??= isProse(this.value));
  }
}

const cut = (text: string): string => (text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text);

function numberOf(kind: LeafKind, value: string): number | undefined {
  if (kind !== 'number') return kind === 'string' && isNumeric(value) ? Number(value) : undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** Nearly every text shows with its first character that it is none. */
function isNumeric(value: string): boolean {
  const code = value.charCodeAt(0);
  return (code === 0x2b || code === 0x2d || (code >= 0x30 && code <= 0x39)) && NUMERIC.test(value);
}

/** `undefined` for a list or an object that holds something. */
export function leafOf(document: Document, node: JsonNode): Leaf | undefined {
  if (node.kind === 'object') return node.members.length > 0 ? undefined : new Leaf('empty', document.source(node), '');
  if (node.kind === 'array') return node.items.length > 0 ? undefined : new Leaf('empty', document.source(node), '');
  return scalarLeaf(document, node);
}

function scalarLeaf(document: Document, node: JsonScalar): Leaf {
  const source = document.source(node);
  return new Leaf(node.kind, source, node.kind === 'string' ? stringOf(document.text, node) : source);
}

/** As `leafOf`, and of a list or an object that it is one. */
export function kindOf(document: Document, node: JsonNode): Leaf {
  const leaf = leafOf(document, node);
  if (leaf) return leaf;
  const source = document.source(node);
  return new Leaf(node.kind === 'array' ? 'list' : 'object', source, source);
}

const RUNS = /\p{Lu}\p{Ll}+|\p{Lu}+|\p{Ll}+|\p{L}+|\p{N}+|\s+/gu;

const shapes = new Map<string, string>();
const MOST_KEPT = 20_000;

/** Worked out once for texts that come again and again. */
export function kept<T>(memory: Map<string, T>, text: string, make: (text: string) => T): T {
  const known = memory.get(text);
  if (known !== undefined) return known;
  const made = make(text);
  if (memory.size >= MOST_KEPT) memory.clear();
  memory.set(text, made);
  return made;
}

/** The kind of spelling: `INV-0042` and `INV-7` are alike, `inv 7` is not. */
export function shapeOf(value: string): string {
  return kept(shapes, value.slice(0, 80), spelling);
}

function spelling(value: string): string {
  return value.slice(0, 80).replace(RUNS, (run) => {
    if (/^\s/.test(run)) return ' ';
    if (/^\p{N}/u.test(run)) return '9';
    if (/^\p{Lu}\p{Ll}/u.test(run)) return 'Aa';
    return /^\p{Lu}/u.test(run) ? 'A' : 'a';
  });
}

const WORD = /\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{L}+|\d+(?:[.,]\d+)*/gu;

/** Words and numbers in lower case; names in camel or snake case fall apart. @example wordsOf('totalUSD_2') // ['total', 'usd', '2'] */
export function wordsOf(text: string): readonly string[] {
  return text.length > 80 ? words(text) : kept(spelled, text, words);
}

const spelled = new Map<string, readonly string[]>();

const words = (text: string): readonly string[] =>
  (text.slice(0, LOOKED_AT).match(WORD) ?? []).map((word) => word.toLowerCase());

export interface Token {
  readonly word: string;
  readonly start: number;
  readonly end: number;
}

/** The words of a text and where they are. */
export function tokensOf(text: string): Token[] {
  const found: Token[] = [];
  const looked = cut(text);
  WORD.lastIndex = 0;
  for (let match = WORD.exec(looked); match; match = WORD.exec(looked)) {
    const [word] = match;
    found.push({ word: word.toLowerCase(), start: match.index, end: match.index + word.length });
  }
  return found;
}

const NUMBER = /(?<![\p{L}\d.])[+-]?\d+(?:[,_\u00a0\u202f]\d{3})*(?:\.\d+)?/gu;

/** The numbers that a text names, without their separators. @example numbersIn('1,200 of 3.50') // [1200, 3.5] */
export function numbersIn(text: string, most: number = LOOKED_AT): number[] {
  return (text.slice(0, most).match(NUMBER) ?? []).map((found) => Number(found.replaceAll(/[,_\u00a0\u202f]/g, '')));
}

/** Digits behind the point. */
export function decimalsOf(text: string): number {
  const point = text.indexOf('.');
  return point < 0 ? 0 : text.length - point - 1;
}

export function isProse(value: string): boolean {
  return value.length > 16 && (value.match(/\S+/g)?.length ?? 0) >= 3;
}

/** Words that every English sentence has. */
export const COMMON: ReadonlySet<string> = new Set(
  'a an and are as at be been but by do does for from had has have in into is it its no not of off on one or out so than that the their them then there this to up was were will with'.split(
    ' ',
  ),
);

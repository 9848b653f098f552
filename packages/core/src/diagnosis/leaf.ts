import { unquote } from '../json/node.ts';
import { tokensOf } from './tokens.ts';
import { isProse, joinedWords, LOOKED_AT, shapeOf } from './values.ts';

export type LeafKind = 'string' | 'number' | 'boolean' | 'null' | 'empty' | 'list' | 'fields';

/** Not `971e097`: that is the name of a commit. */
const NUMERIC = /^[+-]?\d+(?:\.\d+)?$/;
const DIGITS = /^\d+$/;
const MOST_NAME = 64;

/** The first word of a text, and some of the text in lower case. */
interface Lead {
  readonly word: string | undefined;
  readonly text: string;
}

/**
 * A value without members: what a suspect is about. An empty list or object counts as one. States that follow each
 * other share theirs, so that what is found out about it is found out once, and nothing before somebody asks.
 */
export class Leaf {
  readonly kind: LeafKind;
  /** The text that it is in, and where. */
  readonly home: string;
  readonly start: number;
  readonly end: number;
  #text: string | undefined;
  #value: string | undefined;
  #number: number | undefined;
  #joined: string | undefined;
  #lead: Lead | undefined;
  #shape: string | undefined;
  #isProse: boolean | undefined;

  constructor(kind: LeafKind, home: string, start: number, end: number) {
    this.kind = kind;
    this.home = home;
    this.start = start;
    this.end = end;
  }

  /** As stored; only the beginning of a very long one. */
  get text(): string {
    return (this.#text ??= this.home.slice(this.start, Math.min(this.end, this.start + LOOKED_AT)));
  }

  /** Unescaped, where it is a string; else as stored. */
  get value(): string {
    return this.#value ?? this.#read();
  }

  /** Of a number, and of a text that is nothing but one. */
  get number(): number | undefined {
    if (this.#value === undefined) this.#read();
    return this.#number;
  }

  /** All of it, where `text` is only its beginning. */
  get whole(): string | undefined {
    return this.#isLong ? this.home.slice(this.start, this.end) : undefined;
  }

  get #isLong(): boolean {
    return this.end - this.start > LOOKED_AT;
  }

  #read(): string {
    const value = this.valued();
    if (!this.#isLong) this.#number = numberOf(this.kind, value);
    return (this.#value = value);
  }

  protected valued(): string {
    const { kind } = this;
    if (kind === 'empty') return '';
    if (kind !== 'string') return this.text;
    const value = unquote(this.home, this.start, this.end);
    return value.length > LOOKED_AT ? value.slice(0, LOOKED_AT) : value;
  }

  /** What it can be as the name of an entry; else empty. */
  get name(): string {
    const { kind, end, start } = this;
    // Every escape is at most six characters for one.
    if ((kind !== 'string' && kind !== 'number') || end - start > MOST_NAME * 6 + 2) return '';
    if (kind === 'number') return end - start <= MOST_NAME && DIGITS.test(this.text) ? this.text : '';
    const { value } = this;
    return value.length <= MOST_NAME ? value : '';
  }

  /** As `joined`. */
  get joined(): string {
    return (this.#joined ??= joinedWords(this.value));
  }

  /** How a text begins. */
  get lead(): Lead {
    return (this.#lead ??= {
      word: tokensOf(this.value.slice(0, 40)).words[0],
      text: this.value.toLowerCase().slice(0, 60),
    });
  }

  /** As `shapeOf`. */
  get shape(): string {
    return (this.#shape ??= shapeOf(this.value));
  }

  get isProse(): boolean {
    return (this.#isProse ??= isProse(this.value));
  }
}

/** One value that is stored as an object with the name of its type: its text is the object, its value what that says. */
export class TypedLeaf extends Leaf {
  readonly #said: Leaf;

  /** @param said the part of `whole` that tells the value */
  constructor(whole: { readonly home: string; readonly start: number; readonly end: number }, said: Leaf) {
    super(said.kind, whole.home, whole.start, whole.end);
    this.#said = said;
  }

  protected override valued(): string {
    return this.#said.value;
  }
}

/** All parts of such a value together: its value is their text. */
export class PartsLeaf extends Leaf {
  protected override valued(): string {
    return this.text;
  }
}

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

/** What has no value yet. */
export const isBlank = (leaf: Leaf | undefined): boolean =>
  leaf === undefined || leaf.kind === 'null' || leaf.kind === 'empty' || leaf.value.trim() === '';

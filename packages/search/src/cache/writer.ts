import { InspectorError, walkJson, type JsonVisit } from '@checkpoint-inspector/core';
import { placeKey, type Chain } from './chain.ts';
import { KIND, type Texts, type TextKind } from './texts.ts';

/** Longer strings are found by their first so many characters. */
export const LONGEST_VALUE = 20_000;
/** Read beyond the cut, so that a secret across it is known by its shape. */
const MARGIN = 8_000;
/** Of encoded bytes only the beginning says anything. */
const ENCODED = /^[A-Za-z0-9+/=_-]{2000}/;
const ENCODED_KEPT = 200;
/** Values and containers of one state. */
export const MOST_PLACES = 50_000;
const PLACES_PER_LOOK = 64;

export interface DocumentText {
  /** State text; absent where only the facts of the checkpoint are indexed. */
  readonly text?: string;
  readonly description?: string;
  /** Why the text is missing as a whole. */
  readonly reason?: string;
}

export type WriterEnd = { readonly state: 'indexed' | 'partly' | 'unreadable'; readonly reason?: string };

/** Writes the places of one document; can stop between two of them. */
export class PlaceWriter {
  readonly #chain: Chain;
  readonly #texts: Texts;
  readonly #document: DocumentText;
  readonly #visits: Iterator<JsonVisit> | undefined;
  #places = 0;
  #partly: string | undefined;

  constructor(chain: Chain, texts: Texts, document: DocumentText) {
    this.#chain = chain;
    this.#texts = texts;
    this.#document = document;
    this.#partly = document.reason;
    this.#visits = document.text === undefined ? undefined : walkJson(document.text);
  }

  /** Continues until `isLate`; the end, once there is nothing more to write. */
  step(isLate: () => boolean): WriterEnd | undefined {
    try {
      while (this.#visits !== undefined) {
        const visit = this.#visits.next();
        if (visit.done === true) break;
        if (this.#places++ >= MOST_PLACES) {
          this.#partly = `Only the first ${MOST_PLACES} values are searched.`;
          break;
        }
        this.#meet(visit.value);
        if (this.#places % PLACES_PER_LOOK === 0 && isLate()) return undefined;
      }
    } catch (error) {
      if (!InspectorError.is(error) || error.code !== 'unreadable') throw error;
      this.#chain.end();
      return { state: 'unreadable', reason: error.message };
    }
    this.#name();
    this.#chain.end();
    return this.#partly === undefined ? { state: 'indexed' } : { state: 'partly', reason: this.#partly };
  }

  #name(): void {
    const { description } = this.#document;
    if (description === undefined || description === '') return;
    const resolve = () => ({
      path: this.#texts.idOf(KIND.path, ''),
      value: this.#texts.idOf(KIND.name, description, LONGEST_VALUE),
    });
    this.#chain.meet(placeKey('', description), resolve);
  }

  #meet({ path, kind, start, end }: JsonVisit): void {
    this.#chain.meet(path, () => ({ path: this.#texts.idOf(KIND.path, path), value: 0 }));
    if (end === undefined) return;
    const token = (this.#document.text ?? '').slice(start, end);
    if (kind === 'string' && end - start > LONGEST_VALUE)
      this.#partly ??= `Only the first ${LONGEST_VALUE} characters of each string are searched.`;
    this.#chain.meet(placeKey(path, token), () => ({
      path: this.#texts.idOf(KIND.path, path),
      value: this.#texts.idOf(textKind(kind), valueText(kind, token), mostOf(token)),
    }));
  }
}

function textKind(kind: JsonVisit['kind']): TextKind {
  if (kind === 'string') return KIND.string;
  return kind === 'object' || kind === 'array' ? KIND.container : KIND.scalar;
}

/** A string without its quotes and escapes, anything else as it is written. */
function valueText(kind: JsonVisit['kind'], token: string): string {
  if (kind !== 'string') return kind === 'object' || kind === 'array' ? token.replaceAll(/\s/g, '') : token;
  const inner = token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
  return inner.slice(0, LONGEST_VALUE + MARGIN);
}

function mostOf(token: string): number {
  return token.length > ENCODED_KEPT && ENCODED.test(token.slice(1)) ? ENCODED_KEPT : LONGEST_VALUE;
}

/** A JSON value as written in a text: offsets instead of values, so nothing is rounded, merged or re-spelled. */
export type JsonNode = JsonObject | JsonArray | JsonScalar;

/** Offsets count UTF-16 code units; `end` is just past the last one. */
interface Span {
  readonly start: number;
  readonly end: number;
}

export interface JsonObject extends Span {
  readonly kind: 'object';
  /** In the text's order, duplicate keys included. */
  readonly members: readonly JsonMember[];
}

export interface JsonMember {
  /** Unescaped. */
  readonly key: string;
  /** Span of the key token, quotes included. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: JsonNode;
  /** Set when the same key stood earlier in this object. */
  readonly duplicate?: true;
}

export interface JsonArray extends Span {
  readonly kind: 'array';
  readonly items: readonly JsonNode[];
}

/** `NaN`, `Infinity` and `-Infinity` are numbers: Python writes them. */
export interface JsonScalar extends Span {
  readonly kind: 'string' | 'number' | 'boolean' | 'null';
}

/** The value exactly as written. */
export function sourceOf(text: string, node: JsonNode): string {
  return text.slice(node.start, node.end);
}

/** A string unescaped, lone surrogates kept; for any other kind its source. @example stringOf('"a\\n"', node) // 'a\n' */
export function stringOf(text: string, node: JsonNode): string {
  return node.kind === 'string' ? unquote(text, node.start, node.end) : sourceOf(text, node);
}

/** Unescapes the string token at `start`..`end`, which must be valid. */
export function unquote(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  if (!inner.includes('\\')) return inner;
  const value: unknown = JSON.parse(text.slice(start, end));
  return String(value);
}

/** Whether the token at `start`..`end` is this key, however it is spelled. */
export function isKey(text: string, start: number, end: number, key: string): boolean {
  const longer = end - start - 2 - key.length;
  if (longer === 0) return text.startsWith(key, start + 1) && !key.includes('\\');
  // An escape only makes a token longer than its key.
  const first = text[start + 1];
  return longer > 0 && (first === key[0] || first === '\\') && unquote(text, start, end) === key;
}

/** The member with this key; the last one wins, as in `JSON.parse`. */
export function memberOf(object: JsonObject, key: string): JsonMember | undefined {
  const { members } = object;
  for (let at = members.length - 1; at >= 0; at--) {
    const member = members[at];
    if (member?.key === key) return member;
  }
  return undefined;
}

/**
 * A string as a JSON token. Lone surrogates are escaped, so the token survives UTF-8; `ascii` escapes all
 * that Python's default writer escapes.
 * @example quoteJson('é', { ascii: true }) // '"\\u00e9"'
 */
export function quoteJson(value: string, options: { readonly ascii?: boolean } = {}): string {
  const quoted = JSON.stringify(value);
  if (options.ascii !== true) return quoted;
  return quoted.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

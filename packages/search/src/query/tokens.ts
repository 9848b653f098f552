/** A query cut at its spaces; quotes hold spaces together. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly not: boolean;
  /** What stands before the first colon outside quotes. */
  readonly name?: string;
  /** Without its quotes. */
  readonly text: string;
  /** The text stood in quotes. */
  readonly quoted: boolean;
}

const SPACE = /\s/;

/** Never fails: a quote that is not closed goes to the end, as while somebody types. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < query.length;) {
    if (SPACE.test(query[at] ?? '')) at += 1;
    else {
      const end = endOf(query, at);
      tokens.push(tokenOf(query, at, end));
      at = end;
    }
  }
  return tokens;
}

/** A token that begins with a quote ends with it; inside another one quotes only keep spaces in. */
function endOf(query: string, start: number): number {
  const first = query[start] === '-' && query[start + 1] === '"' ? start + 1 : start;
  if (query[first] === '"') return afterQuote(query, first);
  for (let at = start; at < query.length; at++) {
    if (query[at] === '"') at = afterQuote(query, at) - 1;
    else if (SPACE.test(query[at] ?? '')) return at;
  }
  return query.length;
}

function afterQuote(query: string, start: number): number {
  for (let at = start + 1; at < query.length; at++) {
    if (query[at] === '\\') at += 1;
    else if (query[at] === '"') return at + 1;
  }
  return query.length;
}

function tokenOf(query: string, start: number, end: number): Token {
  // A dash alone, or before a sign, is text: "->".
  const not = query[start] === '-' && end - start > 1 && /[\p{L}\p{N}"$._]/u.test(query[start + 1] ?? '');
  const from = not ? start + 1 : start;
  const colon = query[from] === '"' ? -1 : colonIn(query.slice(from, end));
  if (colon === -1) return { start, end, not, ...unquoted(query.slice(from, end)) };
  return { start, end, not, name: query.slice(from, from + colon), ...unquoted(query.slice(from + colon + 1, end)) };
}

/** The first colon outside quotes that has something on both sides. */
function colonIn(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') at = afterQuote(text, at) - 1;
    else if (text[at] === ':') return at === 0 ? -1 : at;
  }
  return -1;
}

function unquoted(text: string): { text: string; quoted: boolean } {
  if (!text.startsWith('"')) return { text, quoted: false };
  const closed = text.length > 1 && afterQuote(text, 0) === text.length && text.endsWith('"');
  const inner = text.slice(1, closed ? -1 : undefined);
  return { text: inner.replaceAll(/\\(["\\])/g, '$1'), quoted: true };
}

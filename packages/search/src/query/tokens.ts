/** A query cut at its spaces; quotes hold spaces together. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly not: boolean;
  /** What is before the first colon outside quotes. */
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

/** The tokens of a search that are not paths. */
export const TOKEN_NAMES = ['status', 'agent', 'task', 'store', 'system', 'trigger', 'before', 'after'] as const;

/** The token that a slip of the finger was meant for; `undefined` for what may well be a key of a state. */
export function meantName(name: string): string | undefined {
  const word = name.toLowerCase();
  if (!/^[a-z]{3,}$/.test(word)) return undefined;
  return TOKEN_NAMES.find((known) => isSlip(word, known));
}

const SAFE_LENGTH = 6;

/** One letter too many, too few, another, or two exchanged; the first one is right. */
function isSlip(word: string, known: string): boolean {
  if (word[0] !== known[0] || Math.abs(word.length - known.length) > 1) return false;
  let same = 0;
  while (same < word.length && word[same] === known[same]) same += 1;
  const [left, right] = [word.slice(same), known.slice(same)];
  if (left.length < right.length) return left === right.slice(1);
  if (left.length > right.length) return left.slice(1) === right;
  // Short words differ by one letter often enough: a score is not a store.
  if (left.slice(1) === right.slice(1)) return known.length >= SAFE_LENGTH;
  return left === `${right[1] ?? ''}${right[0] ?? ''}${right.slice(2)}`;
}

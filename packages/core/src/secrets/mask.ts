/** A kind of secret that is known by its shape. */
export interface SecretShape {
  /** In words, for the list that is shown before an export. */
  readonly name: string;
  /** Global, without nested repetition: linear on any text. */
  readonly pattern: RegExp;
}

/**
 * Where a secret may begin: not inside a word, but after an escape of JSON, whose
 * letter is none of the word (`\\nsk-…` in the text of a string with line breaks), and
 * after a colour of a terminal (`[31msk-…`).
 */
const START = String.raw`(?:(?<!\w)|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})|(?<=\[[0-9;]{0,12}m))`;

const shape = (pattern: RegExp): RegExp => new RegExp(START + pattern.source, 'g');

/** Shapes as their issuers document them; a longer one is before a shorter one with the same beginning. */
export const secretShapes: readonly SecretShape[] = [
  {
    name: 'private key',
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  },
  { name: 'Anthropic key', pattern: shape(/sk-ant-[A-Za-z0-9_-]{16,200}/) },
  { name: 'OpenAI key', pattern: shape(/sk-[A-Za-z0-9_-]{16,200}/) },
  { name: 'Stripe key', pattern: shape(/[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}/) },
  { name: 'AWS access key', pattern: shape(/(?:AKIA|ASIA)[0-9A-Z]{16}\b/) },
  { name: 'GitHub token', pattern: shape(/(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/) },
  { name: 'GitLab token', pattern: shape(/glpat-[A-Za-z0-9_-]{16,200}/) },
  { name: 'Google API key', pattern: shape(/AIza[0-9A-Za-z_-]{35}/) },
  { name: 'Slack token', pattern: shape(/xox[abeoprs]-[A-Za-z0-9-]{10,250}/) },
  { name: 'npm token', pattern: shape(/npm_[A-Za-z0-9]{36}\b/) },
  { name: 'Hugging Face token', pattern: shape(/hf_[A-Za-z0-9]{20,200}/) },
  {
    name: 'JSON web token',
    pattern: shape(/eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}/),
  },
  { name: 'bearer token', pattern: shape(/Bearer [A-Za-z0-9._~+/-]{16,4000}=*/) },
  { name: 'password in a URL', pattern: shape(/[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"']{1,100}:[^\s/@"']{1,200}@/) },
];

/** A text without any of these has no secret: most texts are done after one look. */
const anyBeginning =
  /-----BEGIN |[sr]k[-_]|A[KS]IA|gh[pousr]_|github_pat_|glpat-|AIza|xox[abeoprs]-|npm_|hf_|eyJ|Bearer |:\/\//;

/** One secret in a text, offsets in UTF-16 code units. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  /** Which shape it has, in words. */
  readonly name: string;
}

/** Every secret of a known shape, in order, without overlaps. */
export function findSecrets(text: string): readonly SecretSpan[] {
  if (text.length < SHORTEST || !anyBeginning.test(text)) return [];
  const spans: SecretSpan[] = [];
  for (const { name, pattern } of secretShapes) {
    for (const match of text.matchAll(pattern)) {
      spans.push({ start: match.index, end: match.index + match[0].length, name });
    }
  }
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const kept: SecretSpan[] = [];
  for (const span of sorted) if (span.start >= (kept.at(-1)?.end ?? 0)) kept.push(span);
  return kept;
}

const SHORTEST = 10;
/** In the place of what is masked. */
export const MASK_DOTS = '••••••••';

/**
 * The text with each secret of a known shape cut to its first characters.
 * Nothing is said about secrets of other shapes.
 * @example maskSecrets('key sk-ant-0123456789abcdef0') // 'key sk-a••••••••'
 */
export function maskSecrets(text: string): string {
  const spans = findSecrets(text);
  if (spans.length === 0) return text;
  let masked = '';
  let at = 0;
  for (const { start, end } of spans) {
    masked += `${text.slice(at, start + HINT)}${MASK_DOTS}`;
    at = end;
  }
  return masked + text.slice(at);
}

/** Enough to tell which kind of secret is there, never enough to use it. */
export const HINT = 4;

/** A kind of secret that is known by its shape. */
export interface SecretShape {
  /** In words, for the list that is shown before an export. */
  readonly name: string;
  /** Global, without nested repetition: linear on any text. */
  readonly pattern: RegExp;
}

/**
 * Where a secret may begin: not inside a word, but after an escape of JSON, whose
 * letter is none of the word (`\\nsk-…` in the text of a string with line breaks), after
 * one of a URL (`%3Dsk-…`), and after a colour of a terminal (`[31msk-…`).
 */
const START = String.raw`(?:(?<!\w)|(?<=\\[bfnrt])|(?<=\\u[0-9a-fA-F]{4})|(?<=%[0-9a-fA-F]{2})|(?<=\[[0-9;]{0,12}m))`;

const shape = (pattern: RegExp): RegExp => new RegExp(START + pattern.source, 'g');

const KEY_LABEL = '[A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----';

/** Up to its end, or where the text or its JSON string ends; the lines before the key itself may have hyphens. */
const PRIVATE_KEY = new RegExp(
  String.raw`-----BEGIN ${KEY_LABEL}(?:[^"-]|-(?!----)){0,20000}(?:-----END ${KEY_LABEL})?`,
  'g',
);

const APOSTROPHE = String.raw`(?<=\w)'(?=\w)`;
const USER = String.raw`[A-Za-z][A-Za-z0-9+.-]{1,20}:\\?\/\\?\/[^\s:/@"']{0,100}:`;
/** To the last `@` before a slash: those before it belong to the password. */
const PASSWORD = String.raw`(?:[^\s/"']|${APOSTROPHE}){1,200}@`;
/** A password with a slash. What follows the slash in other addresses is `/@name`, a query, or the next address. */
const WITH_SLASH = String.raw`(?:[^\s"'?#&,;:]|:(?!\/)|${APOSTROPHE}){0,200}[^\s"'?#&,;/]@(?=[\w.[-])`;
/** A port and a path are no password, and neither is the path after a drive or a placeholder. */
const NOT_A_PASSWORD = String.raw`(?!\d{1,5}\/|[/\\{$<])`;
const PASSWORD_IN_URL = new RegExp(`${USER}(?:${PASSWORD}(?:${WITH_SLASH})?|${NOT_A_PASSWORD}${WITH_SLASH})`);

/** Shapes as their issuers document them; a longer one is before a shorter one with the same beginning. */
export const secretShapes: readonly SecretShape[] = [
  { name: 'private key', pattern: PRIVATE_KEY },
  { name: 'Anthropic key', pattern: shape(/sk-ant-[A-Za-z0-9_-]{16,200}/) },
  { name: 'OpenAI key', pattern: shape(/sk-[A-Za-z0-9_-]{16,200}/) },
  { name: 'Stripe key', pattern: shape(/[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}/) },
  { name: 'AWS access key', pattern: shape(/(?:AKIA|ASIA)[0-9A-Z]{16}\b/) },
  { name: 'GitHub token', pattern: shape(/(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/) },
  { name: 'GitLab token', pattern: shape(/glpat-[A-Za-z0-9_-]{16,200}/) },
  { name: 'Google API key', pattern: shape(/AIza[0-9A-Za-z_-]{35}/) },
  { name: 'Slack token', pattern: shape(/(?:xox[abeoprs]|xapp-\d)-[A-Za-z0-9-]{10,250}/) },
  { name: 'npm token', pattern: shape(/npm_[A-Za-z0-9]{36}\b/) },
  { name: 'Hugging Face token', pattern: shape(/hf_[A-Za-z0-9]{20,200}/) },
  {
    name: 'JSON web token',
    pattern: shape(/eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}/),
  },
  {
    name: 'bearer token',
    // In lower case it is also a word of plain English: then the token has a digit.
    pattern: shape(/(?:Bearer |(?:bearer|BEARER) (?=[A-Za-z._~+/-]{0,200}\d))[A-Za-z0-9._~+/-]{16,4000}=*/),
  },
  { name: 'password in a URL', pattern: shape(PASSWORD_IN_URL) },
];

/** A text without any of these has no secret: most texts are done after one look. */
const anyBeginning =
  /-----BEGIN |[sr]k[-_]|A[KS]IA|gh[pousr]_|github_pat_|glpat-|AIza|xox[abeoprs]-|xapp-|npm_|hf_|eyJ|[Bb]earer |BEARER |:\\?\/\\?\//;

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

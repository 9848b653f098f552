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

/** Shapes as their issuers document them; a longer one stands before a shorter one with the same beginning. */
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
export const anyBeginning =
  /-----BEGIN |[sr]k[-_]|A[KS]IA|gh[pousr]_|github_pat_|glpat-|AIza|xox[abeoprs]-|npm_|hf_|eyJ|Bearer |:\/\//;

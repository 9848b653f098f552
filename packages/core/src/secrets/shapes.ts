/** A kind of secret that is known by its shape. */
export interface SecretShape {
  /** In words, for the list that is shown before an export. */
  readonly name: string;
  /** Global, without nested repetition: linear on any text. */
  readonly pattern: RegExp;
}

/** Shapes as their issuers document them; a longer one stands before a shorter one with the same beginning. */
export const secretShapes: readonly SecretShape[] = [
  {
    name: 'private key',
    pattern: /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g,
  },
  { name: 'Anthropic key', pattern: /\bsk-ant-[A-Za-z0-9_-]{16,200}/g },
  { name: 'OpenAI key', pattern: /\bsk-[A-Za-z0-9_-]{16,200}/g },
  { name: 'Stripe key', pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,200}/g },
  { name: 'AWS access key', pattern: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g },
  { name: 'GitHub token', pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g },
  { name: 'GitLab token', pattern: /\bglpat-[A-Za-z0-9_-]{16,200}/g },
  { name: 'Google API key', pattern: /\bAIza[0-9A-Za-z_-]{35}/g },
  { name: 'Slack token', pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g },
  { name: 'npm token', pattern: /\bnpm_[A-Za-z0-9]{36}\b/g },
  { name: 'Hugging Face token', pattern: /\bhf_[A-Za-z0-9]{20,200}/g },
  { name: 'JSON web token', pattern: /\beyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,1000}/g },
  { name: 'bearer token', pattern: /\bBearer [A-Za-z0-9._~+/-]{16,4000}=*/g },
  { name: 'password in a URL', pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:/@"']{1,100}:[^\s/@"']{1,200}@/g },
];

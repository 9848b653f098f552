/** Names under which secrets are kept, and values that are none under any name. */

/** How a value under a name is looked at. */
export interface SecretName {
  /** For the list of what was masked. */
  readonly label: string;
  /** `any` value but a placeholder, one without `spaces`, one that looks `random`, a `number`, a `header` or `cookie`. */
  readonly holds: 'any' | 'unspaced' | 'random' | 'number' | 'code' | 'header' | 'cookie' | 'connection';
  /** A list or an object under this name holds nothing but secrets. */
  readonly all?: boolean;
}

const PASSWORDS = 'passw(?:or)?ds?|passphrases?|passcode|pwd|passwort|kennwort|contrase[nñ]a|senha|motdepasse|mnemonic';
const PASS_OF =
  'db|database|smtp|imap|e?mail|ftp|user|admin|root|redis|mysql|pg|postgres|mongo|proxy|auth|ssh|login|http|ldap|wifi|basic|key|store|my';
const KEYS =
  'api|secret|private|encryption|decryption|signing|master|hmac|jwt|subscription|license|access|auth|ssh|admin|deploy|account';
const KEYS_MAYBE =
  'storage|shared|webhook|root|app|application|consumer|service|server|sas|pgp|gpg|session|cookie|recovery|integration|client|rest|write|ingest|user|host|function';
const TOKENS =
  'access|refresh|id|auth|oauth2?|api|bearer|session|bot|security|secret|personal|private|deploy|registration|login|jwt|csrf|xsrf|vault';
const NO_TOKENS =
  'page|next|prev|previous|continuation|sync|pad|eos|bos|unk|mask|sep|cls|stop|special|start|end|first|last|per|cancel|cancellation|input|output|prompt|completion|new|current|max|min|total|each|cursor|resume';
const CODES = 'verification|mfa|2fa|totp|authorization|auth|security|recovery|backup|sms|access|device|onetime|login';

const ends = (words: string): RegExp => new RegExp(`(?:${words})$`);
const SECRET_NAMES: readonly (readonly [RegExp, SecretName])[] = [
  [ends(`${PASSWORDS}|(?:seed|recovery|secret|mnemonic)phrase`), { label: 'password', holds: 'any', all: true }],
  [ends(`(?:${PASS_OF})pass`), { label: 'password', holds: 'any' }],
  [/^pass$/, { label: 'password', holds: 'code' }],
  [ends('secrets?'), { label: 'secret', holds: 'any', all: true }],
  [ends(`(?:${KEYS})keys?`), { label: 'key', holds: 'unspaced', all: true }],
  [ends(`(?:${KEYS_MAYBE})key`), { label: 'key', holds: 'random' }],
  [ends(`(?:${TOKENS})tokens?`), { label: 'token', holds: 'unspaced', all: true }],
  [ends(`(?:${NO_TOKENS})token`), { label: '', holds: 'random' }],
  [ends('token|bearer'), { label: 'token', holds: 'random' }],
  [
    /^(?:xamz|xgoog)?(?:credentials?|creds)$|(?:client|user|service|aws|db|login|api)(?:credentials?|creds)$/,
    { label: 'credentials', holds: 'random', all: true },
  ],
  [ends('(?:connection|conn)(?:string|str)|dsn'), { label: 'connection string', holds: 'connection' }],
  [/^(?:set)?cookie$/, { label: 'cookie', holds: 'cookie' }],
  [/^cookies$/, { label: 'cookie', holds: 'cookie', all: true }],
  [/^(?:proxy|x)?authorization$/, { label: 'authorization', holds: 'header' }],
  [ends(`(?:${CODES})codes?`), { label: 'code', holds: 'code' }],
];
/** Only as a word of its own. */
const NUMBER_NAME = /(?:^|[^A-Za-z])(?:pin|otp|cvv|cvc)(?:[_-]?(?:code|number))?$|[a-z](?:Pin|Otp|Cvv|Cvc)(?:Code)?$/i;
const SUFFIX =
  /(?:\d{1,2}|values?|prod(?:uction)?|dev(?:elopment)?|staging|test|old|new|current|default|confirm(?:ation)?|again|repeat|b(?:ase)?64|plain(?:text)?|primary|secondary)$/;
const ENV_TOKEN = /^[A-Z0-9_]*_TOKEN$/;
const ENV_KEY =
  /^(?!(?:\w*_)?(?:PUBLIC|PRIMARY|FOREIGN|CACHE|SORT|PARTITION|IDEMPOTENCY|PUB|SITE)_KEY$)[A-Z0-9_]+_KEY$/;
const IN_QUERY = /^(?:(?:xamz|xgoog)?(?:signature|credential)|sig|key|code|auth|hmac|token|state)$/;

const known = new Map<string, SecretName | undefined>();
const MOST_KNOWN = 2_000;

/** @example secretName('DB_PASSWORD')?.label // 'password' */
export function secretName(name: string): SecretName | undefined {
  if (known.has(name)) return known.get(name);
  if (known.size >= MOST_KNOWN) known.clear();
  const found = name.length > 100 ? undefined : named(name);
  known.set(name, found);
  return found;
}

function named(name: string): SecretName | undefined {
  const word = plain(name);
  const stripped = word.replace(SUFFIX, '');
  for (const [pattern, about] of SECRET_NAMES) {
    if (pattern.test(word) || (stripped !== '' && pattern.test(stripped))) {
      if (about.label === 'token' && ENV_TOKEN.test(name)) return { label: 'token', holds: 'unspaced' };
      return about.label === '' ? undefined : about;
    }
  }
  if (NUMBER_NAME.test(name)) return { label: 'PIN', holds: 'number' };
  return ENV_KEY.test(name) ? { label: 'key', holds: 'random' } : undefined;
}

/** The same for a parameter of an address, where more names hold secrets. */
export function secretParameter(name: string): SecretName | undefined {
  const word = plain(name);
  if (!IN_QUERY.test(word) || word === 'state') return secretName(name);
  return {
    label: 'parameter of an address',
    holds: word.startsWith('sig') || word.startsWith('x') ? 'unspaced' : 'random',
  };
}

const plain = (name: string): string => name.replaceAll(/[^A-Za-z0-9ñ]/g, '').toLowerCase();

/** Names of members that are no secret in a list or an object of secrets. */
export const isNeutralName = (name: string): boolean =>
  /^(?:id|name|key|type|kind|user|username|email|login|host|hostname|port|url|uri|domain|path|region|provider|issuer|scopes?|role|expir\w*|created\w*|updated\w*|same_?site|secure|http_?only|description|label|status|version)$/i.test(
    name,
  );

/** No more of a value is looked at. */
const LOOKED_AT = 200;

const NO_VALUE = [
  // What says so
  '[xX]{3,}',
  'null|none|nil|undefined|nan|true|false|yes|no|on|off|n/?a|empty|unset|missing|required|optional|invalid|expired',
  'redacted|masked|hidden|filtered|removed|omitted|placeholder',
  // Types
  'string|str|text|number|int|integer|float|bool|boolean|bytes|buffer|object|any|unknown|uuid|varchar|char|optional|secretstr',
  // What is put in later
  String.raw`<[^>]*>|\[[^\]]*\]|\{[^}]*\}|\{\{[^}]*\}\}|\(.*\)`,
  String.raw`\$\{[^}]*\}|\$\([^)]*\)|\$[a-z_]+|%[a-z_]+%|\$\{\{.*\}\}`,
  String.raw`(?:process\.env|os\.environ|os\.getenv|import\.meta|secrets?\.|env\.|vars?\.|config\.|settings\.|vault:|op:\/\/|arn:).*`,
  // What is masked already
  String.raw`[^\s•]{0,4}•{4,}(?:#[\w-]{1,16})?`,
].join('|');
const NOTHING = new RegExp(`^(?:${NO_VALUE})$`, 'i');
const SAYS_SOMETHING = /[\p{L}\p{N}]/u;

/** True where a value says itself that it is no secret. @example isNoSecret('${DB_PASSWORD}') // true */
export const isNoSecret = (value: string): boolean =>
  value.length <= LOOKED_AT && (!SAYS_SOMETHING.test(value) || NOTHING.test(value));

/** Letters and digits without a separator: words have no digit in so long a run. */
const MIXED_RUN = /(?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{16}/i;

/**
 * A text looks random when, its separators left out, it changes between small letters, capitals and digits at a fifth
 * of its places, at two of five where it has no digit; or when 16 letters and digits follow each other.
 * @example looksRandom('fading-circle-dots-loader') // false
 */
export function looksRandom(text: string): boolean {
  if (MIXED_RUN.test(text.slice(0, LOOKED_AT))) return true;
  let [count, changes, last, digits] = [0, 0, 0, 0];
  for (let at = 0; at < text.length && at < LOOKED_AT; at++) {
    const kind = kindOf(text.charCodeAt(at));
    if (kind === 0) continue;
    count++;
    if (kind === 1) digits++;
    if (last !== 0 && kind !== last) changes++;
    last = kind;
  }
  return count >= 6 && changes >= (count - 1) * (digits > 0 ? 0.2 : 0.4);
}

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return 1;
  if (code >= 0x61 && code <= 0x7a) return 2;
  return code >= 0x41 && code <= 0x5a ? 3 : 0;
}

/** True where a value under such a name is a secret. */
export function isSecretValue({ holds }: SecretName, value: string): boolean {
  switch (holds) {
    case 'any':
    case 'header':
      return !isNoSecret(value);
    case 'unspaced':
      return value.length >= 3 && !/\s/.test(value) && !isNoSecret(value);
    case 'random':
      return value.length >= 8 && looksRandom(value) && !/\s/.test(value) && !isNoSecret(value);
    case 'number':
      return /^\d{3,8}$/.test(value);
    case 'code':
      return /^(?=.{0,199}\d)\S{4,200}$/.test(value) && !isNoSecret(value);
    case 'cookie':
      return /^[\w.$%!#&'*+^`|~-]{1,100}=[^\s;]/.test(value);
    case 'connection':
      return (value.includes('=') || value.includes('@')) && !isNoSecret(value);
  }
}

/** Secrets that are known by the name before them: members, assignments, headers, options, parameters. */
import { isNoSecret, isSecretValue, looksRandom, secretName, secretParameter, type SecretName } from './names.ts';
import { trimmedEnd, type Found } from './spans.ts';

const LONGEST = 20_000;
const LONGEST_NAME = 60;

const NOUNS = [
  'pass(?:w(?:or)?ds?|phrases?|codes?)?|pwd|passwort|kennwort|contrase[nñ]a|senha|mot_?de_?passe|mnemonic|phrase',
  'secrets?|tokens?|keys?|credentials?|creds|cookies?|authorization|bearer|auth|hmac',
  'pin|otp|cvv|cvc|pincode|codes?|sig|signature|string|str|dsn',
].join('|');
const AFTER =
  '(?:[_-]?(?:[0-9]{1,2}|values?|number|code|prod(?:uction)?|dev(?:elopment)?|staging|test|old|new|current|default|confirm(?:ation)?|again|repeat|b(?:ase)?64|plain(?:text)?|primary|secondary))?';
/** A name, and what stands between it and its value. */
const NAMED = new RegExp(
  String.raw`((?:${NOUNS})${AFTER})(?![\w-])(?:["'\]\\]{0,6}[ \t]{0,8}(:=|=>|[:=>](?![:=]))|(?=[ \t]+(?:(is|was)[ \t])?[^\s=]))`,
  'gi',
);

const QUOTE = /[bruf]{0,2}(\\*)(["'`])/iy;

/** A value without quotes: where it ends, and how long it may be. */
interface Run {
  readonly ends: RegExp;
  readonly most: number;
}
const WORD: Run = { ends: /[\s"'`,;&<>()[\]{}|]|\\(?=[nrtbfu"'/\\])/g, most: 4_000 };
const ENV_WORD: Run = { ends: /[\s"'`]|\\(?=[nrtbfu"'/\\])/g, most: 4_000 };
const PARAMETER: Run = { ends: /[\s"'`<>&#;\\]/g, most: 8_000 };
const LINE: Run = { ends: /[\n\r"'`\\]/g, most: 8_000 };
const WHOLE_LINE: Run = { ends: /[\n\r']/g, most: 8_000 };
const ELEMENT: Run = { ends: /[\n\r<]/g, most: 8_000 };
const RUNS: Readonly<Partial<Record<Place['kind'], Run>>> = {
  element: ELEMENT,
  parameter: PARAMETER,
  environment: ENV_WORD,
};
/** Where runs of a text end. In `token:token:…` every name has the same end before it, looked for once. */
type KnownEnds = Map<Run, number>;

function runAt(text: string, at: number, run: Run, known: KnownEnds): string {
  let end = known.get(run) ?? -1;
  if (end < at) {
    run.ends.lastIndex = at;
    end = run.ends.exec(text)?.index ?? text.length;
    known.set(run, end);
  }
  return text.slice(at, Math.min(end, at + run.most));
}
const SPELLS_ALL = /^(?:Digest|AWS4-HMAC-SHA256|Signature|OAuth|Hawk)\b/i;

/** What is known where a name and its value meet. */
interface Place {
  readonly from: number;
  readonly name: string;
  readonly about: SecretName;
  readonly kind: 'assigned' | 'told' | 'option' | 'parameter' | 'element' | 'environment';
  /** Where the value begins. */
  readonly at: number;
  readonly tight: boolean;
}

/** A name and its value as neighbours, as in a list of environment variables. */
const PAIR =
  /\b(?:name|key|header|field|variable|env)["']?\s{0,8}[:=]\s{0,8}["']?([\w.-]{1,60})["']?[\s,]{1,40}["']?(?:value|val|secretvalue)["']?\s{0,8}[:=](?![:=])/gi;

/** What `{"name":"DB_PASSWORD","value":…}` says in a text that isn't JSON. */
export function pairsIn(text: string, safe: ReadonlySet<string>, found: Found[]): void {
  const known: KnownEnds = new Map();
  PAIR.lastIndex = 0;
  for (let match = PAIR.exec(text); match !== null; match = PAIR.exec(text)) {
    const [matched, name = ''] = match;
    const about = secretName(name);
    if (about === undefined || safe.has(name.toLowerCase())) continue;
    const at = skipBlanks(text, match.index + matched.length);
    const secret = valueAt(text, { from: match.index, name, about, kind: 'assigned', at, tight: false }, known);
    if (secret !== undefined && secret.start < secret.end)
      found.push({ start: secret.start, end: secret.end, from: match.index, name: about.label, hint: 0 });
  }
}

export function namedIn(text: string, safe: ReadonlySet<string>, found: Found[]): void {
  const known: KnownEnds = new Map();
  NAMED.lastIndex = 0;
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const place = placeOf(text, match);
    if (place === undefined || safe.has(place.name.toLowerCase())) continue;
    const secret = valueAt(text, place, known);
    if (secret === undefined || secret.start >= secret.end) continue;
    const { start, end } = secret;
    found.push({ start, end, from: place.from, name: place.about.label, hint: 0 });
    NAMED.lastIndex = Math.max(NAMED.lastIndex, secret.end);
  }
}

function placeOf(text: string, match: RegExpExecArray): Place | undefined {
  const { 0: matched, 1: noun = '', 2: sign, 3: verb, index } = match;
  const end = index + matched.length;
  let from = index;
  while (from > 0 && from > index - LONGEST_NAME && isNameCode(text.charCodeAt(from - 1))) from--;
  let start = from;
  while (start < index && /[-.]/.test(text.charAt(start))) start++;
  const name = text.slice(start, index + noun.length);
  const isOption = text.startsWith('--', from);
  if (sign === undefined && verb === undefined && !isOption && !/["']/.test(text.charAt(skipBlanks(text, end))))
    return undefined;
  const before = text.charAt(from - 1);
  if (sign === '=' && (before === '?' || before === '&' || before === ';')) {
    const about = secretParameter(name);
    return about && { from, name, about, at: end, tight: true, kind: 'parameter' };
  }
  const spaced = before === ' ' ? spacedName(text, from, name) : undefined;
  const about = spaced?.about ?? secretName(name);
  if (about === undefined) return undefined;
  const at = skipBlanks(text, end);
  const tight = at === end && matched.length === noun.length + 1;
  const kind = kindOf({ sign, verb, isOption, before, isLoud: tight && /^[A-Z][A-Z0-9_]*$/.test(name) });
  if (kind === undefined || (sign === undefined && !isOption && about.label !== 'password')) return undefined;
  return {
    from: spaced?.from ?? from,
    name,
    about,
    kind,
    tight,
    at: verb === undefined ? at : skipBlanks(text, at + verb.length),
  };
}

interface Signs {
  readonly sign: string | undefined;
  readonly verb: string | undefined;
  readonly isOption: boolean;
  readonly before: string;
  readonly isLoud: boolean;
}

function kindOf({ sign, verb, isOption, before, isLoud }: Signs): Place['kind'] | undefined {
  if (isOption) return 'option';
  if (verb !== undefined) return 'told';
  if (sign === '>') return before === '<' ? 'element' : undefined;
  return sign === '=' && isLoud ? 'environment' : 'assigned';
}

const isNameCode = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x30 && code <= 0x39) ||
  code === 0x5f ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x24;

/** "API key", as people write it. */
function spacedName(text: string, from: number, name: string): { from: number; about: SecretName } | undefined {
  let start = from - 1;
  while (start > 0 && start > from - 22 && isNameCode(text.charCodeAt(start - 1))) start--;
  if (start === from - 1 || name.length > 7) return undefined;
  const about = secretName(text.slice(start, from - 1) + name);
  return about && { from: start, about };
}

function skipBlanks(text: string, at: number): number {
  let to = at;
  while (to < at + 8 && (text.charAt(to) === ' ' || text.charAt(to) === '\t')) to++;
  return to;
}

interface Piece {
  readonly start: number;
  readonly end: number;
}

function valueAt(text: string, place: Place, known: KnownEnds): Piece | undefined {
  const { about, name, at, kind } = place;
  QUOTE.lastIndex = at;
  const quote = kind === 'element' || kind === 'parameter' ? null : QUOTE.exec(text);
  if (quote !== null) {
    const start = at + quote[0].length;
    const end = closing(text, start, quote[1] ?? '', quote[2] ?? '"');
    const value = text.slice(start, end);
    if (kind === 'told' || value.toLowerCase() === name.toLowerCase()) return undefined;
    return secretIn(about, value, start);
  }
  if (about.holds === 'header' || about.holds === 'cookie') return lineAt(text, place, known);
  const run = runAt(text, at, RUNS[kind] ?? WORD, known);
  const value = kind === 'environment' || kind === 'element' ? run : trimmedEnd(run, '.:');
  const end = at + value.length;
  return isSecretValue(about, value) && isMeant(place, value, text.slice(end, end + 3))
    ? { start: at, end }
    : undefined;
}

/** Without quotes a value may be code, or the next word of a sentence. */
function isMeant({ kind, tight, name }: Place, value: string, next: string): boolean {
  if (kind === 'environment') return !(/^pwd|^oldpwd/i.test(name) && value.startsWith('/'));
  if (kind === 'parameter' || kind === 'element') return true;
  if (kind === 'option') return !value.startsWith('-');
  if (kind === 'told') return /\d|[^A-Za-z\d]/.test(value.replace(/['’-]/g, '')) && !/^\d{1,2}$/.test(value);
  if (isCode(value, next)) return looksRandom(value);
  if (!/^[A-Za-z]+$/.test(value)) return !/^\d{1,2}$/.test(value);
  if (secretName(value) !== undefined) return false;
  return /^(?:[\n\r&;\\"'`]|$)/.test(next) || (tight && /^[ \t]/.test(next));
}

/** An expression, or a name of several words. */
const isCode = (value: string, next: string): boolean =>
  /^[([{]/.test(next) ||
  /^[A-Za-z_$][\w$]*(?:\?\.|\.|::|->)[A-Za-z_$]/.test(value) ||
  /^[A-Za-z]+(?:_[A-Za-z]+)+$/.test(value) ||
  /^[A-Za-z][a-z]+(?:[A-Z][a-z]+)+$/.test(value);

/** The end of a quoted value; of one that is cut off, all there is of it. */
function closing(text: string, start: number, slashes: string, quote: string): number {
  const most = Math.min(text.length, start + LONGEST);
  for (let at = start; at < most; at++) {
    at = text.indexOf(quote, at);
    if (at === -1 || at >= most) break;
    let before = at;
    while (before > start && text.charAt(before - 1) === '\\') before--;
    const count = at - before;
    if (slashes === '' ? count % 2 === 0 : count <= slashes.length) return before + (slashes === '' ? count : 0);
  }
  const line = /[\n\r]/.exec(text.slice(start, most));
  return line === null ? most : start + line.index;
}

/** A header goes on to the end of its line. */
function lineAt(text: string, { about, at }: Place, known: KnownEnds): Piece | undefined {
  const all = SPELLS_ALL.test(text.slice(at, at + 20));
  const run = runAt(text, at, all ? WHOLE_LINE : LINE, known).trimEnd();
  const secret = secretIn(about, run, at);
  if (secret === undefined || about.holds === 'cookie' || all) return secret;
  const words = text.slice(secret.start, secret.end);
  const word = /^\S*/.exec(words)?.[0] ?? '';
  const isSentence = word.length < words.length && !looksRandom(word);
  return isSentence ? undefined : { start: secret.start, end: secret.start + word.length };
}

/** The secret in a whole value: of a header what comes after its scheme. */
export function secretIn(about: SecretName, value: string, start: number): Piece | undefined {
  if (about.holds !== 'header') return isSecretValue(about, value) ? { start, end: start + value.length } : undefined;
  const scheme = /^[A-Za-z][\w-]{1,30} +(?=\S)/.exec(value)?.[0] ?? '';
  const rest = value.slice(scheme.length);
  return isNoSecret(rest) || isNoSecret(value)
    ? undefined
    : { start: start + scheme.length, end: start + value.length };
}

/** Secrets in plain text. */
import { InspectorError } from '../errors.ts';
import { formsIn, keysIn } from './keys.ts';
import { namedIn, pairsIn } from './named.ts';
import { isNoSecret, looksRandom } from './names.ts';
import { merged, OWN, runOf, spelled, type Escapes, type Found, type SecretSpan } from './spans.ts';

/** What a person has said beyond what is known. */
export interface MaskRules {
  /** Regular expressions, as text: what they match is masked whole. */
  readonly hide?: readonly string[];
  /** Names of members, or paths as `$.a.b`, that are shown with all that is below them. */
  readonly safe?: readonly string[];
}

const SHORTEST = 5;
/** No key is so short, and there is no name before a value. */
const WORD = /^\w{0,15}$/;

/**
 * Every secret that is known by its shape, by the name before it or by the person's own rules; in order, without overlaps.
 * @throws InspectorError invalid_input where a rule can't be compiled
 * @example findSecrets('DB_PASSWORD=hunter2') // [{ start: 12, end: 19, name: 'password', hint: 0 }]
 */
export const findSecrets = (text: string, rules?: MaskRules): readonly SecretSpan[] => findWithPlaces(text, rules);

/** The same, with where each must be looked at from to be seen. */
export function findWithPlaces(text: string, rules?: MaskRules): readonly Found[] {
  const { hide, safe } = compiled(rules);
  const found: Found[] = [];
  for (const pattern of hide)
    for (const { 0: own, index } of text.matchAll(pattern))
      if (own !== '') found.push({ start: index, from: index, end: index + own.length, name: OWN, hint: 0 });
  if (text.length < SHORTEST || WORD.test(text)) return merged(found);
  look(text, safe, found);
  if (ESCAPED.test(text)) {
    const read = spelled(text, ESCAPES);
    const inside: Found[] = [];
    look(read.text, safe, inside);
    for (const one of inside) found.push(read.back(one));
  }
  return merged(found);
}

/** Most strings are short, and have none. */
const MAY_HAVE_PAIR = /val(?:ue)?["']?\s{0,8}[:=]/i;

function look(text: string, safe: ReadonlySet<string>, found: Found[]): void {
  keysIn(text, found);
  formsIn(text, found);
  namedIn(text, safe, found);
  if (MAY_HAVE_PAIR.test(text)) pairsIn(text, safe, found);
  passwordsIn(text, found);
}

/** Escapes of addresses, of JSON and of shells, and colours of a terminal: none of them may hide a secret. */
const COLOUR = String.raw`(?:\\u001b|\\x1b|\\e|\\033|\u001b)?\[[\d;]{1,12}m`;
const PERCENT = String.raw`%(?:25)*[2-7][\da-f]`;
const UNIT = String.raw`\\u00[0-7][\da-f]`;
const LETTER = String.raw`\\[nrt"'/]`;
const ESCAPED = new RegExp([COLOUR, PERCENT, UNIT, LETTER].join('|'), 'i');
const ESCAPES: Escapes = {
  one: new RegExp(ESCAPED.source, 'gi'),
  run: new RegExp([COLOUR, ...[PERCENT, UNIT, LETTER].map((one) => runOf(one).source)].join('|'), 'gi'),
  read(run) {
    if (run.startsWith('%')) return decodeURIComponent(run.replaceAll(/%(?:25)+(?=[2-7][\da-f])/gi, '%'));
    // A colour ends a word, but no value.
    if (run.endsWith('m')) return '\u200b';
    if (/^\\u/i.test(run)) return String(JSON.parse(`"${run.replaceAll('U', 'u')}"`));
    return run.replaceAll(/\\[nrt]/gi, '\n').replaceAll(/\\/g, '');
  },
};

const APOSTROPHE = String.raw`(?<=\w)'(?=\w)`;
const SCHEME = String.raw`:(?<=[A-Za-z][A-Za-z0-9+.-]{1,20}:)\\?\/\\?\/`;
/** To the last `@` before a slash: those before it belong to the password. */
const PASSWORD = String.raw`(?:[^\s/"']|${APOSTROPHE}){1,200}@`;
/** A password with a slash. What follows the slash in other addresses is `/@name`, a query, or the next address. */
const WITH_SLASH = String.raw`(?:[^\s"'?#&,;:]|:(?!\/)|${APOSTROPHE}){0,200}[^\s"'?#&,;/]@(?=[\w.[-])`;
/** A port and a path are no password, and neither is the path after a drive or a placeholder. */
const NOT_A_PASSWORD = String.raw`(?!\d{1,5}\/|[/\\{$<])`;
const PASSWORD_IN_URL = new RegExp(
  String.raw`(${SCHEME}[^\s:/@"']{0,100}:)(?:${PASSWORD}(?:${WITH_SLASH})?|${NOT_A_PASSWORD}${WITH_SLASH})|(${SCHEME})[\w.~%+-]{16,400}@`,
  'g',
);

function passwordsIn(text: string, found: Found[]): void {
  if (!text.includes('@')) return;
  for (const { 0: all, 1: user, 2: scheme, index } of text.matchAll(PASSWORD_IN_URL)) {
    const start = index + (user ?? scheme ?? '').length;
    const end = index + all.length - 1;
    const value = text.slice(start, end);
    if (isNoSecret(value) || (user === undefined && !looksRandom(value))) continue;
    const from = /[A-Za-z][A-Za-z0-9+.-]*$/.exec(text.slice(Math.max(0, index - 21), index))?.[0].length ?? 0;
    found.push({ start, end, from: index - from, to: end + 2, name: 'password in a URL', hint: 0 });
  }
}

interface Compiled {
  readonly hide: readonly RegExp[];
  /** In small letters. */
  readonly safe: ReadonlySet<string>;
  readonly safePaths: readonly string[];
}

const NO_RULES: Compiled = { hide: [], safe: new Set(), safePaths: [] };
const compiledRules = new WeakMap<MaskRules, Compiled>();

/** @throws InspectorError invalid_input */
export function compiled(rules: MaskRules | undefined): Compiled {
  if (rules === undefined) return NO_RULES;
  const known = compiledRules.get(rules);
  if (known !== undefined) return known;
  const { hide = [], safe = [] } = rules;
  const made: Compiled = {
    hide: hide.map(patternOf),
    safe: new Set(safe.filter((name) => !name.startsWith('$')).map((name) => name.toLowerCase())),
    safePaths: safe.filter((name) => name.startsWith('$')),
  };
  compiledRules.set(rules, made);
  return made;
}

function patternOf(source: string): RegExp {
  try {
    return new RegExp(source, 'g');
  } catch {
    throw new InspectorError('invalid_input', `"${source}" isn't a valid regular expression.`, {
      remedy: 'Correct the rule of what to hide.',
    });
  }
}

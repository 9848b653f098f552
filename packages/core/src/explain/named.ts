/** What an error names: paths, entries and values of the state it is about. */
import { formatPath, type Path } from '../json/path.ts';
import { stringOf, sourceOf, type JsonNode } from '../json/node.ts';
import { parseJson } from '../json/read.ts';
import { patternOf, type ChangeRoles } from '../diff/roles.ts';

/** What the error names, and where that is in the state; without a path it is nowhere there. */
export interface Mention {
  readonly text: string;
  readonly path?: Path;
}

const MAX_MENTIONS = 5;
/** Errors are told in their first lines; a trace of calls names everything. */
const MAX_ERROR = 2_000;
/** A text of this length in an error is a value that it quotes. */
const MIN_QUOTED = 12;
/** A word that this many values fit says nothing of one of them. */
const MAX_ALIKE = 3;

interface Token {
  readonly text: string;
  readonly kind: 'path' | 'name' | 'number' | 'word';
  readonly segments?: readonly string[];
}

/** A value of the state. */
interface Spot {
  readonly path: Path;
  readonly key: string;
  readonly scalar: string | undefined;
  /** What it says it is called: its id, its name. */
  readonly called: readonly string[];
  /** By what the objects around it are called: keys, ids, names. */
  readonly around: readonly string[];
}

/** `a.b[0].c`, `a.0.c`, `/a/0/c`. */
const PATH =
  /\$?[A-Za-z_][\w-]*(?:\.(?:[A-Za-z_][\w-]*|\d+(?![\d.]*\d*%))|\[(?:\d+|"[^"\]]*"|'[^'\]]*')\])+|(?<![\w/.:])(?:\/[\w-]+){2,}/g;
const QUOTED = /["'`“‘]([^"'`”’\n]{2,60})["'`”’]/g;
/** No ordinary word: it has a digit, a sign or a capital within. */
const DISTINCT = /^(?=.*[A-Za-z])(?:.*\d.*|.*[a-z][A-Z].*|\w+(?:[_/.:#-]+\w+)+)$/;
const AROUND = /^[^\w#$/]+|[^\w/]+$/g;
const NUMBER = /(?<![\w.$])[-−]?\d[\d,]*(?:\.\d+)?(?![\w.]*\w)/g;
const WORD = /[A-Za-z]{3,}/g;
const MISSING =
  /\bKeyError\b|\bmissing\b|\bundefined\b|\bnot (?:found|set|defined|present)\b|\brequired\b|\bno such\b/i;
const ERROR_CLASS = /^[\w.]*(?:Error|Exception): /;
const IDENTIFYING = /^(?:id|name|key|title|label|sku|code|slug|uuid)$|(?:_id|Id|_name|_key|_code)$/;

/**
 * The likeliest first: what more words of the error fit.
 * @param told where the state tells the error, which names nothing
 */
export function mentionsIn(error: string, state: string, roles: ChangeRoles, told?: Path): readonly Mention[] {
  const tokens = tokensOf(error.slice(0, MAX_ERROR));
  if (tokens.every(({ kind }) => kind === 'word')) return [];
  const fits = spotsOf(state, roles).flatMap((spot) =>
    isItself(error, spot) || (told !== undefined && isWithin(told, spot.path)) ? [] : fitOf(spot, tokens, error),
  );
  const counts = new Map<string, number>();
  for (const { why } of fits) counts.set(why, (counts.get(why) ?? 0) + 1);
  const chosen: Mention[] = [];
  for (const { spot, text, why, score } of fits.toSorted((a, b) => b.score - a.score)) {
    if (chosen.length === MAX_MENTIONS) break;
    if (score < STRONG && (counts.get(why) ?? 0) > MAX_ALIKE) continue;
    if (chosen.some(({ path }) => path !== undefined && isWithin(path, spot.path))) continue;
    chosen.push({ text, path: spot.path });
  }
  return [...chosen, ...missingIn(error, tokens, chosen)].slice(0, MAX_MENTIONS);
}

/** Where the state has the error itself, which names nothing. */
const isItself = (error: string, { scalar }: Spot): boolean =>
  scalar !== undefined && error.trim().replace(ERROR_CLASS, '') === scalar.trim().replace(ERROR_CLASS, '');

/** Several words fit, or a whole path. */
const STRONG = 4;

interface Fit {
  readonly spot: Spot;
  readonly text: string;
  /** The tokens that fit. */
  readonly why: string;
  readonly score: number;
}

function fitOf(spot: Spot, tokens: readonly Token[], error: string): Fit[] {
  let score = 0;
  let text = '';
  const why: string[] = [];
  const add = (token: Token, by: number): void => {
    score += by;
    why.push(token.text);
    if (by > 0.5 && token.text.length > text.length) text = token.text;
  };
  let isOwn = spot.scalar !== undefined && spot.scalar.length >= MIN_QUOTED && error.includes(spot.scalar);
  if (isOwn) add({ text: spot.scalar ?? '', kind: 'name' }, 3);
  for (const token of tokens) {
    if (token.kind === 'path' && token.segments && endsWith(spot.path, token.segments)) {
      add(token, 3 + token.segments.length);
      isOwn = true;
    } else if (
      token.kind === 'name' &&
      (token.text === spot.key || spot.called.includes(token.text) || token.text === spot.scalar)
    ) {
      add(token, 2);
      isOwn = true;
    } else if (token.kind === 'number' && token.text === spot.scalar) {
      add(token, token.text.length > 2 ? 2 : 1);
      isOwn = true;
    } else if (token.kind === 'name' && spot.around.includes(token.text)) add(token, 2);
    else if (token.kind === 'word' && wordsIn(spot.key).includes(token.text)) add(token, 0.5);
  }
  // A field of an entry that is named is meant where the error says its name too.
  const isMeant = isOwn || (score > 2 && spot.scalar !== undefined);
  return isMeant ? [{ spot, text: text === '' ? spot.key : text, why: why.join(' '), score }] : [];
}

function tokensOf(error: string): readonly Token[] {
  const tokens: Token[] = [];
  const paths = error.match(PATH) ?? [];
  for (const text of new Set(paths)) tokens.push({ text, kind: 'path', segments: segmentsOf(text) });
  const quoted = [...error.matchAll(QUOTED)].map(([, text = '']) => text);
  const words = error.split(/\s+/).map((word) => word.replaceAll(AROUND, ''));
  for (const text of new Set([
    ...quoted,
    ...words.filter((word) => DISTINCT.test(word) && !/(?:Error|Exception)$/.test(word)),
  ]))
    tokens.push({ text, kind: 'name' });
  for (const text of new Set(error.replaceAll(PATH, ' ').match(NUMBER) ?? [])) {
    // A single digit stands anywhere.
    if (text.length > 1) tokens.push({ text: text.replaceAll(',', '').replace('−', '-'), kind: 'number' });
  }
  for (const text of new Set((error.match(WORD) ?? []).map((word) => word.toLowerCase())))
    tokens.push({ text, kind: 'word' });
  return tokens;
}

const segmentsOf = (path: string): readonly string[] =>
  [...path.replace(/^\$\.?/, '').matchAll(/[^./[\]"']+/g)].map(([segment]) => segment);

const wordsIn = (key: string): readonly string[] =>
  key
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/);

function endsWith(path: Path, segments: readonly string[]): boolean {
  const start = path.length - segments.length;
  return start >= 0 && segments.every((segment, nth) => String(path[start + nth]) === segment);
}

const isWithin = (outer: Path, path: Path): boolean => outer.every((step, at) => path[at] === step);

/** Values and what holds them, without the conversation. */
function spotsOf(state: string, roles: ChangeRoles): readonly Spot[] {
  const spots: Spot[] = [];
  const todo: { readonly node: JsonNode; readonly path: Path; readonly around: readonly string[] }[] = [
    { node: parseJson(state), path: [], around: [] },
  ];
  for (let one = todo.pop(); one !== undefined; one = todo.pop()) {
    const { node, path, around } = one;
    if (path.length > 0 && roles.isTalk(patternOf(formatPath(path)))) continue;
    const called = node.kind === 'object' ? namesOf(state, node) : [];
    const last = path.at(-1);
    const key = typeof last === 'string' ? last : '';
    if (path.length > 0 && !IDENTIFYING.test(key))
      spots.push({ path, key, scalar: scalarOf(state, node), called, around });
    const within = [...around, ...called, ...(key === '' ? [] : [key])];
    if (node.kind === 'object')
      for (const { key: own, value } of node.members) todo.push({ node: value, path: [...path, own], around: within });
    if (node.kind === 'array')
      for (const [at, item] of node.items.entries()) todo.push({ node: item, path: [...path, at], around: within });
  }
  return spots;
}

const namesOf = (state: string, node: Extract<JsonNode, { kind: 'object' }>): readonly string[] =>
  node.members.flatMap(({ key, value }) => (IDENTIFYING.test(key) ? (scalarOf(state, value) ?? []) : []));

function scalarOf(state: string, node: JsonNode): string | undefined {
  if (node.kind === 'string') return stringOf(state, node);
  return node.kind === 'object' || node.kind === 'array' ? undefined : sourceOf(state, node);
}

/** What the error says is missing, and is: it may have been there before. */
function missingIn(error: string, tokens: readonly Token[], chosen: readonly Mention[]): Mention[] {
  if (!MISSING.test(error) || chosen.length > 0) return [];
  const names = tokens.filter(({ kind }) => kind === 'path' || kind === 'name');
  return names.map(({ text }) => ({ text }));
}

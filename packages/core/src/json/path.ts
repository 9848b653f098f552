import { InspectorError } from '../errors.ts';
import { memberOf, unquote, quoteJson, type JsonNode } from './node.ts';
import { scanString } from './scan.ts';

/** Keys are strings, array indices are numbers: `["0"]` is a key, `[0]` an index. */
export type Path = readonly (string | number)[];

/** In a rule: any one key or index. */
export const ANY = Symbol('any');
/** In a rule, last: everything below. */
export const BELOW = Symbol('below');
export type PathStep = string | number | typeof ANY | typeof BELOW;

const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const BARE_STEP = /\.([^.[\]"'*]+)/y;
const INDEX_STEP = /\[(0|[1-9][0-9]*)\]/y;
const ANY_STEP = /\.\*(?!\*)|\[\*\]/y;

/** @example formatPath(['a', 'x.y', 0]) // '$.a["x.y"][0]' */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => text + formatStep(step), '$');
}

/** One step of a path as text. */
export function formatStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  return PLAIN_KEY.test(step) ? `.${step}` : `[${quoteJson(step)}]`;
}

/** The reverse of `formatPath`. @throws InspectorError invalid_input */
export function parsePath(text: string): Path {
  return parseSteps(text).map((step) => {
    if (typeof step !== 'symbol') return step;
    throw new InspectorError('invalid_input', `"${text}" is a rule, not a path: it contains "*".`);
  });
}

/** A path that may hold `.*`, `[*]` and a last `.**`. @throws InspectorError invalid_input */
export function parseSteps(text: string): readonly PathStep[] {
  if (!text.startsWith('$')) throw badPath(text, 0, 'it must begin with "$"');
  const steps: PathStep[] = [];
  let at = 1;
  while (at < text.length) {
    const { step, end } = readStep(text, at);
    steps.push(step);
    at = end;
  }
  return steps;
}

/** As other programs write a key: `['key']`. Source: RFC 9535, section 2.3.1. */
const SINGLE_STEP = /\['(?:[^'\\]|\\.)*'\]/suy;

const doubleQuoted = (text: string): string =>
  `"${text.replaceAll(/\\.|"/gsu, (part) => (part === '"' ? '\\"' : part === String.raw`\'` ? "'" : part))}"`;

function readStep(text: string, at: number): { step: PathStep; end: number } {
  if (text.startsWith('["', at)) {
    const end = scanQuoted(text, at + 1);
    if (text[end] !== ']') throw badPath(text, end, 'a "]" is missing');
    return { step: unquote(text, at + 1, end), end: end + 1 };
  }
  const single = matchAt(SINGLE_STEP, text, at)?.[0];
  if (single !== undefined) {
    const quoted = doubleQuoted(single.slice(2, -2));
    return { step: unquote(quoted, 0, scanQuoted(quoted, 0, { text, at })), end: at + single.length };
  }
  const bare = matchAt(BARE_STEP, text, at);
  if (bare?.[1] !== undefined) return { step: bare[1], end: at + bare[0].length };
  const index = matchAt(INDEX_STEP, text, at);
  if (index) return { step: Number(index[1]), end: at + index[0].length };
  const any = matchAt(ANY_STEP, text, at);
  if (any) return { step: ANY, end: at + any[0].length };
  if (text.slice(at) === '.**') return { step: BELOW, end: text.length };
  throw badPath(text, at, 'expected .key, ["key"], [\'key\'], [0], .* or a last .**');
}

/** @param path of which it is a part, and where */
function scanQuoted(text: string, at: number, path = { text, at }): number {
  try {
    return scanString(text, at);
  } catch (cause) {
    throw badPath(path.text, path.at, 'the quoted key is not a JSON string', cause);
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

function badPath(text: string, offset: number, why: string, cause?: unknown): InspectorError {
  return new InspectorError('invalid_input', `"${text}" isn't a valid path: ${why} (offset ${offset}).`, {
    data: { offset },
    remedy: 'Write a path like $.a["x.y"][0].',
    cause,
  });
}

/** The value at `path` below `root`; among duplicate keys the last one. */
export function valueAt(_text: string, root: JsonNode, path: Path): JsonNode | undefined {
  let node: JsonNode | undefined = root;
  for (const step of path) {
    if (node === undefined) return undefined;
    node = childOf(node, step);
  }
  return node;
}

function childOf(node: JsonNode, step: string | number): JsonNode | undefined {
  if (node.kind === 'object' && typeof step === 'string') return memberOf(node, step)?.value;
  if (node.kind === 'array' && typeof step === 'number') return node.items[step];
  return undefined;
}

/** The one place that decides whether the state of a run that ended has a check that failed. */
import { messageIn } from '../chat/messages.ts';
import { sourceOf, stringOf, type JsonNode } from '../json/node.ts';
import { formatPath } from '../json/path.ts';
import { parseJson } from '../json/read.ts';
import { mayHaveChecks } from './outcome.ts';

export interface FailedCheck {
  /** Of the entry. */
  readonly path: string;
  /** @example 'Check total_matches failed: sum differs from the invoice (expected 122, actual 350)' */
  readonly message: string;
}

/** What one of the lists holds, as it is called in a sentence. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ['checks', 'Check'],
  ['validations', 'Validation'],
  ['assertions', 'Assertion'],
  ['tests', 'Test'],
]);
/** The longest of these names, and the character before it. */
const NAME_END = 12;

const VERDICT = /^(?:passed|ok|success)$/i;
const STATUS = /^(?:status|result|outcome)$/i;
const FAILED = /^(?:failed|fail|failure)$/i;
const TITLES = ['name', 'check', 'test', 'rule', 'title', 'id'];
const REASONS = ['message', 'reason', 'error', 'detail', 'details', 'explanation'];
const FIGURES = ['expected', 'actual', 'found', 'got', 'received'];
/** A longer figure is left to the state itself. */
const MAX_FIGURE = 200;

/** A value on the way to be looked at; `up` is what it is in. */
interface Place {
  readonly node: JsonNode;
  readonly step?: string | number;
  readonly up?: Place;
}

/**
 * The first check that failed: an entry of a list or map named checks, validations, assertions or tests whose `passed`,
 * `ok` or `success` is false, or whose status says failed. A check that passed when it was run again didn't fail, and
 * conversations, refusals and errors are none.
 * @throws InspectorError unreadable where the text isn't JSON
 * @example failedCheck('{"checks":[{"name":"total","passed":false}]}') // { path: '$.checks[0]', message: 'Check total failed' }
 */
export function failedCheck(stateText: string): FailedCheck | undefined {
  if (!mayHaveChecks(stateText)) return undefined;
  const todo: Place[] = [{ node: parseJson(stateText) }];
  for (let place = todo.pop(); place !== undefined; place = todo.pop()) {
    const word = typeof place.step === 'string' ? listWord(place.step) : undefined;
    const within = placesIn(place);
    const entry = word === undefined ? undefined : failedEntry(stateText, within);
    if (entry !== undefined) return { path: pathOf(entry), message: sentenceOf(stateText, entry, word ?? '') };
    // What a conversation quotes is not the state of the run.
    const isList = place.node.kind === 'array';
    for (const one of within.toReversed()) if (!isList || !isMessage(stateText, one.node)) todo.push(one);
  }
  return undefined;
}

function placesIn(up: Place): readonly Place[] {
  const { node } = up;
  if (node.kind === 'array') return node.items.map((item, step) => ({ node: item, step, up }));
  return node.kind === 'object' ? node.members.map(({ key, value }) => ({ node: value, step: key, up })) : [];
}

/** Of a known role: what only has a type and a content may be data. */
const isMessage = (text: string, node: JsonNode): boolean =>
  node.kind === 'object' && (messageIn(text, node)?.role ?? 'other') !== 'other';

/** @example listWord('quality_checks') // 'Check' */
function listWord(key: string): string | undefined {
  const [last = ''] = /(?:[A-Z]?[a-z]+|[A-Z]+)$/.exec(key.slice(-NAME_END)) ?? [];
  return LISTS.get(last.toLowerCase());
}

function failedEntry(text: string, entries: readonly Place[]): Place | undefined {
  const passed = new Set<string>();
  let failed: Place | undefined;
  for (const entry of entries.toReversed()) {
    const name = titleOf(text, entry);
    if (hasFailed(text, entry.node)) {
      if (name === undefined || !passed.has(name)) failed = entry;
    } else if (name !== undefined) passed.add(name);
  }
  return failed;
}

function hasFailed(text: string, node: JsonNode): boolean {
  if (node.kind !== 'object') return false;
  return node.members.some(({ key, value }) =>
    value.kind === 'boolean'
      ? VERDICT.test(key) && sourceOf(text, value) === 'false'
      : value.kind === 'string' && STATUS.test(key) && FAILED.test(stringOf(text, value)),
  );
}

/** What the check is called: by itself, or by its key in a map. */
const titleOf = (text: string, { node, step }: Place): string | undefined =>
  firstText(text, node, TITLES) ?? (typeof step === 'string' ? step : undefined);

function sentenceOf(text: string, entry: Place, word: string): string {
  const title = titleOf(text, entry);
  const reason = firstText(text, entry.node, REASONS);
  const figures = FIGURES.flatMap((key) => {
    const value = fieldOf(entry.node, key);
    return value === undefined || value.end - value.start > MAX_FIGURE ? [] : `${key} ${sourceOf(text, value)}`;
  });
  const what = title === undefined ? `${word} failed` : `${word} ${title} failed`;
  const why = reason === undefined ? what : `${what}: ${reason}`;
  return figures.length === 0 ? why : `${why} (${figures.join(', ')})`;
}

function firstText(text: string, node: JsonNode, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = fieldOf(node, key);
    const said = value?.kind === 'string' ? stringOf(text, value).trim() : '';
    if (said !== '') return said;
  }
  return undefined;
}

const fieldOf = (node: JsonNode, name: string): JsonNode | undefined =>
  node.kind === 'object' ? node.members.findLast(({ key }) => key.toLowerCase() === name)?.value : undefined;

function pathOf(entry: Place): string {
  const steps: (string | number)[] = [];
  for (let at: Place | undefined = entry; at?.step !== undefined; at = at.up) steps.push(at.step);
  return formatPath(steps.reverse());
}

import { stringOf } from '../json/node.ts';
import { parseJson } from '../json/read.ts';
import { maskSecrets } from '../secrets/masker.ts';
import { leafOf, leafStart, noiseOf, statusKey, type Noise } from './noise.ts';
import type { ChangeRoles } from './roles.ts';
import type { Diff, Difference } from './types.ts';
import { wordsOf } from './words.ts';

/** A change that is counted and not ranked, and why. */
export interface FoldedDifference {
  readonly item: Difference;
  /** `routine`: it moves in nearly every step of its task. */
  readonly why: Noise | 'routine';
}

/** Every row of a diff once: those that tell most first, the folded ones in the order of the document. */
export interface RankedDiff {
  readonly ranked: readonly Difference[];
  readonly folded: readonly FoldedDifference[];
}

/** Lower is told first. */
const CLASS = { type: 0, jump: 1, error: 2, text: 3, number: 4, value: 5, move: 6, rest: 7, status: 8 } as const;
/** Where the task is known, another word in place of one tells more than what came or went. */
const WORD = 4.5;

/**
 * What is told first, where it is known what the changes of a task are about. Bookkeeping that isn't folded is a status
 * that became a failure: the error beside it says more.
 */
const LEVEL = { data: 0, bookkeeping: 1, conversation: 2, growth: 3 } as const;

interface Place {
  readonly rank: number;
  /** Among those of one class, larger is told first. */
  readonly weight: number;
}

/** Twice or half: less is the usual movement of a number. */
const JUMP = Math.log10(2);
/** What a changed sign or unit counts: as much as a hundredfold value. */
const TURN = 2;
/** What a number counts that became zero, or that became the text of itself. */
const EMPTIED = 1.5;
/** Longer texts are judged by their beginning. */
const TEXT_LOOKED_AT = 4_000;

/**
 * The rows of a diff in the order in which they tell what happened: changed types, numbers by ratio, sign or unit,
 * errors, texts by the share of their words, values that came or went, moves, the rest. Counters, clocks, cursors and
 * statuses that repeat are folded, judged by shape and value; only tokens by their name. Never all rows, and none is lost.
 * @param roles what the task's changes are about: data comes first, then the conversation, and the rest is folded
 * @example rankDiff(diffJson('{"n":1,"price":4.2}', '{"n":2,"price":4200}')) // ranked: price; folded: n, a counter
 */
export function rankDiff({ items }: Pick<Diff, 'items'>, roles?: ChangeRoles): RankedDiff {
  const repeated = countStatuses(items);
  const ranked: Ranked[] = [];
  const folded: FoldedDifference[] = [];
  let isKnown = roles !== undefined;
  for (const [at, item] of items.entries()) {
    const role = item.role ?? roles?.rankOf(item);
    isKnown ||= item.role !== undefined;
    const why = foldedWhy(item, role, repeated);
    if (why !== undefined) folded.push({ item, why });
    else ranked.push({ item, level: LEVEL[role ?? 'data'], place: placeOf(item, isKnown), at });
  }
  // Where nothing else changed, the counter is the news, and a status more than a counter.
  if (ranked.length === 0) return { ranked: isKnown ? statusesFirst(folded) : items, folded: [] };
  ranked.sort(inOrder);
  return { ranked: ranked.map(({ item }) => item), folded };
}

interface Ranked {
  readonly item: Difference;
  readonly level: number;
  readonly place: Place;
  readonly at: number;
}

const inOrder = (a: Ranked, b: Ranked): number =>
  a.level - b.level || a.place.rank - b.place.rank || b.place.weight - a.place.weight || a.at - b.at;

function statusesFirst(folded: readonly FoldedDifference[]): readonly Difference[] {
  const order = { status: 0, routine: 1, counter: 2, clock: 2, cursor: 2 };
  return folded.toSorted((a, b) => order[a.why] - order[b.why]).map(({ item }) => item);
}

const NAMES_SAID = 3;
const NAME_LENGTH = 24;

/** The folded rows in one line. @example '4 folded: cache_hits, stepIndex, 2 statuses' */
export function foldedLine(folded: readonly FoldedDifference[]): string {
  if (folded.length === 0) return '';
  const statuses = folded.filter(({ why }) => why === 'status').length;
  const names = new Map<string, number>();
  for (const { item, why } of folded) {
    if (why !== 'status') names.set(leafOf(item.path), (names.get(leafOf(item.path)) ?? 0) + 1);
  }
  const said = [...names].slice(0, NAMES_SAID);
  const left = [...names].slice(NAMES_SAID).reduce((sum, [, count]) => sum + count, 0);
  const parts = said.map(([name, count]) => (count === 1 ? cutName(name) : `${count} × ${cutName(name)}`));
  if (statuses > 0) parts.push(statuses === 1 ? '1 status' : `${statuses} statuses`);
  if (left > 0) parts.push(`${left} more`);
  return `${folded.length} folded: ${parts.join(', ')}`;
}

/** Masked before it is cut: half a secret has no shape by which a screen could mask it. */
function cutName(name: string): string {
  const letters = Array.from(maskSecrets(name));
  return letters.length <= NAME_LENGTH ? letters.join('') : `${letters.slice(0, NAME_LENGTH).join('')}…`;
}

function countStatuses(items: readonly Difference[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = statusKey(item);
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function foldedWhy(
  item: Difference,
  role: Difference['role'],
  repeated: ReadonlyMap<string, number>,
): FoldedDifference['why'] | undefined {
  const noise = role === 'data' ? undefined : noiseOf(item);
  if (noise !== undefined) return noise;
  if (isFailure(item)) return undefined;
  const key = statusKey(item);
  if (role === 'bookkeeping') return key === undefined ? 'routine' : 'status';
  return key !== undefined && (repeated.get(key) ?? 0) > 1 ? 'status' : undefined;
}

function placeOf(item: Difference, isKnown: boolean): Place {
  if (item.kind === 'moved') return { rank: CLASS.move, weight: 0 };
  // What failed is said in an error that was written, and only counted in a status.
  if (isFailure(item)) return { rank: CLASS.error, weight: isKnown && isStatus(item) ? -1 : 0 };
  // The number of the failed step says less than the message beside it.
  if (ERROR_NAME.test(item.path.slice(0, leafStart(item.path)))) return { rank: CLASS.error, weight: -0.5 };
  if (isKnown && isStatus(item)) return { rank: CLASS.status, weight: 0 };
  const { before, after } = item;
  if (before === undefined || after === undefined) return { rank: CLASS.value, weight: 0 };
  // Filled for the first time or emptied: nothing was misread.
  if (before === 'null' || after === 'null') return { rank: CLASS.value, weight: 0 };
  if (item.kind === 'type-changed') {
    return unquoted(before) === unquoted(after)
      ? { rank: CLASS.jump, weight: EMPTIED }
      : { rank: CLASS.type, weight: 0 };
  }
  const weight = numberWeight(before, after);
  if (weight !== undefined) return { rank: weight >= JUMP ? CLASS.jump : CLASS.number, weight };
  // One word for another in an entry of a list: a plan that moves on.
  if (statusKey(item) !== undefined && item.path.includes('[')) return { rank: CLASS.rest, weight: 0 };
  if (before.startsWith('"') && after.startsWith('"')) return { rank: CLASS.text, weight: shareChanged(before, after) };
  return { rank: isKnown ? WORD : CLASS.rest, weight: 0 };
}

const STATUS_NAME = /^(?:\w+_)?(?:status|state|phase|stage)$/i;

/** One word for another of how far something is. */
const isStatus = (item: Difference): boolean => statusKey(item) !== undefined && STATUS_NAME.test(leafOf(item.path));

const unquoted = (text: string): string => text.replace(/^"(.*)"$/s, '$1');

const FAILED_WORD = /^"(?:failed|failure|fail|error|errored|fatal|crashed|aborted|rejected|timed?[ _-]?out)"$/i;
const ERROR_TEXT = /^"(?:[\w.]*(?:Error|Exception)\b|Traceback|fatal|panic)/i;
const ERROR_NAME = /(?<![a-z])(?:error|exception|failure|traceback)|Error|Exception|Failure|Traceback/;

/** A status that became a failure, or an error that was written. Its number or its disappearance is none. */
export function isFailure({ kind, path, after }: Difference): boolean {
  if (kind === 'removed' || kind === 'moved' || after === undefined) return false;
  if (FAILED_WORD.test(after) || ERROR_TEXT.test(after)) return true;
  return ERROR_NAME.test(path) && /^["{[]./.test(after) && !/^(?:""|\{\s*\}|\[\s*\])$/.test(after);
}

/** A number as text, with what is around it: a sign of money, a unit. */
const MEASURE = /^"([^\d"\\+-]{0,4})([+-]?\d[\d,]*(?:\.\d+)?)\s?([^\d"\\]{0,12})"$/;
const PLAIN = /^[+-]?(?:\d|NaN|Infinity)/;

/** How far a number went, as a power of ten; undefined where one of the two is not a number. */
function numberWeight(before: string, after: string): number | undefined {
  if (PLAIN.test(before) && PLAIN.test(after)) return weightOf(Number(before), Number(after));
  const [from, to] = [MEASURE.exec(before), MEASURE.exec(after)];
  if (from === null || to === null) return undefined;
  const ratio = weightOf(amount(from[2]), amount(to[2]));
  return from[1] === to[1] && from[3] === to[3] ? ratio : TURN + ratio;
}

const amount = (text: string | undefined): number => Number((text ?? '').replaceAll(',', ''));

function weightOf(from: number, to: number): number {
  if (!Number.isFinite(from) || !Number.isFinite(to)) return TURN;
  if (from === to) return 0;
  if (to === 0) return EMPTIED;
  // From nothing to something: what it grew from isn't known, so it counts little more than twice.
  if (from === 0) return to < 0 ? EMPTIED : JUMP;
  const ratio = Math.abs(Math.log10(Math.abs(to)) - Math.log10(Math.abs(from)));
  return from < 0 === to < 0 ? ratio : TURN + ratio;
}

/** 0 to 1: how many of the words of both sides are on one side only, wherever they are. */
function shareChanged(before: string, after: string): number {
  const [from, to] = [spoken(before), spoken(after)];
  const left = new Map<string, number>();
  for (const word of from) left.set(word, (left.get(word) ?? 0) + 1);
  let same = 0;
  for (const word of to) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    same += 2;
  }
  return from.length + to.length === 0 ? 0 : 1 - same / (from.length + to.length);
}

function spoken(json: string): readonly string[] {
  const whole = json.length > TEXT_LOOKED_AT ? json.slice(1, TEXT_LOOKED_AT) : stringAt(json);
  return wordsOf(whole).filter((word) => word.trim() !== '');
}

function stringAt(json: string): string {
  const node = parseJson(json);
  return node.kind === 'string' ? stringOf(json, node) : json;
}

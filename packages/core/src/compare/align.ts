/** Which step of one run is which of another: by name in the same order, then by position. */
import { commonSubsequence } from '../diff/sequence.ts';

/**
 * A row of two runs beside each other: places of a step in each, or in one of them only.
 * @example const onlyInB: StepPair = { b: 6 }
 */
export interface StepPair {
  readonly a?: number;
  readonly b?: number;
}

/** Runs that differ in more steps than this are matched by position where they differ: a search would take too long. */
const MOST_EDITS = 1_000;

/**
 * Every step of both runs once, each run in its own order. Steps of the same name are matched as far as their order
 * allows; between two matches, as many others on both sides are matched by position. Linear in the steps of runs that
 * have most of them in common.
 * @param shared how many leading steps are the same checkpoints in both
 * @example alignSteps(['plan', 'fetch'], ['plan', 'edit', 'fetch']) // [{ a: 0, b: 0 }, { b: 1 }, { a: 1, b: 2 }]
 */
export function alignSteps(a: readonly string[], b: readonly string[], shared = 0): StepPair[] {
  const most = Math.min(a.length, b.length);
  let head = Math.min(shared, most);
  while (head < most && a[head] === b[head]) head++;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const rows: StepPair[] = [];
  let [nextA, nextB] = [0, 0];
  const match = (toA: number, toB: number): void => {
    addGap(rows, [nextA, toA], [nextB, toB]);
    if (toA < a.length && toB < b.length) rows.push({ a: toA, b: toB });
    [nextA, nextB] = [toA + 1, toB + 1];
  };
  for (let at = 0; at < head; at++) match(at, at);
  const [left, right] = [a.slice(head, a.length - tail), b.slice(head, b.length - tail)];
  for (const [i, j] of sameNames(left, right)) match(head + i, head + j);
  for (let at = tail; at > 0; at--) match(a.length - at, b.length - at);
  match(a.length, b.length);
  return rows;
}

type Range = readonly [from: number, to: number];

function addGap(rows: StepPair[], [fromA, toA]: Range, [fromB, toB]: Range): void {
  const count = toA - fromA;
  if (count === toB - fromB) {
    for (let at = 0; at < count; at++) rows.push({ a: fromA + at, b: fromB + at });
    return;
  }
  for (let at = fromA; at < toA; at++) rows.push({ a: at });
  for (let at = fromB; at < toB; at++) rows.push({ b: at });
}

function sameNames(a: readonly string[], b: readonly string[]): readonly (readonly [number, number])[] {
  if (a.length === 0 || b.length === 0) return [];
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const known = numbers.get(name) ?? numbers.size;
    numbers.set(name, known);
    return known;
  };
  return commonSubsequence(a.map(numberOf), b.map(numberOf), MOST_EDITS) ?? samePlaces(a, b);
}

const samePlaces = (a: readonly string[], b: readonly string[]): [number, number][] =>
  a.flatMap((name, at): [number, number][] => (name === b[at] ? [[at, at]] : []));

/** Steps that a person or this program adds: their words tell what happened, not which step it is. */
const ADDED = new Set(['edit', 'fork', 'restore']);

/**
 * What a step is matched by: what its system calls it, without what went wrong in it.
 * @example stepName({ description: 'compile: ranking inconsistent' }) // 'compile'
 */
export function stepName({ description = '', trigger }: { description?: string; trigger?: string }): string {
  if (trigger !== undefined && ADDED.has(trigger)) return ` ${trigger}`;
  const end = description.indexOf(': ');
  return (end > 0 ? description.slice(0, end) : description).trim();
}

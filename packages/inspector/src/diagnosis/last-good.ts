/** From which checkpoint to go on. */
import {
  equalJson,
  parsePath,
  placeAfter,
  refKey,
  type Examination,
  type Path,
  type Suspect,
  type Pause,
} from '@checkpoint-inspector/core';
import type { Branch, Listed, ReadText } from './branch.ts';
import { stepOf } from './sent.ts';
import type { Diagnosis } from './types.ts';

interface Found {
  readonly branch: Branch;
  /** Of the steps of the branch. */
  readonly texts: readonly ReadText[];
  readonly examination: Examination;
  /** The failed step saved no checkpoint: the last one is good as far as its status goes. */
  readonly isBeside: boolean;
  /** A confident one. */
  readonly first: Suspect | undefined;
  /** From this step on the state itself reports the failure. */
  readonly reported?: number;
}

/** The newest one that did not fail and can be read, before the first suspect, else before the failure. */
export async function lastGoodOf(found: Found, pause: Pause): Promise<Diagnosis['lastGood']> {
  const { branch, texts, isBeside, first, reported } = found;
  const { steps } = branch;
  const end = steps.length - 1;
  const blamed = first === undefined ? -1 : steps.findIndex(({ ref }) => refKey(ref) === refKey(first.ref));
  // On the failed checkpoint of a step that saved none, only a suspect of an earlier step makes the state bad.
  const isGood = (at: number): boolean =>
    'text' in (texts[at] ?? { reason: '' }) && (steps[at]?.row.status !== 'failed' || (isBeside && at === end));
  const before = Math.min(reported ?? Infinity, blamed >= 0 ? blamed : isBeside ? steps.length : end);
  const at = steps.findLastIndex((_step, place) => place < before && isGood(place));
  const good = steps[at];
  if (good === undefined) return undefined;
  const holds = first === undefined ? undefined : await heldFrom(found, blamed, first, pause);
  return { ...stepOf(good), back: end - at, ...(holds ? { holds } : {}) };
}

/** The first of the last steps whose states all have the same text at the place that reports the failure. */
export function reportedSince(examination: Examination, path: Path): number {
  const end = examination.steps.length - 1;
  const said = examination.textAt(end, path);
  const other = examination.steps.findLastIndex((_step, at) => examination.textAt(at, path) !== said);
  return Math.min(end, other + 1);
}

/** Checkpoints that did not fail and hold the value, from the one that wrote it until it changes again. */
async function heldFrom(
  { branch, texts, examination }: Found,
  from: number,
  suspect: Suspect,
  pause: Pause,
): Promise<NonNullable<Diagnosis['lastGood']>['holds']> {
  let first: Listed | undefined;
  let last: Listed | undefined;
  let path: Path | undefined = parsePath(suspect.path);
  let before: string | undefined;
  for (let at = from; at < branch.steps.length - 1; at++) {
    await pause();
    const [step, read] = [branch.steps[at], texts[at]];
    if (step === undefined || read === undefined) break;
    // What cannot be read does not end the span, and is not counted to it.
    if (!('text' in read)) continue;
    const { after } = suspect;
    if (!isEqualText(examination.textAt(at, path), after)) {
      path = before === undefined || after === undefined ? undefined : placeAfter(before, read.text, path);
    }
    if (path === undefined) break;
    before = read.text;
    if (step.row.status === 'failed') continue;
    first ??= step;
    last = step;
  }
  return first && last ? { from: stepOf(first), to: stepOf(last) } : undefined;
}

/** Both absent, or both the same value. */
const isEqualText = (a: string | undefined, b: string | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a === b || equalJson(a, b);

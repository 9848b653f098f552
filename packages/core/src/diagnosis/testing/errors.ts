import { formatPath, type Path } from '../../json/path.ts';
import { at, isNumber, leavesOf, num, textOf, type Json, type Obj } from './json.ts';
import type { Rng } from './rng.ts';
import type { Style } from './style.ts';

/** What the end of a run can tell of a fault. */
export interface Harm {
  readonly path: Path;
  /** What a person calls the entry, if the fault is in one. */
  readonly entry?: string;
  /** Results that came out wrong. */
  readonly results: readonly { readonly path: Path; readonly wrong: Json; readonly right: Json | undefined }[];
}

export type ErrorStyle = 'field' | 'result' | 'entry' | 'generic';

const GENERIC = [
  'validation failed',
  'assertion error in the last step',
  'result rejected by reviewer',
  'acceptance test failed: output differs from what was expected',
  'ConsistencyError: the data does not add up',
  'The customer sent it back: something is wrong with the figures.',
  'check_output() returned False',
  'schema mismatch',
  'Step failed. See the log.',
  'unexpected value',
  'the hand-over was refused',
];

/** Results that differ between the run with the fault and the one without. */
export function resultsOf(wrong: Obj, right: Obj, culprits: readonly Path[], skip: readonly string[]): Harm['results'] {
  return leavesOf(wrong).flatMap(({ path, value }) => {
    if (skip.includes(String(path[0])) || culprits.some((culprit) => touches(culprit, path))) return [];
    const other = at(right, path);
    if (other !== undefined && textOf(other) === textOf(value)) return [];
    return [{ path, wrong: value, right: other }];
  });
}

/** Inside the harm, around it, or in a list whose places have moved. */
function touches(culprit: Path, path: Path): boolean {
  const harm = typeof culprit.at(-1) === 'number' ? culprit.slice(0, -1) : culprit;
  const shared = Math.min(harm.length, path.length);
  return harm.slice(0, shared).every((step, nth) => path[nth] === step);
}

export function styleOfError(rng: Rng, harm: Harm): ErrorStyle {
  const drawn = rng.next();
  if (drawn < 0.5) return 'field';
  if (drawn < 0.72) return harm.results.length > 0 ? 'result' : 'generic';
  if (drawn < 0.84) return harm.entry === undefined ? 'generic' : 'entry';
  return 'generic';
}

export function errorText(kind: ErrorStyle, harm: Harm, state: Obj, style: Style, rng: Rng): string {
  if (kind === 'field') return fieldError(harm, state, style, rng);
  if (kind === 'result') return resultError(harm, rng);
  if (kind === 'entry') {
    const id = harm.entry ?? '';
    return rng.pick([
      `check failed for ${id}`,
      `${id}: rejected`,
      `cannot process ${id}`,
      `${id} is not plausible, stopped`,
    ]);
  }
  return rng.pick(GENERIC);
}

function fieldError({ path, entry }: Harm, state: Obj, style: Style, rng: Rng): string {
  const key = String(path.findLast((step) => typeof step === 'string') ?? '');
  const value = at(state, path);
  const shown = value === undefined ? 'missing' : textOf(value).slice(0, 60);
  const of = entry === undefined || rng.chance(0.2) ? '' : ` of ${entry}`;
  return rng.pick([
    `invalid ${key}${of}`,
    `${key.replaceAll('_', ' ')}${of} failed the check`,
    `ValueError: bad value for '${key}'${of}: ${shown}`,
    `/${path.join('/')}: not allowed`,
    `${formatPath(path)} does not match the rule`,
    `unexpected ${key}${of}: ${shown}`,
    style.set === 'tune' ? `${key}${of} is out of range` : `${key}${of} was refused by the receiving system`,
  ]);
}

function resultError({ results }: Harm, rng: Rng): string {
  const numbers = results.filter(({ wrong, right }) => isNumber(wrong) && right !== undefined && isNumber(right));
  const { path, wrong, right } = rng.pick(numbers.length > 0 && rng.chance(0.7) ? numbers : results);
  const key = String(path.findLast((step) => typeof step === 'string') ?? '').replaceAll('_', ' ');
  if (isNumber(wrong) && right !== undefined && isNumber(right) && rng.chance(0.6)) {
    return rng.pick([
      `${key} is ${num(wrong)}, expected ${num(right)}`,
      `${key} does not match: ${num(right)} wanted, ${num(wrong)} found`,
      `AssertionError: ${num(wrong)} != ${num(right)} (${key})`,
    ]);
  }
  return rng.pick([
    `${key} is off`,
    `${key} does not agree with the source`,
    `cannot confirm ${key}`,
    `${formatPath(path)} failed the check`,
  ]);
}

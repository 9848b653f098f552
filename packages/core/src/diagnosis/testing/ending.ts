import type { Path } from '../../json/path.ts';
import type { Domain } from './acts.ts';
import { errorText, resultsOf, styleOfError, type Harm } from './errors.ts';
import { at, copyOf, isObj, type Json, type Obj } from './json.ts';
import type { Rng } from './rng.ts';
import type { Run, RunStep } from './run.ts';
import type { CaseSet, Style } from './style.ts';

/** A fault that shows at the end. */
interface Shown {
  readonly kind: 'failed' | 'completed-with-failed-check';
  readonly culprits: readonly Path[];
  /** The last state of the run without the fault. */
  readonly right: Obj;
  readonly domain: Domain;
  /** The value itself is right again: only what was made of it is wrong. */
  readonly mended: boolean;
}

/** How a run ends. */
export type Ending = { readonly kind: 'well' } | { readonly kind: 'outside' } | Shown;

const OUTSIDE = [
  'HTTP 502 from upstream',
  'disk quota exceeded',
  'the model did not answer in time',
  'stopped by the user',
];
const FAILING: Record<CaseSet, readonly string[]> = {
  tune: ['validate', 'publish', 'final check', 'send report'],
  'held-out': ['sign off', 'hand over', 'review', 'compare with the reference'],
};
const CHECKS: Record<CaseSet, readonly string[]> = {
  tune: ['row count', 'no duplicates', 'encoding', 'report exists', 'schema', 'within limits'],
  'held-out': ['completeness', 'freshness', 'links resolve', 'size', 'signatures', 'plausibility'],
};

/** The steps of a run with the last one ended so. */
export function failing(run: Run, ending: Ending, style: Style, rng: Rng): RunStep[] {
  const last = run.steps.at(-1);
  const state = last && copyOf(last.state);
  if (!last || !isObj(state)) throw new Error('A run has steps.');
  return [...run.steps.slice(0, -1), lastStep(last, state, ending, style, rng)];
}

function lastStep(last: RunStep, state: Obj, ending: Ending, style: Style, rng: Rng): RunStep {
  const checked = rng.chance(0.35);
  const description = rng.chance(0.6) ? rng.pick(FAILING[style.set]) : last.description;
  if (ending.kind === 'well') {
    if (checked) state[style.names.checks] = checksOf(style, rng);
    return { description, status: 'completed', state };
  }
  const text = ending.kind === 'outside' ? rng.pick(OUTSIDE) : tellHarm(state, ending, style, rng);
  if (ending.kind === 'completed-with-failed-check') {
    state[style.names.checks] = checksOf(style, rng, text);
    return { description, status: 'completed', state };
  }
  const inState = rng.chance(0.6);
  if (inState)
    state[style.names.error] = rng.pick<Json>([
      text,
      { message: text, type: 'Error' },
      { reason: text, retryable: false },
    ]);
  const beside = !inState || rng.chance(0.7);
  return { description, status: 'failed', state, ...(beside ? { error: text } : {}) };
}

function tellHarm(state: Obj, ending: Shown, style: Style, rng: Rng): string {
  const { culprits, right, domain, mended } = ending;
  const path = culprits[0] ?? [];
  const entry = nameOf(path, right, domain);
  const results = resultsAt(state, ending, style);
  const harm: Harm = { path, ...(entry === undefined ? {} : { entry }), results };
  return errorText(mended ? 'result' : styleOfError(rng, harm), harm, state, style, rng);
}

/** What the fault has spoilt besides what it hit, talk and tools' answers apart. */
export function resultsAt(state: Obj, { culprits, right }: Shown, style: Style): Harm['results'] {
  return resultsOf(state, right, culprits, [style.talk.list, style.names.answer]);
}

/** What people call the entry that a path goes into. */
function nameOf(path: Path, state: Obj, { collections }: Domain): string | undefined {
  for (const { path: start, id } of collections) {
    const step = path[start.length];
    if (step === undefined || !start.every((one, nth) => path[nth] === one)) continue;
    if (id === undefined) return String(step);
    const value = at(state, [...start, step, id]);
    if (typeof value === 'string') return value;
  }
  return undefined;
}

/** A list of checks; with a text, one of them failed. */
function checksOf(style: Style, rng: Rng, failed?: string): Json {
  const names = rng.some(CHECKS[style.set], rng.int(2, 4));
  const word = rng.pick(['ok', 'status', 'passed']);
  const good: Json = word === 'status' ? 'passed' : true;
  const bad: Json = word === 'status' ? 'failed' : false;
  const all: Json[] = names.map((name) => ({
    name,
    [word]: good,
    detail: rng.chance(0.5) ? '' : `${rng.int(3, 90)} of them`,
  }));
  if (failed !== undefined) {
    const detail = rng.chance(0.5)
      ? { name: failed, detail: '' }
      : { name: rng.pick(['consistency', 'spot check', 'business rules']), detail: failed };
    all.splice(rng.int(0, all.length), 0, { name: detail.name, [word]: bad, detail: detail.detail });
  }
  return all;
}

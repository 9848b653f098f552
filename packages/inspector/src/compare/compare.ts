/** Two runs aligned step by step: where they first differ, what each step changed on either side, how they end. */
import {
  alignSteps,
  compact,
  compareChanges,
  divergence,
  rankDiff,
  stepName,
  tells,
  createPause,
  sentValues,
} from '@checkpoint-inspector/core';
import type { Difference, StepPair } from '@checkpoint-inspector/core';
import { errorLineOf } from '../stores/error-line.ts';
import { listRuns, sideOf, stepOf, type Run, type RunPlace } from './run.ts';
import { RUN_LIMITS, RunStates, type Placed } from './states.ts';
import type { ComparedRun, FirstDifference, RunComparison, RunEnd, RunGap, RunRow, RunStep } from './types.ts';

const CHANGES = 3;
const AT_END = 20;
/** Equal rows that are kept before the first difference of very long runs. */
const LEADING = 200;

/**
 * Reads each state at most once, and none that both runs have as the same checkpoint.
 * @throws InspectorError not_found | ambiguous_id; the reason of the signal when it is cancelled
 * @example (await compareRuns({ source, query: { task, cp: 'f1' } }, { source, query: { task } })).first
 */
export async function compareRuns(
  a: ComparedRun,
  b: ComparedRun,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<RunComparison> {
  const pause = createPause();
  const runs = await listRuns(a, b, pause);
  const ignoreRules = [...new Set(runs.flatMap(({ source }) => source.info.volatilePaths))];
  const states = new RunStates(ignoreRules, signal);
  const walk = new Walk(runs, states);
  const pairs = alignSteps(...walk.names, walk.shared);
  for (const pair of pairs) {
    signal?.throwIfAborted();
    await pause();
    await walk.add(pair);
  }
  const end = await walk.end();
  const [left, right] = await Promise.all(
    runs.map((run) => sideOf(run, () => states.state(placed(run, run.places.length - 1)))),
  );
  if (left === undefined || right === undefined) throw new RangeError('Two runs are compared.');
  return {
    a: left,
    b: right,
    shared: walk.shared,
    ...walk.part(),
    ...compact({ end }),
    ignoreRules,
    examined: walk.examined,
  };
}

const placed = ({ source, places }: Run, at: number): Placed => {
  const place = places[at];
  if (place === undefined) throw new RangeError(`A run has no step ${at}.`);
  return { source, ...place };
};

type Side = 'a' | 'b';

/** One step of one run. */
interface At {
  readonly side: Side;
  readonly at: number;
}

/** The rows as far as they are known. */
class Walk {
  readonly shared: number;
  readonly names: readonly [string[], string[]];
  readonly #runs: Readonly<Record<Side, Run>>;
  readonly #states: RunStates;
  readonly #rows: RunRow[] = [];
  readonly #gaps: RunGap[] = [];
  /** Rows that were compared. */
  #compared = 0;
  /** A value differs: from here on, steps are compared by what they change. */
  #first: FirstDifference | undefined;

  constructor([a, b]: readonly [Run, Run], states: RunStates) {
    this.#runs = { a, b };
    this.#states = states;
    const isOneStore = a.source.info.id === b.source.info.id;
    this.shared = isOneStore ? divergence(a.places.map(stepIn), b.places.map(stepIn)).shared : 0;
    this.names = [a.places.map(nameOf), b.places.map(nameOf)];
  }

  async add({ a, b }: StepPair): Promise<void> {
    const outcome = a !== undefined && b !== undefined && this.#status('a', a) !== this.#status('b', b);
    const row = await this.#rowOf(a, b);
    this.#rows.push(outcome ? { ...row, outcome } : row);
  }

  async #rowOf(a: number | undefined, b: number | undefined): Promise<RunRow> {
    if (a === undefined || b === undefined) return this.#alone(a === undefined ? 'b' : 'a', a ?? b ?? 0);
    if (Math.max(a, b) < this.shared) return { verdict: 'same', ...this.#steps(a, b) };
    if (this.#compared >= RUN_LIMITS.rows) return { verdict: 'unknown', ...this.#steps(a, b) };
    this.#compared++;
    return this.#first === undefined ? this.#together(a, b) : this.#apart(a, b);
  }

  /** While all was equal, so are two states in which nothing differs. */
  async #together(a: number, b: number): Promise<RunRow> {
    const found = await this.#compare({ side: 'a', at: a }, { side: 'b', at: b });
    if (found === undefined) return { verdict: 'unknown', ...this.#steps(a, b) };
    const items = found.filter(tells);
    if (items.length === 0) return { verdict: 'same', ...this.#steps(a, b) };
    const [top] = rankDiff({ items }).ranked;
    this.#first = { row: this.#rows.length, ...compact({ difference: top && sentValues(top) }) };
    if (a > 0 && b > 0) return this.#apart(a, b);
    // The first steps have nothing before them: what each has of its own is what it brought.
    const own = { a: items.flatMap(asBefore), b: items.flatMap(asAfter) };
    const steps = { a: await this.#step('a', a, own.a), b: await this.#step('b', b, own.b) };
    return { verdict: 'differs', differ: items.length, ...steps };
  }

  async #apart(a: number, b: number): Promise<RunRow> {
    const [left, right] = [await this.#changes('a', a), await this.#changes('b', b)];
    const steps = { a: await this.#step('a', a, left), b: await this.#step('b', b, right) };
    if (left === undefined || right === undefined) return { verdict: 'unknown', ...steps };
    const { differ, of } = compareChanges(left, right);
    return differ === 0 ? { verdict: 'same-change', ...steps } : { verdict: 'differs', differ, of, ...steps };
  }

  async #alone(side: Side, at: number): Promise<RunRow> {
    const isIn = this.#compared < RUN_LIMITS.rows;
    if (isIn) this.#compared++;
    const changes = isIn ? await this.#changes(side, at) : undefined;
    const [top] = rankDiff({ items: changes?.filter(tells) ?? [] }).ranked;
    if (top && this.#first === undefined) {
      const difference = sentValues(side === 'b' ? top : reversed(top));
      this.#first = { row: this.#rows.length, difference };
    }
    return { verdict: `only-${side}`, [side]: await this.#step(side, at, changes) };
  }

  /** What a step changed: against the step before it in its own run. */
  async #changes(side: Side, at: number): Promise<readonly Difference[] | undefined> {
    return at === 0 ? [] : this.#compare({ side, at: at - 1 }, { side, at });
  }

  /** @returns undefined where one of the two can't be compared; `gaps` says which and why */
  async #compare(before: At, after: At): Promise<readonly Difference[] | undefined> {
    const [old, own] = [before, after].map(({ side, at }) => placed(this.#runs[side], at));
    const found = old && own && (await this.#states.compare(old, own));
    if (found === undefined || 'diff' in found) return found?.diff.items;
    const { side } = found.unread === old ? before : after;
    const { ref, row } = found.unread.step;
    const isNew = !this.#gaps.some((gap) => gap.ref === ref);
    if (isNew && this.#gaps.length < RUN_LIMITS.gaps)
      this.#gaps.push({ side, ref, seq: row?.seq ?? 0, reason: found.reason });
    return undefined;
  }

  async #step(side: Side, at: number, changes: readonly Difference[] | undefined): Promise<RunStep> {
    const { source, ...place } = placed(this.#runs[side], at);
    const error = place.meta && (await errorLineOf(source, place.meta, () => this.#states.state({ source, ...place })));
    const told = changes && rankDiff({ items: changes }).ranked.slice(0, CHANGES).map(sentValues);
    return { ...stepOf(place), ...compact({ error, changes: told, changed: changes?.length }) };
  }

  #steps(a: number, b: number): Pick<RunRow, 'a' | 'b'> {
    return { a: stepOf(placed(this.#runs.a, a)), b: stepOf(placed(this.#runs.b, b)) };
  }

  #status(side: Side, at: number): string | undefined {
    return this.#runs[side].places[at]?.step.row?.status;
  }

  async end(): Promise<RunEnd | undefined> {
    const [a, b] = [this.#runs.a, this.#runs.b].map((run) => placed(run, run.places.length - 1));
    const found = a && b && (await this.#states.compare(a, b, true));
    if (found === undefined || !('diff' in found)) return undefined;
    const { summary, equal } = found.diff;
    return { summary, ...compact({ equal }), items: rankDiff(found.diff).ranked.slice(0, AT_END).map(sentValues) };
  }

  /** Of very long runs the part around the first difference. */
  part(): Pick<RunComparison, 'first' | 'rows' | 'before' | 'after'> {
    const other = this.#rows.findIndex(({ verdict, outcome }) => outcome || verdict.startsWith('only'));
    const first = this.#first ?? (other === -1 ? undefined : { row: other });
    const before = this.#rows.length <= RUN_LIMITS.sent ? 0 : Math.max(0, (first?.row ?? 0) - LEADING);
    const rows = this.#rows.slice(before, before + RUN_LIMITS.sent);
    return {
      ...(first === undefined ? {} : { first: { ...first, row: first.row - before } }),
      rows,
      before,
      after: this.#rows.length - before - rows.length,
    };
  }

  get examined(): RunComparison['examined'] {
    return { n: this.#compared, of: this.#rows.length - this.shared, gaps: this.#gaps };
  }
}

const stepIn = ({ step }: RunPlace) => step;
const nameOf = ({ step, meta }: RunPlace): string =>
  stepName(compact({ description: step.row?.description, trigger: meta?.trigger }));

const reversed = ({ path, kind, before, after, from }: Difference): Difference => {
  const swapped = { added: 'removed', removed: 'added' } as const;
  const turned = kind === 'added' || kind === 'removed' ? swapped[kind] : kind;
  return { path, kind: turned, ...compact({ before: after, after: before, from }) };
};

const asBefore = ({ path, before }: Difference): Difference[] =>
  before === undefined ? [] : [{ path, kind: 'added', after: before }];
const asAfter = ({ path, after }: Difference): Difference[] =>
  after === undefined ? [] : [{ path, kind: 'added', after }];

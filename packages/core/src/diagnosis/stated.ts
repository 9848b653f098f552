/** What a run's last state says went wrong with the run itself, and not with what it is about: a grade, a claim, a server. */
import type { Path } from '../json/path.ts';
import { isChecking } from './checking.ts';
import type { Event } from './events.ts';
import type { Examination } from './examination.ts';
import { isAnswered, isForErrors, saysFailed, statedFailures, type StatedFailure } from './failure.ts';
import { Histories } from './history.ts';
import type { Label } from './place.ts';
import type { DiagnosedStep } from './types.ts';
import { isProse, wordsOf } from './values.ts';

/** Names of what came of the run itself, and of what a state as a whole may be in. */
const OUTCOMES = new Set(
  [
    'result output outcome response final run job task workflow session agent values state data body channels context memory metadata meta execution',
    'handover release closing delivery submission publication deployment launch health',
  ].flatMap((names) => names.split(' ')),
);

/** What the last state says went wrong in the last steps, the most telling first: of a run that failed its error. */
export function failuresIn(
  { events, steps, last }: Pick<Examination, 'events' | 'steps' | 'last'>,
  histories: Histories = new Histories(events),
): readonly StatedFailure[] {
  if (last === undefined) return [];
  const isFailed = steps.at(-1)?.status === 'failed';
  let failed: ReturnType<typeof failedIn> | undefined;
  const found = statedFailures(last.root).flatMap((failure) => {
    if (!isFailed && !isOfRun(failure)) return [];
    if (steps.at(-1)?.status === 'completed' && isAnswered(last.root, failure.path)) return [];
    const { slot, key } = last.place(failure.path);
    // Where several entries come to say so, it is a result like another.
    if (failure.kind === 'status' && ((failed ??= failedIn(events)).get(slot)?.size ?? 0) > 2) return [];
    const step = histories.of(key).at(-1)?.step ?? 0;
    if (failure.isWeak && !isFailed && steps.at(-1)?.status !== 'completed') return [];
    const late = failure.isWeak ? 1 : isEarlier(failure) && !isFailed ? 2 : 4;
    return step > 0 && step >= steps.length - late && !isRecovered(step, steps) ? [{ failure, step }] : [];
  });
  const rank = isFailed ? rankOfFailed : rankOfCompleted;
  const isTold = isFailed && found.some(({ failure }) => !failure.isWeak && rank(failure) < NO_WORDS);
  return found
    .filter(({ failure }) => !(isTold && failure.isWeak))
    .toSorted(
      (a, b) =>
        rank(a.failure) - rank(b.failure) ||
        Number(a.failure.isWeak ?? false) - Number(b.failure.isWeak ?? false) ||
        b.step - a.step ||
        b.failure.path.length - a.failure.path.length,
    )
    .map(({ failure }) => failure);
}

const NO_WORDS = 3;

/** What tells the most of a run that failed; a status in one word tells nothing. */
function rankOfFailed({ kind, isWeak, message }: StatedFailure): number {
  if (kind === 'error') return 0;
  if (isWeak) return 2;
  return kind === 'check' || isProse(message) ? 1 : NO_WORDS;
}

const ORDER = ['check', 'error', 'status'];
const rankOfCompleted = ({ kind }: StatedFailure): number => ORDER.indexOf(kind);

/** By slot, the entries that once said they had failed. */
function failedIn(events: readonly Event[]): ReadonlyMap<Label, ReadonlySet<Label>> {
  const failed = new Map<Label, Set<Label>>();
  for (const { slot, key, after } of events) {
    if (after?.kind === 'string' && saysFailed(after)) failed.set(slot, (failed.get(slot) ?? new Set()).add(key));
  }
  return failed;
}

/** The step that wrote it failed, and the last one went well. */
const isRecovered = (step: number, steps: readonly DiagnosedStep[]): boolean =>
  steps[step]?.status === 'failed' && steps.at(-1)?.status === 'completed';

/** Something that is called a check says so, or what came of the run; a field of anything else is about that. */
function isOfRun({ kind, path }: StatedFailure): boolean {
  // The last of some lines, or a row of a table without names.
  if (kind !== 'error') return typeof path.at(-1) === 'number' || (isOfRunAt(path) && !isDecision(path));
  const errors = path.findIndex((step) => typeof step === 'string' && isForErrors(step));
  return isOfRunAt(errors < 0 ? path : path.slice(0, errors + 1));
}

/** What steps of a run are kept in, and what was said in it. */
const STEPS = new Set(['phase', 'phases', 'step', 'steps', 'stage', 'stages', 'node', 'nodes', 'pipeline', 'messages']);
const isOfSteps = (name: string): boolean => wordsOf(name).some((word) => STEPS.has(word));

/** What a run was asked to approve. */
const isDecision = (path: Path): boolean => wordsOf(String(path.at(-1))).includes('approved');

function isOfRunAt(path: Path): boolean {
  const around = path.slice(0, -1).filter((step) => typeof step === 'string');
  const inner = around.at(-1);
  return inner === undefined || OUTCOMES.has(inner.toLowerCase()) || around.some(isOfSteps) || around.some(isChecking);
}

/** `last_error`: a run that went on for a while has it behind it. */
const isEarlier = ({ kind, path }: StatedFailure): boolean =>
  kind === 'error' && path.some((step) => typeof step === 'string' && wordsOf(step).some((word) => EARLIER.has(word)));

const EARLIER = new Set(['last', 'previous', 'prior']);

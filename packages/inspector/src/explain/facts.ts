/** What is known of a task without looking at its changes. */
import {
  callsOf,
  compact,
  failedCheck,
  InspectorError,
  kindOf,
  messagesOf,
  refIn,
  repeatedCall,
  stepRefWords,
  type CheckpointSource,
  type Explanation,
  type Outcome,
  type CheckpointStatus,
} from '@checkpoint-inspector/core';
import { stepRef, type Branch, type Listed, type ReadText } from './branch.ts';
import { isError, toldBy } from './failure.ts';

/** A larger state is named and not read. */
const MAX_STATE = 64_000_000;

export async function readText(source: CheckpointSource, { ref }: Pick<Listed, 'ref'>): Promise<ReadText> {
  try {
    const state = await source.state(ref, { mostCharacters: MAX_STATE });
    return state === undefined ? { reason: 'It is no longer in the store.' } : { text: state.text };
  } catch (error) {
    if (InspectorError.is(error)) return { reason: error.message };
    throw error;
  }
}

export const NOTHING = { writes: [], named: [], unusual: [] } as const;

const OUTCOMES: Readonly<Record<CheckpointStatus, Outcome>> = {
  failed: 'failed',
  interrupted: 'waiting',
  running: 'running',
  completed: 'completed',
  pending: 'unknown',
  unknown: 'unknown',
};

export async function factsOf(source: CheckpointSource, branch: Branch): Promise<Explanation> {
  const { task, steps } = branch;
  const end = steps.at(-1);
  if (end === undefined) throw new RangeError('A branch must have an end.');
  const base = { task, ...NOTHING, examined: { n: 0, of: steps.length, gaps: [] } };
  const outcome = OUTCOMES[end.row.status];
  if (outcome === 'failed') return { ...base, outcome, ...(await failureOf(source, branch, end)) };
  const checked = outcome === 'completed' ? await checkOf(source, branch) : undefined;
  if (checked) return { ...base, outcome: 'check_failed', kind: 'check_failed', ...checked };
  const note = elsewhere(branch);
  const kind = outcome === 'waiting' ? outcome : undefined;
  return { ...base, outcome, ...compact({ kind, note }) };
}

const elsewhere = ({ failedElsewhere: at }: Branch): string | undefined =>
  at && `Another branch of this task failed, at ${stepRefWords(at)}.`;

async function failureOf(source: CheckpointSource, branch: Branch, end: Listed) {
  const { steps, recovered } = branch;
  const read = await readText(source, end);
  const before = steps.at(-2);
  const { message, node, isBeside } = await toldBy(source, end, read, before && (await readText(source, before)));
  const { description, id } = { ...end.row, id: end.ref.id };
  const said = message ?? (isError(description) ? description : undefined);
  const kind = kindOf(said ?? '');
  const calls = kind === 'gave_up' && 'text' in read ? callsOf(messagesOf(read.text)) : [];
  return {
    kind,
    error: {
      message: said ?? description ?? id,
      ref: end.ref,
      ...compact({ node }),
      ...(said === undefined ? { unsaid: true as const } : {}),
    },
    failingStep: { ...stepRef(end), ...compact({ node }), ...(isBeside ? { before: true as const } : {}) },
    ...compact({
      lastGood: await lastGood(source, steps, isBeside ? steps.length : steps.length - 1),
      recovered: recovered && {
        ...stepRef({ ref: refIn(end.ref.task, recovered), row: recovered }),
        ...compact({ time: recovered.time }),
      },
      repeated: repeatedCall(calls),
    }),
  };
}

/** The newest one before `end` that did not fail and can be read. */
async function lastGood(
  source: CheckpointSource,
  steps: readonly Listed[],
  end: number,
): Promise<Explanation['lastGood']> {
  for (let at = end - 1; at >= 0; at--) {
    const step = steps[at];
    const isBesideFailure = at === steps.length - 1;
    if (step === undefined || (step.row.status === 'failed' && !isBesideFailure)) continue;
    const meta = await source.meta(step.ref);
    if (meta === undefined || meta.problem !== undefined) continue;
    return { ...stepRef(step), back: steps.length - 1 - at };
  }
  return undefined;
}

/** A run that ended with a failed check: since when its states have it. */
async function checkOf(source: CheckpointSource, { steps }: Branch) {
  let found: { readonly at: number; readonly path: string; readonly message: string } | undefined;
  for (let at = steps.length - 1; at >= 0; at--) {
    const step = steps[at];
    const read = step && (await readText(source, step));
    const failed = read && 'text' in read ? failedCheck(read.text) : undefined;
    if (failed === undefined) break;
    found = { at, ...failed };
  }
  const failing = found && steps[found.at];
  if (found === undefined || failing === undefined) return undefined;
  return {
    error: { message: found.message, ref: failing.ref, path: found.path },
    failingStep: stepRef(failing),
    ...compact({ lastGood: await lastGood(source, steps, found.at) }),
  };
}

/** From a failure to what most likely caused it: the one answer that page, command, REST and MCP give. */
import {
  compact,
  concluding,
  Examination,
  formatPath,
  refIn,
  statedFailure,
  type CheckpointSource,
  type Conclusion,
  type DiagnosedStep,
  type Pause,
} from '@checkpoint-inspector/core';
import { MetaBook, type BranchQuery } from '../history/branch.ts';
import {
  healthySiblings,
  listBranch,
  OTHERS,
  pausing,
  readAll,
  readWithin,
  recoveredAt,
  type Branch,
  type Listed,
  type Looking,
  type Reads,
  type ReadText,
} from './branch.ts';
import { isSentence, toldBy, type Told } from './failure.ts';
import { lastGoodOf, reportedSince } from './last-good.ts';
import { sentSuspect, stepOf } from './sent.ts';
import type { Diagnosis } from './types.ts';

/** More likely the cause than not: what scores less is a guess. */
export const CONFIDENT = 0.5;
/** A state that reports its failure does so in its newest checkpoints. */
const NEWEST = 4;

/**
 * Reads the branch once, the root first, and changes nothing.
 * @throws InspectorError not_found | ambiguous_id; the reason of the signal when it is cancelled
 * @example const { outcome, suspects } = await diagnose(source, { task: 'run-1' });
 */
export async function diagnose(
  source: CheckpointSource,
  query: BranchQuery,
  { signal }: Looking = {},
): Promise<Diagnosis> {
  const pause = pausing(signal);
  return diagnoseBranch(source, await listBranch(source, query, pause), pause);
}

/** @param reads states that are known already */
export async function diagnoseBranch(
  source: CheckpointSource,
  listed: Branch,
  pause: Pause,
  reads: Reads = new Map(),
): Promise<Diagnosis> {
  const end = listed.steps.at(-1);
  if (end === undefined) throw new RangeError('A branch must have an end.');
  const isFailed = end.row.status === 'failed';
  if (!isFailed && !(await saysFailed(source, listed, reads, pause))) {
    const other = await otherFailed(source, listed, pause);
    if (other === undefined) return healthy(listed, await listedGaps(source, listed, pause));
    return diagnoseBranch(source, other.branch, pause, other.reads);
  }
  const branch = await readWithin(source, listed, reads, pause);
  const found = await examine(source, branch, reads, pause);
  const last: ReadText = found.texts.at(-1) ?? { reason: '' };
  const told: Told = isFailed ? await toldBy(source, end, last) : { isBeside: false };
  const healthyTips = await healthySiblings(source, branch);
  await pause();
  const { description } = end.row;
  const error = told.message ?? (isFailed && isSentence(description) ? description : undefined);
  const hints = { healthy: healthyTips, ignore: source.info.volatilePaths, ...compact({ error }) };
  const conclusion = await paused(concluding(found.examination, hints), pause);
  if (!isFailed && conclusion.failure === undefined) return healthy(branch, found.gaps);
  const suspects = conclusion.suspects.map((one) => sentSuspect(one, branch.steps));
  const outcome = (suspects[0]?.score ?? 0) >= CONFIDENT ? 'suspects' : 'unclear';
  const recovered = isFailed ? recoveredAt(branch.tree, end.ref) : undefined;
  const first = outcome === 'suspects' ? conclusion.suspects[0] : undefined;
  const { failure } = conclusion;
  const reported = isFailed || failure === undefined ? undefined : reportedSince(found.examination, failure.path);
  const lastGood = await lastGoodOf(
    { ...found, branch, isBeside: told.isBeside, first, ...compact({ reported }) },
    pause,
  );
  const failing = branch.steps[reported ?? -1] ?? end;
  return {
    error: errorOf(end, told, conclusion, isFailed),
    failingStep: { ...stepOf(failing), ...compact({ node: told.node }), ...(told.isBeside ? { before: true } : {}) },
    ...(lastGood ? { lastGood } : {}),
    ...(recovered
      ? {
          recovered: {
            ...stepOf({ ref: refIn(end.ref.task, recovered), row: recovered }),
            ...compact({ time: recovered.time }),
          },
        }
      : {}),
    suspects,
    outcome,
    examined: examinedOf(branch, found.gaps),
  };
}

/** Others have their turn wherever the work allows it. */
async function paused<T>(work: Generator<undefined, T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
}

/** Of a checkpoint that is not marked as failed, its newest states are asked before the whole branch is read. */
async function saysFailed(source: CheckpointSource, branch: Branch, reads: Reads, pause: Pause): Promise<boolean> {
  const end = branch.steps.at(-1)?.row.status;
  if (end === 'interrupted' || end === 'pending') return false;
  const newest = await examine(source, { steps: branch.steps.slice(-NEWEST) }, reads, pause);
  return statedFailure(newest.examination) !== undefined;
}

/** Of a task whose latest checkpoint is well: the newest other branch whose end says that it failed. */
async function otherFailed(
  source: CheckpointSource,
  { others }: Branch,
  pause: Pause,
): Promise<{ readonly branch: Branch; readonly reads: Reads } | undefined> {
  for (const { task, id, namespace: ns } of others.slice(0, OTHERS)) {
    const branch = await listBranch(source, { task, cp: id, ...compact({ ns }) }, pause);
    const reads: Reads = new Map();
    if (await saysFailed(source, branch, reads, pause)) return { branch, reads };
  }
  return undefined;
}

type Gap = Diagnosis['examined']['gaps'][number];

interface Examined {
  readonly examination: Examination;
  readonly texts: readonly ReadText[];
  readonly gaps: readonly Gap[];
}

async function examine(
  source: CheckpointSource,
  { steps }: Pick<Branch, 'steps'>,
  reads: Reads,
  pause: Pause,
): Promise<Examined> {
  const examination = new Examination(source.info.volatilePaths);
  const texts: ReadText[] = [];
  const gaps: Gap[] = [];
  for await (const [step, read] of readAll(source, steps, reads)) {
    await pause();
    texts.push(read);
    if ('reason' in read) gaps.push({ ref: step.ref, seq: step.row.seq, reason: read.reason });
    examination.observe(diagnosedStep(step, read));
  }
  return { examination, texts, gaps };
}

function diagnosedStep({ ref, row }: Listed, read: ReadText): DiagnosedStep {
  const { seq, status, description } = row;
  return { ref, seq, status, ...compact({ description, text: 'text' in read ? read.text : undefined }) };
}

function errorOf(
  end: Listed,
  { message, node }: Told,
  { failure }: Conclusion,
  isFailed: boolean,
): NonNullable<Diagnosis['error']> {
  const { seq, stepIndex, description, id } = end.row;
  const said = message ?? (failure && statedWords(failure));
  return {
    message: said ?? description ?? id,
    checkpoint: end.ref,
    seq,
    ...compact({ stepIndex, node }),
    from: isFailed ? 'status' : 'state',
    ...(isFailed || failure === undefined ? {} : { kind: failure.kind }),
    ...(said === undefined ? { unsaid: true } : {}),
  };
}

/** Of a status without a sentence beside it, where it is. */
function statedWords({ message, path, kind }: NonNullable<Conclusion['failure']>): string {
  return kind === 'check' || /\p{L}\S*\s+\S*\p{L}/u.test(message) ? message : `${formatPath(path)} reports a failure`;
}

function healthy(branch: Branch, gaps: readonly Gap[]): Diagnosis {
  return { suspects: [], outcome: 'healthy', examined: examinedOf(branch, gaps) };
}

/** As the list tells: no state is read for it. */
async function listedGaps(source: CheckpointSource, { steps }: Branch, pause: Pause): Promise<Gap[]> {
  const book = new MetaBook(source);
  const gaps: Gap[] = [];
  for (const { ref, row, meta: known } of steps) {
    await pause();
    const meta = known ?? (await book.get(ref));
    if (meta?.problem !== undefined) gaps.push({ ref, seq: row.seq, reason: meta.problem.message });
  }
  return gaps;
}

function examinedOf({ steps, of, outside }: Branch, gaps: readonly Gap[]): Diagnosis['examined'] {
  return { n: steps.length - gaps.length, of, gaps, ...(outside > 0 ? { outside } : {}) };
}

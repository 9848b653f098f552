/** From a task to its explanation: the one answer that page, command, REST and MCP give. */
import {
  ChangeRoles,
  Check,
  compact,
  diffJson,
  formatPath,
  LastWriters,
  mentionsIn,
  parsePath,
  RunWrites,
  sentValue,
  UnusualValues,
  wayBack,
  type CheckpointSource,
  type Expectation,
  type Explanation,
  type Mention,
  type Pause,
  type StepChanges,
  type StepRef,
  type Unusual,
  type UnusualAt,
  type Write,
  type WriteAt,
  type SentValues,
} from '@checkpoint-inspector/core';
import type { BranchQuery } from '../history/branch.ts';
import { againstOf, differencesTo } from './against.ts';
import {
  askedRun,
  goodRun,
  listBranch,
  pausing,
  stepRef,
  type Branch,
  type GoodRun,
  type Looking,
  type ReadText,
} from './branch.ts';
import { factsOf, readText } from './facts.ts';
import { originOf } from './origins.ts';

export interface ExplainQuery extends BranchQuery {
  /** The run that it is held against; absent: a good one is looked for. */
  readonly against?: BranchQuery | undefined;
  readonly expect?: Expectation | undefined;
}

/** What is asked of a branch. */
export interface Asked {
  readonly branch: Branch;
  readonly against?: GoodRun;
  readonly expect?: Expectation;
}

/** Hears what is known so far. */
export type Report = (partial: Explanation) => void;

/** Writes that are told. */
const MAX_WRITES = 20;
/** Unusual values are told from here on; by the runs of another maker, on which they have to pay. */
const MIN_SCORE = 0;
const REPORT_MS = 400;
const NONE_READ = 'None of its states could be read.';

/**
 * Reads the branch from its end to its root, and changes nothing.
 * @throws InspectorError not_found | ambiguous_id | invalid_input; the reason of the signal when it is cancelled
 * @example const { outcome, writes } = await explain(source, { task: 'run-1' });
 */
export async function explain(
  source: CheckpointSource,
  query: ExplainQuery,
  looking: Looking = {},
): Promise<Explanation> {
  const branch = await listBranch(source, query);
  const facts = await factsOf(source, branch);
  return explainBranch(source, await askedOf(source, query, branch, facts), facts, pausing(looking.signal));
}

export async function askedOf(
  source: CheckpointSource,
  { against, expect }: ExplainQuery,
  branch: Branch,
  { outcome }: Explanation,
): Promise<Asked> {
  const isWrong = outcome === 'failed' || outcome === 'check_failed';
  const other = against ? await askedRun(source, against) : isWrong ? await goodRun(source, branch) : undefined;
  return { branch, ...compact({ against: other, expect }) };
}

/** @param facts of the branch */
export async function explainBranch(
  source: CheckpointSource,
  { branch, against, expect }: Asked,
  facts: Explanation,
  pause: Pause,
  report?: Report,
): Promise<Explanation> {
  const { steps } = branch;
  const end = await lastReadable(source, branch);
  if ('gaps' in end) return { ...facts, note: NONE_READ, examined: { n: 0, of: steps.length, gaps: end.gaps } };
  const roles = new ChangeRoles();
  roles.observeState(end.text);
  // A service that failed and a limit that was reached say nothing of the data.
  const isAboutData = facts.kind === 'threw' || facts.kind === 'check_failed';
  // The name of a step is no error.
  const { message, path, unsaid } = facts.error ?? {};
  const told = isAboutData && unsaid !== true ? message : undefined;
  const mentions =
    told === undefined ? [] : mentionsIn(told, end.text, roles, path === undefined ? undefined : parsePath(path));
  const differs = against && (await differencesTo(source, against, end.text, roles));
  const writers = new LastWriters([
    ...mentions.flatMap(({ path }) => (path === undefined ? [] : [path])),
    ...(differs?.items.map(({ path }) => parsePath(path)) ?? []),
  ]);
  const check = expect && new Check(expect, end.text);
  const writes = new RunWrites(roles);
  const unusual = new UnusualValues(roles);
  const gaps: Gap[] = [];
  const refAt = (at: number): StepRef | undefined => steps[at] && stepRef(steps[at]);
  const found = (n: number): Explanation => ({
    ...facts,
    writes: writes
      .writes()
      .slice(0, MAX_WRITES)
      .flatMap((one) => writeOf(one, refAt)),
    named: mentions.map((one) => namedOf(one, writers, refAt)),
    ...compact({ check: check && expect && checkAnswer(check, expect, refAt) }),
    unusual: unusual
      .result()
      .filter(({ score }) => score >= MIN_SCORE)
      .flatMap((one) => unusualOf(one, refAt)),
    examined: { n, of: steps.length, gaps },
  });
  let reported = performance.now();
  let looked = 0;
  for await (const step of changesOf(source, branch, gaps, pause)) {
    looked = steps.length - step.at;
    roles.observe(step.items);
    const follower = wayBack(step.items);
    writers.add(step, follower);
    check?.add(step, follower);
    writes.add(step);
    unusual.add(step);
    if (report === undefined || performance.now() - reported < REPORT_MS) continue;
    reported = performance.now();
    report({ ...found(looked), examined: { n: looked, of: steps.length, gaps, partial: true } });
  }
  const whole = found(steps.length - gaps.length);
  const writesWithOrigins: Write[] = [];
  for (const write of whole.writes)
    writesWithOrigins.push({ ...write, ...compact({ origin: await originOf(source, steps, write) }) });
  const held =
    against && differs && (await againstOf(source, against, differs, { writers, refAt, end: end.text }, pause));
  const note = facts.note ?? noteOf(whole, end.text, roles);
  return { ...whole, writes: writesWithOrigins, ...compact({ against: held, note }) };
}

type Gap = Explanation['examined']['gaps'][number];

/** The steps with their changes, the newest first. A state that can't be read is a gap, and its neighbours are compared. */
async function* changesOf(
  source: CheckpointSource,
  { steps }: Branch,
  gaps: Gap[],
  pause: Pause,
): AsyncGenerator<StepChanges> {
  let after: { readonly at: number; readonly text: string } | undefined;
  for (let at = steps.length - 1; at >= 0; at--) {
    const turn = pause();
    if (turn !== undefined) await turn;
    const step = steps[at];
    const read: ReadText | undefined = step && (await readText(source, step));
    if (step === undefined || read === undefined) continue;
    if ('reason' in read) {
      gaps.push({ ref: step.ref, seq: step.row.seq, reason: read.reason });
      continue;
    }
    if (after !== undefined) {
      const { items } = diffJson(read.text, after.text, { ignore: source.info.volatilePaths });
      yield { at: after.at, items, before: read.text, after: after.text };
    }
    after = { at, text: read.text };
  }
}

async function lastReadable(
  source: CheckpointSource,
  { steps }: Branch,
): Promise<{ readonly text: string } | { readonly gaps: Gap[] }> {
  const gaps: Gap[] = [];
  for (const step of steps.toReversed()) {
    const read = await readText(source, step);
    if ('text' in read) return read;
    gaps.push({ ref: step.ref, seq: step.row.seq, reason: read.reason });
  }
  return { gaps };
}

const valuesOf = ({ before, after, beforeLength, afterLength }: SentValues): SentValues =>
  compact({ before, after, beforeLength, afterLength });

type RefAt = (at: number) => StepRef | undefined;

function writeOf({ at, item, more }: WriteAt, refAt: RefAt): Write[] {
  const ref = refAt(at);
  if (ref === undefined) return [];
  const { path } = item;
  return [{ ref, path, ...valuesOf(item), ...(more > 0 ? { more } : {}) }];
}

function namedOf({ text, path }: Mention, writers: LastWriters, refAt: RefAt): Explanation['named'][number] {
  if (path === undefined) return { text };
  const at = formatPath(path);
  const change = writers.of(at);
  if (change === undefined) return { text, path: at };
  return { text, path: at, ...compact({ ref: refAt(change.at) }), ...valuesOf(change) };
}

function unusualOf({ at, item, reason }: UnusualAt, refAt: RefAt): Unusual[] {
  const ref = refAt(at);
  return ref === undefined ? [] : [{ ref, path: item.path, ...valuesOf(item), reason }];
}

function checkAnswer(check: Check, { path, value }: Expectation, refAt: RefAt): Explanation['check'] {
  const { holds, broken, found } = check;
  const firstBroken = broken && refAt(broken.at);
  return {
    path,
    expected: value,
    holds,
    ...compact({ firstBroken, found: sentValue(found).value }),
    ...(holds || broken ? {} : { never: true as const }),
  };
}

function noteOf({ outcome, writes, examined }: Explanation, end: string, roles: ChangeRoles): string | undefined {
  if (writes.length > 0 || (outcome !== 'failed' && outcome !== 'check_failed')) return undefined;
  if (roles.hasTalk) return 'Only a conversation was saved; no value can be blamed.';
  if (end === '') return undefined;
  return examined.n === 1
    ? 'Only one checkpoint was saved: there is nothing to compare it with.'
    : 'Apart from the error, no step of this run changed any data.';
}

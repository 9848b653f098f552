import {
  branchTo,
  ChangeRoles,
  createPause,
  diffJson,
  forkTree,
  InspectorError,
  locate,
  parseJson,
  parsePath,
  refOfMeta,
  sourceOf,
  stateBytesOf,
  valueAt,
} from '@checkpoint-inspector/core';
import type { CheckpointMeta, Diff, LineageRow, Path } from '@checkpoint-inspector/core';
import { storedDiff } from '../differences.ts';
import { readState } from './gather.ts';
import { rankedChange, stepChange, type StepChange } from './step-change.ts';
import type { CompareSteps, Subject } from './types.ts';

/** States above this are not compared here: it would hold up everything else. */
const MAX_COMPARED_BYTES = 8 * 1024 * 1024;
const READ_AT_ONCE = 1_000_000;
const MAX_PATHS = 12;

/** A checkpoint with what its step changed. */
export interface Step {
  readonly meta: CheckpointMeta;
  /** The checkpoint that it is compared with. */
  readonly base?: CheckpointMeta;
  readonly summary: string;
  /** Why the state could not be read. */
  readonly missing?: string;
  readonly change?: StepChange;
}

/** Each checkpoint against its parent, or against the one before it where the parent is not here. */
export async function readSteps(subject: Subject, compare?: CompareSteps): Promise<Step[]> {
  const byId = new Map(subject.metas.map((meta) => [meta.id, meta]));
  const read = keepLast(subject);
  const steps: Step[] = [];
  for (const [at, meta] of subject.metas.entries()) {
    const base = (meta.parentId === undefined ? undefined : byId.get(meta.parentId)) ?? subject.metas[at - 1];
    const known = base && ((await knownChange(subject, base, meta)) ?? (await changeElsewhere(compare, base, meta)));
    steps.push(known ? changed(meta, base, known) : await stepOf(subject, meta, base, read));
  }
  return rankedSteps(steps);
}

/** Once all are read it is known what their changes are about. */
function rankedSteps(steps: readonly Step[]): Step[] {
  const roles = new ChangeRoles();
  for (const { change } of steps) if (change) roles.observe(change.rows);
  return steps.map((step) => {
    if (step.change === undefined) return step;
    const change = rankedChange(step.change, roles, step.meta.description);
    return { ...step, change, summary: change.line };
  });
}

type Read = (meta: CheckpointMeta) => Promise<string | Error>;

async function stepOf(
  subject: Subject,
  meta: CheckpointMeta,
  base: CheckpointMeta | undefined,
  read: Read,
): Promise<Step> {
  const after = await read(meta);
  if (typeof after !== 'string') return { meta, summary: 'state not read', missing: after.message };
  if (base === undefined) return { meta, summary: 'the first checkpoint' };
  const before = await read(base);
  if (typeof before !== 'string') return { meta, base, summary: "the previous checkpoint can't be read" };
  if (Math.max(before.length, after.length) > MAX_COMPARED_BYTES)
    return { meta, base, summary: 'not compared: larger than 8 MB' };
  const diff = diffJson(before, after, { ignore: subject.source.info.volatilePaths });
  return changed(meta, base, stepChange(diff, meta.description));
}

const changed = (meta: CheckpointMeta, base: CheckpointMeta, change: StepChange): Step => ({
  meta,
  base,
  summary: change.line,
  change,
});

const isCompared = (meta: CheckpointMeta): boolean => stateBytesOf(meta) <= MAX_COMPARED_BYTES;

async function changeElsewhere(
  compare: CompareSteps | undefined,
  base: CheckpointMeta,
  meta: CheckpointMeta,
): Promise<StepChange | undefined> {
  return isCompared(base) && isCompared(meta) ? compare?.(base, meta)?.catch(ifReadFails) : undefined;
}

/** Why is told when the texts are read. */
function ifReadFails(cause: unknown): undefined {
  if (!InspectorError.is(cause)) throw cause;
}

async function knownChange(
  { source }: Subject,
  base: CheckpointMeta,
  meta: CheckpointMeta,
): Promise<StepChange | undefined> {
  const [a, b] = [
    { source, ref: refOfMeta(base) },
    { source, ref: refOfMeta(meta) },
  ];
  const diff: Diff | undefined = await storedDiff(a, b, { ignore: source.info.volatilePaths }).catch(ifReadFails);
  return diff && stepChange(diff, meta.description);
}

/** Two texts are in memory at most: a step and what it is compared with. */
function keepLast(subject: Subject): Read {
  const kept = new Map<CheckpointMeta, string | Error>();
  return async (meta) => {
    const known = kept.get(meta);
    if (known !== undefined) return known;
    const state = await readState(subject, meta);
    const text = 'missing' in state ? new Error(state.missing) : state.text;
    kept.set(meta, text);
    const [oldest] = kept.keys();
    if (kept.size > 2 && oldest !== undefined) kept.delete(oldest);
    return text;
  };
}

/** One change of a number, on the way to the latest. */
interface PathPoint {
  readonly meta: CheckpointMeta;
  /** JSON text; absent: no longer there. */
  readonly value?: string;
}

export interface PathStory {
  readonly path: string;
  readonly points: readonly PathPoint[];
}

/** The numbers that changed on the way to the latest, those that changed most first. */
export async function numberStories(
  subject: Subject,
  steps: readonly Step[],
  lineage: readonly LineageRow[],
): Promise<PathStory[]> {
  const branch = await wayToLatest(subject, lineage);
  const paths = changedNumbers(steps.filter((step) => branch.has(step.meta)));
  const stories = paths.map((path) => ({ path, steps: parsePath(path), points: [] as PathPoint[] }));
  if (stories.length === 0) return [];
  const pause = createPause();
  for (const meta of subject.metas) {
    if (!branch.has(meta) || meta.sizeBytes > MAX_COMPARED_BYTES) continue;
    const state = await readState(subject, meta);
    if ('missing' in state) continue;
    const valueOf = valuesOf(state.text);
    for (const story of stories) {
      await pause();
      note(story, meta, valueOf(story.steps));
    }
  }
  return stories.map(({ path, points }) => ({ path, points }));
}

/** Of a long text each value is looked for by itself: reading all of it at once holds up others for longer. */
function valuesOf(text: string): (path: Path) => string | undefined {
  if (text.length > READ_AT_ONCE) return (path) => locate(text, path);
  const root = parseJson(text);
  return (path) => {
    const node = valueAt(text, root, path);
    return node && sourceOf(text, node);
  };
}

function note(story: { readonly points: PathPoint[] }, meta: CheckpointMeta, value: string | undefined): void {
  const last = story.points.at(-1);
  if (last === undefined ? value === undefined : last.value === value) return;
  story.points.push({ meta, ...(value === undefined ? {} : { value }) });
}

async function wayToLatest(subject: Subject, lineage: readonly LineageRow[]): Promise<Set<CheckpointMeta>> {
  const latest = subject.metas.find((meta) => meta.isLatest) ?? subject.metas.at(-1);
  if (latest === undefined) return new Set();
  const tree = forkTree(subject.task.id, lineage);
  const way = await branchTo(refOfMeta(latest), async (name) => (name === subject.task.id ? tree : undefined));
  const ids = new Set(way.map((step) => step.ref.id));
  return new Set(subject.metas.filter((meta) => ids.has(meta.id)));
}

function changedNumbers(steps: readonly Step[]): string[] {
  const counts = new Map<string, number>();
  for (const { change } of steps) {
    for (const path of change?.numbers ?? []) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, MAX_PATHS)
    .map(([path]) => path);
}

/** The checkpoints of a task on the way to one of them, and the run that it is held against. */
import {
  ancestry,
  branchTo,
  compact,
  createPause,
  noCheckpoint,
  refIn,
  refKey,
  refOfMeta,
  type CheckpointRef,
  type CheckpointSource,
  type ForkTree,
  type LineageRow,
  type Pause,
  type StepRef,
} from '@checkpoint-inspector/core';
import { endOf, type BranchQuery } from '../history/branch.ts';
import { readTree } from '../stores/trees.ts';

export interface Looking {
  readonly signal?: AbortSignal | undefined;
}

/** Others have their turn, and a caller who left is noticed. */
export function pausing(signal: AbortSignal | undefined): Pause {
  const pause = createPause();
  return () => {
    signal?.throwIfAborted();
    return pause();
  };
}

/** One checkpoint with its row as listed. */
export interface Listed {
  readonly ref: CheckpointRef;
  readonly row: LineageRow;
}

/** A state, or why there is none. */
export type ReadText = { readonly text: string } | { readonly reason: string };

/** A run that ended well. */
export interface GoodRun {
  readonly task: string;
  readonly steps: readonly Listed[];
  readonly chosen: 'fork' | 'name' | 'asked';
}

export interface Branch {
  readonly task: string;
  /** Root first. */
  readonly steps: readonly Listed[];
  readonly recovered?: LineageRow;
  /** The newest other branch of the task that ends in a failure. */
  readonly failedElsewhere?: StepRef;
}

/** @throws InspectorError not_found | ambiguous_id */
export async function listBranch(source: CheckpointSource, query: BranchQuery): Promise<Branch> {
  const ref = await endOf(source, query);
  const trees = new Map<string, Promise<ForkTree>>();
  const tree = (task: string): Promise<ForkTree> => {
    const known = trees.get(task) ?? readTree(source, task);
    trees.set(task, known);
    return known;
  };
  // Of a parent that is gone no state can be expected.
  const steps = (await branchTo(ref, tree)).flatMap((step) => (step.row ? [{ ref: step.ref, row: step.row }] : []));
  if (steps.length === 0) throw noCheckpoint(ref);
  const own = await tree(ref.task);
  const elsewhere = tipsOf(own).find((tip) => tip.row.status === 'failed' && refKey(tip.ref) !== refKey(ref));
  return {
    task: query.task,
    steps,
    ...compact({ recovered: recoveredAt(own, ref), failedElsewhere: elsewhere && stepRef(elsewhere) }),
  };
}

export function stepRef({ ref, row }: Listed): StepRef {
  const { seq, stepIndex, description } = row;
  return { ...ref, seq, ...compact({ stepIndex, description }) };
}

/** Ends of branches, the newest first. */
const tipsOf = ({ nodes }: ForkTree): Listed[] =>
  nodes
    .flatMap(({ ref, row, children }) => (children.length === 0 && row !== undefined ? [{ ref, row }] : []))
    .toSorted((a, b) => b.row.seq - a.row.seq);

/** The nearest checkpoint after this one that did not fail; over parents. */
function recoveredAt(tree: ForkTree, ref: CheckpointRef): LineageRow | undefined {
  const start = tree.nodes.find((node) => refKey(node.ref) === refKey(ref));
  const todo = [...(start?.children ?? [])];
  for (let at = todo.shift(); at !== undefined; at = todo.shift()) {
    const node = tree.nodes[at];
    if (node?.row !== undefined && node.row.status !== 'failed') return node.row;
    todo.push(...(node?.children ?? []));
  }
  return undefined;
}

/** Tasks among which a good run is looked for. */
const MAX_TASKS = 500;

/** A branch of the task that was completed, else the newest completed task of the same name. */
export async function goodRun(source: CheckpointSource, { task, steps }: Branch): Promise<GoodRun | undefined> {
  const tree = await readTree(source, task);
  const own = new Set(steps.map(({ ref }) => refKey(ref)));
  const sharing = ({ ref }: Listed): boolean =>
    ancestry(
      tree,
      tree.nodes.findIndex((node) => refKey(node.ref) === refKey(ref)),
    ).some((at) => {
      const node = tree.nodes[at];
      return node !== undefined && own.has(refKey(node.ref));
    });
  const fork = tipsOf(tree).find((tip) => tip.row.status === 'completed' && !own.has(refKey(tip.ref)) && sharing(tip));
  if (fork) return { task, steps: await stepsTo(source, fork.ref), chosen: 'fork' };
  const other = await sameName(source, task);
  return other && { task: other.task, steps: await stepsTo(source, other), chosen: 'name' };
}

/** @throws InspectorError not_found | ambiguous_id */
export async function askedRun(source: CheckpointSource, query: BranchQuery): Promise<GoodRun> {
  return { task: query.task, steps: await stepsTo(source, await endOf(source, query)), chosen: 'asked' };
}

async function stepsTo(source: CheckpointSource, ref: CheckpointRef): Promise<readonly Listed[]> {
  const steps = await branchTo(ref, (task) => readTree(source, task));
  return steps.flatMap(({ ref: own, row }) => (row ? [{ ref: own, row }] : []));
}

async function sameName(source: CheckpointSource, task: string): Promise<CheckpointRef | undefined> {
  const { items } = await source.tasks({ limit: MAX_TASKS });
  const own = items.find(({ id }) => id === task);
  // A task that is called by its id is the only one of its name.
  if (own === undefined || own.title === own.id) return undefined;
  const other = items.find((one) => one.id !== task && one.title === own.title && one.status === 'completed');
  if (other === undefined) return undefined;
  if (other.latestId !== undefined)
    return refIn(other.id, compact({ id: other.latestId, namespace: other.latestNamespace }));
  const [first] = (await source.checkpoints(other.id, { limit: 1 })).items;
  return first && refOfMeta(first);
}

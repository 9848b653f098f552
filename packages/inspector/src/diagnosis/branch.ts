/** The states of a branch, read one by one within limits. */
import {
  ancestry,
  branchTo,
  createPause,
  InspectorError,
  refKey,
  stateBytesOf,
  type BranchStep,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type ForkTree,
  type LineageRow,
  type Pause,
} from '@checkpoint-inspector/core';
import { endOf, MetaBook, type BranchQuery } from '../history/branch.ts';
import { readTree } from '../stores/trees.ts';

export const LIMITS = { steps: 2_000, bytes: 100_000_000, stateBytes: 8_000_000, siblingBytes: 1_000_000, siblings: 3 };

/** Other branches that are asked. */
export const OTHERS = 5;

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
  readonly meta: CheckpointMeta | undefined;
}

export interface Branch {
  /** Root first; only what is within the limits. */
  readonly steps: readonly Listed[];
  /** Of all, and how many of them are beyond the limits. */
  readonly of: number;
  readonly outside: number;
  /** Bytes of its largest state, as far as the list tells. */
  readonly largest: number;
  /** Of the task at the end of the branch. */
  readonly tree: ForkTree;
  /** Ends of other branches, the newest first, of a task of which no checkpoint was asked for. */
  readonly others: readonly CheckpointRef[];
}

/** A state, or why there is none. */
export type ReadText = { readonly text: string } | { readonly reason: string };

/** @throws InspectorError not_found | ambiguous_id */
export async function listBranch(source: CheckpointSource, query: BranchQuery, pause: Pause): Promise<Branch> {
  const latest = await endOf(source, query);
  const trees = new Map<string, Promise<ForkTree>>();
  const tree = (task: string): Promise<ForkTree> => {
    const known = trees.get(task) ?? readTree(source, task);
    trees.set(task, known);
    return known;
  };
  const tips = query.cp === undefined ? tipsOf(await tree(latest.task)) : [];
  const ref = failedEnd(latest, tips);
  const all = (await branchTo(ref, tree)).flatMap((step) => listedRow(step));
  const last = all.at(-1);
  if (last === undefined) {
    throw new InspectorError('not_found', `No checkpoint "${ref.id}" in task "${ref.task}".`, { data: { ...ref } });
  }
  const end = await source.meta(last.ref);
  const steps = await listedSteps(source, all.slice(-LIMITS.steps), end, pause);
  const sizes = [end, ...steps.map(({ meta }) => meta)].map((meta) => (meta ? stateBytesOf(meta) : 0));
  return {
    steps,
    largest: sizes.reduce((most, size) => Math.max(most, size), 0),
    of: all.length,
    outside: all.length - steps.length,
    tree: await tree(ref.task),
    others: tips.map((tip) => tip.ref).filter((tip) => refKey(tip) !== refKey(ref)),
  };
}

type Lined = Pick<Listed, 'ref' | 'row'>;

/**
 * With their rows in the list, the newest first until the limit is reached. A store whose rows tell no revisions is not
 * asked for them: their sizes show when the states are read, and a row may cost as much as its state.
 */
async function listedSteps(
  source: CheckpointSource,
  lined: readonly Lined[],
  end: CheckpointMeta | undefined,
  pause: Pause,
): Promise<Listed[]> {
  if (end?.revision === undefined) return lined.map(({ ref, row }) => ({ ref, row, meta: undefined }));
  const book = new MetaBook(source);
  return newestWithin(lined, async ({ ref, row }) => {
    await pause();
    const meta = await book.get(ref);
    const size = meta?.sizeBytes ?? 0;
    return { step: { ref, row, meta }, size: size > LIMITS.stateBytes ? 0 : size };
  });
}

/** As many as the limit allows, root first; the newest of them at any size. */
async function newestWithin<T extends Lined>(
  steps: readonly T[],
  sizeOf: (step: T) => Promise<{ readonly step: Listed; readonly size: number }>,
): Promise<Listed[]> {
  const found: Listed[] = [];
  let bytes = 0;
  for (const one of steps.toReversed()) {
    const { step, size } = await sizeOf(one);
    bytes += size;
    if (bytes > LIMITS.bytes && found.length > 0) break;
    found.push(step);
  }
  return found.toReversed();
}

/** Each state is read once, however often it is asked for. */
export type Reads = Map<Listed, Promise<ReadText>>;

/** Of a branch whose sizes nobody knew, what is within the limits; its states are read then. */
export async function readWithin(
  source: CheckpointSource,
  branch: Branch,
  reads: Reads,
  pause: Pause,
): Promise<Branch> {
  if (branch.steps.some(({ meta }) => meta !== undefined)) return branch;
  const steps = await newestWithin(branch.steps, async (step) => {
    await pause();
    const read = await readOnce(source, step, reads);
    return { step, size: 'text' in read ? read.text.length : 0 };
  });
  return { ...branch, steps, outside: branch.of - steps.length };
}

export function readOnce(source: CheckpointSource, step: Listed, reads: Reads): Promise<ReadText> {
  const known = reads.get(step);
  if (known !== undefined) return known;
  const read = readText(source, step);
  reads.set(step, read);
  return read;
}

/** States that are asked for while one is worked on. */
const AHEAD = 4;

/** Each with its state, in order. */
export async function* readAll(
  source: CheckpointSource,
  steps: readonly Listed[],
  reads: Reads,
): AsyncGenerator<readonly [Listed, ReadText]> {
  for (const [at, step] of steps.entries()) {
    const read = readOnce(source, step, reads);
    // Whoever waits for one of them is told why it failed.
    for (const next of steps.slice(at + 1, at + 1 + AHEAD)) readOnce(source, next, reads).catch(() => undefined);
    yield [step, await read];
  }
}

type Tip = ForkTree['nodes'][number];

/** Ends of branches, the newest first. */
const tipsOf = ({ nodes }: ForkTree): Tip[] =>
  nodes
    .filter(({ row, children }) => children.length === 0 && row !== undefined)
    .toSorted((a, b) => (b.row?.seq ?? 0) - (a.row?.seq ?? 0));

/** Who asks what went wrong with a task means the branch that failed, and not a fork that went well after it. */
function failedEnd(latest: CheckpointRef, tips: readonly Tip[]): CheckpointRef {
  const end = tips.find(({ ref }) => refKey(ref) === refKey(latest));
  if (end?.row?.status === 'failed') return latest;
  return tips.find(({ row }) => row?.status === 'failed')?.ref ?? latest;
}

/** Of a parent that is gone no state can be expected. */
const listedRow = ({ ref, row }: BranchStep): { ref: CheckpointRef; row: LineageRow }[] =>
  row === undefined ? [] : [{ ref, row }];

/** What a caller gave up is thrown; all else is a gap. */
export async function readText(
  source: CheckpointSource,
  { ref, meta }: Listed,
  most = LIMITS.stateBytes,
): Promise<ReadText> {
  if (meta?.problem !== undefined) return { reason: meta.problem.message };
  if (meta !== undefined && meta.sizeBytes > LIMITS.stateBytes) {
    return { reason: `Its state is larger than ${LIMITS.stateBytes / 1_000_000} MB.` };
  }
  try {
    const state = await source.state(ref, { mostCharacters: most });
    return state === undefined ? { reason: 'It is no longer in the store.' } : { text: state.text };
  } catch (error) {
    if (InspectorError.is(error)) return { reason: error.message };
    throw error;
  }
}

/** The ends of other branches that were completed, the newest first, and how many of the steps both have in common. */
export async function healthySiblings(
  source: CheckpointSource,
  { steps, tree }: Branch,
): Promise<{ readonly text: string; readonly shared: number }[]> {
  const places = new Map(steps.map(({ ref }, at) => [refKey(ref), at]));
  const found: { text: string; shared: number }[] = [];
  const tips = tipsOf(tree).filter(({ ref, row }) => row?.status === 'completed' && !places.has(refKey(ref)));
  for (const { ref, index } of tips.slice(0, 20)) {
    if (found.length === LIMITS.siblings) break;
    const shared = sharedWith(tree, index, places);
    if (shared === 0) continue;
    const meta = await source.meta(ref);
    if (meta === undefined || meta.sizeBytes > LIMITS.siblingBytes) continue;
    const row = tree.nodes[index]?.row;
    const read = row && (await readText(source, { ref, row, meta }, LIMITS.siblingBytes));
    if (read && 'text' in read) found.push({ text: read.text, shared });
  }
  return found;
}

function sharedWith(tree: ForkTree, tip: number, places: ReadonlyMap<string, number>): number {
  for (const index of ancestry(tree, tip).toReversed()) {
    const node = tree.nodes[index];
    const place = node && places.get(refKey(node.ref));
    if (place !== undefined) return place + 1;
  }
  return 0;
}

/** The nearest checkpoint after this one that did not fail; over parents. */
export function recoveredAt(tree: ForkTree, ref: CheckpointRef): LineageRow | undefined {
  const start = tree.nodes.find((node) => refKey(node.ref) === refKey(ref));
  const todo = [...(start?.children ?? [])];
  for (let at = todo.shift(); at !== undefined; at = todo.shift()) {
    const node = tree.nodes[at];
    if (node?.row !== undefined && node.row.status !== 'failed') return node.row;
    todo.push(...(node?.children ?? []));
  }
  return undefined;
}

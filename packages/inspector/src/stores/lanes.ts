/** The lanes of a task's tree: how long each is, how it ends, what it used, and how it differs from where it began. */
import {
  compact,
  diffJson,
  everyPage,
  forkTree,
  laneDifferences,
  lanePairs,
  lanesOf,
  nameLengths,
  refKey,
  refOfMeta,
  usageBy,
} from '@checkpoint-inspector/core';
import type {
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  CheckpointStatus,
  ForkTree,
  Lane,
  LaneDifference,
  State,
  StoreId,
  Usage,
} from '@checkpoint-inspector/core';
import { runningTotals } from '../failures/usage.ts';
import { errorLineOf, type ReadState } from './error-line.ts';
import { readLineage, type Trees } from './trees.ts';
import type { StoreService } from './types.ts';

export type Lanes = ReturnType<typeof createLanes>;

/** A lane as page, command and programs get it. */
export interface LaneFacts {
  /** `main`, then `f1`, `f2`, … in the order in which they began. */
  readonly lane: string;
  readonly parent?: string;
  /** The checkpoint that it forks from. */
  readonly from?: CheckpointRef;
  readonly first: CheckpointRef;
  readonly tip: CheckpointRef;
  /** Its own checkpoints. */
  readonly steps: number;
  readonly status: CheckpointStatus;
  /** Most telling first. Empty: none was found, or none yet. */
  readonly differences: readonly LaneDifference[];
  /** So many of the differences tell it from its siblings. */
  readonly nameLength: number;
  /** Of one that failed at its end: the first line of the message. */
  readonly error?: string;
  readonly tokens?: string;
  readonly costUsd?: string;
  readonly durationMs?: string;
}

export interface LaneList {
  readonly items: readonly LaneFacts[];
  /** So many have been compared; until all are, ask again. */
  readonly compared: number;
  readonly complete: boolean;
}

const MAX_STATE_BYTES = 1_000_000;
const BUDGET_MS = 400;
/** Later answers may take so many times longer: the page has something to show by then, and each costs the whole list. */
const LATER = 3;
/** Comparing continues for so long before other requests get their turn. */
const SLICE_MS = 5;
const CACHED = 20_000;
const TASKS_KEPT = 16;
const STATES_HELD = 8;
const NONE: readonly LaneDifference[] = [];

/** What is read once and kept until the store changes. */
interface Known {
  readonly tree: ForkTree;
  readonly lanes: readonly Lane[];
  readonly metas: ReadonlyMap<string, CheckpointMeta>;
  readonly usage: ReadonlyMap<string, Usage>;
  /** By the lane's ordinal. */
  readonly told: Map<number, Told>;
}

/** No differences: there are none, or it could not be compared. */
interface Told {
  readonly differences: readonly LaneDifference[];
  readonly error?: string;
}

/** What is known by revisions: it holds whatever else is saved. */
interface Kept {
  readonly differences: Map<string, readonly LaneDifference[]>;
  readonly errors: Map<string, string>;
}

const nothingKept = (): Kept => ({ differences: new Map(), errors: new Map() });

export function createLanes(stores: StoreService, trees: Trees, options: { budgetMs?: number } = {}) {
  const { budgetMs = BUDGET_MS } = options;
  const held = nothingKept();
  const kept = trees.kept(TASKS_KEPT, readTask);
  return {
    /** With names where they were cheap to tell; the others follow on a later call. */
    async list(store: StoreId, task: string): Promise<LaneList> {
      const source = stores.source(store);
      const known = await kept(store, task);
      const budget = known.told.size === 0 ? budgetMs : budgetMs * LATER;
      // Where nothing is kept, the next call would begin again.
      const deadline = source.watch ? performance.now() + budget : Number.POSITIVE_INFINITY;
      await tellLanes(source, known, held, deadline);
      return listOf(known);
    },
  };
}

/** All lanes of a task with all that is to be told of them, however long it takes. */
export async function readLanes(source: CheckpointSource, task: string): Promise<LaneList> {
  const known = await readTask(source, task);
  await tellLanes(source, known, nothingKept(), Number.POSITIVE_INFINITY);
  return listOf(known);
}

/** Continues with the lanes that have not been told yet, until the deadline; at least with one. */
async function tellLanes(source: CheckpointSource, known: Known, kept: Kept, deadline: number): Promise<void> {
  const telling = { source, known, kept, read: readOnce(source) };
  let paused = performance.now();
  for (const lane of known.lanes) {
    if (known.told.has(lane.ordinal)) continue;
    const [differences, error] = [await differencesOf(telling, lane), await errorOf(telling, lane)];
    known.told.set(lane.ordinal, { differences, ...compact({ error }) });
    if (performance.now() > deadline) return;
    if (performance.now() - paused < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    paused = performance.now();
  }
}

interface Telling {
  readonly source: CheckpointSource;
  readonly known: Known;
  readonly kept: Kept;
  readonly read: ReadState;
}

/** Of the first pair of checkpoints that differ in anything. */
async function differencesOf(telling: Telling, lane: Lane): Promise<readonly LaneDifference[]> {
  const { source, known, kept } = telling;
  for (const [other, own] of lanePairs(known.tree, known.lanes, lane)) {
    const [before, after] = [metaAt(known, other), metaAt(known, own)];
    if (!before || !after || isTooLarge(before) || isTooLarge(after)) continue;
    const key = keyOf(source, before, after);
    const found =
      (key === undefined ? undefined : kept.differences.get(key)) ?? (await compare(telling, before, after));
    if (found === undefined) continue;
    if (key !== undefined) keep(kept.differences, key, found);
    if (found.length > 0) return found;
  }
  return NONE;
}

/** Why the lane failed, where it ends in a failure. */
async function errorOf({ source, known, kept, read }: Telling, { tip }: Lane): Promise<string | undefined> {
  const meta = metaAt(known, tip);
  if (!meta || meta.status !== 'failed' || isTooLarge(meta)) return undefined;
  const key = keyOf(source, meta);
  const error = (key === undefined ? undefined : kept.errors.get(key)) ?? (await errorLineOf(source, meta, read));
  if (key !== undefined && error !== undefined) keep(kept.errors, key, error);
  return error;
}

async function compare({ source, read }: Telling, before: CheckpointMeta, after: CheckpointMeta) {
  const [a, b] = [await read(refOfMeta(before)), await read(refOfMeta(after))];
  if (!a || !b || Math.max(a.text.length, b.text.length) >= MAX_STATE_BYTES) return undefined;
  return laneDifferences(diffJson(a.text, b.text, { ignore: source.info.volatilePaths }));
}

async function readTask(source: CheckpointSource, task: string): Promise<Known> {
  const tree = forkTree(task, await readLineage(source, task));
  const { lanes, laneOf } = lanesOf(tree);
  const metas = new Map<string, CheckpointMeta>();
  for await (const { items } of everyPage((at) => source.checkpoints(task, at), 500)) {
    for (const meta of items) metas.set(refKey(refOfMeta(meta)), meta);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const laneOfRef = new Map(tree.nodes.map((node) => [refKey(node.ref), String(laneOf[node.index] ?? 0)]));
  const usage = usageBy(
    [...metas.values()],
    (one) => laneOfRef.get(refKey(refOfMeta(one))) ?? '',
    new Set(runningTotals(source.info.system)),
  );
  return { tree, lanes, metas, usage, told: new Map() };
}

function listOf({ tree, lanes, usage, told }: Known): LaneList {
  const differences = new Map([...told].map(([ordinal, one]) => [ordinal, one.differences]));
  const lengths = nameLengths(lanes, differences);
  const refAt = (at: number | undefined): CheckpointRef | undefined => tree.nodes[at ?? -1]?.ref;
  const items = lanes.flatMap((lane): LaneFacts[] => {
    const { ordinal, parent, fork, label, steps, status } = lane;
    const [first, tip, from] = [refAt(lane.nodes[0]), refAt(lane.tip), refAt(fork)];
    const { tokens, costUsd, durationMs } = usage.get(String(ordinal)) ?? {};
    if (!first || !tip) return [];
    return [
      {
        lane: label,
        ...(parent === undefined ? {} : { parent: lanes[parent]?.label ?? 'main' }),
        ...(from === undefined ? {} : { from }),
        first,
        tip,
        steps,
        status,
        differences: differences.get(ordinal) ?? NONE,
        nameLength: lengths.get(ordinal) ?? 0,
        ...compact({
          error: told.get(ordinal)?.error,
          tokens: tokens?.value,
          costUsd: costUsd?.value,
          durationMs: durationMs?.value,
        }),
      },
    ];
  });
  return { items, compared: told.size, complete: told.size === lanes.length };
}

/** Siblings are compared with the same checkpoint: it is read once. An unreadable one tells nothing. */
function readOnce(source: CheckpointSource): ReadState {
  const states = new Map<string, Promise<State | undefined>>();
  return (ref) => {
    const key = refKey(ref);
    const state = states.get(key) ?? source.state(ref).catch(() => undefined);
    keep(states, key, state, STATES_HELD);
    return state;
  };
}

const isTooLarge = (meta: CheckpointMeta): boolean => meta.sizeBytes >= MAX_STATE_BYTES || meta.problem !== undefined;

const metaAt = ({ tree, metas }: Known, at: number): CheckpointMeta | undefined => {
  const ref = tree.nodes[at]?.ref;
  return ref && metas.get(refKey(ref));
};

/** Equal revisions are equal content, so what was found holds for good. */
function keyOf({ info }: CheckpointSource, ...metas: readonly CheckpointMeta[]): string | undefined {
  const revisions = metas.flatMap(({ revision }) => revision ?? []);
  return revisions.length < metas.length ? undefined : [info.id, ...revisions, ...info.volatilePaths].join(' ');
}

function keep<T>(cache: Map<string, T>, key: string, value: T, most = CACHED): void {
  cache.delete(key);
  const oldest = cache.size >= most ? cache.keys().next().value : undefined;
  if (oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
}

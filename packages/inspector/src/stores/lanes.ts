/** The lanes of a task's tree: how long each is, how it ends, what it used, and how it differs from where it began. */
import {
  compact,
  diffJson,
  eachInSteps,
  everyPage,
  forkTreeInSteps,
  InspectorError,
  laneDifferences,
  lanePairs,
  lanesInSteps,
  nameLengths,
  refKey,
  refOfMeta,
  usageInSteps,
  withOptions,
  createPause,
  paced,
} from '@checkpoint-inspector/core';
import type {
  CheckpointMeta,
  CheckpointRef,
  CheckpointSource,
  CheckpointStatus,
  ForkTree,
  Lane,
  LaneDifference,
  LineageRow,
  State,
  StoreId,
  Usage,
} from '@checkpoint-inspector/core';
import { storedDiff } from '../differences.ts';
import { runningTotals } from '../failures/usage.ts';
import { errorLineOf, type ReadState } from './error-line.ts';
import { createSummaries, type Summaries } from './summaries.ts';
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
  /** Most telling first. Absent: it has not been compared yet; empty: none was found. */
  readonly differences?: readonly LaneDifference[];
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
  /** So many of the items have been compared; until all are, ask again. */
  readonly compared: number;
  readonly complete: boolean;
}

export interface LaneQuery {
  /**
   * Which lanes to compare. `none`: the answer tells what is known already and reads no state. With labels it has only
   * these lanes, without what they used, which takes a pass over the whole task.
   */
  readonly compare?: 'all' | 'none' | readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MAX_STATE_BYTES = 1_000_000;
const BUDGET_MS = 400;
/** Later answers may take so many times longer: the page has something to show by then, and each costs the whole list. */
const LATER = 3;
/** Comparing continues for so long before other requests get their turn. */
const SLICE_MS = 5;
const CACHED = 20_000;
const TASKS_KEPT = 8;
const STATES_HELD = 8;
/** Rows read at a time where lanes are compared before the whole task has been read. */
const AROUND = 200;
const NONE: readonly LaneDifference[] = [];

/** What is kept until the store changes. */
interface Known {
  readonly task: string;
  readonly tree: ForkTree;
  readonly lanes: readonly Lane[];
  readonly laneOf: Int32Array;
  /** By the lane's ordinal. */
  readonly told: Map<number, Told>;
  /** Refs of the checkpoints that lanes are told by, and their rows as far as they have been read. */
  readonly wanted: ReadonlySet<string>;
  readonly metas: Map<string, CheckpointMeta>;
  /** By the lane's ordinal; read once it is asked for, with every row of the task. */
  usage?: Promise<ReadonlyMap<string, Usage>>;
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

export function createLanes(
  stores: StoreService,
  trees: Trees,
  options: { budgetMs?: number; summaries?: Summaries } = {},
) {
  const { budgetMs = BUDGET_MS, summaries } = options;
  const held = nothingKept();
  const kept = trees.kept(TASKS_KEPT, async ({ info }, task) => knownOf(task, await trees.lineage(info.id, task)));
  return {
    /** With differences where they were cheap to tell; the others follow on a later call. */
    async list(store: StoreId, task: string, { compare = 'all', signal }: LaneQuery = {}): Promise<LaneList> {
      const whole = stores.source(store);
      const source = signal ? withOptions(whole, { signal }) : whole;
      const known = await kept(store, task);
      const isFirst = known.told.size === 0;
      if (compare !== 'all' && compare !== 'none') {
        const asked = new Set(compare);
        const lanes = known.lanes.filter(({ label }) => asked.has(label));
        await tellLanes({ source, known, kept: held, summaries, signal, read: readOnce(source) }, lanes, budgetMs);
        return listOf(known, lanes);
      }
      const usage = await usageOf(whole, known);
      const telling = { source, known, kept: held, summaries, signal };
      if (compare === 'all' || !source.watch) {
        // Where nothing is kept, the next call would begin again.
        const budget = source.watch ? budgetMs * (isFirst ? 1 : LATER) : Number.POSITIVE_INFINITY;
        await tellLanes({ ...telling, read: readOnce(source) }, known.lanes, budget);
      } else await tellLanes(telling, known.lanes, Number.POSITIVE_INFINITY);
      return listOf(known, known.lanes, usage);
    },
  };
}

/** All lanes of a task with all that is to be told of them, however long it takes. */
export async function readLanes(source: CheckpointSource, task: string): Promise<LaneList> {
  const known = await knownOf(task, await readLineage(source, task));
  const usage = await usageOf(source, known);
  const telling = { source, known, kept: nothingKept(), summaries: createSummaries(), read: readOnce(source) };
  await tellLanes(telling, known.lanes, Number.POSITIVE_INFINITY);
  return listOf(known, known.lanes, usage);
}

interface Telling {
  readonly source: CheckpointSource;
  readonly known: Known;
  readonly kept: Kept;
  /** They know what moves in every step of the task, and so names no lane. */
  readonly summaries?: Summaries | undefined;
  /** Absent: nothing is read, only what is kept is told. */
  readonly read?: ReadState;
  readonly signal?: AbortSignal | undefined;
}

/** Continues with those of the lanes that have not been told yet, for so long; at least with one. */
async function tellLanes(telling: Telling, lanes: readonly Lane[], budgetMs: number): Promise<void> {
  const { known, signal } = telling;
  const deadline = performance.now() + budgetMs;
  const pause = createPause(SLICE_MS);
  for (const lane of lanes) {
    if (known.told.has(lane.ordinal)) continue;
    const told = await tellLane(telling, lane);
    // A read that was given up looks like a state that cannot be read.
    signal?.throwIfAborted();
    if (told) known.told.set(lane.ordinal, told);
    if (performance.now() > deadline) return;
    await pause();
  }
}

/** @returns undefined where something would have to be read that may not be */
async function tellLane(telling: Telling, lane: Lane): Promise<Told | undefined> {
  const differences = await differencesOf(telling, lane);
  if (differences === undefined) return undefined;
  const error = await errorOf(telling, lane);
  return error === null ? undefined : { differences, ...compact({ error }) };
}

/** Of the first pair of checkpoints that differ in anything. */
async function differencesOf(telling: Telling, lane: Lane): Promise<readonly LaneDifference[] | undefined> {
  const { source, known, kept, read } = telling;
  for (const [other, own] of lanePairs(known.tree, known.lanes, lane)) {
    const [before, after] = [await metaAt(telling, other), await metaAt(telling, own)];
    if (!before || !after || [before, after].some((meta) => !isComparable(source, meta))) continue;
    const key = keyOf(source, before, after);
    const remembered = key === undefined ? undefined : kept.differences.get(key);
    if (remembered === undefined && read === undefined) return undefined;
    const found = remembered ?? (read && (await compare(telling, read, before, after)));
    if (found === undefined) continue;
    if (key !== undefined) keep(kept.differences, key, found);
    if (found.length > 0) return found;
  }
  return NONE;
}

/** Why the lane failed, where it ends in a failure; null where that would have to be read and may not be. */
async function errorOf(telling: Telling, { tip }: Lane): Promise<string | undefined | null> {
  const { source, known, kept, read } = telling;
  if (known.tree.nodes[tip]?.row?.status !== 'failed') return undefined;
  const meta = await metaAt(telling, tip);
  if (!meta || meta.status !== 'failed' || isTooLarge(meta)) return undefined;
  const key = keyOf(source, meta);
  const remembered = key === undefined ? undefined : kept.errors.get(key);
  if (remembered !== undefined) return remembered;
  if (!read) return null;
  const error = await errorLineOf(source, meta, read);
  if (key !== undefined && error !== undefined) keep(kept.errors, key, error);
  return error;
}

async function compare(
  { source, known: { task }, summaries }: Telling,
  read: ReadState,
  before: CheckpointMeta,
  after: CheckpointMeta,
) {
  const roles = await summaries?.rolesOf(source, task);
  const ignore = source.info.volatilePaths;
  const [old, own] = [before, after].map((meta) => ({ source, ref: refOfMeta(meta) }));
  const known = old && own && (await storedDiff(old, own, { ignore }).catch(ifUnreadable));
  if (known) return laneDifferences(known, roles);
  if (isTooLarge(before) || isTooLarge(after)) return undefined;
  const [a, b] = [await read(refOfMeta(before)), await read(refOfMeta(after))];
  if (!a || !b || Math.max(a.text.length, b.text.length) >= MAX_STATE_BYTES) return undefined;
  return laneDifferences(diffJson(a.text, b.text, { ignore }), roles);
}

async function knownOf(task: string, rows: readonly LineageRow[]): Promise<Known> {
  const tree = await paced(forkTreeInSteps(task, rows));
  const { lanes, laneOf } = await paced(lanesInSteps(tree));
  const wanted = new Set<string>();
  const want = (at: number): unknown => tree.nodes[at] && wanted.add(refKey(tree.nodes[at].ref));
  await paced(eachInSteps(lanes, (lane) => [...lanePairs(tree, lanes, lane).flat(), lane.tip].forEach(want)));
  return { task, tree, lanes, laneOf, told: new Map(), wanted, metas: new Map() };
}

/** Once for all who ask; a failed read is not kept. */
function usageOf(source: CheckpointSource, known: Known): Promise<ReadonlyMap<string, Usage>> {
  if (known.usage) return known.usage;
  const usage = readUsage(source, known);
  known.usage = usage;
  usage.catch(() => {
    delete known.usage;
  });
  return usage;
}

async function readUsage(source: CheckpointSource, known: Known): Promise<ReadonlyMap<string, Usage>> {
  const { tree, laneOf } = known;
  const laneOfRef = new Map<string, string>();
  await paced(eachInSteps(tree.nodes, ({ ref, index }) => void laneOfRef.set(refKey(ref), String(laneOf[index] ?? 0))));
  const running = new Set(runningTotals(source.info.system));
  const used: CheckpointMeta[] = [];
  for await (const { items } of everyPage((at) => source.checkpoints(known.task, at), 500)) {
    remember(known, items);
    for (const meta of items) if (running.size > 0 || saysUse(meta)) used.push(meta);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return paced(usageInSteps(used, (one) => laneOfRef.get(refKey(refOfMeta(one))) ?? '', running));
}

function remember({ wanted, metas }: Known, rows: readonly CheckpointMeta[]): void {
  for (const meta of rows) {
    const key = refKey(refOfMeta(meta));
    if (wanted.has(key)) metas.set(key, meta);
  }
}

const saysUse = ({ tokenUsage, costUsd, durationMs }: CheckpointMeta): boolean =>
  tokenUsage !== undefined || costUsd !== undefined || durationMs !== undefined;

function listOf(known: Known, lanes: readonly Lane[], usage?: ReadonlyMap<string, Usage>): LaneList {
  const { tree, told } = known;
  const differences = new Map([...told].map(([ordinal, one]) => [ordinal, one.differences]));
  const lengths = nameLengths(known.lanes, differences);
  const refAt = (at: number | undefined): CheckpointRef | undefined => tree.nodes[at ?? -1]?.ref;
  const items = lanes.flatMap((lane): LaneFacts[] => {
    const { ordinal, parent, fork, label, steps, status } = lane;
    const [first, tip, from] = [refAt(lane.nodes[0]), refAt(lane.tip), refAt(fork)];
    const { tokens, costUsd, durationMs } = usage?.get(String(ordinal)) ?? {};
    if (!first || !tip) return [];
    return [
      {
        lane: label,
        ...(parent === undefined ? {} : { parent: known.lanes[parent]?.label ?? 'main' }),
        ...(from === undefined ? {} : { from }),
        first,
        tip,
        steps,
        status,
        nameLength: lengths.get(ordinal) ?? 0,
        ...compact({
          differences: differences.get(ordinal),
          error: told.get(ordinal)?.error,
          tokens: tokens?.value,
          costUsd: costUsd?.value,
          durationMs: durationMs?.value,
        }),
      },
    ];
  });
  const compared = lanes.filter(({ ordinal }) => told.has(ordinal)).length;
  return { items, compared, complete: compared === lanes.length };
}

/** Siblings are compared with the same checkpoint: it is read once. An unreadable one tells nothing. */
function readOnce(source: CheckpointSource): ReadState {
  const states = new Map<string, Promise<State | undefined>>();
  return (ref) => {
    const key = refKey(ref);
    const state = states.get(key) ?? source.state(ref, { mostCharacters: MAX_STATE_BYTES }).catch(() => undefined);
    keep(states, key, state, STATES_HELD);
    return state;
  };
}

const isTooLarge = (meta: CheckpointMeta): boolean => meta.sizeBytes >= MAX_STATE_BYTES || meta.problem !== undefined;

/** A store that reads only what differs compares states of any size. */
const isComparable = (source: CheckpointSource, meta: CheckpointMeta): boolean =>
  source.diff === undefined ? !isTooLarge(meta) : meta.problem === undefined;

/** Its text says why. */
function ifUnreadable(cause: unknown): undefined {
  if (!InspectorError.is(cause)) throw cause;
}

/** A page around it costs little more than the row: it has those of other lanes, too. */
async function metaAt({ source, known }: Telling, at: number): Promise<CheckpointMeta | undefined> {
  const ref = known.tree.nodes[at]?.ref;
  if (!ref) return undefined;
  const key = refKey(ref);
  if (!known.metas.has(key)) {
    const page = await source.checkpoints(known.task, { around: ref, limit: AROUND }).catch(ifGone);
    remember(known, page?.items ?? []);
  }
  return known.metas.get(key);
}

/** A checkpoint that was deleted since the tree was read. */
function ifGone(cause: unknown): undefined {
  if (!InspectorError.is(cause) || cause.code !== 'not_found') throw cause;
}

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

/** Which checkpoints between two of one line changed the rows of their diff. */
import {
  branchTo,
  compact,
  diffJson,
  InspectorError,
  sameRef,
  stateBytesOf,
  StepsBetween,
  type BranchStep,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type Difference,
  createPause,
} from '@checkpoint-inspector/core';
import { storedDiff } from '../differences.ts';
import { readTree } from '../stores/trees.ts';
import { MetaBook } from './branch.ts';

/** So many checkpoints and bytes are read; a longer way is looked at from its end. */
export const STEP_LIMITS = { checkpoints: 500, bytes: 64_000_000, rows: 20_000, named: 20 };

export interface StepBetween {
  readonly ref: CheckpointRef;
  readonly seq: number;
  readonly stepIndex?: number;
  readonly description?: string;
}

/** A row of the diff, and the checkpoints that changed its value. */
export interface RowSteps {
  readonly path: string;
  readonly kind: Difference['kind'];
  /** Into `steps`, the newest first: at most 20. Empty where it isn't known. */
  readonly at: readonly number[];
  readonly count: number;
}

export interface StepsAnswer {
  /** False where the first is not an ancestor of the second: then nothing more is said. */
  readonly onLine: boolean;
  /** After the first up to the second, the oldest first; of a longer way its end. */
  readonly steps: readonly StepBetween[];
  /** How many there are in all. */
  readonly of: number;
  /** In the order of the diff. */
  readonly items: readonly RowSteps[];
  /** False where something on the way couldn't be read or was left out. */
  readonly complete: boolean;
}

/** Two checkpoints and those between them, the oldest first, as far as the limits go. */
export interface Way {
  /** The first of the two, then the end of the way up to the second. */
  readonly steps: readonly StepBetween[];
  readonly metas: readonly (CheckpointMeta | undefined)[];
  /** Steps from one to the other, in all. */
  readonly of: number;
}

/** True where checkpoints right after the first one are left out. */
export const isCut = ({ steps, of }: Way): boolean => of > steps.length - 1;

/** @returns undefined where `a` is not an ancestor of `b` */
export async function wayBetween(
  source: CheckpointSource,
  a: CheckpointRef,
  b: CheckpointRef,
): Promise<Way | undefined> {
  const pause = createPause();
  const branch = await branchTo(b, (task) => readTree(source, task));
  await pause();
  const from = branch.findIndex(({ ref }) => sameRef(ref, a));
  const first = branch[from];
  const after = branch.slice(from + 1);
  if (first === undefined || after.length === 0) return undefined;
  const book = new MetaBook(source);
  const metas: (CheckpointMeta | undefined)[] = [];
  let bytes = 0;
  for (const { ref, row } of after.slice(-STEP_LIMITS.checkpoints).toReversed()) {
    const meta = row === undefined ? undefined : await book.get(ref);
    bytes += meta === undefined ? 0 : stateBytesOf(meta);
    if (bytes > STEP_LIMITS.bytes && metas.length > 0) break;
    metas.unshift(meta);
  }
  metas.unshift(await book.get(first.ref));
  const steps = [first, ...after.slice(1 - metas.length)].map(stepBetween);
  return { steps, metas, of: after.length };
}

const stepBetween = ({ ref, row }: BranchStep): StepBetween => ({
  ref,
  seq: row?.seq ?? 0,
  ...compact({ stepIndex: row?.stepIndex, description: row?.description }),
});

export interface RowsOfWay {
  readonly items: readonly RowSteps[];
  readonly complete: boolean;
}

interface Reading<T> {
  /** The oldest first; `undefined` where it is known that none can be read. */
  readonly states: readonly (T | undefined)[];
  readonly read: (state: T) => Promise<string | undefined>;
  /** What a store knows of two of its states without their texts; absent where it knows nothing. */
  readonly compare?: (a: T, b: T) => Promise<readonly Difference[] | undefined>;
  readonly ignore: readonly string[];
  /** Steps right after the first state are left out. */
  readonly isCut: boolean;
}

/** The rows of the diff between the first state and the last one, each with the steps that changed it. */
export async function rowsOfWay<T>(reading: Reading<T>): Promise<RowsOfWay> {
  const pause = createPause();
  const { states, isCut: cut } = reading;
  const rowsBetween = comparing(reading);
  const diffs: (readonly Difference[] | undefined)[] = [];
  for (const index of states.keys()) {
    await pause();
    if (index > 0) diffs.push(cut && index === 1 ? undefined : await rowsBetween(index - 1, index));
  }
  const items = await rowsBetween(0, states.length - 1);
  if (items === undefined) return { items: [], complete: false };
  const between = new StepsBetween(diffs);
  const rows: RowSteps[] = [];
  for (const item of items.slice(0, STEP_LIMITS.rows)) {
    await pause();
    const { at } = between.of(item);
    rows.push({ path: item.path, kind: item.kind, at: at.slice(0, STEP_LIMITS.named), count: at.length });
  }
  return { items: rows, complete: !diffs.includes(undefined) && items.length === rows.length };
}

/** Compares any two of the states; `undefined` where one of them can't be read. At most three texts are kept. */
function comparing<T>({ states, read, compare, ignore }: Reading<T>) {
  const texts = new Map<number, string | undefined>();
  const textAt = async (index: number): Promise<string | undefined> => {
    if (texts.has(index)) return texts.get(index);
    const state = states[index];
    const text = state === undefined ? undefined : await readable(state, read);
    for (const kept of texts.keys()) if (kept !== 0 && kept < index - 1) texts.delete(kept);
    texts.set(index, text);
    return text;
  };
  return async (from: number, to: number): Promise<readonly Difference[] | undefined> => {
    const [a, b] = [states[from], states[to]];
    if (a === undefined || b === undefined) return undefined;
    const known = compare && (await readable([a, b] as const, ([old, own]) => compare(old, own)));
    if (known) return known;
    const [before, after] = [await textAt(from), await textAt(to)];
    return before === undefined || after === undefined ? undefined : diffJson(before, after, { ignore }).items;
  };
}

/** What can't be read leaves a gap; a caller who left is heard. */
async function readable<T, R>(state: T, read: (state: T) => Promise<R | undefined>): Promise<R | undefined> {
  try {
    return await read(state);
  } catch (error) {
    if (!InspectorError.is(error) || error.code === 'busy') throw error;
    return undefined;
  }
}

export const NOT_ON_LINE: StepsAnswer = { onLine: false, steps: [], of: 0, items: [], complete: true };

/** In this thread: for commands. */
export async function stepsBetween(
  source: CheckpointSource,
  a: CheckpointRef,
  b: CheckpointRef,
  ignore: readonly string[],
): Promise<StepsAnswer> {
  const way = await wayBetween(source, a, b);
  if (way === undefined) return NOT_ON_LINE;
  const states = way.steps.map(({ ref }, index) => (isReadable(way.metas[index]) ? ref : undefined));
  const read = async (ref: CheckpointRef) => (await source.state(ref))?.text;
  const compare = async (before: CheckpointRef, after: CheckpointRef) =>
    (await storedDiff({ source, ref: before }, { source, ref: after }, { ignore }))?.items;
  return answerOf(way, await rowsOfWay({ states, read, compare, ignore, isCut: isCut(way) }));
}

export const isReadable = (meta: CheckpointMeta | undefined): meta is CheckpointMeta =>
  meta !== undefined && meta.problem === undefined;

export const answerOf = ({ steps, of }: Way, rows: RowsOfWay): StepsAnswer => ({
  onLine: true,
  steps: steps.slice(1),
  of,
  ...rows,
});

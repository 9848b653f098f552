/** The branch of a checkpoint, newest first, with what the rows of its history need. */
import {
  branchTo,
  compact,
  createPause,
  formatPath,
  InspectorError,
  MAX_LIMIT,
  noCheckpoint,
  refKey,
  refOfMeta,
  type BranchStep,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type HistoryPoint,
  type HistorySource,
  type LineageOptions,
  type Page,
  type Path,
  type RowFacts,
  type StateValue,
} from '@checkpoint-inspector/core';
import { resolveRef } from '../stores/lookup.ts';
import { readTree } from '../stores/trees.ts';
import { valuesAhead } from './ahead.ts';

export interface BranchQuery {
  readonly task: string;
  /** The checkpoint at the end of the branch; absent: the latest. */
  readonly cp?: string | undefined;
  readonly ns?: string | undefined;
}

/** Root first. @throws InspectorError not_found | ambiguous_id */
export async function branchOf(
  source: CheckpointSource,
  query: BranchQuery,
  options?: LineageOptions,
): Promise<BranchStep[]> {
  const ref = await endOf(source, query);
  const steps = await branchTo(ref, (task) => readTree(source, task, options));
  if (steps.at(-1)?.row !== undefined) return steps;
  throw noCheckpoint(ref);
}

/** The checkpoint that is named, else the latest. @throws InspectorError not_found | ambiguous_id */
export async function endOf(source: CheckpointSource, { task, cp, ns }: BranchQuery): Promise<CheckpointRef> {
  if (cp !== undefined) return resolveRef(source, cp, { task, ns });
  const { ref } = await source.latest(task);
  if (ref !== undefined) return ref;
  const [first] = (await source.checkpoints(task, { limit: 1 })).items;
  if (first !== undefined) return refOfMeta(first);
  throw new InspectorError('not_found', `Task "${task}" has no checkpoint in store "${source.info.id}".`, {
    data: { task },
  });
}

/** Where a state is and how large it is stored. */
export type StoredState = Pick<CheckpointMeta, 'store' | 'taskId' | 'namespace' | 'id'> & Omit<RowFacts, 'agentId'>;

/** Values of states that are too large to be read in this thread; `undefined`, not a promise, for all others. */
export interface LargeValues {
  value(state: StoredState, path: Path, signal?: AbortSignal): Promise<StateValue> | undefined;
  /** Where the value at a path of one state is in another. */
  place(one: StoredState, other: StoredState, path: Path, signal?: AbortSignal): Promise<Path | undefined> | undefined;
}

/** A path along a branch (root first). */
export interface Walked {
  readonly source: CheckpointSource;
  readonly path: Path;
  readonly branch: readonly BranchStep[];
  readonly large?: LargeValues | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface OnBranch extends HistorySource {
  /** Absent where nobody asks how large it is, or it isn't in the store. */
  readonly state: StoredState | undefined;
  readonly isGone: boolean;
}

/** The checkpoints of a branch from its end to its root. */
export async function* newestFirst(walked: Walked): AsyncGenerator<OnBranch> {
  const { source, path, branch, large, signal } = walked;
  const book = new MetaBook(source);
  const valueAhead = valuesAhead(walked);
  const store = source.info.id;
  for (let position = branch.length - 1; position >= 0; position--) {
    const step = branch[position];
    if (step === undefined) continue;
    const { ref, row } = step;
    const facts = row && (row.facts ?? (await book.get(ref)));
    const state = large &&
      facts && { ...facts, store, taskId: ref.task, ...compact({ namespace: ref.namespace }), id: ref.id };
    const valueOnItsOwn = async (): Promise<StateValue | undefined> =>
      (await readValue(source, ref, path, facts?.revision)) ?? (state && large.value(state, path, signal));
    yield {
      point: pointOf(step, position, facts),
      isGone: row === undefined,
      state,
      ...(facts?.revision === undefined ? {} : { revision: facts.revision }),
      read: async () => (row === undefined ? undefined : source.state(ref)),
      ...(row === undefined ? {} : { readValue: async () => (await valueAhead(position)) ?? valueOnItsOwn() }),
    };
  }
}

/** Without the state, from a store that knows its parts. */
async function readValue(
  source: CheckpointSource,
  ref: CheckpointRef,
  path: Path,
  revision: string | undefined,
): Promise<StateValue | undefined> {
  try {
    const part = await source.part?.(ref, formatPath(path));
    return part && { value: part.text, revision: part.revision };
  } catch (error) {
    if (!InspectorError.is(error) || error.code !== 'not_found') throw error;
    return revision === undefined ? undefined : { revision };
  }
}

function pointOf({ ref, row }: BranchStep, position: number, facts: RowFacts | undefined): HistoryPoint {
  if (row === undefined) return { ref, position };
  const { seq, stepIndex, description, time, status } = row;
  return compact({ ref, position, seq, stepIndex, description, agentId: facts?.agentId, time, status });
}

/** Rows of the lists, page after page as they are needed: resume order begins near the end of a branch. */
export class MetaBook {
  readonly #source: CheckpointSource;
  readonly #known = new Map<string, CheckpointMeta>();
  readonly #pause = createPause();
  /** Per task, the next page; absent once all are read. */
  readonly #cursors = new Map<string, string | undefined>();

  constructor(source: CheckpointSource) {
    this.#source = source;
  }

  async get(ref: CheckpointRef): Promise<CheckpointMeta | undefined> {
    const key = refKey(ref);
    if (!this.#cursors.has(ref.task)) await this.#load(ref.task, undefined);
    for (;;) {
      const cursor = this.#cursors.get(ref.task);
      if (this.#known.has(key) || cursor === undefined) return this.#known.get(key);
      await this.#load(ref.task, cursor);
    }
  }

  async #load(task: string, cursor: string | undefined): Promise<void> {
    const query = compact({ limit: MAX_LIMIT, cursor });
    await this.#pause();
    const page: Page<CheckpointMeta> = await this.#source.checkpoints(task, query);
    for (const meta of page.items) this.#known.set(refKey(refOfMeta(meta)), meta);
    this.#cursors.set(task, page.cursor === cursor ? undefined : page.cursor);
  }
}

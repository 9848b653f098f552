import type { CheckpointStore } from './contract.ts';
import { InspectorError } from './errors.ts';
import { alreadyStored, refIn, sameRef } from './ids.ts';
import { quoteJson, setMember } from './json/index.ts';
import { fromText, storeOf, toCheckpoint } from './manager/state.ts';
import type {
  CheckpointManagerConfig,
  CheckpointState,
  ForkOptions,
  ICheckpointManager,
  RestoreResult,
} from './manager/types.ts';
import { copyId } from './native/new-row.ts';
import type { CheckpointRef } from './model.ts';
import { checkId, checkKeys } from './options.ts';

export type {
  CheckpointManagerConfig,
  CheckpointState,
  CheckpointStorageOptions,
  CompletedStep,
  ForkOptions,
  ICheckpointManager,
  RestoreResult,
} from './manager/types.ts';

/**
 * Saves and restores the execution states of agent tasks (F020) in any store.
 * The latest is the state saved last; saving an existing id replaces it where
 * it is; states are deep copies, in and out.
 * @example const manager = createCheckpointManager({ maxPerTask: 5 });
 *          await manager.save(state);
 *          const restored = await manager.restore(state.taskId);
 *          if (restored.success) await goOn(restored.checkpoint, restored.remainingSteps);
 */
export class CheckpointManager implements ICheckpointManager {
  readonly #store: CheckpointStore;

  /** Where the checkpoints are; `inspect` shows this store. */
  get store(): CheckpointStore {
    return this.#store;
  }

  /**
   * @throws InspectorError invalid_input for an unknown option or a limit that is not a positive whole number;
   * unsupported for a `storagePath`, where the manager comes from `checkpoint-inspector/core`
   */
  constructor(config: CheckpointManagerConfig = {}) {
    this.#store = storeOf(config);
  }

  /**
   * @throws InspectorError invalid_input for values that JSON cannot hold (NaN, Date, functions, cycles), for an
   * empty `id` or `taskId` and for `pendingSteps` that aren't a list | too_large
   */
  async save(state: CheckpointState): Promise<void> {
    await this.#store.save(toCheckpoint(state));
  }

  /** `success` is false where the task has no checkpoint. @throws InspectorError invalid_input, as all that take an id */
  async restore(taskId: string): Promise<RestoreResult> {
    checkId('taskId', taskId);
    const { ref } = await this.#store.latest(taskId);
    return this.#result(ref, `No checkpoints found for task: ${taskId}`);
  }

  /** Where several tasks hold the id, the one saved last. */
  async restoreById(checkpointId: string): Promise<RestoreResult> {
    checkId('checkpointId', checkpointId);
    const [ref] = await this.#store.find(checkpointId);
    return this.#result(ref, `Checkpoint not found: ${checkpointId}`);
  }

  /** In save order, without those that can't be read. */
  async list(taskId: string): Promise<CheckpointState[]> {
    checkId('taskId', taskId);
    const states: CheckpointState[] = [];
    for (const ref of await this.#refs(taskId)) {
      const state = await this.#read(ref).catch(skipUnreadable);
      if (state) states.push(state);
    }
    return states;
  }

  /** In every task that holds the id; false if none does. */
  async delete(checkpointId: string): Promise<boolean> {
    checkId('checkpointId', checkpointId);
    return (await this.#removeAll(await this.#store.find(checkpointId))) > 0;
  }

  /** How many were removed. */
  async deleteAll(taskId: string): Promise<number> {
    checkId('taskId', taskId);
    return this.#removeAll(await this.#refs(taskId));
  }

  /**
   * Saves a copy as a child of the checkpoint, so another way can be tried from
   * there. Nothing in the state changes but `id`, `taskId` and `createdAt`.
   * @throws InspectorError not_found | changed (the id is taken in that task) | invalid_input (an unknown option)
   */
  async fork(checkpointId: string, options: ForkOptions = {}): Promise<CheckpointState> {
    checkId('checkpointId', checkpointId);
    checkKeys(options, ['id', 'taskId']);
    const [parent] = await this.#store.find(checkpointId);
    const source = parent && (await this.#store.state(parent));
    if (!parent || !source) {
      throw new InspectorError('not_found', `Checkpoint not found: ${checkpointId}`, { data: { id: checkpointId } });
    }
    const ref = { task: options.taskId ?? parent.task, id: options.id ?? (await this.#freeId(checkpointId)) };
    if (sameRef(ref, parent)) throw alreadyStored(ref);
    const createdAt = new Date().toISOString();
    const text = withMembers(source.text, { id: ref.id, taskId: ref.task, createdAt });
    const state = fromText(text, ref);
    // As text: numbers keep their digits.
    const { value: _, ...fields } = { value: undefined, ...toCheckpoint(state) };
    await this.#store.save({ ...fields, text, parent, trigger: 'fork' }, { ifExists: 'refuse' });
    return state;
  }

  async #result(ref: CheckpointRef | undefined, error: string): Promise<RestoreResult> {
    const checkpoint = ref && (await this.#read(ref));
    if (!checkpoint) return { success: false, error, remainingSteps: [] };
    return { success: true, checkpoint, remainingSteps: [...checkpoint.pendingSteps] };
  }

  async #read(ref: CheckpointRef): Promise<CheckpointState | undefined> {
    const state = await this.#store.state(ref);
    return state && fromText(state.text, ref);
  }

  async #refs(task: string): Promise<CheckpointRef[]> {
    const refs: CheckpointRef[] = [];
    for await (const row of this.#store.lineage(task)) refs.push(refIn(task, row));
    return refs;
  }

  async #removeAll(refs: readonly CheckpointRef[]): Promise<number> {
    let removed = 0;
    for (const ref of refs) {
      if (await this.#store.remove(ref)) removed++;
    }
    return removed;
  }

  #freeId(id: string): Promise<string> {
    return copyId(id, 'fork', async (candidate) => (await this.#store.find(candidate)).length > 0);
  }
}

/**
 * A manager over memory or a given store. `checkpoint-inspector` has the one that saves to a `storagePath`.
 * @throws InspectorError invalid_input | unsupported (a `storagePath`)
 * @example const manager = createCheckpointManager({ maxPerTask: 5 }); // in memory
 */
export function createCheckpointManager(config?: CheckpointManagerConfig): CheckpointManager {
  return new CheckpointManager(config);
}

function skipUnreadable(error: unknown): undefined {
  if (!InspectorError.is(error) || error.code !== 'unreadable') throw error;
}

function withMembers(text: string, members: Record<string, string>): string {
  return Object.entries(members).reduce((done, [key, value]) => setMember(done, [], key, quoteJson(value)), text);
}

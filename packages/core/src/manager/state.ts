import { compact } from '../compact.ts';
import type { CheckpointStore, NewCheckpoint, NewValue } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { fromJsonText, isPlainJson, toJsonText } from '../json/index.ts';
import { MemoryStore } from '../memory.ts';
import { invalid, isTrigger, isUtcTime } from '../native/row.ts';
import type { CheckpointRef } from '../model.ts';
import { asGiven, checkKeys } from '../options.ts';
import type { CheckpointManagerConfig, CheckpointState } from './types.ts';

/**
 * A state as a store keeps it: the whole state, and what lists show of it. As a value, unless only a text can say it
 * (-0, bigint). @throws InspectorError invalid_input for what JSON cannot hold, and for what could not be restored
 */
export function toCheckpoint(state: CheckpointState): NewCheckpoint | NewValue {
  checkState(state);
  const content = isPlainJson(state) ? { value: state } : { text: toJsonText(state) };
  const last = state.completedSteps?.at(-1);
  const trigger = state.metadata?.['trigger'];
  const error = state.metadata?.['error'];
  const failed = trigger === 'error' || error !== undefined;
  // Of a failure it is read as the message: the step before, which was done, didn't say it.
  const description = failed ? messageIn(error) : last?.name;
  // What an agent keeps there may be anything; lists show texts.
  const texts = Object.fromEntries(
    Object.entries({ agentId: state.agentId, description }).filter(([, value]) => typeof value === 'string'),
  );
  return compact({
    id: state.id,
    task: state.taskId,
    ...content,
    stepIndex: state.stepIndex,
    totalSteps: state.totalSteps,
    status: statusOf(state, failed),
    trigger: isTrigger(trigger) ? trigger : undefined,
    ...texts,
    durationMs: last?.durationMs,
    createdAt: isUtcTime(state.createdAt) ? state.createdAt : undefined,
  });
}

/** Errors are kept as a text or, as JSON has no form for an `Error`, as an object with its message. */
function messageIn(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'message' in error ? error.message : error;
}

/** A state that is saved can be restored: `fromText` reads it by the same rule. */
function checkState(state: unknown): void {
  if (typeof state !== 'object' || state === null) throw invalid('state', 'must be an object');
  if (!isState(state)) throw invalid('pendingSteps', 'must be a list');
}

function statusOf(state: CheckpointState, failed: boolean): 'failed' | 'completed' | 'running' {
  if (failed) return 'failed';
  return state.pendingSteps?.length === 0 ? 'completed' : 'running';
}

/**
 * The state that a text holds. A copy made by the inspector keeps its source's
 * text byte for byte, so id and task are those of its place in the store.
 * @throws InspectorError unreadable when the text is not such a state
 */
export function fromText(text: string, ref: CheckpointRef): CheckpointState {
  const value = fromJsonText(text);
  if (!isState(value)) {
    throw new InspectorError(
      'unreadable',
      `Checkpoint "${ref.id}" of task "${ref.task}" contains no execution state.`,
      {
        data: { ...ref },
        remedy: 'Another program saved it: read it with manager.store.state(ref), or restore another by its id.',
      },
    );
  }
  return { ...value, id: ref.id, taskId: ref.task };
}

/** Only what the manager itself relies on; the rest is the agent's. */
function isState(value: unknown): value is CheckpointState {
  if (typeof value !== 'object' || value === null || !('pendingSteps' in value)) return false;
  return Array.isArray(value.pendingSteps);
}

const DEFAULT_MAX_PER_TASK = 10;
const CONFIG_KEYS = ['storage', 'maxPerTask', 'store'];
const STORAGE_KEYS = ['storagePath', 'maxPerTask', 'autoCleanup'];

/** The store that a configuration asks for. @throws InspectorError invalid_input | unsupported (a path on a disk) */
export function storeOf(config: CheckpointManagerConfig): CheckpointStore {
  checkConfig(config);
  if (!config.store) {
    const limit = keptPerTask(config);
    if (config.storage) throw needsDisk();
    return new MemoryStore(limit === undefined ? {} : { maxPerTask: limit });
  }
  if ((config.maxPerTask ?? config.storage) === undefined) return config.store;
  throw new InspectorError('invalid_input', 'maxPerTask and storage cannot be combined with a store.', {
    remedy: 'Pass maxPerTask to the store: it evicts in the same transaction as it saves.',
  });
}

/**
 * How many checkpoints a task keeps; `undefined` when `autoCleanup: false` keeps them all.
 * @throws InspectorError invalid_input for an unknown option, or a value of the wrong kind
 */
export function keptPerTask(config: CheckpointManagerConfig): number | undefined {
  checkConfig(config);
  const limit = config.maxPerTask ?? config.storage?.maxPerTask ?? DEFAULT_MAX_PER_TASK;
  if (!(Number.isInteger(limit) && limit >= 1)) throw wrong('maxPerTask', 'a positive whole number', limit);
  return config.storage?.autoCleanup === false ? undefined : limit;
}

function checkConfig(config: CheckpointManagerConfig): void {
  // The fields of a store of ours are private: taken for options it would have none, and states would end in memory.
  if (isStore(config)) {
    const remedy = 'Pass it by its name: new CheckpointManager({ store }).';
    throw new InspectorError('invalid_input', 'This is a store, not the options.', { remedy });
  }
  checkKeys(config, CONFIG_KEYS);
  const { storage, store } = config;
  if (store !== undefined && !isStore(store)) throw notAStore(store);
  if (storage === undefined) return;
  if (typeof storage !== 'object' || storage === null) throw wrong('storage', 'an object', storage);
  checkKeys(storage, STORAGE_KEYS, { prefix: 'storage.' });
  const { storagePath, autoCleanup } = storage;
  if (typeof storagePath !== 'string' || storagePath === '' || storagePath.includes('\0')) {
    throw wrong('storage.storagePath', 'a path', storagePath);
  }
  if (autoCleanup !== undefined && typeof autoCleanup !== 'boolean') {
    throw wrong('storage.autoCleanup', 'true or false', autoCleanup);
  }
}

/** This code also runs where there is no disk, and memory would lose what was saved. */
const needsDisk = (): InspectorError =>
  new InspectorError('unsupported', 'This manager keeps checkpoints in memory only, so it has no storagePath.', {
    data: { key: 'storage.storagePath' },
    remedy: "Import it from 'checkpoint-inspector' or 'checkpoint-inspector/stores/manager', which save to the disk.",
  });

function isStore(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('save' in value && 'latest' in value)) return false;
  return typeof value.save === 'function' && typeof value.latest === 'function';
}

function notAStore(value: unknown): InspectorError {
  const isPromise = value instanceof Promise;
  return new InspectorError(
    'invalid_input',
    `store must be a store, not ${isPromise ? 'a promise' : 'another value'}.`,
    {
      data: { key: 'store' },
      remedy: isPromise
        ? "Await it: { store: await openSqliteStore({ path: 'agent.db' }) }."
        : 'Pass what openSqliteStore or openPostgresStore resolves to, or a store of your own.',
    },
  );
}

function wrong(key: string, wanted: string, value: unknown): InspectorError {
  return new InspectorError('invalid_input', `${key} must be ${wanted}, not ${asGiven(value)}.`, {
    data: { key },
  });
}

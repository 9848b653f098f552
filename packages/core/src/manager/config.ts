import type { CheckpointStore } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { nearest } from '../nearest.ts';
import { MemoryStore } from '../memory.ts';
import type { CheckpointManagerConfig } from './types.ts';

const DEFAULT_MAX_PER_TASK = 10;
const CONFIG_KEYS = ['storage', 'maxPerTask', 'store'];
const STORAGE_KEYS = ['storagePath', 'maxPerTask', 'autoCleanup'];

/** The store that a configuration asks for. @throws InspectorError invalid_input */
export function storeOf(config: CheckpointManagerConfig): CheckpointStore {
  checkConfig(config);
  if (!config.store) {
    const limit = keptPerTask(config);
    return new MemoryStore(limit === undefined ? {} : { maxPerTask: limit });
  }
  if ((config.maxPerTask ?? config.storage) === undefined) return config.store;
  throw new InspectorError('invalid_input', 'maxPerTask and storage cannot be set beside a store.', {
    remedy: 'Give maxPerTask to the store: it evicts in the same transaction as it saves.',
  });
}

/**
 * How many checkpoints a task keeps; `undefined` when `autoCleanup: false` keeps them all.
 * @throws InspectorError invalid_input for an unknown option, or a value of the wrong kind
 */
export function keptPerTask(config: CheckpointManagerConfig): number | undefined {
  checkConfig(config);
  const limit = config.maxPerTask ?? config.storage?.maxPerTask ?? DEFAULT_MAX_PER_TASK;
  if (!(Number.isInteger(limit) && limit >= 1)) throw wrong('maxPerTask', 'a whole number from 1', limit);
  return config.storage?.autoCleanup === false ? undefined : limit;
}

function checkConfig(config: CheckpointManagerConfig): void {
  checkKeys(config, CONFIG_KEYS, '');
  const { storage } = config;
  if (storage === undefined) return;
  if (typeof storage !== 'object' || storage === null) throw wrong('storage', 'an object', storage);
  checkKeys(storage, STORAGE_KEYS, 'storage.');
  const { storagePath, autoCleanup } = storage;
  if (typeof storagePath !== 'string' || storagePath === '' || storagePath.includes('\0')) {
    throw wrong('storage.storagePath', 'a path', storagePath);
  }
  if (autoCleanup !== undefined && typeof autoCleanup !== 'boolean') {
    throw wrong('storage.autoCleanup', 'true or false', autoCleanup);
  }
}

function wrong(key: string, wanted: string, value: unknown): InspectorError {
  return new InspectorError('invalid_input', `${key} has to be ${wanted}, not ${JSON.stringify(value) ?? 'absent'}.`, {
    data: { key },
  });
}

function checkKeys(options: object, known: readonly string[], prefix: string): void {
  for (const key of Object.keys(options)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known) ?? '';
    throw new InspectorError('invalid_input', `Unknown option "${prefix}${key}"; did you mean "${prefix}${meant}"?`, {
      data: { key: prefix + key, nearest: prefix + meant },
      remedy: `Known options: ${known.map((name) => prefix + name).join(', ')}.`,
    });
  }
}

import { InspectorError } from '@checkpoint-inspector/core';

/** `agent.checkpoints` of the document. */
export interface CheckpointConfig {
  /** `false`: nothing is saved. */
  readonly enabled: boolean;
  /** `false`: only error and final checkpoints are saved by the executor. */
  readonly autoCheckpoint: boolean;
  readonly maxCheckpointsPerSession: number;
  /** Days of 24 hours; absent: age deletes nothing. */
  readonly pruneAfterDays?: number;
  /** Store large states as gzip; only in files that this program made. */
  readonly compressState: boolean;
}

/**
 * What holds where no file says otherwise.
 * @example const config = { ...DEFAULT_CHECKPOINT_CONFIG, maxCheckpointsPerSession: 50 }
 */
export const DEFAULT_CHECKPOINT_CONFIG: CheckpointConfig = {
  enabled: true,
  autoCheckpoint: true,
  maxCheckpointsPerSession: 10,
  compressState: false,
};

const CHECKS: Readonly<Record<keyof CheckpointConfig, readonly [(value: unknown) => boolean, string]>> = {
  enabled: [isBoolean, 'true or false'],
  autoCheckpoint: [isBoolean, 'true or false'],
  maxCheckpointsPerSession: [(value) => Number.isSafeInteger(value) && Number(value) >= 1, 'a positive whole number'],
  pruneAfterDays: [isDays, 'a number of days, 0 or more'],
  compressState: [isBoolean, 'true or false'],
};

/** @throws InspectorError invalid_input, naming the key */
export function checkConfig(values: Readonly<Record<string, unknown>>, file: string): Partial<CheckpointConfig> {
  for (const [key, value] of Object.entries(values)) {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key as keyof CheckpointConfig] : undefined;
    if (!check) throw badKey(file, key, `is unknown; known are ${Object.keys(CHECKS).join(', ')}`);
    if (!check[0](value)) throw badKey(file, key, `must be ${check[1]}`);
  }
  return values;
}

function badKey(file: string, key: string, why: string): InspectorError {
  const name = `agent.checkpoints.${key}`;
  return new InspectorError('invalid_input', `${file}: ${name} ${why}.`, { data: { file, key: name } });
}

export function isDays(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

import { InspectorError } from '@checkpoint-inspector/core';
import { readBounded } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import { parse } from 'yaml';

/** `agent.checkpoints` of the document. */
export interface CheckpointConfig {
  /** `false`: nothing is saved. */
  readonly enabled: boolean;
  /** `false`: only error and final checkpoints are saved by the executor. */
  readonly autoCheckpoint: boolean;
  readonly maxCheckpointsPerSession: number;
  /** Days of 24 hours; absent: age lets nothing go. */
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

/**
 * Later ones win: the second is what ctx-sys itself reads.
 * @example CONFIG_FILES.map((file) => join(projectFolder, file))
 */
export const CONFIG_FILES: readonly string[] = ['ctx-sys.yaml', join('.ctx-sys', 'config.yaml')];

const MAX_BYTES = 1024 * 1024;
const CHECKS: Readonly<Record<keyof CheckpointConfig, readonly [(value: unknown) => boolean, string]>> = {
  enabled: [isBoolean, 'true or false'],
  autoCheckpoint: [isBoolean, 'true or false'],
  maxCheckpointsPerSession: [(value) => Number.isSafeInteger(value) && Number(value) >= 1, 'a whole number from 1'],
  pruneAfterDays: [isDays, 'a number of days from 0'],
  compressState: [isBoolean, 'true or false'],
};

/**
 * The configuration of a project folder: `ctx-sys.yaml`, then `.ctx-sys/config.yaml`. Missing files say nothing.
 * @throws InspectorError invalid_input, naming file and key
 * @example const config = await loadCheckpointConfig('/data/project')
 */
export async function loadCheckpointConfig(projectFolder: string): Promise<CheckpointConfig> {
  let config = DEFAULT_CHECKPOINT_CONFIG;
  for (const file of CONFIG_FILES) {
    const text = await readText(join(projectFolder, file));
    if (text !== undefined) config = { ...config, ...parseCheckpointConfig(text, file) };
  }
  return config;
}

/**
 * What a YAML text says below `agent.checkpoints`; all other sections are left alone. @throws InspectorError invalid_input
 * @example parseCheckpointConfig('agent:\n  checkpoints:\n    pruneAfterDays: 30', 'ctx-sys.yaml') // { pruneAfterDays: 30 }
 */
export function parseCheckpointConfig(text: string, file: string): Partial<CheckpointConfig> {
  const section = sectionOf(sectionOf(parseYaml(text, file), 'agent', file), 'agent.checkpoints', file);
  return checkConfig(section, file);
}

/** @throws InspectorError invalid_input, naming the key */
export function checkConfig(values: Readonly<Record<string, unknown>>, file: string): Partial<CheckpointConfig> {
  for (const [key, value] of Object.entries(values)) {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key as keyof CheckpointConfig] : undefined;
    if (!check) throw badKey(file, key, `is unknown; known are ${Object.keys(CHECKS).join(', ')}`);
    if (!check[0](value)) throw badKey(file, key, `must be ${check[1]}`);
  }
  return values;
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { logLevel: 'error' }) as unknown;
  } catch (cause) {
    const words = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    throw new InspectorError('invalid_input', `${file} is no YAML: ${words}`, { cause, data: { file } });
  }
}

/** The last part of `path` in a mapping; empty where it is not given. */
function sectionOf(parent: unknown, path: string, file: string): Readonly<Record<string, unknown>> {
  const key = path.split('.').at(-1) ?? '';
  const value: unknown = isMapping(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (value === undefined || value === null) return {};
  if (isMapping(value)) return value;
  throw new InspectorError('invalid_input', `${file}: ${path} must be a mapping.`, { data: { file, key: path } });
}

function badKey(file: string, key: string, why: string): InspectorError {
  const name = `agent.checkpoints.${key}`;
  return new InspectorError('invalid_input', `${file}: ${name} ${why}.`, { data: { file, key: name } });
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readBounded(path, { maxBytes: MAX_BYTES }));
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

export function isDays(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { join } from 'node:path';
import { InspectorError } from '@checkpoint-inspector/core';
import { readBounded } from '@checkpoint-inspector/io';
import { DEFAULT_CHECKPOINT_CONFIG, type CheckpointConfig } from './config.ts';

/**
 * Later ones win: the second is what ctx-sys itself reads.
 * @example CONFIG_FILES.map((file) => join(projectFolder, file))
 */
export const CONFIG_FILES: readonly string[] = ['ctx-sys.yaml', join('.ctx-sys', 'config.yaml')];

const MAX_BYTES = 1024 * 1024;

/**
 * The configuration of a project folder: `ctx-sys.yaml`, then `.ctx-sys/config.yaml`. Missing files say nothing.
 * @throws InspectorError invalid_input, naming file and key
 * @example const config = await loadCheckpointConfig('/data/project')
 */
export async function loadCheckpointConfig(projectFolder: string): Promise<CheckpointConfig> {
  let config = DEFAULT_CHECKPOINT_CONFIG;
  for (const file of CONFIG_FILES) {
    const text = await readText(join(projectFolder, file));
    if (text === undefined) continue;
    // Few projects have such a file: its parser is loaded for them.
    const { parseCheckpointConfig } = await import('./config-text.ts');
    config = { ...config, ...parseCheckpointConfig(text, file) };
  }
  return config;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await readBounded(path, { maxBytes: MAX_BYTES }));
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}

import { InspectorError } from '@checkpoint-inspector/core';
import { parse } from 'yaml';
import { isRecord } from '@checkpoint-inspector/systems/folder/view';
import { checkConfig, type CheckpointConfig } from './config.ts';

/**
 * What a YAML text says below `agent.checkpoints`; all other sections are left alone. @throws InspectorError invalid_input
 * @example parseCheckpointConfig('agent:\n  checkpoints:\n    pruneAfterDays: 30', 'ctx-sys.yaml') // { pruneAfterDays: 30 }
 */
export function parseCheckpointConfig(text: string, file: string): Partial<CheckpointConfig> {
  const section = sectionOf(sectionOf(parseYaml(text, file), 'agent', file), 'agent.checkpoints', file);
  return checkConfig(section, file);
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { logLevel: 'error' }) as unknown;
  } catch (cause) {
    const words = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    throw new InspectorError('invalid_input', `${file} isn't valid YAML: ${words}`, { cause, data: { file } });
  }
}

/** The last part of `path` in a mapping; empty where it is not given. */
function sectionOf(parent: unknown, path: string, file: string): Readonly<Record<string, unknown>> {
  const key = path.split('.').at(-1) ?? '';
  const value: unknown = isRecord(parent) && Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (value === undefined || value === null) return {};
  if (isRecord(value)) return value;
  throw new InspectorError('invalid_input', `${file}: ${path} must be a mapping.`, { data: { file, key: path } });
}

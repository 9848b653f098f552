import { InspectorError } from '@checkpoint-inspector/core';
import { KAIZEN_KEYS, type KaizenKey } from './document.ts';
import { JsonNumber, pythonJson } from './python-json.ts';

export type KaizenFields = { readonly [K in KaizenKey]?: unknown } & {
  readonly checkpoint_id: string;
  readonly agent_id: string;
  readonly timestamp: string;
};

const LISTS: ReadonlySet<KaizenKey> = new Set([
  'conversation_history',
  'pending_actions',
  'completed_actions',
  'approval_history',
  'active_specialists',
  'specialist_invocations',
  'registered_hooks',
  'hook_event_history',
]);
const MAPS: ReadonlySet<KaizenKey> = new Set([
  'memory_contents',
  'tool_usage_counts',
  'tool_results_cache',
  'workflow_state',
  'control_protocol_state',
  'metadata',
]);

/** @example jsonNumber('0.0') */
export function jsonNumber(numberText: string): JsonNumber {
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(numberText)) return new JsonNumber(numberText);
  throw new InspectorError('invalid_input', `"${numberText}" is no JSON number.`);
}

/**
 * A document as Kaizen writes it: all keys in its order, `json.dumps` spelling, ASCII escapes; without the line end.
 */
export function kaizenDocument(fields: KaizenFields): string {
  const members = KAIZEN_KEYS.map((key) => `"${key}": ${pythonJson(fields[key] ?? defaultOf(key))}`);
  return `{${members.join(', ')}}`;
}

function defaultOf(key: KaizenKey): unknown {
  if (LISTS.has(key)) return [];
  if (MAPS.has(key)) return {};
  if (key === 'step_number') return 0;
  if (key === 'budget_spent_usd') return jsonNumber('0.0');
  if (key === 'status') return 'running';
  return key === 'model' ? '' : null;
}

import { InspectorError } from '@checkpoint-inspector/core';
import { AgentState } from './api/agent-state.ts';
import { KAIZEN_KEYS, type KaizenKey } from './document.ts';
import { JsonNumber, pythonJson } from './python-json.ts';

export type KaizenFields = { readonly [K in KaizenKey]?: unknown } & {
  readonly checkpoint_id: string;
  readonly agent_id: string;
  readonly timestamp: string;
};

/** @example jsonNumber('0.0') */
export function jsonNumber(numberText: string): JsonNumber {
  if (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(numberText)) return new JsonNumber(numberText);
  throw new InspectorError('invalid_input', `"${numberText}" is not a JSON number.`);
}

const DEFAULTS: Readonly<Record<KaizenKey, unknown>> = {
  ...new AgentState({ checkpointId: '', timestamp: new Date(0) }).toDict(),
  budget_spent_usd: jsonNumber('0.0'),
};

/** All keys in Kaizen's order, `json.dumps` spelling, ASCII escapes; without the line end. */
export function kaizenDocument(fields: KaizenFields): string {
  const members = KAIZEN_KEYS.map((key) => `"${key}": ${pythonJson(fields[key] ?? DEFAULTS[key])}`);
  return `{${members.join(', ')}}`;
}

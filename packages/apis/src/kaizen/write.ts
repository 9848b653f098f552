import { InspectorError } from '@checkpoint-inspector/core';
import { KAIZEN_DEFAULTS, type KaizenKey } from '@checkpoint-inspector/systems/kaizen';
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

/** All keys in Kaizen's order, `json.dumps` spelling, ASCII escapes; without the line end. */
export function kaizenDocument(fields: KaizenFields): string {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  return pythonJson({ ...KAIZEN_DEFAULTS, budget_spent_usd: jsonNumber('0.0'), ...Object.fromEntries(given) });
}

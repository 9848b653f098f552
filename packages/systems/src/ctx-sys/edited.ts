import type { SqlRow } from '@checkpoint-inspector/io';
import {
  editWarnings,
  editWords,
  InspectorError,
  parseJson,
  readEdit,
  sourceOf,
  valueAt,
  type EditRequest,
  type PlanWarning,
} from '@checkpoint-inspector/core';

/** An edited state, as it will be saved. */
export interface Edited {
  readonly text: string;
  /** Steps of its plan; 0 for a state of the MCP tool. */
  readonly steps: number;
  /** Columns that are not the original's. */
  readonly set: SqlRow;
  readonly warnings: readonly PlanWarning[];
}

/**
 * @param setBySave members that the save replaces in a state without a plan
 * @throws InspectorError invalid_input (no JSON, no object, a plan without a step) | too_large
 */
export function editedState(request: EditRequest, original: string, setBySave: readonly string[]): Edited {
  const { text } = request;
  const root = readEdit(text, { strictFor: 'ctx-sys' });
  if (root.kind !== 'object') {
    throw new InspectorError('invalid_input', `A state of ctx-sys is a JSON object, and the text holds ${root.kind}.`);
  }
  const plan = valueAt(text, root, ['plan']);
  const steps = plan?.kind === 'array' ? plan.items.length : 0;
  const columns = {
    state_json: text,
    trigger_type: 'manual',
    description: editWords(request),
    // What the original's step took is not taken twice.
    duration_ms: null,
    token_usage: null,
  };
  const set = steps > 0 ? { ...columns, step_number: stepOf(text) } : columns;
  return { text, steps, set, warnings: editWarnings(original, text, steps > 0 ? [] : setBySave) };
}

/** The executor saves a state under its own `currentStepIndex`. @throws InspectorError invalid_input */
export function stepOf(text: string): number {
  const node = valueAt(text, parseJson(text), ['currentStepIndex']);
  const step = node?.kind === 'number' ? Number(sourceOf(text, node)) : Number.NaN;
  if (Number.isSafeInteger(step) && step >= 0) return step;
  throw new InspectorError(
    'invalid_input',
    'currentStepIndex has to be a whole number from 0: a state with a plan is saved under it.',
    { data: { path: '$.currentStepIndex' } },
  );
}

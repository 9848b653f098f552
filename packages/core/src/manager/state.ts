import type { NewCheckpoint } from '../contract.ts';
import { InspectorError } from '../errors.ts';
import { fromJsonText, toJsonText } from '../json/index.ts';
import { isTrigger, isUtcTime, optional } from '../native/row.ts';
import type { CheckpointRef } from '../model.ts';
import type { CheckpointState } from './types.ts';

/** A state as a store keeps it: the whole state as text, and what lists show of it. */
export function toCheckpoint(state: CheckpointState): NewCheckpoint {
  const text = toJsonText(state);
  const last = state.completedSteps?.at(-1);
  const trigger = state.metadata?.['trigger'];
  const error = state.metadata?.['error'];
  const failed = trigger === 'error' || error !== undefined;
  const description = failed && typeof error === 'string' ? error : last?.name;
  return {
    id: state.id,
    task: state.taskId,
    text,
    stepIndex: state.stepIndex,
    totalSteps: state.totalSteps,
    agentId: state.agentId,
    status: statusOf(state, failed),
    ...optional('trigger', isTrigger(trigger) ? trigger : undefined),
    ...optional('description', description),
    ...optional('durationMs', last?.durationMs),
    ...optional('createdAt', isUtcTime(state.createdAt) ? state.createdAt : undefined),
  };
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
    throw new InspectorError('unreadable', `Checkpoint "${ref.id}" of task "${ref.task}" holds no execution state.`, {
      data: { ...ref },
    });
  }
  return { ...value, id: ref.id, taskId: ref.task };
}

/** Only what the manager itself relies on; the rest is the agent's. */
function isState(value: unknown): value is CheckpointState {
  if (typeof value !== 'object' || value === null || !('pendingSteps' in value)) return false;
  return Array.isArray(value.pendingSteps);
}

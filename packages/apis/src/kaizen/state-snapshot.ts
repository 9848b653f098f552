import { copyState, type AgentState } from './agent-state.ts';
import type { Dict } from './dict.ts';
import { Timestamp } from './timestamp.ts';

/** What a `StateSnapshot` is made from. */
export interface StateSnapshotInit {
  readonly state: AgentState;
  readonly createdAt?: Date;
  /** Default `manual`. */
  readonly snapshotReason?: string;
}

/**
 * A state as it was at one moment, for looking at (`kaizen.core.autonomy.state.types.StateSnapshot`): a frozen copy.
 * @example new StateSnapshot({ state, snapshotReason: 'pre_deployment_validation' }).getSummary()
 */
export class StateSnapshot {
  readonly state: Readonly<AgentState>;
  readonly createdAt: Date;
  readonly snapshotReason: string;

  /** @throws InspectorError invalid_input for values that JSON cannot hold */
  constructor({ state, createdAt = Timestamp.utcnow(), snapshotReason = 'manual' }: StateSnapshotInit) {
    this.state = deepFreeze(copyState(state));
    this.createdAt = createdAt;
    this.snapshotReason = snapshotReason;
    Object.freeze(this);
  }

  /** The figures that the document names, under its keys; histories and actions as counts. */
  getSummary(): Dict {
    const { state } = this;
    return {
      checkpoint_id: state.checkpointId,
      agent_id: state.agentId,
      step_number: state.stepNumber,
      status: state.status,
      conversation_turns: state.conversationHistory.length,
      pending_actions: state.pendingActions.length,
      completed_actions: state.completedActions.length,
      budget_spent_usd: state.budgetSpentUsd,
      snapshot_reason: this.snapshotReason,
      created_at: Timestamp.isoformat(this.createdAt),
    };
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const item of Object.values(value)) {
    // A Date cannot be frozen.
    if (typeof item === 'object' && item !== null && !(item instanceof Date)) deepFreeze(item);
  }
  return Object.freeze(value);
}

import { randomBytes } from 'node:crypto';
import { KAIZEN_KEYS, type KaizenKey } from '@checkpoint-inspector/systems/kaizen';
import { copyData, spellFloat } from './python-json.ts';
import { DictReader, type Dict } from './dict.ts';
import { Timestamp } from './timestamp.ts';

export const AGENT_STATUSES = ['running', 'completed', 'failed', 'interrupted'] as const;
/** How an agent is doing, in the document's words. */
export type AgentStatus = (typeof AGENT_STATUSES)[number];

/** `ckpt_` and 12 hex digits. */
export function newCheckpointId(): string {
  return `ckpt_${randomBytes(6).toString('hex')}`;
}

type Fields = Omit<AgentState, 'toDict'>;
/** Any of the fields; the others take the defaults of the document. */
export type AgentStateInit = { readonly [K in keyof Fields]?: Fields[K] | undefined };

/**
 * Everything an agent needs to continue from a checkpoint (`kaizen.core.autonomy.state.types.AgentState`). Fields may
 * be set; a save writes what they hold at that moment.
 * @example new AgentState({ agentId: 'research_agent', stepNumber: 42, budgetSpentUsd: 0.15 })
 */
export class AgentState {
  checkpointId: string;
  agentId = '';
  /** Newer than the document; Kaizen has written it since March 2026. */
  model = '';
  timestamp: Date;
  /** Newer than the document, like `model`. */
  updatedAt: Date | undefined;
  stepNumber = 0;
  conversationHistory: Dict[] = [];
  memoryContents: Dict = {};
  pendingActions: Dict[] = [];
  completedActions: Dict[] = [];
  budgetSpentUsd = 0;
  approvalHistory: Dict[] = [];
  toolUsageCounts: Record<string, number> = {};
  toolResultsCache: Dict = {};
  activeSpecialists: string[] = [];
  specialistInvocations: Dict[] = [];
  workflowRunId: string | undefined;
  workflowState: Dict = {};
  controlProtocolState: Dict = {};
  registeredHooks: Dict[] = [];
  hookEventHistory: Dict[] = [];
  /** Set in forks. */
  parentCheckpointId: string | undefined;
  status: AgentStatus = 'running';
  metadata: Dict = {};

  constructor(init: AgentStateInit = {}) {
    this.checkpointId = init.checkpointId ?? newCheckpointId();
    this.timestamp = init.timestamp ?? Timestamp.utcnow();
    const given = Object.entries(init).filter(
      ([key, value]) => Object.hasOwn(this, key) && value !== undefined && value !== null,
    );
    Object.assign(this, Object.fromEntries(given));
  }

  /**
   * The state as the file holds it: Kaizen's keys in its order, times as ISO text, absent values null; a deep copy.
   * @throws InspectorError invalid_input for values that JSON cannot hold
   */
  toDict(): Record<KaizenKey, unknown> & Dict {
    const dict = copyData({
      checkpoint_id: this.checkpointId,
      agent_id: this.agentId,
      model: this.model,
      timestamp: Timestamp.isoformat(this.timestamp),
      updated_at: this.updatedAt ? Timestamp.isoformat(this.updatedAt) : null,
      step_number: this.stepNumber,
      conversation_history: this.conversationHistory,
      memory_contents: this.memoryContents,
      pending_actions: this.pendingActions,
      completed_actions: this.completedActions,
      budget_spent_usd: this.budgetSpentUsd,
      approval_history: this.approvalHistory,
      tool_usage_counts: this.toolUsageCounts,
      tool_results_cache: this.toolResultsCache,
      active_specialists: this.activeSpecialists,
      specialist_invocations: this.specialistInvocations,
      workflow_run_id: this.workflowRunId ?? null,
      workflow_state: this.workflowState,
      control_protocol_state: this.controlProtocolState,
      registered_hooks: this.registeredHooks,
      hook_event_history: this.hookEventHistory,
      parent_checkpoint_id: this.parentCheckpointId ?? null,
      status: this.status,
      metadata: this.metadata,
    });
    spellFloat(dict, 'budget_spent_usd', this.budgetSpentUsd);
    return dict;
  }

  /**
   * The state in a dictionary; absent keys take their defaults, as in Kaizen unknown ones are refused.
   * @throws InspectorError invalid_input, naming the key
   */
  static fromDict(data: Readonly<Dict>): AgentState {
    const from = new DictReader('AgentState', data, KAIZEN_KEYS);
    return new AgentState({
      ...(from.has('checkpoint_id') ? { checkpointId: from.text('checkpoint_id') } : {}),
      agentId: from.text('agent_id', ''),
      model: from.text('model', ''),
      ...(from.has('timestamp') ? { timestamp: from.time('timestamp') } : {}),
      ...(from.has('updated_at') ? { updatedAt: from.time('updated_at') } : {}),
      stepNumber: from.number('step_number', 0),
      conversationHistory: copyData(from.dicts('conversation_history')),
      memoryContents: copyData(from.dict('memory_contents')),
      pendingActions: copyData(from.dicts('pending_actions')),
      completedActions: copyData(from.dicts('completed_actions')),
      budgetSpentUsd: from.number('budget_spent_usd', 0),
      approvalHistory: copyData(from.dicts('approval_history')),
      toolUsageCounts: copyData(from.counts('tool_usage_counts')),
      toolResultsCache: copyData(from.dict('tool_results_cache')),
      activeSpecialists: copyData(from.texts('active_specialists')),
      specialistInvocations: copyData(from.dicts('specialist_invocations')),
      workflowRunId: from.textOrNone('workflow_run_id'),
      workflowState: copyData(from.dict('workflow_state')),
      controlProtocolState: copyData(from.dict('control_protocol_state')),
      registeredHooks: copyData(from.dicts('registered_hooks')),
      hookEventHistory: copyData(from.dicts('hook_event_history')),
      parentCheckpointId: from.textOrNone('parent_checkpoint_id'),
      status: from.oneOf('status', AGENT_STATUSES, 'running'),
      metadata: copyData(from.dict('metadata')),
    });
  }
}

/** A state that shares nothing with the given one. @throws InspectorError invalid_input */
export function copyState(state: AgentState): AgentState {
  const copy = AgentState.fromDict(state.toDict());
  copy.timestamp = state.timestamp;
  copy.updatedAt = state.updatedAt;
  return copy;
}

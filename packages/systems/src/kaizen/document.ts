import type { CheckpointStatus, Problem } from '@checkpoint-inspector/core';
import { defined, parseObject, parseStamp, timeProblem, unreadable, type Parsed, type Stamp } from '../folder/index.ts';
import { interruptWords } from './view.ts';

/** What lists and plans need of a document; the state itself is read again when asked for. */
export interface Facts {
  readonly checkpointId: string;
  readonly agentId: string;
  /** Absent when the stored time is none; then the row has a problem. */
  readonly time?: Stamp;
  readonly parentId?: string;
  readonly stepIndex?: number;
  readonly status: CheckpointStatus;
  readonly description?: string;
  readonly error?: string;
  readonly costUsd?: number;
  /** Kaizen shows checkpoints with such keys in its list, and then fails to load them. */
  readonly unknownKeys: readonly string[];
}

export interface ReadDocument {
  readonly facts?: Facts;
  readonly problem?: Problem;
}

/** A checkpoint that says nothing: its keys in the order in which Kaizen writes them, and what each is by default. */
export const KAIZEN_DEFAULTS = {
  checkpoint_id: '',
  agent_id: '',
  model: '',
  timestamp: '',
  updated_at: null,
  step_number: 0,
  conversation_history: [],
  memory_contents: {},
  pending_actions: [],
  completed_actions: [],
  budget_spent_usd: 0,
  approval_history: [],
  tool_usage_counts: {},
  tool_results_cache: {},
  active_specialists: [],
  specialist_invocations: [],
  workflow_run_id: null,
  workflow_state: {},
  control_protocol_state: {},
  registered_hooks: [],
  hook_event_history: [],
  parent_checkpoint_id: null,
  status: 'running',
  metadata: {},
} as const;
export type KaizenKey = keyof typeof KAIZEN_DEFAULTS;
export const KAIZEN_KEYS: readonly string[] = Object.keys(KAIZEN_DEFAULTS);

const KNOWN: ReadonlySet<string> = new Set(KAIZEN_KEYS);
const STATUSES: ReadonlySet<string> = new Set(['running', 'completed', 'failed', 'interrupted']);
const DESCRIPTION_LENGTH = 200;

/** Reads a document's text; a document that is not a checkpoint comes back with the problem, never as an exception. */
export function readDocument(text: string): ReadDocument {
  const parsed = parseObject(text);
  if ('problem' in parsed) return parsed;
  const { root, string, number } = parsed;
  const [checkpointId, agentId] = [string('checkpoint_id'), string('agent_id')];
  if (checkpointId === undefined) return { problem: unreadable('checkpoint_id is missing or not a string.') };
  if (agentId === undefined) return { problem: unreadable('agent_id is missing or not a string.') };
  const time = parseStamp(string('timestamp') ?? '');
  const status = string('status') ?? '';
  const facts: Facts = {
    checkpointId,
    agentId,
    ...defined({
      time,
      parentId: string('parent_checkpoint_id') || undefined,
      stepIndex: number('step_number'),
      costUsd: number('budget_spent_usd'),
    }),
    status: STATUSES.has(status) ? (status as CheckpointStatus) : 'unknown',
    ...wordsOf(status, parsed),
    unknownKeys: root.members.map((member) => member.key).filter((key) => !KNOWN.has(key)),
  };
  return time === undefined ? { facts, problem: timeProblem(parsed) } : { facts };
}

/** The system's own words about a checkpoint: its error, why it was interrupted, else the last message. */
function wordsOf(status: string, { string, node }: Parsed): Pick<Facts, 'description' | 'error'> {
  const history = node('conversation_history');
  const last = history?.kind === 'array' ? history.items.length - 1 : -1;
  const error = status === 'failed' ? string('metadata', 'error') : undefined;
  const stopped = status === 'interrupted' ? string('metadata', 'interrupt_reason', 'message') : undefined;
  const interrupt = stopped && interruptWords(string('metadata', 'interrupt_reason', 'source'), stopped);
  const message = string('conversation_history', last, 'content');
  const description = (error ?? interrupt ?? message)?.slice(0, DESCRIPTION_LENGTH);
  return defined({ description: description || undefined, error });
}

import {
  InspectorError,
  memberOf,
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type CheckpointStatus,
  type JsonNode,
  type Path,
  type Problem,
} from '@checkpoint-inspector/core';
import { parseStamp, type Stamp } from './time.ts';

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

/** The keys of a checkpoint in the order in which Kaizen writes them. */
export const KAIZEN_KEYS = [
  'checkpoint_id',
  'agent_id',
  'model',
  'timestamp',
  'updated_at',
  'step_number',
  'conversation_history',
  'memory_contents',
  'pending_actions',
  'completed_actions',
  'budget_spent_usd',
  'approval_history',
  'tool_usage_counts',
  'tool_results_cache',
  'active_specialists',
  'specialist_invocations',
  'workflow_run_id',
  'workflow_state',
  'control_protocol_state',
  'registered_hooks',
  'hook_event_history',
  'parent_checkpoint_id',
  'status',
  'metadata',
] as const;
export type KaizenKey = (typeof KAIZEN_KEYS)[number];

const KNOWN: ReadonlySet<string> = new Set(KAIZEN_KEYS);
const STATUSES: ReadonlySet<string> = new Set(['running', 'completed', 'failed', 'interrupted']);
const DESCRIPTION_LENGTH = 200;

/** Reads a document's text; a document that is no checkpoint comes back with the problem, never as an exception. */
export function readDocument(text: string): ReadDocument {
  let root: JsonNode;
  try {
    root = parseJson(text);
  } catch (cause) {
    return { problem: jsonProblem(text, InspectorError.from(cause)) };
  }
  if (root.kind !== 'object') return { problem: unreadable(`The file holds a JSON ${root.kind}, not an object.`, 0) };
  const stringAt = (...path: Path): string | undefined => {
    const node = valueAt(text, root, path);
    return node?.kind === 'string' ? stringOf(text, node) : undefined;
  };
  const checkpointId = stringAt('checkpoint_id');
  const agentId = stringAt('agent_id');
  if (checkpointId === undefined) return { problem: unreadable('The object has no text under checkpoint_id.') };
  if (agentId === undefined) return { problem: unreadable('The object has no text under agent_id.') };
  const time = parseStamp(stringAt('timestamp') ?? '');
  const status = stringAt('status') ?? '';
  const parentId = stringAt('parent_checkpoint_id');
  const facts: Facts = {
    checkpointId,
    agentId,
    ...(time === undefined ? {} : { time }),
    ...(parentId ? { parentId } : {}),
    ...numberFact('stepIndex', text, memberOf(root, 'step_number')?.value),
    ...numberFact('costUsd', text, memberOf(root, 'budget_spent_usd')?.value),
    status: STATUSES.has(status) ? (status as CheckpointStatus) : 'unknown',
    ...wordsOf(status, stringAt, lastMessage(text, root)),
    unknownKeys: root.members.map((member) => member.key).filter((key) => !KNOWN.has(key)),
  };
  if (time !== undefined) return { facts };
  const stored = valueAt(text, root, ['timestamp']);
  return { facts, problem: timeProblem(text, stored) };
}

function numberFact<K extends string>(name: K, text: string, node: JsonNode | undefined): { [P in K]?: number } {
  const value = node?.kind === 'number' ? Number(sourceOf(text, node)) : NaN;
  return Number.isFinite(value) ? ({ [name]: value } as { [P in K]?: number }) : {};
}

/** The system's own words about a checkpoint: its error, why it was interrupted, else the last message. */
function wordsOf(
  status: string,
  stringAt: (...path: Path) => string | undefined,
  message: string | undefined,
): Pick<Facts, 'description' | 'error'> {
  const error = status === 'failed' ? stringAt('metadata', 'error') : undefined;
  const interrupt = status === 'interrupted' ? stringAt('metadata', 'interrupt_reason', 'message') : undefined;
  const description = (error ?? interrupt ?? message)?.slice(0, DESCRIPTION_LENGTH);
  return { ...(description ? { description } : {}), ...(error === undefined ? {} : { error }) };
}

function lastMessage(text: string, root: JsonNode): string | undefined {
  const history = valueAt(text, root, ['conversation_history']);
  if (history?.kind !== 'array') return undefined;
  const content = valueAt(text, root, ['conversation_history', history.items.length - 1, 'content']);
  return content?.kind === 'string' ? stringOf(text, content) : undefined;
}

function timeProblem(text: string, stored: JsonNode | undefined): Problem {
  if (!stored) return unreadable('The object has no timestamp.');
  const offset = byteOffset(text, stored.start);
  return unreadable(`The timestamp ${sourceOf(text, stored).slice(0, 60)} is no ISO 8601 time.`, offset);
}

function jsonProblem(text: string, error: InspectorError): Problem {
  const offset = error.data?.['offset'];
  return unreadable(error.message, typeof offset === 'number' ? byteOffset(text, offset) : undefined);
}

function byteOffset(text: string, chars: number): number {
  return Buffer.byteLength(text.slice(0, chars));
}

function unreadable(message: string, offset?: number): Problem {
  return { code: 'unreadable', message, ...(offset === undefined ? {} : { offset }) };
}

import {
  fromJsonText,
  memberOf,
  sourceOf,
  type CheckpointStatus,
  type JsonNode,
  type Problem,
} from '@checkpoint-inspector/core';
import { randomBytes } from 'node:crypto';
import { executorDescriptions, isGraphDescription } from './graph.ts';
import { payloadsOf, typesToAllow, type Payload } from './payloads.ts';
import { defined, parseObject, parseStamp, timeProblem, unreadable, type Parsed, type Stamp } from '../folder/index.ts';

/**
 * `python`: what `FileCheckpointStorage` of Agent Framework writes today. `legacy`: its forms until February 2026.
 * `document`: the TypeScript interface's form. `dotnet`: a data file of the .NET store.
 */
export type Shape = 'python' | 'legacy' | 'document' | 'dotnet';

/** What lists and plans need of a document; the state itself is read again when asked for. */
export interface Facts {
  readonly shape: Shape;
  readonly checkpointId: string;
  readonly task: string;
  readonly parentId?: string;
  /** Absent when the stored time is none; then the row has a problem. .NET stores none. */
  readonly time?: Stamp;
  readonly stepIndex?: number;
  readonly status: CheckpointStatus;
  readonly description?: string;
  readonly error?: string;
  readonly graphSignature?: string;
  /** Executors that the document tells of, each with its description where that is known, else ''. */
  readonly executors: ReadonlyMap<string, string>;
  /** Runs in which save order tells of parents. */
  readonly run?: string;
  /** Types that the original loads only where the application allows them. */
  readonly typesToAllow: readonly string[];
  /** Why Agent Framework for Python of this version does not load the file. */
  readonly notLoaded?: string;
}

export interface ReadDocument {
  readonly facts?: Facts;
  readonly problem?: Problem;
}

/** The keys of a checkpoint in the order in which Python writes them; with any other key it loads nothing. */
export const PYTHON_KEYS = [
  'workflow_name',
  'graph_signature_hash',
  'checkpoint_id',
  'previous_checkpoint_id',
  'timestamp',
  'messages',
  'state',
  'pending_request_info_events',
  'iteration_count',
  'metadata',
  'version',
] as const;
const KNOWN: ReadonlySet<string> = new Set(PYTHON_KEYS);

/** Reads a document of any shape but .NET's; one that is not a checkpoint comes back with the problem. */
export function readDocument(text: string): ReadDocument {
  const parsed = parseObject(text);
  if ('problem' in parsed) return parsed;
  const shape = shapeOf(parsed);
  if (typeof shape !== 'string') return { problem: shape };
  const facts = shape === 'document' ? documentFacts(parsed) : pythonFacts(parsed, shape);
  return facts.time ? { facts } : { facts, problem: timeProblem(parsed) };
}

function shapeOf({ root, string }: Parsed): Exclude<Shape, 'dotnet'> | Problem {
  if (memberOf(root, 'checkpointId') && memberOf(root, 'workflowId')) {
    if (string('checkpointId') === undefined) return unreadable('checkpointId is missing or not a string.');
    return string('workflowId') === undefined ? unreadable('workflowId is missing or not a string.') : 'document';
  }
  if (string('checkpoint_id') === undefined) return unreadable('checkpoint_id is missing or not a string.');
  if (string('workflow_name') !== undefined) return 'python';
  if (string('workflow_id') !== undefined) return 'legacy';
  return unreadable('workflow_name (workflow_id in older files) is missing or not a string.');
}

function pythonFacts(parsed: Parsed, shape: 'python' | 'legacy'): Facts {
  const { text, root, string, number, keys } = parsed;
  const time = parseStamp(string('timestamp') ?? '');
  const task = (shape === 'python' ? string('workflow_name') : string('workflow_id')) ?? '';
  const pending = keys('pending_request_info_events').length;
  const payloads = payloadsOf(text, root);
  const notLoaded = whyNotLoaded(parsed, shape, payloads);
  return {
    shape,
    checkpointId: string('checkpoint_id') ?? '',
    task,
    ...defined({
      parentId: string('previous_checkpoint_id') || undefined,
      time,
      stepIndex: number('iteration_count'),
      graphSignature: string('graph_signature_hash') ?? string('metadata', 'graph_signature'),
      notLoaded,
      run: shape === 'legacy' ? task : undefined,
    }),
    status: pending > 0 ? 'interrupted' : keys('messages').length > 0 ? 'running' : 'completed',
    description: wordsOf(pending, keys('messages')),
    executors: new Map(
      [...keys('state', '_executor_state'), ...keys('executor_states')].map((executor) => [executor, '']),
    ),
    typesToAllow: typesToAllow(payloads),
  };
}

function wordsOf(pending: number, messages: readonly string[]): string {
  if (pending > 0)
    return pending === 1 ? 'waiting for a person: 1 request' : `waiting for a person: ${pending} requests`;
  return messages.length > 0 ? `messages from ${messages.join(', ')}` : 'no messages left';
}

/** `from_dict` wants these keys and no other, and a pickle that is none stops the whole file. */
function whyNotLoaded({ root, keys }: Parsed, shape: 'python' | 'legacy', payloads: readonly Payload[]) {
  if (shape === 'legacy') return "Current versions of Agent Framework can't load this older format.";
  const unknown = root.members.map((member) => member.key).filter((key) => !KNOWN.has(key));
  if (unknown.length > 0) return `Agent Framework can't load it because of unknown keys: ${unknown.join(', ')}.`;
  if (!keys().includes('graph_signature_hash')) return "Agent Framework can't load it without graph_signature_hash.";
  const damaged = payloads.find(({ encoding, globals }) => encoding === 'pickle' && !globals);
  return damaged && `Agent Framework can't load it: the pickled value at ${damaged.path} is damaged.`;
}

function documentFacts({ text, string, keys, node }: Parsed): Facts {
  const executors = keys('executorStates');
  const failed = executors.find((id) => node('executorStates', id, 'error')?.kind === 'object');
  const done = executors.every((id) => {
    const completed = node('executorStates', id, 'completed');
    return completed !== undefined && sourceOf(text, completed) === 'true';
  });
  const graph = node('metadata', 'graph');
  const list = node('pendingMessages');
  const pending = list?.kind === 'array' ? list.items.length : 0;
  const error = failed === undefined ? undefined : string('executorStates', failed, 'error', 'message');
  return {
    shape: 'document',
    checkpointId: string('checkpointId') ?? '',
    task: string('workflowId') ?? '',
    ...defined({
      time: parseStamp(string('timestamp') ?? ''),
      graphSignature: string('graphSignatureHash'),
      run: string('executionId'),
      error,
      description: error ?? (pending > 0 ? wordsOf(pending, []) : undefined),
    }),
    status: documentStatus(failed !== undefined, pending, done && executors.length > 0),
    executors: new Map([...executors.map((id): [string, string] => [id, '']), ...describedExecutors(text, graph)]),
    typesToAllow: [],
  };
}

function documentStatus(failed: boolean, pending: number, done: boolean): CheckpointStatus {
  if (failed) return 'failed';
  if (pending > 0) return 'interrupted';
  return done ? 'completed' : 'running';
}

/** A graph description kept in the metadata tells more of each executor than its name. */
function describedExecutors(text: string, graph: JsonNode | undefined): ReadonlyMap<string, string> {
  const value = graph && fromJsonText(sourceOf(text, graph));
  return isGraphDescription(value) ? executorDescriptions(value) : new Map();
}

/**
 * A new id: `checkpoint_<milliseconds>_<9 random characters>`.
 * @example generateCheckpointId() // 'checkpoint_1795267200000_3f9a0c1be'
 */
export function generateCheckpointId(): string {
  return `checkpoint_${Date.now()}_${randomBytes(5).toString('hex').slice(0, 9)}`;
}

/** Chat and plan of a state, read by the view of its system and brought into one shape. A view is loaded when needed. */
import {
  type Address,
  type ChatMessage,
  type JsonNode,
  messagesIn,
  parseJson,
  parsePath,
  type Path,
  quoteJson,
  sourceOf,
  stringOf,
  valueAt,
} from '@checkpoint-inspector/core';
import { CancelledError, type QueryClient, queryOptions } from '@tanstack/react-query';
import { hashedKey, keptByHash, stateQuery } from './queries.ts';
import { formatDuration } from './format.ts';

export interface Channel {
  readonly channel: string;
  readonly messages: readonly ChatMessage[];
}

export type StepStatus = 'completed' | 'failed' | 'running' | 'pending' | 'skipped' | 'unknown';

export interface PlanStep {
  readonly name: string;
  readonly status: StepStatus;
  /** The status as stored, where it is none of the known words. */
  readonly statusText?: string;
  readonly isCurrent: boolean;
  readonly errors: readonly string[];
  /** Files that it made, what it waits for. */
  readonly details: readonly string[];
  readonly duration?: string;
  readonly tokens?: number;
  /** JSON text. */
  readonly output?: string;
}

export interface Plan {
  readonly steps: readonly PlanStep[];
  /** The last error; it may have been overcome since. */
  readonly error?: string;
  /** The step of that error, as stored. */
  readonly errorStep?: string;
  /** What waits for the answer of a person, as JSON text. */
  readonly requests: readonly { readonly id: string; readonly text: string }[];
}

/** What applies to a state; absent is absent. */
export interface StateViews {
  readonly chat?: readonly Channel[];
  readonly plan?: Plan;
}

/** What the `view.ts` of a system may export. */
interface SystemView {
  messagesOf?(text: string): readonly Channel[];
  stepsOf?(text: string): readonly SystemStep[];
  errorOf?(text: string): string | undefined;
  pendingOf?(text: string): readonly SystemRequest[];
}

interface SystemStep {
  readonly id?: string;
  readonly name: string;
  readonly status: string;
  readonly isCurrent?: boolean;
  readonly errors?: readonly string[];
  readonly artifacts?: readonly string[];
  readonly dependencies?: readonly string[];
  readonly output?: string;
  readonly durationMs?: number;
  /** Digits as stored. */
  readonly durationSeconds?: string;
  readonly tokenUsage?: number;
}

const SYSTEM_VIEWS: Readonly<Record<string, () => Promise<SystemView>>> = {
  native: () => import('@checkpoint-inspector/stores/view'),
  kaizen: () => import('@checkpoint-inspector/systems/kaizen/view'),
  'ctx-sys': () => import('@checkpoint-inspector/systems/ctx-sys/view'),
  'agent-framework': () => import('@checkpoint-inspector/systems/agent-framework/view'),
  'openai-agents': () => import('@checkpoint-inspector/systems/openai-agents/view'),
  'rlm-act': () => import('@checkpoint-inspector/systems/rlm-act/view'),
  mastra: () => import('@checkpoint-inspector/systems/mastra/view'),
  opencode: () => import('@checkpoint-inspector/systems/opencode/view'),
  'claude-code': () => import('@checkpoint-inspector/systems/claude-code/view'),
  'gemini-cli': () => import('@checkpoint-inspector/systems/gemini-cli/view'),
  voltagent: () => import('@checkpoint-inspector/systems/voltagent/view'),
  langgraph: langgraphView,
  codex: () => import('@checkpoint-inspector/systems/codex/view'),
};

/** Its errors are in pending writes, not in the state. Which channels are conversations is its own rule. */
async function langgraphView(): Promise<SystemView> {
  const view = await import('@checkpoint-inspector/systems/langgraph/view');
  return {
    messagesOf(text) {
      const root = parseJson(text);
      return view.messagesOf(text).map(({ channel }) => {
        return { channel, messages: messagesIn(text, valueAt(text, root, [channel])) };
      });
    },
  };
}

const viewOf = async (system: string): Promise<SystemView | undefined> =>
  Object.hasOwn(SYSTEM_VIEWS, system) ? SYSTEM_VIEWS[system]?.() : undefined;

/** @throws InspectorError unreadable */
export async function viewsOf(system: string, text: string): Promise<StateViews> {
  const view = await viewOf(system);
  if (view === undefined) return {};
  const channels = view.messagesOf?.(text) ?? [];
  const steps = view.stepsOf?.(text) ?? [];
  const requests = view.pendingOf?.(text) ?? [];
  const root = parseJson(text);
  return {
    ...(channels.length > 0 ? { chat: channels } : {}),
    ...(steps.length + requests.length > 0 ? { plan: toPlan(text, root, steps, requests, view.errorOf?.(text)) } : {}),
  };
}

/** Kept as long as the state itself: with a hash it never changes. */
export const viewsQuery = (system: string, at: Address, hash?: string) =>
  queryOptions({
    queryKey: [...hashedKey('views', at, hash), system],
    queryFn: async ({ client, signal }) => viewsOf(system, await textOf(client, at, hash, signal)),
    ...keptByHash(hash),
  });

/** The message that a value is, by its place in the state; nothing for a value that is none. */
export type MessageReader = (path: string, text: string) => ChatMessage | undefined;

/** A longer value takes too long to read, and is shown as it is. */
const MESSAGE_LENGTH = 250_000;

/**
 * What reads one element of a list as a message: the view of its system, from a state that has nothing else in it.
 * @example (await messageReader('codex'))('$.items[3]', '{"role":"user","content":"go"}')?.text // 'go'
 */
export async function messageReader(system: string): Promise<MessageReader> {
  const view = await viewOf(system);
  return (path, text) => {
    const place = parsePath(path);
    if (typeof place.at(-1) !== 'number' || !text.startsWith('{') || text.length > MESSAGE_LENGTH) return undefined;
    const alone = place.reduceRight(
      (inner: string, step) => (typeof step === 'number' ? `[${inner}]` : `{${quoteJson(step)}:${inner}}`),
      text,
    );
    const messages = view?.messagesOf?.(alone).flatMap((channel) => channel.messages) ?? [];
    return messages.length === 1 ? messages[0] : undefined;
  };
}

export const messageReaderQuery = (system: string) =>
  queryOptions({
    queryKey: ['message reader', system],
    queryFn: () => messageReader(system),
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Whoever leaves the tab that asked for a state first cancels it, and a query that passes another's cancellation on
 * is taken for cancelled itself and never answers: so the state is asked for again.
 */
async function textOf(client: QueryClient, at: Address, hash: string | undefined, signal: AbortSignal) {
  for (;;) {
    try {
      return (await client.fetchQuery(stateQuery(at, hash))).text;
    } catch (error) {
      if (!(error instanceof CancelledError) || signal.aborted) throw error;
    }
  }
}

function toPlan(
  text: string,
  root: JsonNode,
  steps: readonly SystemStep[],
  requests: readonly SystemRequest[],
  error: string | undefined,
): Plan {
  return {
    steps: steps.map((step) => toStep({ ...step, ...outputOf(text, root, step) })),
    ...(error === undefined ? {} : { error, ...errorStepOf(text, root) }),
    requests: requests.map((request, place) => ({
      id: request.executor ?? request.id,
      text: requestText(text, root, request, place),
    })),
  };
}

function errorStepOf(text: string, root: JsonNode): Pick<Plan, 'errorStep'> {
  const step = valueAt(text, root, ['lastError', 'stepIndex']);
  return step?.kind === 'number' ? { errorStep: sourceOf(text, step) } : {};
}

const STATUSES: Readonly<Record<string, StepStatus>> = {
  done: 'completed',
  complete: 'completed',
  completed: 'completed',
  success: 'completed',
  succeeded: 'completed',
  failed: 'failed',
  error: 'failed',
  running: 'running',
  in_progress: 'running',
  active: 'running',
  pending: 'pending',
  todo: 'pending',
  waiting: 'pending',
  suspended: 'pending',
  skipped: 'skipped',
};

function toStep(step: SystemStep): PlanStep {
  const { name, status, isCurrent = false, errors = [], artifacts = [], dependencies = [], output, tokenUsage } = step;
  const known = Object.hasOwn(STATUSES, status) ? STATUSES[status] : undefined;
  const duration =
    step.durationMs === undefined
      ? step.durationSeconds && `${step.durationSeconds} s`
      : formatDuration(step.durationMs);
  return {
    name,
    status: known ?? 'unknown',
    ...(known === undefined && status !== 'unknown' ? { statusText: status } : {}),
    isCurrent,
    errors,
    details: [...artifacts, ...(dependencies.length > 0 ? [`after ${dependencies.join(', ')}`] : [])],
    ...(duration === undefined ? {} : { duration }),
    ...(tokenUsage === undefined ? {} : { tokens: tokenUsage }),
    ...(output === undefined ? {} : { output }),
  };
}

// Values of a system's view as written in the state's text: a parsed number may have lost its spelling.

/** A question to a person, as the view of a system reads it. */
interface SystemRequest {
  readonly id: string;
  readonly executor?: string;
  readonly value: unknown;
  readonly type?: string;
  readonly sizeBytes?: number;
}

/** What is asked; a pickled question is named by type and size only. */
function requestText(text: string, root: JsonNode, request: SystemRequest, place: number): string {
  const { id, value, type, sizeBytes } = request;
  if (type !== undefined) return `${type}, ${sizeBytes ?? '?'} bytes, not opened`;
  const paths: Path[] = [
    ['pending_request_info_events', id],
    ['pendingMessages', place, 'data'],
  ];
  return textAt(text, root, paths) ?? shown(value);
}

/** The result as written in the text, where results are kept beside the plan. */
function outputOf(
  text: string,
  root: JsonNode,
  { id, output }: { readonly id?: string; readonly output?: string },
): { readonly output?: string } {
  if (output === undefined || id === undefined) return {};
  const results = valueAt(text, root, ['results']);
  const items = results?.kind === 'array' ? results.items : [];
  const own = items.findLast((item) => textAt(text, item, [['stepId']]) === id);
  const node = own && valueAt(text, own, ['output']);
  return node ? { output: sourceOf(text, node) } : {};
}

/** What is at the first of these paths that is there. */
function textAt(text: string, root: JsonNode, paths: readonly Path[]): string | undefined {
  const node = paths.map((path) => valueAt(text, root, path)).find((found) => found !== undefined);
  if (node === undefined) return undefined;
  return node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);
}

/** For the eye only; big whole numbers keep their digits. */
const shown = (value: unknown): string =>
  JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? item.toString() : item)) ?? '';

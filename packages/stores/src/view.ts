/**
 * Messages and steps in a state of our own store, which has no form of its own: the common spellings are looked for.
 * Everything is cut from the text, so numbers keep their digits.
 */
import { memberOf, parseJson, sourceOf, stringOf, valueAt, type JsonNode, type Path } from '@checkpoint-inspector/core';

export interface NativeMessage {
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'other';
  /** The role as it is stored. */
  readonly kind: string;
  readonly text: string;
  readonly id?: string;
  readonly name?: string;
  readonly toolCalls: readonly { readonly name: string; readonly id?: string; readonly args: string }[];
  readonly toolCallId?: string;
}

export interface NativeStep {
  readonly name: string;
  /** As it is stored; `pending` and `completed` where only the list says so. */
  readonly status: string;
  readonly errors: readonly string[];
  readonly durationMs?: number;
  readonly output?: string;
}

const ROLES: Readonly<Record<string, NativeMessage['role']>> = {
  user: 'human',
  human: 'human',
  assistant: 'ai',
  ai: 'ai',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
};
const CHANNELS: readonly Path[] = [['conversation_history'], ['context', 'messages'], ['messages']];

/** @throws InspectorError unreadable */
export function messagesOf(
  text: string,
): readonly { readonly channel: string; readonly messages: readonly NativeMessage[] }[] {
  const root = parseJson(text);
  return CHANNELS.flatMap((path) => {
    const items = itemsOf(valueAt(text, root, path));
    // One message makes a conversation; what else stands in the list is shown as it is.
    if (!items.some((item) => isMessage(text, item))) return [];
    return [{ channel: path.join('.'), messages: items.map((item) => toMessage(text, item)) }];
  });
}

/** `$.plan`, else the completed and pending steps of a CheckpointState. @throws InspectorError unreadable */
export function stepsOf(text: string): readonly NativeStep[] {
  const root = parseJson(text);
  const plan = itemsOf(child(root, 'plan'));
  if (plan.length > 0 && plan.every((item) => nameOf(text, item) !== undefined)) {
    return plan.map((item) => toStep(text, item, stringIn(text, item, 'status') ?? 'unknown'));
  }
  return [
    ...itemsOf(child(root, 'completedSteps')).map((item) => toStep(text, item, 'completed')),
    ...itemsOf(child(root, 'pendingSteps')).map((item) => toStep(text, item, 'pending')),
  ];
}

/** The last error of the state, which may stand there also after the step went well. @throws InspectorError unreadable */
export function errorOf(text: string): string | undefined {
  return errorIn(text, parseJson(text), 'lastError');
}

function isMessage(text: string, item: JsonNode): boolean {
  const kind = stringIn(text, item, 'role') ?? stringIn(text, item, 'type');
  return kind !== undefined && ['content', 'tool_calls', 'toolCalls'].some((key) => child(item, key) !== undefined);
}

function toMessage(text: string, item: JsonNode): NativeMessage {
  if (!isMessage(text, item)) return { role: 'other', kind: '', text: plain(text, item), toolCalls: [] };
  const kind = stringIn(text, item, 'role') ?? stringIn(text, item, 'type') ?? '';
  const parts = partsOf(text, child(item, 'content'));
  const calls = itemsOf(child(item, 'tool_calls') ?? child(item, 'toolCalls'));
  return {
    role: (Object.hasOwn(ROLES, kind) ? ROLES[kind] : undefined) ?? 'other',
    kind,
    text: parts.text,
    toolCalls: [...calls, ...parts.calls].map((call) => toCall(text, call)),
    ...given('id', stringIn(text, item, 'id')),
    ...given('name', stringIn(text, item, 'name')),
    ...given('toolCallId', stringIn(text, item, 'tool_call_id') ?? stringIn(text, item, 'toolCallId')),
  };
}

/** The text parts of a content, and the tool calls among them; other parts stay JSON. */
function partsOf(text: string, content: JsonNode | undefined): { text: string; calls: readonly JsonNode[] } {
  if (content === undefined || content.kind === 'null') return { text: '', calls: [] };
  if (content.kind !== 'array') return { text: plain(text, content), calls: [] };
  const isCall = (part: JsonNode): boolean => stringIn(text, part, 'type') === 'tool_use';
  const words = content.items
    .filter((part) => !isCall(part))
    .map((part) => stringIn(text, part, 'text') ?? plain(text, part));
  return { text: words.join('\n'), calls: content.items.filter(isCall) };
}

function toCall(text: string, call: JsonNode): NativeMessage['toolCalls'][number] {
  const called = child(call, 'function') ?? call;
  const args = ['args', 'arguments', 'input'].map((key) => child(called, key)).find((node) => node !== undefined);
  return {
    name: stringIn(text, called, 'name') ?? '',
    args: args === undefined ? '' : plain(text, args),
    ...given('id', stringIn(text, call, 'id')),
  };
}

function toStep(text: string, item: JsonNode, status: string): NativeStep {
  const duration = child(item, 'durationMs') ?? child(item, 'duration_ms');
  const output = child(item, 'result') ?? child(item, 'output');
  const error = errorIn(text, item, 'error');
  return {
    name: nameOf(text, item) ?? sourceOf(text, item),
    status,
    errors: error === undefined ? [] : [error],
    ...(duration?.kind === 'number' ? { durationMs: Number(sourceOf(text, duration)) } : {}),
    ...(output === undefined || output.kind === 'null' ? {} : { output: sourceOf(text, output) }),
  };
}

function nameOf(text: string, item: JsonNode): string | undefined {
  if (item.kind === 'string') return stringOf(text, item);
  const keys = ['name', 'description', 'title', 'step', 'action', 'stepId', 'id'];
  return keys.map((key) => stringIn(text, item, key)).find((name) => name !== undefined);
}

/** A message, bare or under `message`. */
function errorIn(text: string, node: JsonNode, key: string): string | undefined {
  const error = child(node, key);
  if (error === undefined || error.kind === 'null') return undefined;
  return stringIn(text, error, 'message') ?? plain(text, error);
}

const child = (node: JsonNode, key: string): JsonNode | undefined =>
  node.kind === 'object' ? memberOf(node, key)?.value : undefined;

const itemsOf = (node: JsonNode | undefined): readonly JsonNode[] => (node?.kind === 'array' ? node.items : []);

function stringIn(text: string, node: JsonNode, key: string): string | undefined {
  const value = child(node, key);
  return value?.kind === 'string' ? stringOf(text, value) : undefined;
}

/** A string without its quotes, anything else as it stands in the text. */
const plain = (text: string, node: JsonNode): string =>
  node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);

const given = <K extends string>(key: K, value: string | undefined): { [key in K]?: string } =>
  value === undefined ? {} : ({ [key]: value } as { [key in K]: string });

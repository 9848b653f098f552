/** What a person wants to see of a LangGraph checkpoint. Pure functions over JSON text; browser-safe. */
import { isRecord, recordOf } from '../folder/view.ts';
import { nextNodes, parseLoosely, readShape } from './shape.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A message of any spelling: `{"lc":1,"type":"constructor","id":[…,"AIMessage"],"kwargs":{…}}` or `{"role"|"type":…,"content":…}`. */
export interface MessageFields {
  /** `HumanMessage`, `ai`, `user`, …: as stored. */
  readonly kind: string;
  readonly fields: Fields;
}

/** The message in a value, or `undefined` for anything else. */
export function messageFields(value: unknown): MessageFields | undefined {
  if (!isRecord(value)) return undefined;
  if (value['lc'] === 1 && value['type'] === 'constructor' && Array.isArray(value['id']) && isRecord(value['kwargs'])) {
    const path: readonly unknown[] = value['id'];
    const name = path.at(-1);
    return path.includes('messages') && typeof name === 'string' ? { kind: name, fields: value['kwargs'] } : undefined;
  }
  const kind = typeof value['role'] === 'string' ? value['role'] : value['type'];
  if (typeof kind !== 'string') return undefined;
  return 'content' in value || kind === 'remove' ? { kind, fields: value } : undefined;
}

export function messageId(message: MessageFields): string | undefined {
  const id = message.fields['id'];
  return typeof id === 'string' ? id : undefined;
}

export function isRemoval(message: MessageFields): boolean {
  return message.kind === 'RemoveMessage' || message.kind === 'remove';
}

/** The id that removes all messages before it. */
export const REMOVE_ALL = '__remove_all__';

export interface ToolCall {
  readonly name: string;
  readonly id?: string;
  readonly args: unknown;
}

export interface TokenUsage {
  readonly input: number;
  readonly output: number;
  readonly total: number;
}

export interface Message {
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'remove' | 'other';
  /** The kind as stored. */
  readonly kind: string;
  readonly id?: string;
  readonly name?: string;
  /** The text parts of the content, in order. */
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** On tool messages: the call that they answer. */
  readonly toolCallId?: string;
  readonly usage?: TokenUsage;
}

/** Of every top-level channel that is a list of messages; nothing is revived. @throws InspectorError unreadable */
export function messagesOf(
  stateText: string,
): readonly { readonly channel: string; readonly messages: readonly Message[] }[] {
  return Object.entries(recordOf(parseLoosely(stateText))).flatMap(([channel, value]) => {
    const fields = Array.isArray(value) ? value.map(messageFields) : [];
    const messages = fields.filter((message) => message !== undefined).map(toMessage);
    return messages.length > 0 && messages.length === fields.length ? [{ channel, messages }] : [];
  });
}

const ROLES: readonly (readonly [RegExp, Message['role']])[] = [
  [/^(human|user)/i, 'human'],
  [/^(ai|assistant)/i, 'ai'],
  [/^(system|developer)/i, 'system'],
  [/^(tool|function)/i, 'tool'],
];

function toMessage(message: MessageFields): Message {
  const { kind, fields } = message;
  const id = messageId(message);
  const usage = usageOfMessage(fields);
  return {
    role: isRemoval(message) ? 'remove' : (ROLES.find(([pattern]) => pattern.test(kind))?.[1] ?? 'other'),
    kind,
    ...(id === undefined ? {} : { id }),
    ...(typeof fields['name'] === 'string' ? { name: fields['name'] } : {}),
    text: textOf(fields['content']),
    toolCalls: toolCallsOf(fields['tool_calls']),
    ...(typeof fields['tool_call_id'] === 'string' ? { toolCallId: fields['tool_call_id'] } : {}),
    ...(usage === undefined ? {} : { usage }),
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  const parts = content.map((part) => (typeof part === 'string' ? part : recordOf(part)['text']));
  return parts.filter((part) => typeof part === 'string').join('\n');
}

function toolCallsOf(calls: unknown): readonly ToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).map((call) => {
    const called = recordOf(call['function']);
    const name = call['name'] ?? called['name'];
    return {
      name: typeof name === 'string' ? name : '',
      ...(typeof call['id'] === 'string' ? { id: call['id'] } : {}),
      args: call['args'] ?? called['arguments'],
    };
  });
}

function usageOfMessage(fields: Readonly<Record<string, unknown>>): TokenUsage | undefined {
  const usage = recordOf(fields['usage_metadata']);
  const [input, output] = [usage['input_tokens'], usage['output_tokens']];
  if (typeof input !== 'number' || typeof output !== 'number') return undefined;
  return { input, output, total: typeof usage['total_tokens'] === 'number' ? usage['total_tokens'] : input + output };
}

/** Tokens of all messages of a state together; `undefined` when none says. */
export function usageOf(stateText: string): TokenUsage | undefined {
  const used = messagesOf(stateText).flatMap(({ messages }) => messages.flatMap((message) => message.usage ?? []));
  if (used.length === 0) return undefined;
  const sum = (pick: (usage: TokenUsage) => number): number => used.reduce((all, usage) => all + pick(usage), 0);
  return { input: sum((u) => u.input), output: sum((u) => u.output), total: sum((u) => u.total) };
}

/** Nodes that run next, from a stored checkpoint (`raw`, as text). Empty for anything that is not a checkpoint. */
export function nextOf(checkpointText: string): readonly string[] {
  const shape = readShape(checkpointText);
  return shape ? nextNodes(shape) : [];
}

/** The error in an `__error__` write, in words. @example errorOf('{"message":"no","name":"TypeError"}') // 'TypeError: no' */
export function errorOf(writeText: string): string {
  const value = parseLoosely(writeText);
  if (typeof value === 'string') return value;
  const { name, message } = recordOf(value);
  if (typeof message !== 'string') return writeText;
  return typeof name === 'string' && name !== '' ? `${name}: ${message}` : message;
}

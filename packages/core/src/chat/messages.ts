/**
 * Messages of a conversation in the spellings in use: OpenAI's chat and response items, Anthropic's, LangChain's,
 * Agent Framework's, Gemini's and the AI SDK's. Everything is cut from the text, so numbers keep their digits.
 */
import { sourceOf, stringOf, type JsonNode } from '../json/node.ts';
import { callOf, type ChatCall, type ChatResult, isCall, isMark, isResult, resultOf, wordsOf } from './parts.ts';
import { child, given, stringIn } from './fields.ts';

export interface ChatMessage {
  readonly role: 'human' | 'ai' | 'system' | 'tool' | 'remove' | 'other';
  /** The role as stored. */
  readonly kind: string;
  /** The text parts of the content, in order; what is neither text, call nor result stays JSON. */
  readonly text: string;
  readonly id?: string;
  readonly name?: string;
  readonly toolCalls: readonly ChatCall[];
  /** Results of tools among the parts of the message. */
  readonly results?: readonly ChatResult[];
  /** On messages of tools: the call that they answer. */
  readonly toolCallId?: string;
  /** As stored; seconds and milliseconds since 1970 as ISO 8601. */
  readonly time?: string;
  readonly tokens?: number;
  /** JSON text of the message. */
  readonly stored: string;
}

const ROLES: Readonly<Record<string, ChatMessage['role']>> = {
  user: 'human',
  human: 'human',
  assistant: 'ai',
  ai: 'ai',
  model: 'ai',
  gemini: 'ai',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'tool',
  remove: 'remove',
};

/** A class of LangChain is called by its role. @example roleOf('AIMessageChunk') // 'ai' */
export function roleOf(kind: string): ChatMessage['role'] {
  const word = kind.replace(/Message(?:Chunk)?$/, '').toLowerCase();
  return (Object.hasOwn(ROLES, word) ? ROLES[word] : undefined) ?? 'other';
}

/** The message in a value; nothing for a value that is none. */
export function messageIn(text: string, node: JsonNode): ChatMessage | undefined {
  const stored = sourceOf(text, node);
  if (isCall(text, node))
    return { role: 'ai', kind: kindIn(text, node), text: '', toolCalls: [callOf(text, node)], stored };
  if (isResult(text, node)) return resultMessage(text, node, stored);
  const { kind, fields } = opened(text, node);
  const content = CONTENTS.map((key) => child(fields, key)).find((found) => found !== undefined);
  const listed = itemsOf(child(fields, 'tool_calls') ?? child(fields, 'toolCalls'));
  const role = roleOf(kind);
  if (kind === '' || (content === undefined && listed.length === 0 && role !== 'remove')) return undefined;
  const parts =
    content === undefined || content.kind === 'null' ? [] : content.kind === 'array' ? content.items : partsIn(content);
  const calls = listed.map((call) => callOf(text, call));
  const more = parts.filter((part) => isCall(text, part)).map((part) => callOf(text, part));
  // Gemini CLI keeps the results of calls with them.
  const kept = listed.flatMap((call) => itemsOf(child(call, 'result')));
  const results = [...parts, ...kept].filter((part) => isResult(text, part)).map((part) => resultOf(text, part));
  return {
    role,
    kind,
    text: wordsOf(
      text,
      parts.filter((part) => !isCall(text, part) && !isResult(text, part) && !isMark(text, part)),
    ),
    // LangChain repeats Anthropic's parts as calls.
    toolCalls: [...calls, ...more.filter(({ id }) => id === undefined || calls.every((call) => call.id !== id))],
    ...(results.length > 0 ? { results } : {}),
    ...given('id', firstText(text, fields, ['id', 'message_id', 'messageId'])),
    ...given('name', firstText(text, fields, ['name', 'author_name', 'authorName'])),
    ...given('toolCallId', firstText(text, fields, ['tool_call_id', 'toolCallId'])),
    ...given('time', timeIn(text, fields)),
    ...given('tokens', tokensIn(text, fields)),
    stored,
  };
}

const CONTENTS = ['content', 'contents', 'parts'];

/** Mastra's content is an object with the parts in it. */
function partsIn(content: JsonNode): readonly JsonNode[] {
  const parts = child(content, 'parts');
  return parts?.kind === 'array' ? parts.items : [content];
}

/** An item of a list that holds messages: what is none is shown as stored. */
export const messageOrText = (text: string, node: JsonNode): ChatMessage =>
  messageIn(text, node) ?? {
    role: 'other',
    kind: '',
    text: wordsOf(text, [node]),
    toolCalls: [],
    stored: sourceOf(text, node),
  };

function resultMessage(text: string, node: JsonNode, stored: string): ChatMessage {
  const result = resultOf(text, node);
  return {
    role: 'tool',
    kind: kindIn(text, node),
    text: result.text,
    toolCalls: [],
    ...given('name', result.name),
    ...given('toolCallId', result.callId),
    stored,
  };
}

const kindIn = (text: string, node: JsonNode): string => firstText(text, node, ['role', 'type', '$type']) ?? '';

/** The fields of a message, out of LangChain's envelopes: a class with `kwargs`, or a type with `data`. */
function opened(text: string, node: JsonNode): { readonly kind: string; readonly fields: JsonNode } {
  const kwargs = child(node, 'kwargs');
  const path = child(node, 'id');
  if (kwargs?.kind === 'object' && path?.kind === 'array') {
    const last = path.items.at(-1);
    const names = path.items.some((item) => item.kind === 'string' && stringOf(text, item) === 'messages');
    return { kind: names && last?.kind === 'string' ? stringOf(text, last) : '', fields: kwargs };
  }
  const data = child(node, 'data');
  const type = stringIn(text, node, 'type');
  if (type !== undefined && data !== undefined && child(data, 'content') !== undefined)
    return { kind: type, fields: data };
  // Agent Framework wrote a role as an object once.
  const role = child(node, 'role');
  const kind = (role && stringIn(text, role, 'value')) ?? stringIn(text, node, 'role') ?? type ?? '';
  return { kind, fields: node };
}

const TIMES = ['timestamp', 'created_at', 'createdAt', 'time', 'ts', 'sent_at', 'date'];
const AROUND = ['metadata', 'response_metadata', 'additional_kwargs', 'additional_properties'];

function timeIn(text: string, fields: JsonNode): string | undefined {
  const places = [fields, ...AROUND.map((key) => child(fields, key))];
  for (const place of places) {
    for (const key of TIMES) {
      const time = place && timeOf(text, child(place, key));
      if (time !== undefined) return time;
    }
  }
  return undefined;
}

const [FIRST_SECOND, FIRST_MILLISECOND, AFTER] = [1e9, 1e11, 1e14];

function timeOf(text: string, node: JsonNode | undefined): string | undefined {
  if (node?.kind === 'string') {
    const time = stringOf(text, node);
    return /^\d{4}-\d\d-\d\d/.test(time) && !Number.isNaN(Date.parse(time)) ? time : undefined;
  }
  const number = node?.kind === 'number' ? Number(sourceOf(text, node)) : Number.NaN;
  if (!(number >= FIRST_SECOND && number < AFTER)) return undefined;
  return new Date(number < FIRST_MILLISECOND ? number * 1000 : number).toISOString();
}

function tokensIn(text: string, fields: JsonNode): number | undefined {
  const usage = ['usage_metadata', 'usage', 'tokens'].map((key) => child(fields, key)).find((found) => found);
  if (usage === undefined) return undefined;
  const count = (...keys: readonly string[]): number | undefined => {
    const node = keys.map((key) => child(usage, key)).find((found) => found?.kind === 'number');
    return node && Number(sourceOf(text, node));
  };
  const [input, output] = [count('input_tokens', 'prompt_tokens'), count('output_tokens', 'completion_tokens')];
  return count('total_tokens', 'total') ?? (input === undefined || output === undefined ? undefined : input + output);
}

function firstText(text: string, node: JsonNode, keys: readonly string[]): string | undefined {
  return keys.map((key) => stringIn(text, node, key)).find((found) => found !== undefined);
}

const itemsOf = (node: JsonNode | undefined): readonly JsonNode[] => (node?.kind === 'array' ? node.items : []);

/** The messages of a list; nothing where none of its items is a message. */
export function messagesIn(text: string, list: JsonNode | undefined): readonly ChatMessage[] {
  const items = itemsOf(list);
  return items.some((item) => messageIn(text, item) !== undefined)
    ? items.map((item) => messageOrText(text, item))
    : [];
}

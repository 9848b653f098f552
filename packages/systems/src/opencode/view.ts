/** What a person wants to see of an opencode session. Pure functions over its JSON text; browser-safe. */
import {
  parseJson,
  sourceOf,
  stringOf,
  valueAt,
  type ChatCall,
  type ChatMessage,
  type ChatResult,
  type JsonNode,
  type Path,
  type PendingRequest as ExactRequest,
} from '@checkpoint-inspector/core';
import { fieldsOf, recordOf, records, textOf, type Channel, type Fields } from '../folder/view.ts';

export interface Step {
  readonly name: string;
  readonly status: string;
  readonly isCurrent?: true;
}

export interface PendingRequest {
  readonly id: string;
  readonly executor: string;
  readonly value: unknown;
}

export interface Usage {
  readonly tokens?: number;
  /** In US dollars. */
  readonly costUsd?: number;
}

/** The conversation: each message with its calls, and what they gave. @throws InspectorError unreadable */
export function messagesOf(stateText: string): readonly Channel[] {
  const list = itemsOf(valueAt(stateText, parseJson(stateText), ['messages']));
  const messages = list.flatMap((item) => messageIn(stateText, item) ?? []);
  return messages.length > 0 ? [{ channel: 'messages', messages }] : [];
}

/** The to-do list that the model wrote last. @throws InspectorError unreadable */
export function stepsOf(stateText: string): readonly Step[] {
  const last = toolParts(stateText).findLast((part) => part['tool'] === 'todowrite');
  return records(recordOf(stateIn(last)['input'])['todos']).map((todo) => {
    const status = textOf(todo['status']);
    return { name: textOf(todo['content']), status, ...(status === 'in_progress' ? { isCurrent: true } : {}) };
  });
}

/** The error that the conversation ends with. @throws InspectorError unreadable */
export function errorOf(stateText: string): string | undefined {
  const error = recordOf(recordOf(records(fieldsOf(stateText)['messages']).at(-1))['info'])['error'];
  const { name, data } = recordOf(error);
  if (typeof name !== 'string') return undefined;
  const { message } = recordOf(data);
  return typeof message === 'string' && message !== '' ? `${name}: ${message}` : name;
}

/** Questions of the model without an answer. @throws InspectorError unreadable */
export function pendingOf(stateText: string): readonly PendingRequest[] {
  return toolParts(stateText)
    .filter((part) => part['tool'] === 'question' && isOpen(stateIn(part)['status']))
    .map((part) => {
      const input = recordOf(stateIn(part)['input']);
      return { id: textOf(part['callID']), executor: 'question', value: input['questions'] ?? input };
    });
}

/** The same as written in the text. @throws InspectorError unreadable */
export function requestsOf(stateText: string): readonly ExactRequest[] {
  const root = parseJson(stateText);
  const parts = itemsOf(valueAt(stateText, root, ['messages'])).flatMap((item) =>
    itemsOf(valueAt(stateText, item, ['parts'])),
  );
  return parts.flatMap((part) => {
    const read = (...path: Path) => textAt(stateText, part, path);
    if (read('tool') !== 'question' || !isOpen(read('state', 'status'))) return [];
    const id = read('callID');
    const asked = valueAt(stateText, part, ['state', 'input', 'questions']);
    const text = asked ? sourceOf(stateText, asked) : '[]';
    return [{ ...(id === undefined ? {} : { id }), from: 'question', text }];
  });
}

/** Tokens and cost of all answers together. @throws InspectorError unreadable */
export function usageOf(stateText: string): Usage {
  const infos = records(fieldsOf(stateText)['messages']).map((message) => recordOf(message['info']));
  const tokens = infos.flatMap(({ tokens: used }) => tokenSum(used) ?? []);
  const costs = infos.flatMap(({ cost }) => (typeof cost === 'number' && cost > 0 ? [cost] : []));
  return {
    ...(tokens.length === 0 ? {} : { tokens: tokens.reduce((sum, one) => sum + one, 0) }),
    ...(costs.length === 0 ? {} : { costUsd: costs.reduce((sum, one) => sum + one, 0) }),
  };
}

const ROLES: Readonly<Record<string, ChatMessage['role']>> = { user: 'human', assistant: 'ai' };

function messageIn(text: string, item: JsonNode): ChatMessage | undefined {
  const read = (...path: Path) => textAt(text, item, path);
  const kind = read('info', 'role');
  if (kind === undefined) return undefined;
  const parts = itemsOf(valueAt(text, item, ['parts']));
  const calls = parts.filter((part) => textAt(text, part, ['type']) === 'tool');
  const error = read('info', 'error', 'data', 'message') ?? read('info', 'error', 'name');
  const words = [...parts.flatMap((part) => wordsIn(text, part)), ...(error === undefined ? [] : [`Error: ${error}`])];
  const results = calls.flatMap((part) => resultIn(text, part));
  const created = Number(read('info', 'time', 'created'));
  const tokens = tokenSum(recordOf(fieldsOf(sourceOf(text, item))['info'])['tokens']);
  const id = read('info', 'id');
  return {
    role: ROLES[kind] ?? 'other',
    kind,
    text: words.join('\n\n'),
    ...(id === undefined ? {} : { id }),
    toolCalls: calls.map((part) => callIn(text, part)),
    ...(results.length > 0 ? { results } : {}),
    ...(Number.isFinite(created) && Math.abs(created) <= 8.64e15 ? { time: new Date(created).toISOString() } : {}),
    ...(tokens === undefined || tokens === 0 ? {} : { tokens }),
    stored: sourceOf(text, item),
  };
}

/** What reads as text: of other parts, their own words. */
function wordsIn(text: string, part: JsonNode): string[] {
  const read = (...path: Path) => textAt(text, part, path);
  switch (read('type')) {
    case 'text':
    case 'reasoning':
      return [read('text') ?? ''].filter((words) => words !== '');
    case 'file':
      return [`[file ${read('filename') ?? read('url')?.slice(0, 100) ?? ''}]`];
    case 'compaction':
      return ['[compaction: what was before is sent as a summary]'];
    case 'patch': {
      const files = itemsOf(valueAt(text, part, ['files'])).map((file) => textAt(text, file, []) ?? '');
      return [`[changed ${files.join(', ')}]`];
    }
    default:
      return [];
  }
}

function callIn(text: string, part: JsonNode): ChatCall {
  const id = textAt(text, part, ['callID']);
  const input = valueAt(text, part, ['state', 'input']);
  return {
    name: textAt(text, part, ['tool']) ?? '',
    ...(id === undefined ? {} : { id }),
    args: input ? sourceOf(text, input) : '',
  };
}

/** What a call gave; nothing where it has no end. */
function resultIn(text: string, part: JsonNode): ChatResult[] {
  const read = (...path: Path) => textAt(text, part, path);
  const status = read('state', 'status');
  if (status !== 'completed' && status !== 'error') return [];
  const [callId, name] = [read('callID'), read('tool')];
  const given = status === 'completed' ? (read('state', 'output') ?? '') : `Error: ${read('state', 'error') ?? ''}`;
  return [{ ...(callId === undefined ? {} : { callId }), ...(name === undefined ? {} : { name }), text: given }];
}

const itemsOf = (node: JsonNode | undefined): readonly JsonNode[] => (node?.kind === 'array' ? node.items : []);

/** A text as it reads, anything else as written. */
function textAt(text: string, node: JsonNode, path: Path): string | undefined {
  const found = valueAt(text, node, path);
  if (found === undefined) return undefined;
  return found.kind === 'string' ? stringOf(text, found) : sourceOf(text, found);
}

function toolParts(stateText: string): readonly Fields[] {
  const messages = records(fieldsOf(stateText)['messages']);
  return messages.flatMap(({ parts }) => records(parts)).filter(({ type }) => type === 'tool');
}

const stateIn = (part: Fields | undefined): Fields => recordOf(part?.['state']);

const isOpen = (status: unknown): boolean => status === 'running' || status === 'pending';

/** The tokens of a message: the total that is stored, else the sum. */
export function tokenSum(used: unknown): number | undefined {
  const { total, input, output, reasoning, cache } = recordOf(used);
  if (typeof total === 'number') return total;
  const { read, write } = recordOf(cache);
  const known = [input, output, reasoning, read, write].filter((one) => typeof one === 'number');
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}

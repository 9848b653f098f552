/** Parts of a message: texts, calls of tools and their results. */
import type { JsonNode } from '../json/node.ts';
import { child, given, plain, stringIn } from './fields.ts';

export interface ChatCall {
  readonly name: string;
  readonly id?: string;
  /** JSON text, or the text in its place. */
  readonly args: string;
}

export interface ChatResult {
  /** The call that it answers. */
  readonly callId?: string;
  readonly name?: string;
  readonly text: string;
}

const CALLS = new Set(['tooluse', 'servertooluse', 'functioncall', 'toolcall', 'customtoolcall', 'mcpcall']);
const RESULTS = new Set([
  'toolresult',
  'functionresult',
  'functioncalloutput',
  'functioncallresult',
  'customtoolcalloutput',
  'functionresponse',
]);

/** Spellings differ in signs and case only. */
function partKind(text: string, part: JsonNode): string {
  const type = stringIn(text, part, 'type') ?? stringIn(text, part, '$type');
  if (type !== undefined) return type.replaceAll(/[_-]/g, '').toLowerCase();
  const wrapped = ['functionCall', 'functionResponse'].find((key) => child(part, key)?.kind === 'object');
  return wrapped?.toLowerCase() ?? '';
}

export const isCall = (text: string, part: JsonNode): boolean =>
  (CALLS.has(partKind(text, part)) && stringIn(text, inside(part), 'name') !== undefined) ||
  toolPart(text, part) !== undefined;

export const isResult = (text: string, part: JsonNode): boolean =>
  RESULTS.has(partKind(text, part)) || toolPart(text, part)?.result !== undefined;

/** Where a step of the model begins, in the messages of the AI SDK: there is nothing to read in it. */
export const isMark = (text: string, part: JsonNode): boolean => partKind(text, part) === 'stepstart';

/** The AI SDK's part of a tool is a call and, once it has ended, its result. */
function toolPart(text: string, part: JsonNode) {
  const type = stringIn(text, part, 'type') ?? '';
  const own = type === 'tool-invocation' ? child(part, 'toolInvocation') : type.startsWith('tool-') ? part : undefined;
  const id = own && stringIn(text, own, 'toolCallId');
  const name = own === part ? type.slice('tool-'.length) : own && stringIn(text, own, 'toolName');
  if (own === undefined || id === undefined || name === undefined) return undefined;
  return {
    id,
    name,
    args: child(own, 'input') ?? child(own, 'args'),
    result: child(own, 'output') ?? child(own, 'result') ?? child(own, 'errorText'),
  };
}

const inside = (part: JsonNode): JsonNode =>
  ['function', 'functionCall', 'functionResponse']
    .map((key) => child(part, key))
    .find((found) => found?.kind === 'object') ?? part;

/** The id that a result names comes first: response items have one of their own beside it. */
const CALL_IDS = ['call_id', 'callId', 'tool_call_id', 'toolCallId', 'tool_use_id', 'toolUseId'];

function firstOf<T>(keys: readonly string[], look: (key: string) => T | undefined): T | undefined {
  return keys.map(look).find((found) => found !== undefined);
}

export function callOf(text: string, call: JsonNode): ChatCall {
  const tool = toolPart(text, call);
  if (tool) return { name: tool.name, args: tool.args ? plain(text, tool.args) : '', id: tool.id };
  const called = inside(call);
  const args = firstOf(['args', 'arguments', 'input'], (key) => child(called, key));
  return {
    name: stringIn(text, called, 'name') ?? '',
    args: args === undefined ? '' : plain(text, args),
    ...given(
      'id',
      firstOf([...CALL_IDS, 'id'], (key) => stringIn(text, call, key) ?? stringIn(text, called, key)),
    ),
  };
}

export function resultOf(text: string, part: JsonNode): ChatResult {
  const tool = toolPart(text, part);
  if (tool?.result) return { text: wordsOf(text, [tool.result]), name: tool.name, callId: tool.id };
  const answered = inside(part);
  const content = firstOf(['content', 'result', 'output', 'response', 'text'], (key) => child(answered, key));
  const parts = content === undefined ? [] : content.kind === 'array' ? content.items : [content];
  return {
    text: wordsOf(text, parts),
    ...given('name', stringIn(text, answered, 'name')),
    ...given(
      'callId',
      firstOf([...CALL_IDS, 'id'], (key) => stringIn(text, part, key) ?? stringIn(text, answered, key)),
    ),
  };
}

/** Texts as they are, anything else as JSON. */
export const wordsOf = (text: string, parts: readonly JsonNode[]): string =>
  parts.map((part) => textIn(text, part) ?? plain(text, part)).join('\n');

/** An object is its text where it is a part of that kind; what else has a text has more to say than that. */
function textIn(text: string, part: JsonNode): string | undefined {
  const kind = partKind(text, part);
  if (kind === 'error') return errorIn(text, child(part, 'error'));
  return kind === '' || kind.endsWith('text') ? stringIn(text, part, 'text') : undefined;
}

function errorIn(text: string, error: JsonNode | undefined): string | undefined {
  const message = error && stringIn(text, error, 'message');
  const name = error && stringIn(text, error, 'name');
  return message === undefined || name === undefined ? message : `${name}: ${message}`;
}

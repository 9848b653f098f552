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
  CALLS.has(partKind(text, part)) && stringIn(text, inside(part), 'name') !== undefined;

export const isResult = (text: string, part: JsonNode): boolean => RESULTS.has(partKind(text, part));

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
  return kind === '' || kind.endsWith('text') ? stringIn(text, part, 'text') : undefined;
}

/** What a message says: its words, calls, results and tokens. */
import { isRecord, numberIn, recordOf, textIn } from '../folder/view.ts';
import type { Message } from './records.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  /** What it is about, in the program's words: a file, a command. */
  readonly on?: string | undefined;
}

export const typeOf = ({ fields }: Message): string => textIn(fields, 'type') ?? '';
export const modelOf = ({ fields }: Message): string | undefined => textIn(fields, 'model');
export const timeOf = ({ fields }: Message): string | undefined => textIn(fields, 'timestamp');

/** Content is a text, a part, or parts; calls and results in it have no words. */
export function wordsOf({ fields }: Message): string {
  const { content } = fields;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts.map((part) => (typeof part === 'string' ? part : (textIn(recordOf(part), 'text') ?? ''))).join('');
}

export function callsOf({ fields }: Message): ToolCall[] {
  const { toolCalls } = fields;
  const calls: readonly unknown[] = Array.isArray(toolCalls) ? toolCalls : [];
  return calls.filter(isRecord).map((call) => ({
    id: textIn(call, 'id') ?? '',
    name: textIn(call, 'displayName') ?? textIn(call, 'name') ?? 'tool',
    status: textIn(call, 'status') ?? '',
    on: textIn(call, 'description') || undefined,
  }));
}

/** All tokens of the model's answer, as the model counts them. */
export const tokensOf = ({ fields }: Message): number | undefined => numberIn(recordOf(fields['tokens']), 'total');

/** What a person asked: not what the program adds itself, nor a command or the results of tools. */
export function promptOf(message: Message): string | undefined {
  const words = typeOf(message) === 'user' ? wordsOf(message).trim() : '';
  return words === '' || /^(?:[/?]|<(?:session|hook)_context>)/.test(words) ? undefined : words;
}

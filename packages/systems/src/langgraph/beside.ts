import {
  parseJson,
  memberOf,
  sourceOf,
  stringOf,
  type Beside,
  type JsonNode,
  type PendingRequest,
} from '@checkpoint-inspector/core';
import { payloadText } from './payload.ts';
import type { Key, Queries, WriteRow } from './queries.ts';
import { errorOf } from './view.ts';

/** Errors and questions are pending writes of LangGraph: rows beside the checkpoint that they stand on. */
export function besideOf(queries: Queries, thread: string, key: Key): Beside {
  const error = lastErrorOf(queries, thread, key);
  const questions = queries.writes(thread, key, '__interrupt__').flatMap(questionsIn);
  return { ...(error === undefined ? {} : { error }), requests: questions };
}

/** The last error on a checkpoint, in words; of one that is not read, how it is stored. */
export function lastErrorOf(queries: Queries, thread: string, key: Key): string | undefined {
  const write = queries.writes(thread, key, '__error__').at(-1);
  if (write === undefined) return undefined;
  try {
    return errorOf(payloadText({ ...write, bytes: write.value }));
  } catch {
    return `The error is stored as ${write.type ?? write.stored} and not read by this version.`;
  }
}

function questionsIn(write: WriteRow): PendingRequest[] {
  try {
    const text = payloadText({ ...write, bytes: write.value });
    const root = parseJson(text);
    return (root.kind === 'array' ? root.items : [root]).map((item) => questionOf(text, item));
  } catch {
    return [{ text: `The question is stored as ${write.type ?? write.stored} and not read by this version.` }];
  }
}

/** An Interrupt: its value, cut from the text so that numbers keep their digits. */
function questionOf(text: string, node: JsonNode): PendingRequest {
  const value = node.kind === 'object' ? memberOf(node, 'value')?.value : undefined;
  const id = node.kind === 'object' ? memberOf(node, 'id')?.value : undefined;
  return {
    ...(id?.kind === 'string' ? { id: stringOf(text, id) } : {}),
    text: wordsOf(text, value ?? node),
  };
}

const wordsOf = (text: string, node: JsonNode): string =>
  node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);

/** Calls of tools with what they gave, and which messages a checkpoint has added. */
import type { ChatCall, ChatMessage, ChatResult } from '@checkpoint-inspector/core';

/** What a call gave; `index` is the place of the message that holds it. */
export interface GivenResult extends ChatResult {
  readonly index: number;
  readonly time?: string;
}

export interface JoinedCall extends ChatCall {
  readonly result?: GivenResult;
}

/** A message with its calls answered; results in it that answer no call before it are its own. */
export interface Joined {
  readonly index: number;
  readonly message: ChatMessage;
  readonly calls: readonly JoinedCall[];
  readonly results: readonly GivenResult[];
}

interface Slot extends ChatCall {
  result?: GivenResult;
}

/**
 * Joins by the id of the call; a result without an id answers the next open call of the last message that has calls.
 * A message that only held such results is left out.
 */
export function joinCalls(messages: readonly ChatMessage[]): readonly Joined[] {
  const byId = new Map<string, Slot>();
  let last: readonly Slot[] = [];
  return messages.flatMap((message, index): Joined[] => {
    const given = resultsOf(message, index);
    const left = given.filter((result) => !answer(byId, last, result));
    const calls = message.toolCalls.map((call): Slot => ({ ...call }));
    for (const call of calls) if (call.id !== undefined) byId.set(call.id, call);
    if (calls.length > 0) last = calls;
    // Some agents keep what a call gave in the message that made it.
    const own = calls.length === 0 ? left : left.filter((result) => !answer(byId, calls, result));
    const isOnlyResults = given.length > 0 && calls.length === 0 && (message.role === 'tool' || message.text === '');
    if (isOnlyResults && own.length === 0) return [];
    return [{ index, message, calls, results: message.role === 'tool' && message.results === undefined ? [] : own }];
  });
}

/** A message of a tool is a result as a whole, unless its parts are. */
function resultsOf(
  { role, text, name, toolCallId, time, results }: ChatMessage,
  index: number,
): readonly GivenResult[] {
  const place = { index, ...(time === undefined ? {} : { time }) };
  if (results !== undefined) return results.map((result) => ({ ...result, ...place }));
  if (role !== 'tool') return [];
  const who = { ...(name === undefined ? {} : { name }), ...(toolCallId === undefined ? {} : { callId: toolCallId }) };
  return [{ text, ...who, ...place }];
}

function answer(byId: ReadonlyMap<string, Slot>, last: readonly Slot[], result: GivenResult): boolean {
  const { callId, name } = result;
  const named = callId === undefined ? undefined : byId.get(callId);
  const next = last.find(
    (call) =>
      call.result === undefined &&
      (call.id === undefined || callId === undefined) &&
      (name === undefined || call.name === name),
  );
  const call = named ?? next;
  if (call === undefined || call.result !== undefined) return false;
  call.result = result;
  return true;
}

const keyOf = ({ kind, text, name, id, toolCalls, results, toolCallId }: ChatMessage): string =>
  JSON.stringify([kind, text, name, id, toolCalls, results, toolCallId]);

/** The places of messages that were not there before; one that was only moved is not new. */
export function newMessages(before: readonly ChatMessage[], now: readonly ChatMessage[]): ReadonlySet<number> {
  const left = new Map<string, number>();
  for (const message of before) left.set(keyOf(message), (left.get(keyOf(message)) ?? 0) + 1);
  const added = now.flatMap((message, index) => {
    const count = left.get(keyOf(message)) ?? 0;
    left.set(keyOf(message), count - 1);
    return count > 0 ? [] : [index];
  });
  return new Set(added);
}

import { memberOf, parseJson, sourceOf, valueAt, type JsonNode } from '@checkpoint-inspector/core';

/** What is in a message where a state object was sent: its own text, so that no number is rounded. */
export interface ExactState {
  readonly text: string;
}

/** What a client is told whose message is not JSON. */
export const PARSE_ERROR = {
  jsonrpc: '2.0',
  error: { code: -32700, message: 'Parse error: this is not JSON' },
  id: null,
};

/**
 * A JSON-RPC message, or a batch, as the protocol's library wants it, with each tool's `state` object as text.
 * @throws when the text is not JSON
 */
export function readMessage(text: string): unknown {
  const root = parseJson(text);
  const message: unknown = JSON.parse(text);
  if (!Array.isArray(message)) return withExactState(text, root, message);
  return message.map((item: unknown, at) => withExactState(text, valueAt(text, root, [at]), item));
}

function withExactState(text: string, node: JsonNode | undefined, message: unknown): unknown {
  const args = node && valueAt(text, node, ['params', 'arguments']);
  const state = args?.kind === 'object' ? memberOf(args, 'state')?.value : undefined;
  if (state?.kind !== 'object' || !hasArguments(message)) return message;
  message.params.arguments['state'] = { text: sourceOf(text, state) } satisfies ExactState;
  return message;
}

function hasArguments(message: unknown): message is { params: { arguments: Record<string, unknown> } } {
  return isObject(message) && isObject(message['params']) && isObject(message['params']['arguments']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One tool call over MCP, as another agent makes it. */
import * as z from 'zod/mini';
import { authorisedFetch } from '../../lib/http.ts';

export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

const resultSchema = z.object({
  result: z.object({
    isError: z.optional(z.boolean()),
    content: z.array(z.object({ type: z.string(), text: z.optional(z.string()) })),
  }),
});

const PROTOCOL = '2025-06-18';

/**
 * Begins a session, calls the tool, ends the session.
 * @returns the text of the answer, exactly as the agent gets it
 * @throws InspectorError; Error when the answer is none of MCP
 */
export async function callTool(call: ToolCall, signal: AbortSignal): Promise<string> {
  const session = await begin(signal);
  try {
    const answer: unknown = await (await post({ id: 2, method: 'tools/call', params: call }, session, signal)).json();
    return resultSchema
      .parse(answer)
      .result.content.map(({ text }) => text ?? '')
      .join('\n');
  } finally {
    void authorisedFetch('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': session } }).catch(() => undefined);
  }
}

async function begin(signal: AbortSignal): Promise<string> {
  const clientInfo = { name: 'checkpoint-inspector-page', version: '1' };
  const params = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo };
  const answer = await post({ id: 1, method: 'initialize', params }, undefined, signal);
  const session = answer.headers.get('mcp-session-id');
  if (session === null) throw new Error("The server didn't start an MCP session.");
  await post({ method: 'notifications/initialized' }, session, signal);
  return session;
}

function post(message: object, session: string | undefined, signal: AbortSignal): Promise<Response> {
  return authorisedFetch('/mcp', {
    method: 'POST',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': PROTOCOL,
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

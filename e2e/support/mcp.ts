/** An agent at `/mcp`, as its client would speak. */
import type { Inspector } from './inspector.ts';

/** Begins a session under this name and calls one tool; the answer is what the agent gets. */
export async function callTool(
  { origin, mcpToken }: Inspector,
  clientInfo: { readonly name: string; readonly version: string },
  name: string,
  args: object,
): Promise<Record<string, unknown>> {
  const headers: Record<string, string> = {
    authorization: `Bearer ${mcpToken}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const send = (message: object): Promise<Response> =>
    fetch(`${origin}/mcp`, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  const begun = await send({ id: 1, method: 'initialize', params });
  headers['mcp-session-id'] = begun.headers.get('mcp-session-id') ?? '';
  await send({ method: 'notifications/initialized' });
  const answer = await send({ id: 2, method: 'tools/call', params: { name, arguments: args } });
  const { result } = (await answer.json()) as {
    result: { isError?: boolean; structuredContent?: Record<string, unknown>; content: unknown };
  };
  if (result.isError === true || result.structuredContent === undefined)
    throw new Error(JSON.stringify(result.content));
  return result.structuredContent;
}

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMcpEndpoint } from './endpoint.ts';
import type { McpEndpoint, McpLimits } from './endpoint.ts';
import { mcpDeps } from './testing/deps.ts';
import { nativeStores } from './testing/native.ts';

let place: Awaited<ReturnType<typeof nativeStores>>;
beforeAll(async () => {
  place = await nativeStores('agent');
});
afterAll(() => place.remove());

const endpoint = (limits?: McpLimits) => createMcpEndpoint(mcpDeps(place.stores), limits);

interface Asked {
  readonly token?: string;
  readonly session?: string;
  readonly method?: string;
  readonly body?: unknown;
}

function ask(mcp: McpEndpoint, { token = 'one', session, method = 'POST', body }: Asked): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(session === undefined ? {} : { 'mcp-session-id': session }),
  };
  const init = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  return mcp.handle(new Request('http://127.0.0.1/mcp', { method, headers, ...init }));
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '0' } },
};
const listTools = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

async function begin(mcp: McpEndpoint, token = 'one'): Promise<string> {
  const answer = await ask(mcp, { token, body: initialize });
  return answer.headers.get('mcp-session-id') ?? '';
}

describe('a session', () => {
  it('belongs to the token that began it: for another it does not exist', async () => {
    const mcp = endpoint();
    const session = await begin(mcp, 'one');
    expect((await ask(mcp, { token: 'one', session, body: listTools })).status).toBe(200);
    expect((await ask(mcp, { token: 'two', session, body: listTools })).status).toBe(404);
    expect((await ask(mcp, { token: 'two', session, method: 'DELETE' })).status).toBe(404);
    expect((await ask(mcp, { token: 'one', session, body: listTools })).status).toBe(200);
  });

  it('is ended by DELETE, once', async () => {
    const mcp = endpoint();
    const session = await begin(mcp);
    expect((await ask(mcp, { session, method: 'DELETE' })).status).toBe(200);
    expect(mcp.size).toBe(0);
    expect((await ask(mcp, { session, body: listTools })).status).toBe(404);
  });

  it('is only made by an initialize request', async () => {
    const mcp = endpoint();
    for (const body of [listTools, [], {}, 5, null, 'no JSON', '']) {
      expect((await ask(mcp, { body })).status).toBe(400);
    }
    expect((await ask(mcp, { method: 'DELETE' })).status).toBe(400);
    for (const method of ['GET', 'PUT', 'PATCH']) expect((await ask(mcp, { method })).status).toBe(405);
    expect(mcp.size).toBe(0);
  });

  it('cannot be chosen by the client', async () => {
    const mcp = endpoint();
    expect((await ask(mcp, { session: 'chosen', body: initialize })).status).toBe(404);
  });

  it('gives way to newer ones when it was used the longest ago', async () => {
    const mcp = endpoint({ maxSessions: 2 });
    const [first, second] = [await begin(mcp), await begin(mcp)];
    await ask(mcp, { session: first, body: listTools });
    const third = await begin(mcp);
    const answers = [first, second, third].map((session) => ask(mcp, { session, body: listTools }));
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 404, 200]);
    expect(mcp.size).toBe(2);
  });

  it('that is idle for too long is ended when another begins', async () => {
    let now = 0;
    const mcp = endpoint({ idleMs: 1000, now: () => now });
    const first = await begin(mcp);
    now = 999;
    const second = await begin(mcp);
    now = 1500;
    await begin(mcp);
    const answers = [first, second].map((session) => ask(mcp, { session, body: listTools }));
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([404, 200]);
  });
});

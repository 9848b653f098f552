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

async function begin(mcp: McpEndpoint, token = 'one', name = 'test'): Promise<string> {
  const { params, ...rest } = initialize;
  const body = { ...rest, params: { ...params, clientInfo: { name, version: '0' } } };
  const answer = await ask(mcp, { token, body });
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
    const mcp = endpoint({ maxPerClient: 2 });
    const [first, second] = [await begin(mcp), await begin(mcp)];
    await ask(mcp, { session: first, body: listTools });
    const third = await begin(mcp);
    const answers = [first, second, third].map((session) => ask(mcp, { session, body: listTools }));
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 404, 200]);
    expect(mcp.size).toBe(2);
  });

  it.each([
    [
      'one after the other',
      async (begun: () => Promise<unknown>) => {
        for (let n = 0; n < 230; n++) await begun();
      },
    ],
    ['all at once', (begun: () => Promise<unknown>) => Promise.all(Array.from({ length: 230 }, begun))],
  ])('goes on while another client begins 230, %s', async (_how, beginAll) => {
    const mcp = endpoint();
    const [other, otherToken] = [await begin(mcp, 'one', 'other'), await begin(mcp, 'two', 'test')];
    await beginAll(() => begin(mcp));
    expect((await ask(mcp, { session: other, body: listTools })).status).toBe(200);
    expect((await ask(mcp, { token: 'two', session: otherToken, body: listTools })).status).toBe(200);
    expect(mcp.size).toBe(52);
  });

  it('is not ended by a client that takes ever new names: that one is refused', async () => {
    const mcp = endpoint({ maxSessions: 3 });
    const first = await begin(mcp, 'one', 'first');
    for (const name of ['a', 'b']) await begin(mcp, 'one', name);
    await expect(begin(mcp, 'one', 'c')).rejects.toMatchObject({ code: 'busy' });
    expect((await ask(mcp, { session: first, body: listTools })).status).toBe(200);
    // Who has a session already gives up that one.
    await begin(mcp, 'one', 'a');
    expect(mcp.size).toBe(3);
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

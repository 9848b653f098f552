import { afterEach, expect, it, vi } from 'vitest';
import { callTool } from './mcp.ts';

afterEach(() => vi.unstubAllGlobals());

it('begins a session, calls the tool, ends the session, and gives back the text as it came', async () => {
  const sent: { method: string; session: string | null; body: unknown }[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
    sent.push({ method: init.method ?? '', session: new Headers(init.headers).get('mcp-session-id'), body });
    if (sent.length === 1) return Response.json({}, { headers: { 'mcp-session-id': 's-1' } });
    if (sent.length === 3)
      return Response.json({ result: { content: [{ type: 'text', text: '{"big":12345678901234567890}' }] } });
    return new Response(undefined, { status: 202 });
  });
  const text = await callTool({ name: 'checkpoint_list', arguments: { sessionId: 't' } }, new AbortController().signal);
  expect(text).toBe('{"big":12345678901234567890}');
  expect(sent.map(({ method, session }) => `${method} ${session}`)).toEqual([
    'POST null',
    'POST s-1',
    'POST s-1',
    'DELETE s-1',
  ]);
  expect(sent[2]?.body).toMatchObject({ method: 'tools/call', params: { name: 'checkpoint_list' } });
});

/** For tests: the official client, and what its tool results hold. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from '@hono/zod-openapi';
import type { createMcpServer } from '../server.ts';

const checkpointSchema = z.looseObject({ id: z.string(), sessionId: z.string(), taskId: z.string() });

const resultSchema = z.object({
  isError: z.boolean().default(false),
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  _meta: z.record(z.string(), z.unknown()),
});

const answerSchema = z.object({
  notice: z.string().default(''),
  checkpoint: checkpointSchema.nullish(),
  state: z.unknown().optional(),
  stateText: z.string().optional(),
  items: z.array(checkpointSchema).default([]),
  cursor: z.string().optional(),
  error: z
    .object({
      code: z.string().default(''),
      message: z.string(),
      remedy: z.string().default(''),
      data: z.looseObject({}).default({}),
    })
    .optional(),
});

/** A tool result: its one text, and the JSON in it. */
export function readResult(result: unknown) {
  const { isError, content, _meta } = resultSchema.parse(result);
  const [{ text }] = content;
  return { isError, text, meta: _meta, ...answerSchema.parse(JSON.parse(text)) };
}

export async function connect(transport: Transport, name = 'test') {
  const client = new Client({ name, version: '0' });
  await client.connect(transport);
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    call: async (name: string, args: Record<string, unknown> = {}) =>
      readResult(await client.callTool({ name, arguments: args })),
    close: () => client.close(),
  };
}

export function connectHttp({ url, token }: { readonly url: string; readonly token: string }) {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit }));
}

/** A client of a server in this process. */
export async function connectTo({ mcp }: Pick<ReturnType<typeof createMcpServer>, 'mcp'>, name?: string) {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await mcp.connect(there);
  return connect(here, name);
}

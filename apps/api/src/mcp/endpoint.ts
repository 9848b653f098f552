/** MCP over HTTP: a session per client, each with a server and a transport of its own. */
import { createHash, randomUUID } from 'node:crypto';
import { InspectorError } from '@checkpoint-inspector/core';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { PARSE_ERROR, readMessage } from './exact.ts';
import { z } from '@hono/zod-openapi';
import type { McpDeps } from './server.ts';

export interface McpEndpoint {
  /** Behind the guards of every request: they have checked host, origin, token and size. */
  handle(request: Request): Promise<Response>;
  /** Sessions open now. */
  readonly size: number;
}

export interface McpLimits {
  /** Of one client: when it begins more, those it used the longest ago are ended. Default 50. */
  readonly maxPerClient?: number;
  /** Of all: a client that has none to give up is refused. Default 200. */
  readonly maxSessions?: number;
  /** A session that is not used for so long is ended when another begins. Default 1 hour. */
  readonly idleMs?: number;
  readonly now?: () => number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Digest of the token that began it: no other token continues with it. */
  readonly owner: string;
  /** Token and name of the client; one client never ends the sessions of another. */
  readonly client: string;
  readonly close: () => Promise<void>;
  running: number;
  usedAt: number;
}

export function createMcpEndpoint(deps: McpDeps, limits: McpLimits = {}): McpEndpoint {
  const { maxPerClient = 50, maxSessions = 200, idleMs = 3_600_000, now = Date.now } = limits;
  /** The one used last is last. */
  const sessions = new Map<string, Session>();

  const endAll = (wanted: (session: Session) => boolean, count: number) => {
    const found = [...sessions].filter(([, session]) => session.running === 0 && wanted(session));
    for (const [id, session] of found.slice(0, Math.max(0, count))) {
      sessions.delete(id);
      session.close().catch((error: unknown) => process.emitWarning(`An MCP session ended badly: ${String(error)}`));
    }
  };

  /** @param more sessions that are about to begin */
  const trim = (client: string, more: number) => {
    const isOwn = (session: Session) => session.client === client;
    const own = [...sessions.values()].filter(isOwn).length + more;
    endAll(isOwn, Math.max(own - maxPerClient, sessions.size + more - maxSessions));
  };

  const begin = async (owner: string, origin: string, message: unknown): Promise<Session> => {
    const client = `${owner} ${nameIn(message)}`;
    endAll(({ usedAt }) => now() - usedAt >= idleMs, sessions.size);
    trim(client, 1);
    if (sessions.size >= maxSessions) throw new InspectorError('busy', `${maxSessions} MCP sessions are already open.`);
    const page = async (path: string) => ({ link: origin + path });
    const on = {
      began: (id: string) => void sessions.set(id, session),
      ended: (id: string) => void sessions.delete(id),
    };
    const session = await startSession({ ...deps, page }, { owner, client }, on);
    return session;
  };

  const ask = async (session: Session, request: Request, message: unknown): Promise<Response> => {
    const { sessionId = '' } = session.transport;
    if (sessions.delete(sessionId)) sessions.set(sessionId, session);
    session.running += 1;
    try {
      return await session.transport.handleRequest(request, { parsedBody: message });
    } finally {
      session.running -= 1;
      session.usedAt = now();
      // Others of this client may have begun at the same time.
      trim(session.client, 0);
    }
  };

  return {
    get size() {
      return sessions.size;
    },
    async handle(request) {
      if (request.method !== 'POST' && request.method !== 'DELETE') return notAllowed();
      const owner = ownerOf(request);
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      // One answer for both: whether somebody else's session exists is not told.
      if (id !== null && known?.owner !== owner) return refusal(404, -32001, 'Session not found');
      if (known === undefined && request.method === 'DELETE')
        return refusal(400, -32000, 'Mcp-Session-Id header is required');
      const message = request.method === 'POST' ? parsed(await request.text()) : undefined;
      if (request.method === 'POST' && message === undefined) return Response.json(PARSE_ERROR, { status: 400 });
      if (known) return ask(known, request, message);
      // The guards have found the host allowed: it is an address of this server, as the client knows it.
      const session = await begin(owner, new URL(request.url).origin, message);
      const response = await ask(session, request, message).catch(async (error: unknown) => {
        await session.close();
        throw error;
      });
      if (session.transport.sessionId === undefined) await session.close();
      return response;
    },
  };
}

/** What an `initialize` says that its client is called. */
function nameIn(message: unknown): string {
  const parsed = initializeSchema.safeParse(message);
  return parsed.success ? parsed.data.params.clientInfo.name : '';
}

const initializeSchema = z.object({ params: z.object({ clientInfo: z.object({ name: z.string() }) }) });

/** The library is loaded when the first client comes. */
async function startSession(
  deps: McpDeps,
  of: Pick<Session, 'owner' | 'client'>,
  on: { began: (id: string) => void; ended: (id: string) => void },
): Promise<Session> {
  const [{ WebStandardStreamableHTTPServerTransport: Transport }, { createMcpServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('./server.ts'),
  ]);
  const { mcp } = createMcpServer(deps);
  const transport = new Transport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: on.began,
    onsessionclosed: on.ended,
    // Tools answer at once and nothing is told unasked: a stream would only stay open.
    enableJsonResponse: true,
  });
  await mcp.connect(transport);
  return { ...of, transport, close: () => mcp.close(), running: 0, usedAt: 0 };
}

function parsed(text: string): unknown {
  try {
    return readMessage(text);
  } catch {
    return undefined;
  }
}

function ownerOf(request: Request): string {
  return createHash('sha256')
    .update(request.headers.get('authorization') ?? '')
    .digest('hex');
}

function refusal(status: number, code: number, message: string, headers: Record<string, string> = {}): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status, headers });
}

function notAllowed(): Response {
  return refusal(405, -32000, 'Method not allowed.', { allow: 'POST, DELETE' });
}

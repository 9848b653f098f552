/** MCP over HTTP: a session per client, each with a server and a transport of its own. */
import { createHash, randomUUID } from 'node:crypto';
import { InspectorError } from '@checkpoint-inspector/core';
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { PARSE_ERROR, readMessage } from './exact.ts';
import type { McpDeps } from './server.ts';

export interface McpEndpoint {
  /** Behind the guards of every request: they have checked host, origin, token and size. */
  handle(request: Request): Promise<Response>;
  /** Sessions open now. */
  readonly size: number;
}

export interface McpLimits {
  /** When there are more, those idle the longest are ended. Default 200. */
  readonly maxSessions?: number;
  /** A session that is not used for so long is ended when another begins. Default 1 hour. */
  readonly idleMs?: number;
  readonly now?: () => number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Digest of the token that began it: no other token continues with it. */
  readonly owner: string;
  readonly close: () => Promise<void>;
  running: number;
  usedAt: number;
}

export function createMcpEndpoint(deps: McpDeps, limits: McpLimits = {}): McpEndpoint {
  const { maxSessions = 200, idleMs = 3_600_000, now = Date.now } = limits;
  /** The one used last is last. */
  const sessions = new Map<string, Session>();

  const end = async (id: string) => {
    const session = sessions.get(id);
    sessions.delete(id);
    await session?.close();
  };

  const makeRoom = async () => {
    for (const [id, { running, usedAt }] of sessions) {
      if (running > 0) continue;
      if (sessions.size < maxSessions && now() - usedAt < idleMs) break;
      await end(id);
    }
    if (sessions.size >= maxSessions) throw new InspectorError('busy', `${maxSessions} MCP sessions are already open.`);
  };

  const begin = async (owner: string, origin: string): Promise<Session> => {
    await makeRoom();
    const page = async (path: string) => ({ link: origin + path });
    const session = await startSession({ ...deps, page }, owner, {
      began: (id) => void sessions.set(id, session),
      ended: (id) => void sessions.delete(id),
    });
    return session;
  };

  const ask = async (session: Session, request: Request): Promise<Response> => {
    const { sessionId = '' } = session.transport;
    if (sessions.delete(sessionId)) sessions.set(sessionId, session);
    session.running += 1;
    try {
      if (request.method === 'DELETE') return await session.transport.handleRequest(request);
      const message = parsed(await request.text());
      if (message === undefined) return Response.json(PARSE_ERROR, { status: 400 });
      return await session.transport.handleRequest(request, { parsedBody: message });
    } finally {
      session.running -= 1;
      session.usedAt = now();
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
      if (id !== null) {
        const session = sessions.get(id);
        // One answer for both: whether somebody else's session exists is not told.
        return session?.owner === owner ? ask(session, request) : refusal(404, -32001, 'Session not found');
      }
      if (request.method === 'DELETE') return refusal(400, -32000, 'Mcp-Session-Id header is required');
      // The guards have found the host allowed: it is an address of this server, as the client knows it.
      const session = await begin(owner, new URL(request.url).origin);
      const response = await ask(session, request).catch(async (error: unknown) => {
        await session.close();
        throw error;
      });
      if (session.transport.sessionId === undefined) await session.close();
      return response;
    },
  };
}

/** The library is loaded when the first client comes. */
async function startSession(
  deps: McpDeps,
  owner: string,
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
  return { transport, owner, close: () => mcp.close(), running: 0, usedAt: 0 };
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

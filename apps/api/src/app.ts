import { InspectorError } from '@checkpoint-inspector/core';
import { Hono, type Context, type MiddlewareHandler, type Next } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { DemoControl, Inspector } from '@checkpoint-inspector/inspector';
import { connectEvents, createEventHub, type EventHub } from './events.ts';
import { guard, guardBody, type GuardOptions } from './guards/guard.ts';
import { setSecurityHeaders } from './guards/headers.ts';
import { DOCS_PATH, isProtectedPath, MCP_PATH } from './guards/paths.ts';
import { gzipAnswers } from './lib/encoding.ts';
import { readLargeBodies } from './lib/large-body.ts';
import { MASKED, storedAddress } from './lib/masked-address.ts';
import { methodsAt, publicError, StatusError } from './lib/http.ts';
import { createMcpEndpoint } from './mcp/endpoint.ts';
import { docsPage, DOCS_STYLE, DOCS_STYLE_PATH } from './openapi/page.ts';
import { openApiDocument } from './openapi/document.ts';
import { apiRoutes } from './routes/index.ts';
import type { LoginCodes } from './login-codes.ts';
import { SentAnswers } from './sent.ts';
import type { ServerStatus } from './services.ts';
import { folderShell, shellAnswer, type Shell } from './shell.ts';

export interface AppDeps {
  readonly inspector: Inspector;
  readonly status: ServerStatus;
  readonly guards: GuardOptions;
  /** The built web app: its folder, or a function that finds its files. */
  readonly shell?: string | Shell;
  /** Only with --demo. */
  readonly demo?: DemoControl;
  /** Codes that a link may carry in place of the token. */
  readonly loginCodes?: LoginCodes;
  /** Default: a hub of its own. */
  readonly events?: EventHub;
  /** Secrets of known shapes leave over /mcp as stored; default: masked. */
  readonly revealOverMcp?: boolean;
  /** Told of every failure that is a defect; clients see nothing of it. */
  readonly onDefect?: (error: unknown) => void;
}

/**
 * The whole HTTP surface. Opens, binds and writes nothing by itself.
 * @example const app = createApp({ inspector, status, guards: { token, hosts: ['127.0.0.1:4600'] } });
 */
export function createApp(deps: AppDeps): Hono {
  const { inspector, status, events = createEventHub(), demo, loginCodes } = deps;
  const { search } = inspector;
  connectEvents(events, inspector);
  const sent = new SentAnswers(deps.guards, inspector);
  const routes = apiRoutes({
    ...inspector,
    sent,
    status,
    events,
    ...(typeof deps.shell === 'string' ? { page: deps.shell } : {}),
    ...(demo ? { demo } : {}),
    ...(loginCodes ? { loginCodes } : {}),
  });
  const shell = typeof deps.shell === 'string' ? folderShell(deps.shell) : deps.shell;
  const mcp = createMcpEndpoint({ inspector, status, reveal: deps.revealOverMcp ?? false });
  let allowed: ReturnType<typeof methodsAt> | undefined;

  const app = new Hono();
  app.onError((thrown, c) => answer(c, thrown, deps.onDefect));
  app.use(entrance(deps.guards, search));
  app.use('/api/*', async (c, next) => {
    const { url } = c.req;
    const stored = url.includes(MASKED) ? await storedAddress(url, inspector) : url;
    return stored === url ? next() : app.fetch(new Request(stored, c.req.raw), c.env);
  });
  app.use('/api/plans', readLargeBodies(inspector.largeStates));
  describeApi(app, routes, status.version);
  app.route('/api', routes);
  app.all(MCP_PATH, (c) => mcp.handle(c.req.raw));
  app.get('*', async (c) => {
    if (isProtectedPath(c.req.path)) return c.notFound();
    return (await shellAnswer(c, shell)) ?? c.notFound();
  });
  app.notFound((c) => {
    allowed ??= methodsAt(app.routes);
    const methods = allowed(c.req.path);
    return answer(c, methods.length === 0 ? nothingHere(c.req.path, allowed) : notAllowed(c.req.method, methods));
  });
  const { fetch } = app;
  app.fetch = (request, env, context) => sent.again(request, Object(env)) ?? fetch(request, env, context);
  return app;
}

/** What every request passes, in one layer: each that is waited for by itself takes its time from every answer. */
function entrance(guards: GuardOptions, search: Inspector['search']): MiddlewareHandler {
  const check = guard(guards);
  const counted = (c: Context, next: Next): Promise<void> => {
    const end = search.request();
    return gzipAnswers(c, next).finally(end);
  };
  return (c, next) => {
    setSecurityHeaders(c);
    check(c);
    return c.req.path.startsWith('/api/') ? guardBody(c, () => counted(c, next)) : guardBody(c, next);
  };
}

/** For tools and for people; both are made when first asked for. */
function describeApi(app: Hono, routes: Parameters<typeof openApiDocument>[0], version: string): void {
  let text: string | undefined;
  let page: string | undefined;
  app.get('/api/openapi.json', (c) => {
    text ??= JSON.stringify(openApiDocument(routes, version));
    return c.body(text, 200, { 'content-type': 'application/json; charset=utf-8' });
  });
  app.get(DOCS_PATH, (c) => {
    page ??= docsPage(JSON.parse(JSON.stringify(openApiDocument(routes, version))));
    return c.html(page);
  });
  app.get(DOCS_STYLE_PATH, (c) => c.body(DOCS_STYLE, 200, { 'content-type': 'text/css; charset=utf-8' }));
}

function nothingHere(path: string, allowed: ReturnType<typeof methodsAt>): InspectorError {
  const isSlashed = path.endsWith('/') && allowed(path.slice(0, -1)).length > 0;
  const remedy = isSlashed ? 'Leave out the slash at the end.' : `${DOCS_PATH} lists every address.`;
  return new InspectorError('not_found', 'Nothing exists at this address.', { remedy });
}

function notAllowed(method: string, methods: readonly string[]): StatusError {
  return new StatusError(405, 'invalid_input', `This address doesn't support ${method}.`, {
    remedy: `Use ${methods.join(' or ')}.`,
    headers: { allow: methods.join(', ') },
  });
}

function answer(c: Context, thrown: unknown, onDefect?: (error: unknown) => void): Response {
  const { signal } = c.req.raw;
  // Nobody waits for this answer any longer: nothing went wrong.
  const givenUp = signal.aborted && [thrown, causeOf(thrown)].includes(signal.reason);
  const error = givenUp ? new InspectorError('busy', 'The request was cancelled.') : publicError(thrown);
  if (error.code === 'internal') onDefect?.(thrown);
  const headers = error instanceof StatusError ? error.headers : {};
  return c.json(error.toWire(), error.status as ContentfulStatusCode, headers);
}

const causeOf = (thrown: unknown): unknown => (thrown instanceof Error ? thrown.cause : undefined);

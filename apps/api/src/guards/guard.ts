/** The checks that every request passes, cheapest and most general first. */
import { timingSafeEqual } from 'node:crypto';
import { InspectorError } from '@checkpoint-inspector/core';
import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { StatusError } from '../lib/http.ts';
import { isDocsPath, isProtectedPath, MCP_PATH } from './paths.ts';

export interface GuardOptions {
  /** The bearer token of /api and /mcp. */
  readonly token: string;
  /** One that is good at /mcp alone: who has it can propose changes, and apply none. */
  readonly mcpToken?: string;
  /** Host headers that are served, with port, compared as they are: `127.0.0.1:4600`. */
  readonly hosts: readonly string[];
  /** Hosts that a user added; a proxy may serve these over https. */
  readonly addedHosts?: readonly string[];
}

/** Of our own 43, and of any that a user would choose. */
export const MAX_TOKEN_BYTES = 256;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
}

/** Refuses a request by its head alone: the body has not been read. */
export function guard(options: GuardOptions): (c: Context) => void {
  const check = createGuard(options);
  return (c) => check({ method: c.req.method, path: c.req.path, header: (name) => c.req.header(name) });
}

/** @throws InspectorError forbidden_host | unauthorised (from what is returned) */
export function createGuard(options: GuardOptions): (asked: Asked) => void {
  const added = new Set(options.addedHosts);
  const hosts = new Set([...options.hosts, ...added]);
  const tokens = [padded(options.token)];
  const mcpTokens = options.mcpToken === undefined ? tokens : [...tokens, padded(options.mcpToken)];

  return (asked) => {
    const host = asked.header('host');
    if (host === undefined || !hosts.has(host)) throw refused("This host name isn't allowed.");
    const origin = asked.header('origin');
    const ownOrigin = origin === `http://${host}` || (added.has(host) && origin === `https://${host}`);
    if (origin !== undefined && !ownOrigin) throw refused("Requests from another origin aren't allowed.");
    const shell = isShellRequest(asked);
    const withoutToken = shell || isSessionExchange(asked);
    if (!isSameSite(asked, shell)) throw refused("Requests from another site aren't allowed.");
    const known = asked.path === MCP_PATH ? mcpTokens : tokens;
    if (!withoutToken && !isBearer(asked.header('authorization'), known)) throw unauthorised();
  };
}

/** The static shell and the description of the API have no data: reading them needs no token. */
function isShellRequest({ method, path }: Asked): boolean {
  return (method === 'GET' || method === 'HEAD') && (!isProtectedPath(path) || isDocsPath(path));
}

/** A code and its quotes; nobody without a token makes us read more. */
const MAX_CODE_BODY = 1024;

/** A one-time code is exchanged for the token, so it comes without. */
function isSessionExchange({ method, path, header }: Asked): boolean {
  if (method !== 'POST' || path !== '/api/session') return false;
  return Number(header('content-length') ?? Number.POSITIVE_INFINITY) <= MAX_CODE_BODY;
}

function isSameSite({ method, header }: Asked, shell: boolean): boolean {
  const site = header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  const navigation = header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document';
  return shell && method === 'GET' && navigation;
}

function isBearer(header: string | undefined, known: readonly Buffer[]): boolean {
  const token = /^Bearer ([^\s]+)$/i.exec(header ?? '')?.[1];
  if (token === undefined || Buffer.byteLength(token) > MAX_TOKEN_BYTES) return false;
  given.fill(0).write(token);
  return known.some((one) => timingSafeEqual(given, one));
}

/** All of one length, so that comparing them tells nothing about a token's. No token contains a zero. */
const padded = (token: string): Buffer => Buffer.concat([Buffer.from(token)], MAX_TOKEN_BYTES);
const given = padded('');

function refused(message: string): InspectorError {
  return new InspectorError('forbidden_host', message);
}

function unauthorised(): InspectorError {
  return new InspectorError('unauthorised', 'This request has no valid token.');
}

const MIB = 1024 * 1024;
const MAX_BODY_BYTES = 8 * MIB;
/** A plan's request may contain a whole edited state, as a string with its quotes escaped. */
const MAX_PLAN_BODY_BYTES = 64 * MIB;
const PLANS = '/api/plans';
/** A bundle is written to a file as it comes. */
const MAX_BUNDLE_BODY_BYTES = 2048 * MIB;
const BUNDLES = '/api/bundles';

const usual = limitOf(MAX_BODY_BYTES);
const limits = new Map([
  [PLANS, limitOf(MAX_PLAN_BODY_BYTES)],
  [BUNDLES, limitOf(MAX_BUNDLE_BODY_BYTES)],
]);

function limitOf(maxSize: number): MiddlewareHandler {
  return bodyLimit({
    maxSize,
    onError: () => {
      throw new InspectorError('too_large', `Request body too large (limit ${maxSize / MIB} MiB).`, {
        data: { limit: maxSize },
      });
    },
  });
}

/** Bodies are plain JSON of at most 8 MiB, of plans 64, of bundles 2 GiB: anything else is refused before it is parsed. */
export const guardBody: MiddlewareHandler = (c, next) => {
  if (c.req.method === 'GET' || c.req.method === 'HEAD') return next();
  const encoding = c.req.header('content-encoding');
  if (encoding !== undefined && encoding !== 'identity')
    throw unsupportedType("Compressed request bodies aren't supported.");
  const type = c.req.header('content-type');
  if (type === undefined ? hasBody(c) : !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw unsupportedType('The request body must be application/json.');
  }
  return (limits.get(c.req.path) ?? usual)(c, next);
};

function hasBody(c: Context): boolean {
  return c.req.header('transfer-encoding') !== undefined || Number(c.req.header('content-length') ?? 0) !== 0;
}

function unsupportedType(message: string): StatusError {
  return new StatusError(415, 'invalid_input', message, {
    remedy: 'Send JSON with the header content-type: application/json.',
  });
}

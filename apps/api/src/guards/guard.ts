/** The checks that every request passes, cheapest and most general first. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { InspectorError } from '@checkpoint-inspector/core';
import type { MiddlewareHandler } from 'hono';
import { isDocsPath, isProtectedPath } from './paths.ts';

export interface GuardOptions {
  /** The bearer token of /api and /mcp. */
  readonly token: string;
  /** Host headers that are served, with port, compared as they are: `127.0.0.1:4600`. */
  readonly hosts: readonly string[];
  /** Hosts that a user added; a proxy may serve these over https. */
  readonly addedHosts?: readonly string[];
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
}

/** Refuses a request by its head alone: the body has not been read. */
export function guard(options: GuardOptions): MiddlewareHandler {
  const check = createGuard(options);
  return async (c, next) => {
    check({ method: c.req.method, path: c.req.path, header: (name) => c.req.header(name) });
    await next();
  };
}

/** @throws InspectorError forbidden_host | unauthorised (from what is returned) */
export function createGuard(options: GuardOptions): (asked: Asked) => void {
  const added = new Set(options.addedHosts);
  const hosts = new Set([...options.hosts, ...added]);
  const digest = sha256(options.token);

  return (asked) => {
    const host = asked.header('host');
    if (host === undefined || !hosts.has(host)) throw refused('This host name is not served here.');
    const origin = asked.header('origin');
    const ownOrigin = origin === `http://${host}` || (added.has(host) && origin === `https://${host}`);
    if (origin !== undefined && !ownOrigin) throw refused('Pages of another origin are not served.');
    const shell = isShellRequest(asked);
    const withoutToken = shell || isSessionExchange(asked);
    if (!isSameSite(asked, shell)) throw refused('Requests from another site are not served.');
    if (!withoutToken && !isBearer(asked.header('authorization'), digest)) throw unauthorised();
  };
}

/** The static shell and the description of the API hold no data: reading them needs no token. */
function isShellRequest({ method, path }: Asked): boolean {
  return (method === 'GET' || method === 'HEAD') && (!isProtectedPath(path) || isDocsPath(path));
}

/** A code and its quotes; nobody without a token makes us read more. */
const MAX_CODE_BODY = 1024;

/** A one-time code is exchanged for the token, so it comes without. */
function isSessionExchange({ method, path, header }: Asked): boolean {
  const length = Number(header('content-length') ?? Number.POSITIVE_INFINITY);
  return method === 'POST' && path === '/api/session' && length <= MAX_CODE_BODY;
}

function isSameSite({ method, header }: Asked, shell: boolean): boolean {
  const site = header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  const navigation = header('sec-fetch-mode') === 'navigate' && header('sec-fetch-dest') === 'document';
  return shell && method === 'GET' && navigation;
}

function isBearer(header: string | undefined, digest: Buffer): boolean {
  const token = /^Bearer ([^\s]+)$/i.exec(header ?? '')?.[1];
  // Digests have one length, so the comparison tells nothing about the token's.
  return token !== undefined && timingSafeEqual(sha256(token), digest);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refused(message: string): InspectorError {
  return new InspectorError('forbidden_host', message);
}

function unauthorised(): InspectorError {
  return new InspectorError('unauthorised', 'This request carries no valid token.');
}

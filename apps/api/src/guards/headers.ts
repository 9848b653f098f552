import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { isDocsPath, isProtectedPath, MCP_PATH } from './paths.ts';

/** No inline script, no inline style, nothing from elsewhere, no frames. Scripts may still set styles by name. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const API_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** One page and its style: no script at all. */
const DOCS_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const COMMON = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
const PROTECTED = { ...COMMON, 'cache-control': 'no-store' };
const SHELL_HEADERS = Object.entries({ ...COMMON, 'content-security-policy': CONTENT_SECURITY_POLICY });
const API_HEADERS = Object.entries({ ...PROTECTED, 'content-security-policy': API_POLICY });
const DOCS_HEADERS = Object.entries({ ...PROTECTED, 'content-security-policy': DOCS_POLICY });

function headersAt(path: string): readonly [name: string, value: string][] {
  if (!isProtectedPath(path)) return SHELL_HEADERS;
  return isDocsPath(path) ? DOCS_HEADERS : API_HEADERS;
}

/**
 * One function for all answers; no CORS header is ever set, and no HSTS on plain http. What the protocol's library
 * answers at /mcp has headers of its own, which these have to replace: they are set on the answer to be.
 */
export function setSecurityHeaders(c: Context): void {
  const { path } = c.req;
  // Absent where no server asks.
  const env: Partial<HttpBindings> | undefined = c.env;
  if (env?.outgoing && path !== MCP_PATH) return setHeadersOf(env.outgoing, path);
  for (const [name, value] of headersAt(path)) c.res.headers.set(name, value);
}

/** Set on Node's own answer, which spares each answer an object for its headers. */
export function setHeadersOf(outgoing: HttpBindings['outgoing'], path: string): void {
  for (const [name, value] of headersAt(path)) outgoing.setHeader(name, value);
}

import type { MiddlewareHandler } from 'hono';
import { isDocsPath, isProtectedPath } from './paths.ts';

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

/** One function for all answers; no CORS header is ever set, and no HSTS on plain http. */
export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  const { headers } = c.res;
  headers.set('x-content-type-options', 'nosniff');
  headers.set('referrer-policy', 'no-referrer');
  headers.set('cross-origin-resource-policy', 'same-origin');
  headers.set('cross-origin-opener-policy', 'same-origin');
  if (isProtectedPath(c.req.path)) {
    headers.set('cache-control', 'no-store');
    headers.set('content-security-policy', isDocsPath(c.req.path) ? DOCS_POLICY : API_POLICY);
    return;
  }
  headers.set('content-security-policy', CONTENT_SECURITY_POLICY);
};

import type { IncomingMessage } from 'node:http';

const MAX_DECODES = 5;

export const DOCS_PATH = '/api/docs';
export const MCP_PATH = '/mcp';

/** The description of the API has no data, and a browser that opens it sends no token. Exactly these two addresses. */
export const isDocsPath = (path: string): boolean => path === DOCS_PATH || path === `${DOCS_PATH}.css`;

/** With nothing in it to decode or resolve, as nearly all requests have it. */
const PLAIN_API = /^\/api\/[\w/-]*$/;

/**
 * Whether a path means `/api` or `/mcp` to anybody: decoded as often as it can
 * be, slashes collapsed, dots resolved, case ignored. A path that never settles counts as one.
 */
export function isProtectedPath(path: string): boolean {
  if (PLAIN_API.test(path)) return true;
  const decoded = settle(path);
  if (decoded === undefined) return true;
  const parts: string[] = [];
  for (const part of decoded.toLowerCase().split(/[/\\]+/)) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return /^(?:api|mcp)(?![a-z0-9_-])/.test(parts[0] ?? '');
}

function settle(path: string): string | undefined {
  let text = path;
  for (let n = 0; n < MAX_DECODES; n++) {
    const next = decode(text);
    if (next === text) return text;
    text = next;
  }
  return undefined;
}

/** Bytes that are not UTF-8 stay as they are. */
function decode(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

/** Nothing in it to look at more closely, as nearly all requests have it. */
const PLAIN_TARGET = /^(?:\/[\w-]+)+(?:\?[\w=&%.-]*)?$/;

/**
 * Why a request is refused before any URL parser has touched it. The target
 * must be a plain path: absolute-form, `//host`, `#`, backslashes and control
 * characters mean different things to different readers.
 */
export function rawRefusal(incoming: Pick<IncomingMessage, 'url' | 'rawHeaders'>): string | undefined {
  return targetRefusal(incoming.url ?? '') ?? hostsRefusal(incoming.rawHeaders);
}

function targetRefusal(url: string): string | undefined {
  if (PLAIN_TARGET.test(url)) return undefined;
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(url) || /[#\\]/.test(url)) return 'The request target must be a plain path.';
  const path = url.split('?', 1)[0] ?? '';
  if (path.includes('//')) return 'The request target contains an empty segment.';
  return /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path) ? 'The request target contains a dot segment.' : undefined;
}

function hostsRefusal(rawHeaders: readonly string[]): string | undefined {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1 ? 'The request names two different hosts.' : undefined;
}

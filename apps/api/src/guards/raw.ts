import type { IncomingMessage } from 'node:http';

/**
 * Why a request is refused before any URL parser has touched it. The target
 * must be a plain path: absolute-form, `//host`, `#`, backslashes and control
 * characters mean different things to different readers.
 */
export function rawRefusal(incoming: Pick<IncomingMessage, 'url' | 'rawHeaders'>): string | undefined {
  const url = incoming.url ?? '';
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(url) || /[#\\]/.test(url)) return 'The request target must be a plain path.';
  const path = url.split('?', 1)[0] ?? '';
  if (path.includes('//')) return 'The request target holds an empty segment.';
  if (/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)) return 'The request target holds a dot segment.';
  const hosts = incoming.rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host');
  return hosts.length > 1 ? 'The request names two hosts.' : undefined;
}

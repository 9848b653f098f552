/** What the user wrote, as something to open. */
import { InspectorError } from './errors.ts';

/**
 * What the user pointed at.
 * @example const target: Target = { kind: 'path', path: '/data/checkpoints', is: 'folder' }
 */
export type Target = PathTarget | AddressTarget;

export interface PathTarget {
  readonly kind: 'path';
  /** Absolute. */
  readonly path: string;
  readonly is: 'file' | 'folder';
}

/** A database or service. Secrets may be in it: show `shownAddress(url)`, never the address itself. */
export interface AddressTarget {
  readonly kind: 'address';
  /** As it was written: `postgres://…`, or `env:NAME` for an address kept in the environment. */
  readonly url: string;
}

const SCHEME = /^[a-z][a-z0-9+.-]+:\/\//i;
const NAMED = /^env:[A-Za-z_][A-Za-z0-9_]*$/;

/** True for `scheme://…` and `env:NAME`; anything else is a path. */
export function isAddress(text: string): boolean {
  return NAMED.test(text) || (SCHEME.test(text) && !text.startsWith('file://'));
}

/** A target as it may be shown and logged: no user, no password, no query. */
export function shownAddress(text: string): string {
  if (!isAddress(text) || NAMED.test(text)) return text;
  const [scheme = '', rest = ''] = text.split(/:\/\/(.*)/s);
  // By hand: what is not a valid URL may contain a password too. The last @ ends it, even behind a slash in a password.
  return `${scheme}://${rest.slice(rest.lastIndexOf('@') + 1).replace(/[?#].*$/s, '')}`;
}

/** The address as a command may print it: without its password, which the environment or a password file has to bring. */
export function withoutPassword(text: string): string {
  if (!isAddress(text) || NAMED.test(text)) return text;
  const [scheme = '', rest = ''] = text.split(/:\/\/(.*)/s);
  const at = rest.lastIndexOf('@');
  const user = rest.slice(0, Math.max(0, at)).split(':', 1)[0] ?? '';
  const place = rest.slice(at + 1).replaceAll(/([?&])(?:password|sslpassword|passfile)=[^&#]*&?/gi, '$1');
  return `${scheme}://${user === '' ? '' : `${user}@`}${place.replace(/[?&]$/, '')}`;
}

/**
 * For what is neither a path nor an address, but has a password in it all the same: it is refused without being quoted.
 * @throws InspectorError invalid_input
 * @example assertNoPassword('host=db user=app password=…')
 */
export function assertNoPassword(text: string): void {
  if (isAddress(text) || !/password\s*=|:[^\s/\\@][^\s@]{0,200}@|^\s*postgres(?:ql)?\b.*@/i.test(text)) return;
  throw new InspectorError('invalid_input', "This looks like an address with a password, but isn't written as one.", {
    remedy: 'Write it as postgres://user:password@host/database, or name a file or folder.',
  });
}

/** How a target may be shown. */
export function shownTarget(target: Target): string {
  return target.kind === 'path' ? target.path : shownAddress(target.url);
}

/** For systems that know paths only. @throws InspectorError unsupported for an address */
export function pathOf(target: Target): PathTarget {
  if (target.kind === 'path') return target;
  throw unknownAddress(target);
}

/** @example throw unknownAddress(target, ['Kaizen', 'LangGraph']) */
export function unknownAddress({ url }: AddressTarget, systems: readonly string[] = []): InspectorError {
  const known = systems.length > 0 ? ` This version can read ${systems.join(', ')}.` : '';
  return new InspectorError('unsupported', `No supported system can open the address "${shownAddress(url)}".`, {
    remedy: `Name a file, a folder or the address of a PostgreSQL database.${known}`,
    data: { address: shownAddress(url) },
  });
}

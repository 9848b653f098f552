import { randomBytes } from 'node:crypto';

/** Where a page keeps the token that it gets. */
export type KeepToken = 'origin' | 'session';

export interface SessionGrant {
  readonly token: string;
  readonly keep: KeepToken;
}

/**
 * Codes that stand for the token on command lines, which every user of a machine can read: each opens the page once
 * and is worth nothing afterwards.
 */
export interface SessionCodes {
  /** A new code; the oldest of too many is void. */
  issue(keep: KeepToken): string;
  /** The token for a code that is fresh and unused; `undefined` for any other. */
  exchange(code: string): SessionGrant | undefined;
}

export const CODE_SECONDS = 60;
const CODE_BYTES = 24;
const MAX_OPEN = 4;
/** So many wrong codes in a row, and every open one is void. */
const MAX_WRONG = 5;

/** @example const codes = createSessionCodes('secret-token'); const code = codes.issue('origin'); */
export function createSessionCodes(token: string, now: () => number = Date.now): SessionCodes {
  const open = new Map<string, { readonly keep: KeepToken; readonly until: number }>();
  let wrong = 0;

  const refuse = (): undefined => {
    wrong += 1;
    if (wrong < MAX_WRONG) return;
    open.clear();
    wrong = 0;
  };

  return {
    issue(keep) {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      open.set(code, { keep, until: now() + CODE_SECONDS * 1000 });
      const [oldest] = open.keys();
      if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest);
      return code;
    },
    exchange(code) {
      const found = open.get(code);
      open.delete(code);
      if (found === undefined || found.until <= now()) return refuse();
      wrong = 0;
      return { token, keep: found.keep };
    },
  };
}

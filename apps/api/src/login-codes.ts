import { createHash, randomBytes } from 'node:crypto';

/** Where a page keeps the token that it gets. */
export type KeepToken = 'origin' | 'session';

interface SessionGrant {
  readonly token: string;
  readonly keep: KeepToken;
}

export type LoginCodes = ReturnType<typeof createLoginCodes>;

export const CODE_SECONDS = 60;
/**
 * 192 random bits: a billion guesses a second for its whole minute would find one with a chance below 1 in 10^46. So
 * wrong guesses are not counted, and nobody can void a link that is still open by sending some.
 */
const CODE_BYTES = 24;
const MAX_OPEN = 4;

/**
 * Codes that stand for the token on command lines, which every user of a machine can read: each opens the page once
 * and is worth nothing afterwards.
 * @example const codes = createLoginCodes('secret-token'); const code = codes.issue('origin');
 */
export function createLoginCodes(token: string, now: () => number = Date.now) {
  const open = new Map<string, { readonly keep: KeepToken; readonly until: number }>();

  return {
    /** A new code; the oldest of too many is void. */
    issue(keep: KeepToken): string {
      const code = randomBytes(CODE_BYTES).toString('base64url');
      open.set(digestOf(code), { keep, until: now() + CODE_SECONDS * 1000 });
      const [oldest] = open.keys();
      if (open.size > MAX_OPEN && oldest !== undefined) open.delete(oldest);
      return code;
    },
    /** The token for a code that is fresh and unused; `undefined` for any other. */
    exchange(code: string): SessionGrant | undefined {
      const key = digestOf(code);
      const found = open.get(key);
      open.delete(key);
      if (found === undefined || found.until <= now()) return undefined;
      return { token, keep: found.keep };
    },
  };
}

/** Codes are looked up by digest, so the time that takes says nothing about how much of a guess was right. */
const digestOf = (code: string): string => createHash('sha256').update(code).digest('hex');

/**
 * The access token: arrives once in the URL fragment, is kept as long as its tab and cleared when the server refuses
 * it. A new tab gets it from one that is open.
 */
import { createSignal } from './signal.ts';
import { aFlag, aText, fields, oneOf } from './read.ts';

const KEY = 'checkpoint-inspector.token';
/** Set where the token is for its tab alone. */
const ALONE = `${KEY}.alone`;

/** Storage may be switched off in the browser; the token then lives as long as the page. */
let inMemory: string | undefined;
let refused = false;
const changed = createSignal(0);

/** A server on this machine answers sooner; the page must not stay blank for one that hangs. */
const TRY_MS = 10_000;

/**
 * Takes `#token=…` (with `&keep=session`: for this tab only) and removes the fragment from the address. Any page can
 * link here, so a token that is kept already is replaced only when the server accepts the new one.
 * @returns whether the token of the address is the one in use now
 */
export async function takeTokenFromFragment(
  location: Location = window.location,
  history: History = window.history,
): Promise<boolean> {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null || token === '') return false;
  history.replaceState(history.state, '', location.pathname + location.search);
  const kept = readToken();
  if (kept !== undefined && kept !== token && !(await isAccepted(token))) return false;
  keepToken(token, fragment.get('keep') === 'session' ? 'session' : 'origin');
  return true;
}

async function isAccepted(token: string): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    return (await fetch('/api/status', { headers, signal: AbortSignal.timeout(TRY_MS) })).ok;
  } catch {
    return false;
  }
}

/** True while the address carries a one-time code. */
export const hasCode = (location: Location = window.location): boolean => location.hash.startsWith('#code=');

/**
 * Exchanges the one-time code of the address for the token and removes the code. A code that was used before leaves
 * things as they are: this browser may know the token already.
 */
export async function takeCodeFromFragment(
  location: Location = window.location,
  history: History = window.history,
): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return;
  history.replaceState(history.state, '', location.pathname + location.search);
  const grant = await exchange(code);
  if (grant !== undefined) keepToken(grant.token, grant.keep);
}

const grantOf = fields({ token: aText, keep: oneOf('origin', 'session') });

interface Grant {
  readonly token: string;
  readonly keep: 'origin' | 'session';
}

async function exchange(code: string): Promise<Grant | undefined> {
  try {
    const answer = await fetch('/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const { token, keep } = answer.ok ? grantOf(await answer.json()) : {};
    return token === undefined || keep === undefined ? undefined : { token, keep };
  } catch {
    return undefined;
  }
}

export function keepToken(token: string, keep: 'origin' | 'session'): void {
  inMemory = token;
  refused = false;
  try {
    sessionStorage.setItem(KEY, token);
    if (keep === 'session') sessionStorage.setItem(ALONE, 'true');
    else sessionStorage.removeItem(ALONE);
  } catch {
    // Kept in memory only.
  }
  changed.set(changed.get() + 1);
}

export function readToken(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? inMemory;
  } catch {
    return inMemory;
  }
}

/** Forgets the token that the server refused; the shell then shows how to get a new link. */
export function refuseToken(): void {
  inMemory = undefined;
  refused = true;
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // Nothing was stored.
  }
  changed.set(changed.get() + 1);
}

const messageOf = fields({ ask: aFlag, token: aText });

/** Tabs answer at once; the page must not stay blank where none is open. */
const ASK_MS = 300;

/**
 * Asks the open tabs of this origin for the token, and answers those that are opened later. A tab answers only while its
 * server does: another program that has the port now learns nothing.
 */
export async function shareToken(isLive: () => boolean): Promise<void> {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(KEY);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel stays within its origin
  const send = (message: { ask: true } | { token: string }): void => channel.postMessage(message);
  const answered = new Promise<void>((resolve) => {
    channel.addEventListener('message', ({ data }) => {
      const { ask = false, token } = messageOf(data);
      const own = readToken();
      if (ask && own !== undefined && isShared() && isLive()) send({ token: own });
      // Also a late one: the page then says that it needs its link.
      if (token === undefined || own !== undefined) return;
      keepToken(token, 'origin');
      resolve();
    });
  });
  if (readToken() !== undefined) return;
  send({ ask: true });
  await Promise.race([answered, new Promise((resolve) => setTimeout(resolve, ASK_MS))]);
}

function isShared(): boolean {
  try {
    return sessionStorage.getItem(ALONE) === null;
  } catch {
    return false;
  }
}

let needed = true;

/** For a page that has no server. */
export function needNoToken(): void {
  needed = false;
}

export const isRefused = (): boolean => needed && (refused || readToken() === undefined);

export const onTokenChange = changed.follow;

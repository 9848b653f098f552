// @vitest-environment jsdom
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  hasCode,
  isRefused,
  onTokenChange,
  readToken,
  refuseToken,
  shareToken,
  takeCodeFromFragment,
  takeTokenFromFragment,
} from './token.ts';

const open = async (address: string): Promise<boolean> => {
  window.history.replaceState(null, '', address);
  return takeTokenFromFragment();
};

describe('token', () => {
  beforeEach(async () => {
    refuseToken();
    await open('/');
  });
  afterEach(() => vi.unstubAllGlobals());
  it('is kept for its tab and leaves the address', async () => {
    await open('/t/a/b?cp=1#token=secret');
    expect(sessionStorage.getItem('checkpoint-inspector.token')).toBe('secret');
    expect(localStorage).toHaveLength(0);
    expect(location.href).not.toContain('secret');
    expect(location.search).toBe('?cp=1');
    expect(readToken()).toBe('secret');
    expect(isRefused()).toBe(false);
  });
  it('of a link replaces the kept one only once the server has accepted it', async () => {
    await open('/#token=first');
    const answers = [Response.json({}), Response.json({}, { status: 401 })];
    const fetched = vi.fn<typeof fetch>(async () => answers.shift() ?? Response.error());
    vi.stubGlobal('fetch', fetched);
    expect(await open('/tasks#token=second')).toBe(true);
    expect(readToken()).toBe('second');
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({ headers: { authorization: 'Bearer second' } });
    expect(await open('/tasks#token=forged')).toBe(false);
    expect(location.href).not.toContain('forged');
    expect([readToken(), isRefused()]).toEqual(['second', false]);
  });
  it('of a link changes nothing while the server cannot be asked', async () => {
    await open('/#token=first');
    vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('offline')));
    expect(await open('/#token=second')).toBe(false);
    expect(readToken()).toBe('first');
  });
  it('leaves the address before the server answers', async () => {
    await open('/#token=first');
    vi.stubGlobal('fetch', () => new Promise(() => undefined));
    void open('/t/a#token=second');
    expect(location.href).not.toContain('second');
  });
  describe('and other tabs', () => {
    const heard: unknown[] = [];
    const other = new BroadcastChannel('checkpoint-inspector.token');
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel stays within its origin
    const send = (message: object): void => other.postMessage(message);
    let live = false;
    beforeAll(() => {
      other.addEventListener('message', ({ data }) => heard.push(data));
      void shareToken(() => live);
    });
    afterAll(() => other.close());
    const answers = async (): Promise<unknown> => {
      heard.length = 0;
      send({ ask: true });
      await new Promise((resolve) => setTimeout(resolve, 50));
      return heard;
    };

    it('is told to a tab that asks, while the server answers', async () => {
      await open('/#token=secret');
      expect(await answers()).toEqual([]);
      live = true;
      expect(await answers()).toEqual([{ token: 'secret' }]);
    });
    it('stays in this tab where the user chose it', async () => {
      await open('/#token=mine&keep=session');
      expect(await answers()).toEqual([]);
    });
    it('is taken where there is none, and replaces none', async () => {
      send({ token: 'given' });
      await vi.waitFor(() => expect(readToken()).toBe('given'));
      send({ token: 'another' });
      await answers();
      expect(readToken()).toBe('given');
    });
    it('is not waited for long', async () => {
      heard.length = 0;
      await shareToken(() => live);
      expect([readToken(), heard]).toEqual([undefined, [{ ask: true }]]);
    });
  });
  it('comes for a one-time code, which leaves the address; a code that was used before changes nothing', async () => {
    const answers = [Response.json({ token: 'granted', keep: 'origin' }), Response.json({}, { status: 401 })];
    const fetched = vi.fn<typeof fetch>(async () => answers.shift() ?? Response.error());
    vi.stubGlobal('fetch', fetched);
    for (const code of ['first', 'first']) {
      await open(`/tasks?q=1#code=${code}`);
      expect(hasCode()).toBe(true);
      await takeCodeFromFragment();
      expect(location.href).toMatch(/\/tasks\?q=1$/);
      expect(readToken()).toBe('granted');
    }
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"code":"first"}' });
  });
  it('does not touch another fragment', async () => {
    await open('/#content');
    expect(location.hash).toBe('#content');
  });
  it('is forgotten when refused, and reports it', async () => {
    await open('/#token=secret');
    const heard = vi.fn();
    const stop = onTokenChange(heard);
    refuseToken();
    stop();
    expect(heard).toHaveBeenCalledOnce();
    expect([readToken(), isRefused()]).toEqual([undefined, true]);
  });
});

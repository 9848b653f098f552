// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  hasCode,
  isRefused,
  onTokenChange,
  readToken,
  refuseToken,
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
  it('is kept for the origin and leaves the address', async () => {
    await open('/t/a/b?cp=1#token=secret');
    expect(localStorage.getItem('checkpoint-inspector.token')).toBe('secret');
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
  it('stays in this tab where the user chose it', async () => {
    await open('/#token=mine&keep=session');
    expect(localStorage.getItem('checkpoint-inspector.token')).toBeNull();
    expect(sessionStorage.getItem('checkpoint-inspector.token')).toBe('mine');
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

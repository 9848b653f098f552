// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  hasCode,
  isRefused,
  onTokenChange,
  readToken,
  refuseToken,
  takeCodeFromFragment,
  takeTokenFromFragment,
} from './token.ts';

const open = (address: string): void => {
  window.history.replaceState(null, '', address);
  takeTokenFromFragment();
};

describe('token', () => {
  beforeEach(() => {
    refuseToken();
    open('/');
  });
  it('is kept for the origin and leaves the address', () => {
    open('/t/a/b?cp=1#token=secret');
    expect(localStorage.getItem('checkpoint-inspector.token')).toBe('secret');
    expect(location.href).not.toContain('secret');
    expect(location.search).toBe('?cp=1');
    expect(readToken()).toBe('secret');
    expect(isRefused()).toBe(false);
  });
  it('stays in this tab where the user chose it', () => {
    open('/#token=mine&keep=session');
    expect(localStorage.getItem('checkpoint-inspector.token')).toBeNull();
    expect(sessionStorage.getItem('checkpoint-inspector.token')).toBe('mine');
  });
  it('comes for a one-time code, which leaves the address; a code that was used before changes nothing', async () => {
    const answers = [Response.json({ token: 'granted', keep: 'origin' }), Response.json({}, { status: 401 })];
    const fetched = vi.fn<typeof fetch>(async () => answers.shift() ?? Response.error());
    vi.stubGlobal('fetch', fetched);
    for (const code of ['first', 'first']) {
      open(`/tasks?q=1#code=${code}`);
      expect(hasCode()).toBe(true);
      await takeCodeFromFragment();
      expect(location.href).toMatch(/\/tasks\?q=1$/);
      expect(readToken()).toBe('granted');
    }
    expect(fetched.mock.calls[0]?.[1]).toMatchObject({ method: 'POST', body: '{"code":"first"}' });
    vi.unstubAllGlobals();
  });
  it('does not touch another fragment', () => {
    open('/#content');
    expect(location.hash).toBe('#content');
  });
  it('is forgotten when refused, and says so', () => {
    open('/#token=secret');
    const heard = vi.fn();
    const stop = onTokenChange(heard);
    refuseToken();
    stop();
    expect(heard).toHaveBeenCalledOnce();
    expect([readToken(), isRefused()]).toEqual([undefined, true]);
  });
});

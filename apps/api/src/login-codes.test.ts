import { describe, expect, it } from 'vitest';
import { HOST, testApp, TOKEN, jsonBody, wire } from './testing/app.ts';
import { CODE_SECONDS, createLoginCodes } from './login-codes.ts';

describe('codes that stand for the token', () => {
  it('open once, within a minute', () => {
    let now = 0;
    const codes = createLoginCodes('secret', () => now);
    const first = codes.issue('session');
    expect(codes.exchange(first)).toEqual({ token: 'secret', keep: 'session' });
    expect(codes.exchange(first)).toBeUndefined();
    const second = codes.issue('origin');
    now += CODE_SECONDS * 1000;
    expect(codes.exchange(second)).toBeUndefined();
  });

  it('are long enough that guessing is hopeless, and wrong guesses take nothing from an open one', () => {
    const codes = createLoginCodes('secret');
    const code = codes.issue('origin');
    expect(Buffer.from(code, 'base64url')).toHaveLength(24);
    for (let tries = 0; tries < 1000; tries++) expect(codes.exchange(`guess-${tries}`)).toBeUndefined();
    expect(codes.exchange(code)).toEqual({ token: 'secret', keep: 'origin' });
  });

  it('make the oldest void when there are too many', () => {
    const codes = createLoginCodes('secret');
    const [oldest, ...newer] = Array.from({ length: 5 }, () => codes.issue('origin'));
    expect(codes.exchange(oldest ?? '')).toBeUndefined();
    for (const code of newer) expect(codes.exchange(code)).toBeDefined();
  });
});

describe('POST /api/session', () => {
  const post = (code: string, headers: Record<string, string> = {}) => ({
    ...jsonBody({ code }),
    headers: { 'content-type': 'application/json', 'content-length': '60', ...headers },
  });

  it('gives the token for a code, needs no other, and gives it once', async () => {
    const loginCodes = createLoginCodes(TOKEN);
    const { app } = await testApp({ loginCodes });
    const code = loginCodes.issue('origin');
    const ask = () =>
      app.request(`http://${HOST}/api/session`, { ...post(code), headers: { ...post(code).headers, host: HOST } });
    const answer = await ask();
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({ token: TOKEN, keep: 'origin' });
    const again = await ask();
    expect(again.status).toBe(401);
    expect((await wire(again)).error.code).toBe('unauthorised');
  });

  it('is refused to other hosts, origins and sites, and a GET of it needs the token', async () => {
    const loginCodes = createLoginCodes(TOKEN);
    const { app } = await testApp({ loginCodes });
    const code = loginCodes.issue('origin');
    const from = (headers: Record<string, string>) =>
      app.request(`http://${HOST}/api/session`, post(code, { host: HOST, ...headers }));
    expect((await from({ host: 'evil.example' })).status).toBe(403);
    expect((await from({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await from({ 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await app.request(`http://${HOST}/api/session`, { headers: { host: HOST } })).status).toBe(401);
    expect((await from({ 'content-length': '2000' })).status).toBe(401);
    expect((await from({})).status).toBe(200);
  });

  it('gives nothing where no codes are issued', async () => {
    const { app } = await testApp();
    expect((await app.request(`http://${HOST}/api/session`, post('x', { host: HOST }))).status).toBe(401);
  });
});

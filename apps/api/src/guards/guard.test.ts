import { describe, expect, it } from 'vitest';
import { HOST, TOKEN, testApp } from '../testing/app.ts';
import { createGuard, MAX_TOKEN_BYTES } from './guard.ts';

const check = createGuard({ token: TOKEN, hosts: [HOST, 'localhost:4600'], addedHosts: ['inspector.example'] });

function codeOf(headers: Record<string, string>, path = '/api/tasks', method = 'GET'): string {
  try {
    check({ method, path, header: (name) => headers[name] });
    return 'passed';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'another error';
  }
}

const own = { host: HOST, authorization: `Bearer ${TOKEN}` };

describe('host', () => {
  it('S1 serves its own names, with port', () => {
    expect(codeOf(own)).toBe('passed');
    expect(codeOf({ ...own, host: 'localhost:4600' })).toBe('passed');
    expect(codeOf({ ...own, host: 'inspector.example' })).toBe('passed');
  });

  it.each([
    'evil.example',
    'evil.example:4600',
    '0.0.0.0:4600',
    '[::]:4600',
    'x.local',
    'localhost6:4600',
    'localhost.evil.example:4600',
    '127.0.0.1.evil.example:4600',
    'evil@127.0.0.1:4600',
    '127.0.0.1:4601',
    '127.0.0.1',
    'LOCALHOST:4600',
    'localhost.:4600',
    '',
  ])('S2 S3 refuses "%s", for the shell too', (host) => {
    expect(codeOf({ ...own, host })).toBe('forbidden_host');
    expect(codeOf({ ...own, host }, '/')).toBe('forbidden_host');
  });

  it('S3 refuses an absent host', () => expect(codeOf({ authorization: own.authorization })).toBe('forbidden_host'));
});

describe('origin', () => {
  it('passes its own origin, and https only for a host that a user added', () => {
    expect(codeOf({ ...own, origin: `http://${HOST}` })).toBe('passed');
    expect(codeOf({ ...own, host: 'inspector.example', origin: 'https://inspector.example' })).toBe('passed');
  });

  it.each([
    `http://${HOST}.evil.example`,
    'http://127.0.0.1:4601',
    `https://${HOST}`,
    'http://localhost',
    'http://localhost:4600',
    'null',
    'file://',
    'chrome-extension://x',
    'not a url',
    '',
  ])('S4 S5 refuses "%s"', (origin) => expect(codeOf({ ...own, origin })).toBe('forbidden_host'));
});

describe('fetch metadata', () => {
  it.each(['cross-site', 'same-site', 'nonsense'])('S8 refuses %s', (site) => {
    expect(codeOf({ ...own, 'sec-fetch-site': site })).toBe('forbidden_host');
    expect(codeOf({ ...own, 'sec-fetch-site': site }, '/assets/app.js')).toBe('forbidden_host');
  });

  it.each(['same-origin', 'none'])('passes %s', (site) => {
    expect(codeOf({ ...own, 'sec-fetch-site': site })).toBe('passed');
  });

  it('lets a link from elsewhere open the shell, and nothing else', () => {
    const link = { ...own, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    expect(codeOf(link, '/')).toBe('passed');
    expect(codeOf(link, '/stores/demo')).toBe('passed');
    expect(codeOf(link, '/api/tasks')).toBe('forbidden_host');
    expect(codeOf(link, '/', 'POST')).toBe('forbidden_host');
    expect(codeOf({ ...link, 'sec-fetch-dest': 'iframe' }, '/')).toBe('forbidden_host');
  });
});

describe('token', () => {
  it.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.padEnd(300, 'x')}`,
    `Bearer  ${TOKEN}`,
    `Basic ${TOKEN}`,
    TOKEN,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${TOKEN.toUpperCase()}`,
  ])('S18 refuses %s', (authorization) => {
    expect(codeOf({ host: HOST, ...(authorization === undefined ? {} : { authorization }) })).toBe('unauthorised');
  });

  it('may be as long as is allowed', () => {
    const token = 'x'.repeat(MAX_TOKEN_BYTES);
    const guarded = createGuard({ token, hosts: [HOST] });
    const asks = (asked: string) => () =>
      guarded({
        method: 'GET',
        path: '/api/tasks',
        header: (name) => (name === 'host' ? HOST : name === 'authorization' ? `Bearer ${asked}` : undefined),
      });
    expect(asks(token)).not.toThrow();
    expect(asks(`${token}x`)).toThrow(/no valid token/);
    expect(asks(token.slice(1))).toThrow(/no valid token/);
  });

  it('for agents is good at /mcp, as it is written, and nowhere else', () => {
    const guarded = createGuard({ token: TOKEN, mcpToken: 'agents', hosts: [HOST] });
    const asks = (path: string, token: string) => () =>
      guarded({
        method: 'POST',
        path,
        header: (name) => ({ host: HOST, authorization: `Bearer ${token}` })[name as 'host' | 'authorization'],
      });
    expect(asks('/mcp', 'agents')).not.toThrow();
    expect(asks('/mcp', TOKEN)).not.toThrow();
    for (const path of ['/api/plans/x/apply', '/api/tasks', '/mcp/', '/MCP', '/%6dcp', '/mcp/../api/tasks', '/'])
      expect(asks(path, 'agents'), path).toThrow(/no valid token/);
    expect(asks('/mcp', 'agentS')).toThrow(/no valid token/);
  });

  it('S18 stays well over 1,000 wrong tokens', () => {
    for (let n = 0; n < 1000; n++) expect(codeOf({ host: HOST, authorization: `Bearer ${n}` })).toBe('unauthorised');
    expect(codeOf(own)).toBe('passed');
  });

  it('is needed for every method but reading the shell', () => {
    expect(codeOf({ host: HOST }, '/')).toBe('passed');
    expect(codeOf({ host: HOST }, '/', 'HEAD')).toBe('passed');
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      expect(codeOf({ host: HOST }, '/', method)).toBe('unauthorised');
    }
  });

  it('S15 trusts no header that names another path or client', async () => {
    const { app } = await testApp();
    const headers = {
      host: HOST,
      'x-original-url': '/',
      'x-rewrite-url': '/',
      'x-forwarded-for': '127.0.0.1',
      'x-middleware-subrequest': 'middleware',
    };
    expect((await app.request(`http://${HOST}/api/tasks`, { headers })).status).toBe(401);
  });
});

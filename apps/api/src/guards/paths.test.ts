import { describe, expect, it } from 'vitest';
import { isProtectedPath, rawRefusal } from './paths.ts';

describe('isProtectedPath', () => {
  it.each([
    '/api',
    '/api/tasks',
    '//api/tasks',
    '/%61pi/tasks',
    '/%2561pi/tasks',
    '/api%2Ftasks',
    '/x/../api/tasks',
    '/x/%2e%2e/api',
    '/API/tasks',
    '/api;x/tasks',
    '/api%00/tasks',
    '/api\\tasks',
    '/./api',
    '/mcp',
    '/%6dcp',
    '/api%ff',
    `/${'%25'.repeat(1)}${'25'.repeat(8)}61pi`,
  ])('S14 %s needs the token', (path) => expect(isProtectedPath(path)).toBe(true));

  it.each(['/', '/index.html', '/assets/app-1a2b.js', '/apis', '/api-docs', '/stores/api/tasks', '/%ff', '/t/100%'])(
    '%s belongs to the shell',
    (path) => expect(isProtectedPath(path)).toBe(false),
  );
});

describe('rawRefusal', () => {
  const told = (url: string, rawHeaders: string[] = ['Host', 'a']) => rawRefusal({ url, rawHeaders });

  it.each(['/', '/api/tasks', '/api/tasks?text=a%20b&n=1', '/api/x/a%2fb', '/t.html?next=/../', '/a...b', '/a?b?c'])(
    'lets %s pass',
    (url) => expect(told(url)).toBeUndefined(),
  );

  it.each([
    '',
    '*',
    'http://a/api',
    '//api',
    '/a\\b',
    '/a#b',
    '/a b',
    '/a\n',
    '/api//x',
    '/a/../b',
    '/.',
    '/a/%2E./b?c',
  ])('S13 refuses "%s"', (url) => expect(told(url)).toMatch(/^The request target/));

  it('refuses a second host, whatever it is and however its name is written', () => {
    expect(told('/api/tasks', ['Host', 'a', 'X', 'host', 'HOST', 'a'])).toMatch(/two different hosts/);
    expect(told('/api/tasks', ['Host', 'a', 'X', 'host'])).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { isProtectedPath } from './paths.ts';

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

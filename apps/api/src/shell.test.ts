import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST, TOKEN, testApp } from './testing/app.ts';

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'shell-'));
  await mkdir(join(root, 'web', 'assets'), { recursive: true });
  await writeFile(join(root, 'secret.txt'), 'secret');
  await writeFile(join(root, 'web', 'index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(root, 'web', 'favicon.svg'), '<svg/>');
  await writeFile(join(root, 'web', 'assets', 'app-1a2b.js'), 'export {};');
  await writeFile(join(root, 'web', 'assets', 'app-1a2b.js.map'), '{}');
  await symlink(join(root, 'secret.txt'), join(root, 'web', 'link.txt'));
});

afterAll(() => rm(root, { recursive: true }));

async function get(path: string, headers: Record<string, string> = {}) {
  const { app } = await testApp({ shell: join(root, 'web') });
  return app.request(`http://${HOST}${path}`, { headers: { host: HOST, ...headers } });
}

describe('the shell', () => {
  it('sends files with their type; hashed ones may be kept for good', async () => {
    const page = await get('/');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe('no-cache');
    const script = await get('/assets/app-1a2b.js');
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toContain('immutable');
    expect((await get('/favicon.svg')).headers.get('content-type')).toBe('image/svg+xml');
  });

  it('answers addresses inside the app with its page, and missing assets with 404', async () => {
    for (const path of ['/stores/demo', '/stores/demo/tasks/run-1.2', '/%zz', '/index.html']) {
      expect(await (await get(path)).text()).toContain('<title>page</title>');
    }
    expect((await get('/assets/gone.js')).status).toBe(404);
    expect((await get('/assets/app-1a2b.js.map')).status).toBe(404);
  });

  it('S10 sets a policy without inline scripts or styles', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? '';
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('S17 holds no token', async () => {
    for (const path of ['/', '/assets/app-1a2b.js', '/favicon.svg', '/stores/x']) {
      const answer = await get(path);
      expect(await answer.text()).not.toContain(TOKEN);
      expect(JSON.stringify([...answer.headers])).not.toContain(TOKEN);
    }
  });

  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/..%252fsecret.txt',
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/..\\secret.txt',
    '/..%5csecret.txt',
    '/link.txt',
    '/secret.txt%00.js',
    '/@fs/etc/passwd?raw??',
    '/@fs/etc/passwd?import&raw',
    '/proc/self/environ',
    '//etc/passwd',
    '/etc/passwd#/../',
  ])('S16 %s reads no file outside', async (path) => {
    const text = await (await get(path)).text();
    expect(text).not.toMatch(/^secret|root:|PATH=/);
  });

  it('is absent where no web app was built', async () => {
    const { app } = await testApp({ shell: join(root, 'none') });
    expect((await app.request(`http://${HOST}/`, { headers: { host: HOST } })).status).toBe(404);
  });
});

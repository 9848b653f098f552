import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOST, TOKEN, testApp } from './testing/app.ts';

let root: string;
const LARGE = 'export const word = 1;\n'.repeat(500);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'shell-'));
  await mkdir(join(root, 'web', 'assets'), { recursive: true });
  await writeFile(join(root, 'secret.txt'), 'secret');
  await writeFile(join(root, 'web', 'index.html'), '<!doctype html><title>page</title>');
  await writeFile(join(root, 'web', 'favicon.svg'), '<svg/>');
  await writeFile(join(root, 'web', 'assets', 'app-1a2b.js'), 'export {};');
  await writeFile(join(root, 'web', 'assets', 'large-3c4d.js'), LARGE);
  await writeFile(join(root, 'web', 'icon.png'), 'not compressed again'.repeat(200));
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

  it.each([
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
  ])('sends large texts compressed to a client that takes %s', async (accept, encoding, decode) => {
    const script = await get('/assets/large-3c4d.js', { 'accept-encoding': accept });
    expect(script.headers.get('content-encoding')).toBe(encoding);
    expect(script.headers.get('vary')).toBe('accept-encoding');
    const bytes = Buffer.from(await script.arrayBuffer());
    expect(bytes.length).toBeLessThan(LARGE.length / 10);
    expect(decode(bytes).toString()).toBe(LARGE);
  });

  it('sends the same file as it is to others, and small files and pictures to all', async () => {
    const plain = await get('/assets/large-3c4d.js');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await plain.text()).toBe(LARGE);
    for (const path of ['/assets/app-1a2b.js', '/icon.png']) {
      expect((await get(path, { 'accept-encoding': 'gzip, br' })).headers.get('content-encoding')).toBeNull();
    }
  });

  it('has a tag for each form of a file, and sends nothing twice', async () => {
    const tags = await Promise.all(
      ['', 'gzip', 'br'].map(async (accept) =>
        (await get('/assets/large-3c4d.js', { 'accept-encoding': accept })).headers.get('etag'),
      ),
    );
    expect(new Set(tags).size).toBe(3);
    const again = await get('/assets/large-3c4d.js', { 'accept-encoding': 'br', 'if-none-match': tags[2] ?? '' });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    const page = await get('/', { 'if-none-match': (await get('/')).headers.get('etag') ?? '' });
    expect(page.status).toBe(304);
  });

  it('S10 sets a policy without inline scripts or styles', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? '';
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
  });

  it('S17 has no token', async () => {
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

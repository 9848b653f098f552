import { describe, expect, it } from 'vitest';
import { HOST, testApp } from '../testing/app.ts';

/** As a browser opens an address: without a token. */
async function browse(path: string, headers: Record<string, string> = {}) {
  const { app } = await testApp();
  return app.request(`http://${HOST}${path}`, { headers: { host: HOST, ...headers } });
}

describe('GET /api/docs', () => {
  it('is a page that a browser can open, with every operation under its heading', async () => {
    const answer = await browse('/api/docs');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=UTF-8']);
    const html = await answer.text();
    const { ask } = await testApp();
    const { paths } = (await (await ask('/api/openapi.json')).json()) as { paths: Record<string, object> };
    for (const path of Object.keys(paths)) expect(html).toContain(`<code>${path}</code>`);
    expect(html).toMatch(/<h2 id="changes">Changes<\/h2>[^]*POST<\/span> <code>\/plans<\/code>/);
    expect(html).toContain('<a href="#schema-receipt">Receipt</a>');
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of html.matchAll(/href="#([^"]*)"/g)) expect(ids).toContain(target);
  });

  it('runs no script and asks no other host for anything', async () => {
    const answer = await browse('/api/docs');
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
    const html = await answer.text();
    expect(html).not.toMatch(/<script|\son[a-z]+=|style="|https?:\/\//i);
    const style = await browse('/api/docs.css');
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    expect(await style.text()).not.toMatch(/@import|url\(/);
  });

  it('opens nothing else without a token, and not for other hosts', async () => {
    for (const path of ['/api/docs/', '/api/docs/x', '/api/docs.json', '/api/openapi.json', '/api//docs'])
      expect((await browse(path)).status).toBe(401);
    expect((await browse('/api/docs', { host: 'evil.example' })).status).toBe(403);
    expect((await browse('/api/docs', { origin: 'https://evil.example' })).status).toBe(403);
    const { app } = await testApp();
    expect((await app.request(`http://${HOST}/api/docs`, { method: 'POST', headers: { host: HOST } })).status).toBe(
      401,
    );
  });
});

describe('a method that an address does not take', () => {
  it.each([
    ['PATCH', '/api/stores/memory', 'DELETE'],
    ['PUT', '/api/tasks', 'GET, HEAD'],
    ['GET', '/api/trash/purge', 'POST'],
    ['POST', '/api/stores/memory/checkpoints/a%2Fb/raw', 'GET, HEAD'],
    ['DELETE', '/api/openapi.json', 'GET, HEAD'],
  ])('%s %s is answered with 405 and those that it takes', async (method, path, allow) => {
    const { ask } = await testApp();
    const answer = await ask(path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    expect(await answer.json()).toMatchObject({
      error: { code: 'invalid_input', remedy: expect.stringMatching(/^Use /) },
    });
  });

  it('an address with a slash at its end is unknown, and says how to write it', async () => {
    const { ask } = await testApp();
    const answer = await ask('/api/tasks/');
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { remedy: 'Leave out the slash at the end.' } });
  });

  it('an unknown address stays 404, and says where all of them are', async () => {
    const { ask } = await testApp();
    for (const path of ['/api/none', '/api/stores/memory/none', '/api']) {
      const answer = await ask(path);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ error: { remedy: '/api/docs lists every address.' } });
    }
  });
});

it('a range outside of the stored bytes is answered with 416 and their number', async () => {
  const { ask } = await testApp();
  const raw = '/api/stores/memory/checkpoints/cp-2/raw';
  const size = (await (await ask(raw)).arrayBuffer()).byteLength;
  const answer = await ask(raw, { headers: { range: `bytes=${size}-` } });
  expect([answer.status, answer.headers.get('content-range')]).toEqual([416, `bytes */${size}`]);
  const stale = await ask(raw, { headers: { range: 'bytes=0-1', 'if-range': '"of another version"' } });
  expect([stale.status, (await stale.arrayBuffer()).byteLength]).toEqual([200, size]);
});

import { gunzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { bestEncoding, gzipAnswers } from './encoding.ts';

describe('bestEncoding', () => {
  it.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, br;q=0', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['GZIP;Q=1', 'gzip'],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['gzip;q=0', undefined],
  ])('%s: %s', (header, encoding) => expect(bestEncoding(header)).toBe(encoding));
});

describe('answers', () => {
  const rows = { items: Array.from({ length: 400 }, (_, index) => ({ id: `cp-${index}`, task: 'report' })) };
  const app = new Hono();
  app.use(gzipAnswers);
  app.get('/rows', (c) => c.json(rows));
  app.post('/session', (c) => c.json(rows));
  app.get('/row', (c) => c.json({ id: 1 }));
  app.get('/state', (c) => c.body(JSON.stringify(rows), 200, { 'content-type': 'application/json', etag: '"r1"' }));
  app.get('/lines', (c) => c.body(JSON.stringify(rows), 200, { 'content-type': 'application/x-ndjson' }));
  app.get('/events', (c) => c.body('data: 1\n\n'.repeat(2000), 200, { 'content-type': 'text/event-stream' }));
  app.get('/missing', (c) => c.json(rows, 404));
  const get = async (path: string, accept = 'gzip, br') =>
    app.request(path, { headers: accept === '' ? {} : { 'accept-encoding': accept } });

  it('go with gzip where they are large, and say what they depend on', async () => {
    const answer = await get('/rows');
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(answer.headers.get('vary')).toBe('accept-encoding');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(bytes.length).toBeLessThan(JSON.stringify(rows).length / 4);
    expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(rows);
  });

  it('go as they are to a client that takes no gzip', async () => {
    for (const accept of ['', 'identity', 'gzip;q=0']) {
      const answer = await get('/rows', accept);
      expect(answer.headers.get('content-encoding')).toBeNull();
      expect(await answer.json()).toEqual(rows);
    }
  });

  it('go as they are to a POST, whose answer may contain the token', async () => {
    const answer = await app.request('/session', { method: 'POST', headers: { 'accept-encoding': 'gzip' } });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(await answer.json()).toEqual(rows);
  });

  it.each(['/row', '/state', '/lines', '/events', '/missing'])('%s goes as it is', async (path) => {
    const answer = await get(path);
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect((await answer.text()).length).toBeGreaterThan(0);
  });
});

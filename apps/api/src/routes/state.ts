import { createRoute } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { matchesEtag } from '../lib/etag.ts';
import { rawOf, resolveRef, stateOf } from '../stores/lookup.ts';
import { checkpointParams, narrowQuery } from '../wire/index.ts';
import { router } from './router.ts';

const request = { params: checkpointParams, query: narrowQuery };

const state = createRoute({
  method: 'get',
  path: '/stores/{store}/checkpoints/{id}/state',
  summary: 'The state: JSON text exactly as stored; ETag is its sha256',
  request,
  responses: {
    200: { description: 'JSON text; `x-state-derived` says how where the text was assembled' },
    304: { description: 'The text still has the hash of If-None-Match' },
  },
});

const raw = createRoute({
  method: 'get',
  path: '/stores/{store}/checkpoints/{id}/raw',
  summary: 'The stored bytes, byte for byte; ETag is their sha256',
  request,
  responses: { 200: { description: 'Bytes' }, 304: { description: 'Unchanged' } },
});

export function stateRoutes({ stores }: Services) {
  return router()
    .openapi(state, async (c) => {
      const { store, id } = c.req.valid('param');
      const source = stores.source(store);
      const found = await stateOf(source, await resolveRef(source, id, c.req.valid('query')));
      c.header('etag', `"${found.hash}"`);
      // A header holds no control or non-Latin characters; the words are for people only.
      if (found.derived !== undefined) c.header('x-state-derived', encodeURIComponent(found.derived.toWellFormed()));
      if (matchesEtag(c.req.header('if-none-match'), found.hash)) return c.body(null, 304);
      return c.body(Buffer.from(found.text), 200, { 'content-type': 'application/json; charset=utf-8' });
    })
    .openapi(raw, async (c) => {
      const { store, id } = c.req.valid('param');
      const source = stores.source(store);
      const found = await rawOf(source, await resolveRef(source, id, c.req.valid('query')));
      c.header('etag', `"${found.hash}"`);
      if (matchesEtag(c.req.header('if-none-match'), found.hash)) return c.body(null, 304);
      return c.body(found.bytes, 200, {
        'content-type': 'application/octet-stream',
        'content-disposition': 'attachment',
      });
    });
}

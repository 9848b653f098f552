import { createRoute } from '@hono/zod-openapi';
import { compact, parsePath, type StoreId } from '@checkpoint-inspector/core';
import type { Context } from 'hono';
import { sizedOf, rawOf, resolveRef, rowOf, stateOf, type Sized } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { matchesEtag, byteRange, rangeFor } from '../lib/http.ts';
import {
  checkpointParams,
  findQuerySchema,
  foundSchema,
  narrowQuery,
  partQuerySchema,
  partSchema,
  valueQuerySchema,
} from '../wire/index.ts';
import { json, reads, router, sourceFor } from './router.ts';

const PAGE = 200;
const PREVIEW = 200;

const state = createRoute({
  method: 'get',
  path: '/stores/{store}/checkpoints/{id}/state',
  summary: 'The state as JSON text exactly as stored, or a part of it',
  request: { params: checkpointParams, query: partQuerySchema },
  responses: {
    200: json(
      partSchema,
      'With path, offset, limit or depth, that part. Otherwise the JSON text as stored; ETag is its revision, `x-state-derived` says how it was assembled',
    ),
    304: { description: 'The text still matches If-None-Match' },
  },
});

const find = reads(
  '/stores/{store}/checkpoints/{id}/state/find',
  'Keys and values of the state that contain a text, in document order',
  json(foundSchema, 'Matches; `next` says where to continue if a limit was reached'),
  { params: checkpointParams, query: findQuerySchema },
);

const value = createRoute({
  method: 'get',
  path: '/stores/{store}/checkpoints/{id}/state/value',
  summary: 'One value of the state: its JSON text as stored, or the bytes of its base64',
  request: { params: checkpointParams, query: valueQuerySchema },
  responses: { 200: { description: 'JSON text; or bytes, whose sha256 is the ETag' } },
});

const raw = createRoute({
  method: 'get',
  path: '/stores/{store}/checkpoints/{id}/raw',
  summary: 'The stored bytes, unchanged; ETag is their sha256',
  request: { params: checkpointParams, query: narrowQuery },
  responses: {
    200: { description: 'Bytes' },
    206: { description: 'The bytes of the requested Range' },
    304: { description: 'Unchanged' },
  },
});

const TEXT = { 'content-type': 'application/json; charset=utf-8' };
const BYTES = { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' };

interface Asked {
  readonly task?: string | undefined;
  readonly ns?: string | undefined;
  readonly hash?: string | undefined;
}

export function stateRoutes({ stores, largeStates, sent }: Services) {
  const read = async (c: Context, { store, id }: { store: StoreId; id: string }, query: Asked) => {
    const source = sourceFor(c, stores, store, true);
    const from = { store, version: source.version?.() };
    const ref = await resolveRef(source, id, query);
    return { source, from, ref, sized: sizedOf(await rowOf(source, ref), query.hash) };
  };
  return router()
    .openapi(state, async (c) => {
      const { path, offset, limit, depth, preview = PREVIEW, ...query } = c.req.valid('query');
      const { source, from, ref, sized } = await read(c, c.req.valid('param'), query);
      if ([path, offset, limit, depth].some((given) => given !== undefined)) {
        const range = { limit: limit ?? PAGE, depth: depth ?? 1, preview, ...compact({ offset }) };
        const part = { path: parsePath(path ?? '$'), ...range };
        return c.json(
          await largeStates.ask('part', { ...sized.at, query: part }, sized.sizeBytes, c.req.raw.signal),
          200,
        );
      }
      if (largeStates.isLarge(sized)) return await largeText(c, sized);
      const found = await stateOf(source, ref);
      largeStates.grew(sized.at, found.text.length);
      const headers = toldBy(found.revision, found.derived);
      if (matchesEtag(c.req.header('if-none-match'), found.revision)) return c.body(null, 304, headers);
      return sent.send(c, from, found.text, { ...TEXT, ...headers });
    })
    .openapi(find, async (c) => {
      const { text, from, limit = PAGE, ...query } = c.req.valid('query');
      const { sized } = await read(c, c.req.valid('param'), query);
      const asked = { words: text, limit, ...compact({ from }) };
      return c.json(
        await largeStates.ask('find', { ...sized.at, query: asked }, sized.sizeBytes, c.req.raw.signal),
        200,
      );
    })
    .openapi(value, async (c) => {
      const { path, as, ...query } = c.req.valid('query');
      const { sized } = await read(c, c.req.valid('param'), query);
      if (as === 'bytes') {
        const { bytes, hash } = await largeStates.ask('blob', { ...sized.at, path }, sized.sizeBytes, c.req.raw.signal);
        c.header('etag', `"${hash}"`);
        return c.body(bytes, 200, BYTES);
      }
      const { head, body } = await largeStates.text(sized, path, c.req.raw.signal);
      return c.body(body(), 200, { ...TEXT, 'content-length': String(head.bytes) });
    })
    .openapi(raw, async (c) => {
      const { source, ref, sized } = await read(c, c.req.valid('param'), c.req.valid('query'));
      if (largeStates.isLarge(sized)) return largeRaw(c, sized);
      const { bytes, hash } = await rawOf(source, ref);
      c.header('etag', `"${hash}"`);
      if (matchesEtag(c.req.header('if-none-match'), hash)) return c.body(null, 304);
      const range = byteRange(rangeOf(c, hash), bytes.length);
      if (range === undefined) return c.body(bytes, 200, BYTES);
      return c.body(bytes.slice(range.from, range.to), 206, { ...BYTES, ...rangeHeader(range, bytes.length) });
    });

  async function largeText(c: Context, sized: Sized): Promise<Response> {
    const { head, body } = await largeStates.text(sized, undefined, c.req.raw.signal);
    const headers = toldBy(head.hash, head.derived);
    if (matchesEtag(c.req.header('if-none-match'), head.hash)) return c.body(null, 304, headers);
    return c.body(body(), 200, { ...TEXT, ...headers, 'content-length': String(head.bytes) });
  }

  async function largeRaw(c: Context, sized: Sized): Promise<Response> {
    const { hash, bytes, body } = await largeStates.raw(sized, c.req.raw.signal);
    c.header('etag', `"${hash}"`);
    if (matchesEtag(c.req.header('if-none-match'), hash)) return c.body(null, 304);
    const range = byteRange(rangeOf(c, hash), bytes);
    if (range === undefined) return c.body(body(0, bytes), 200, { ...BYTES, 'content-length': String(bytes) });
    const { from, to } = range;
    return c.body(body(from, to), 206, { ...BYTES, ...rangeHeader(range, bytes), 'content-length': String(to - from) });
  }
}

const rangeOf = (c: Context, hash: string): string | undefined => rangeFor((name) => c.req.header(name), hash);

const rangeHeader = ({ from, to }: { from: number; to: number }, size: number) => ({
  'content-range': `bytes ${from}-${to - 1}/${size}`,
});

/** A header has no control or non-Latin characters; the words are for people only. */
const toldBy = (revision: string, derived: string | undefined): Record<string, string> => ({
  etag: `"${revision}"`,
  ...(derived === undefined ? {} : { 'x-state-derived': encodeURIComponent(derived.toWellFormed()) }),
});

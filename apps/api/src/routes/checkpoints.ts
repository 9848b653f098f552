import { z } from '@hono/zod-openapi';
import { compact, refIn, type PageQuery } from '@checkpoint-inspector/core';
import type { Services } from '../services.ts';
import { besideAt, sizedOf, metaOf, metasOf, resolveRef, whereIs, type HashOf } from '@checkpoint-inspector/inspector';
import {
  besideSchema,
  checkpointMetaSchema,
  checkpointParams,
  listedCheckpointSchema,
  narrowQuery,
  pageOf,
  pageQuery,
  storeParams,
  taskParams,
  goneSchema,
} from '../wire/index.ts';
import { json, reads, router, sourceFor } from './router.ts';

const listQuery = pageQuery.extend({
  around: z
    .string()
    .optional()
    .openapi({ description: 'Return the page that contains this checkpoint id, instead of a cursor' }),
  ns: z.string().optional().openapi({ description: 'Namespace of `around`' }),
  summary: z.enum(['0', '1']).optional(),
});

const list = reads(
  '/stores/{store}/tasks/{task}/checkpoints',
  'Checkpoints in resume order, latest first',
  json(pageOf(listedCheckpointSchema), 'One page'),
  { params: taskParams, query: listQuery },
);

const lookup = reads(
  '/stores/{store}/checkpoints',
  'Every checkpoint of the store with this id',
  json(z.object({ items: z.array(checkpointMetaSchema) }), 'The matches; an empty list if there are none'),
  { params: storeParams, query: z.object({ id: z.string() }) },
);

const one = reads(
  '/stores/{store}/checkpoints/{id}',
  'One checkpoint, without its state',
  json(checkpointMetaSchema, 'The checkpoint, with its revision'),
  { params: checkpointParams, query: narrowQuery },
);

const beside = reads(
  '/stores/{store}/checkpoints/{id}/beside',
  'What is stored with a checkpoint: errors with their node, questions, pending writes, what runs next',
  json(besideSchema, 'Complete, except for very long lists of writes and very large values'),
  { params: checkpointParams, query: narrowQuery },
);

function pageQueryOf(task: string, query: z.output<typeof listQuery>): PageQuery {
  const { limit, cursor, around, ns } = query;
  const ref = around === undefined ? undefined : refIn(task, compact({ id: around, namespace: ns }));
  return compact({ limit, cursor, around: ref });
}

export function checkpointRoutes({ stores, summaries, largeStates, sent }: Services) {
  const hashOf: HashOf = async (meta) => largeStates.hash(meta);
  return router()
    .openapi(list, async (c) => {
      const { store, task } = c.req.valid('param');
      const query = c.req.valid('query');
      const page = await sourceFor(c, stores, store, true).checkpoints(task, pageQueryOf(task, query));
      // Summaries are kept per store for everyone, so no one request ends their making.
      return c.json(query.summary === '1' ? await summaries.fill(stores.source(store), page) : page, 200);
    })
    .openapi(lookup, async (c) => {
      const source = sourceFor(c, stores, c.req.valid('param').store);
      return c.json({ items: await metasOf(source, c.req.valid('query').id, hashOf) }, 200);
    })
    .openapi(one, async (c) => {
      const { store, id } = c.req.valid('param');
      const source = sourceFor(c, stores, store, true);
      const version = source.version?.();
      const meta = await metaOf(source, await resolveRef(source, id, c.req.valid('query')), hashOf);
      // Whoever asks for one checkpoint is about to look at it.
      largeStates.expect(sizedOf(meta));
      const text = JSON.stringify(meta);
      return sent.send(c, { store, version }, text, { 'content-type': 'application/json' }) as never;
    })
    .openapi(beside, async (c) => {
      const { store, id } = c.req.valid('param');
      const source = sourceFor(c, stores, store);
      return c.json(await besideAt(source, await resolveRef(source, id, c.req.valid('query'))), 200);
    });
}

const gone = reads(
  '/stores/{store}/gone',
  'Why a checkpoint is missing: trash, deleted, evicted, never',
  json(goneSchema, 'What is known about it'),
  { params: storeParams, query: narrowQuery.extend({ id: z.string() }) },
);

export function goneRoutes({ stores, changes }: Services) {
  return router().openapi(gone, async (c) => {
    const source = sourceFor(c, stores, c.req.valid('param').store);
    return c.json(await whereIs(source, changes, c.req.valid('query')), 200);
  });
}

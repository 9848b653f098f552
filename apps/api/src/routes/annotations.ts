import { createRoute, z } from '@hono/zod-openapi';
import { compact, type StoreId } from '@checkpoint-inspector/core';
import { resolveRef } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { annotationSchema, checkpointParams, idSegment, narrowQuery, storeParams } from '../wire/index.ts';
import { body, json, router } from './router.ts';

const answer = { 200: json(annotationSchema, 'Labels and note as they are now') };
const labelParams = checkpointParams.extend({ label: idSegment });

const list = createRoute({
  method: 'get',
  path: '/stores/{store}/annotations',
  summary: 'Labels and notes of the store, or of one task',
  request: { params: storeParams, query: z.object({ task: z.string().optional() }) },
  responses: { 200: json(z.object({ items: z.array(annotationSchema).readonly() }), 'Checkpoints that have any') },
});

const one = createRoute({
  method: 'get',
  path: '/stores/{store}/checkpoints/{id}/annotations',
  summary: 'Labels and note of a checkpoint; kept in the journal, not in the store',
  request: { params: checkpointParams, query: narrowQuery },
  responses: answer,
});

const addLabel = createRoute({
  method: 'put',
  path: '/stores/{store}/checkpoints/{id}/labels/{label}',
  summary: 'Gives a checkpoint a label; `bookmark` protects it when checkpoints are pruned',
  request: { params: labelParams, query: narrowQuery },
  responses: answer,
});

const removeLabel = createRoute({
  method: 'delete',
  path: '/stores/{store}/checkpoints/{id}/labels/{label}',
  summary: 'Takes a label away',
  request: { params: labelParams, query: narrowQuery },
  responses: answer,
});

const setNote = createRoute({
  method: 'put',
  path: '/stores/{store}/checkpoints/{id}/note',
  summary: 'Writes the note of a checkpoint; a blank one takes it away',
  request: { params: checkpointParams, query: narrowQuery, body: body(z.object({ note: z.string() })) },
  responses: answer,
});

export function annotationRoutes({ stores, annotations }: Services) {
  const refOf = (store: StoreId, id: string, narrow: z.output<typeof narrowQuery>) =>
    resolveRef(stores.source(store), id, compact(narrow));
  return router()
    .openapi(list, (c) => {
      const { store } = c.req.valid('param');
      const { task } = c.req.valid('query');
      const items = task === undefined ? annotations.ofStore(store) : annotations.ofTask(store, task);
      return c.json({ items }, 200);
    })
    .openapi(one, async (c) => {
      const { store, id } = c.req.valid('param');
      return c.json(annotations.of(store, await refOf(store, id, c.req.valid('query'))), 200);
    })
    .openapi(addLabel, async (c) => {
      const { store, id, label } = c.req.valid('param');
      return c.json(await annotations.addLabel(store, await refOf(store, id, c.req.valid('query')), label), 200);
    })
    .openapi(removeLabel, async (c) => {
      const { store, id, label } = c.req.valid('param');
      return c.json(await annotations.removeLabel(store, await refOf(store, id, c.req.valid('query')), label), 200);
    })
    .openapi(setNote, async (c) => {
      const { store, id } = c.req.valid('param');
      const { note } = c.req.valid('json');
      return c.json(await annotations.setNote(store, await refOf(store, id, c.req.valid('query')), note), 200);
    });
}

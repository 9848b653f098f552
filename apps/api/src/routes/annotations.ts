import { createRoute, z } from '@hono/zod-openapi';
import { compact, type StoreId } from '@checkpoint-inspector/core';
import { resolveRef } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { annotationSchema, checkpointParams, idSegment, narrowQuery, storeParams } from '../wire/index.ts';
import { body, json, reads, router } from './router.ts';

const answer = { 200: json(annotationSchema, 'The current labels and note') };
const labelParams = checkpointParams.extend({ label: idSegment });

const list = reads(
  '/stores/{store}/annotations',
  'Labels and notes of a store, or of one task',
  json(z.object({ items: z.array(annotationSchema).readonly() }), 'Checkpoints that have labels or a note'),
  { params: storeParams, query: z.object({ task: z.string().optional() }) },
);

const one = reads(
  '/stores/{store}/checkpoints/{id}/annotations',
  "A checkpoint's labels and note; stored in the journal, not in the store",
  answer[200],
  { params: checkpointParams, query: narrowQuery },
);

const addLabel = createRoute({
  method: 'put',
  path: '/stores/{store}/checkpoints/{id}/labels/{label}',
  summary: 'Add a label to a checkpoint; `bookmark` protects it from pruning',
  request: { params: labelParams, query: narrowQuery },
  responses: answer,
});

const removeLabel = createRoute({
  method: 'delete',
  path: '/stores/{store}/checkpoints/{id}/labels/{label}',
  summary: 'Remove a label',
  request: { params: labelParams, query: narrowQuery },
  responses: answer,
});

const setNote = createRoute({
  method: 'put',
  path: '/stores/{store}/checkpoints/{id}/note',
  summary: "Set a checkpoint's note; a blank note removes it",
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

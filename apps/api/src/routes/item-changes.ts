/** Plan and apply in one call, for programs: the hash in If-Match stands in for the preview. */
import { createRoute, z } from '@hono/zod-openapi';
import { assertWritable, json, router } from './router.ts';
import type { Services } from '../services.ts';
import { resolveRef, rawOf, stateOf } from '@checkpoint-inspector/inspector';
import { checkpointParams, narrowQuery, receiptSchema } from '../wire/index.ts';
import { InspectorError, type CheckpointRef, type CheckpointSource } from '@checkpoint-inspector/core';
import { strongTags, StatusError } from '../lib/http.ts';

const request = {
  params: checkpointParams,
  query: narrowQuery,
  headers: z.object({
    'if-match': z.string().optional().openapi({ description: '"<revision>" as last read' }),
  }),
};

const remove = createRoute({
  method: 'delete',
  path: '/stores/{store}/checkpoints/{id}',
  summary: 'Delete a checkpoint; undo restores it',
  request,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

const restore = createRoute({
  method: 'post',
  path: '/stores/{store}/checkpoints/{id}/restore',
  summary: 'Make a checkpoint the latest of its task',
  request,
  responses: { 200: json(receiptSchema, 'What was done, with proof') },
});

export function itemChangeRoutes({ stores, changes, status }: Services) {
  return router()
    .openapi(remove, async (c) => {
      assertWritable(status);
      const { store, id } = c.req.valid('param');
      const source = stores.source(store);
      const ref = await resolveRef(source, id, c.req.valid('query'));
      await requireMatch(source, ref, c.req.valid('header')['if-match']);
      const plan = await changes.preview(store, { kind: 'delete', refs: [ref] });
      return c.json(await changes.apply(plan.id), 200);
    })
    .openapi(restore, async (c) => {
      assertWritable(status);
      const { store, id } = c.req.valid('param');
      const source = stores.source(store);
      const ref = await resolveRef(source, id, c.req.valid('query'));
      await requireMatch(source, ref, c.req.valid('header')['if-match']);
      const plan = await changes.preview(store, { kind: 'restore', ref });
      return c.json(await changes.apply(plan.id), 200);
    });
}

/**
 * The checkpoint still is what the caller saw: its revision, or the hash of
 * its stored bytes where the state cannot be read.
 * @throws InspectorError invalid_input (428) without a revision, changed (412) for another one, not_found
 */
export async function requireMatch(source: CheckpointSource, ref: CheckpointRef, header: string | undefined) {
  const tags = strongTags(header);
  if (tags.length === 0) {
    throw new StatusError(428, 'invalid_input', 'This request needs the header If-Match: "<revision>".');
  }
  const hash = await currentHash(source, ref);
  if (tags.includes(hash)) return;
  throw new InspectorError('changed', `Checkpoint "${ref.id}" changed after it was shown.`, { data: { hash } });
}

async function currentHash(source: CheckpointSource, ref: CheckpointRef): Promise<string> {
  try {
    return (await stateOf(source, ref)).revision;
  } catch (error) {
    if (!InspectorError.is(error) || error.code === 'not_found') throw error;
    return (await rawOf(source, ref)).hash;
  }
}

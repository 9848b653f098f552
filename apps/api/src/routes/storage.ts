import { createRoute, z } from '@hono/zod-openapi';
import { assertWritable, body, json, router } from './router.ts';
import type { Services } from '../services.ts';
import { readStorage } from '@checkpoint-inspector/inspector';
import { purgedSchema, purgePlanSchema, purgeRequestSchema, storageSchema, trashSummarySchema } from '../wire/index.ts';

const storage = createRoute({
  method: 'get',
  path: '/storage',
  summary: 'What stores, journal and trash take up, and what cannot be read',
  responses: { 200: json(storageSchema, 'Stores and their tasks, most bytes first') },
});

const summary = createRoute({
  method: 'get',
  path: '/trash/summary',
  summary: 'How much is in the trash, and how much of it is expired',
  responses: { 200: json(trashSummarySchema, 'Nothing in it is purged by itself') },
});

const planPurge = createRoute({
  method: 'post',
  path: '/trash/plans',
  summary: 'What emptying the trash would take away; writes nothing',
  request: { body: body(purgeRequestSchema) },
  responses: { 200: json(purgePlanSchema, 'The plan; it lives 15 minutes') },
});

const purge = createRoute({
  method: 'post',
  path: '/trash/purge',
  summary: 'Empty the trash of exactly what the plan names; there is no undo',
  request: { body: body(z.object({ planId: z.string() })) },
  responses: { 200: json(purgedSchema, 'What was purged') },
});

const settings = createRoute({
  method: 'put',
  path: '/trash/settings',
  summary: 'How many days the trash is meant to be kept',
  request: { body: body(z.object({ keepDays: z.number().int().min(1).max(36_500) })) },
  responses: { 200: json(trashSummarySchema, 'The trash under the new setting') },
});

export function storageRoutes({ stores, changes: { bin }, status }: Services) {
  return router()
    .openapi(storage, async (c) => c.json(await readStorage(stores, bin), 200))
    .openapi(summary, (c) => c.json(bin.summary(), 200))
    .openapi(planPurge, (c) => c.json(bin.preview(c.req.valid('json')), 200))
    .openapi(purge, (c) => {
      assertWritable(status);
      return c.json(bin.purge(c.req.valid('json').planId), 200);
    })
    .openapi(settings, (c) => {
      assertWritable(status);
      bin.keepFor(c.req.valid('json').keepDays);
      return c.json(bin.summary(), 200);
    });
}

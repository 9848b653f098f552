import { createRoute, z } from '@hono/zod-openapi';
import { assertWritable, body, json, reads, router } from './router.ts';
import type { Services } from '../services.ts';
import { readStorage } from '@checkpoint-inspector/inspector';
import { purgedSchema, purgePlanSchema, purgeRequestSchema, storageSchema, trashSummarySchema } from '../wire/index.ts';

const storage = reads(
  '/storage',
  "How much space stores, journal and trash use, and what can't be read",
  json(storageSchema, 'Stores and their tasks, largest first'),
  {},
);

const summary = reads(
  '/trash/summary',
  'How much is in the trash, and how much has expired',
  json(trashSummarySchema, 'Nothing is purged automatically'),
  {},
);

const planPurge = createRoute({
  method: 'post',
  path: '/trash/plans',
  summary: 'What emptying the trash would delete; writes nothing',
  request: { body: body(purgeRequestSchema) },
  responses: { 200: json(purgePlanSchema, 'The plan; it expires after 15 minutes') },
});

const purge = createRoute({
  method: 'post',
  path: '/trash/purge',
  summary: "Permanently delete exactly what the plan lists; this can't be undone",
  request: { body: body(z.object({ planId: z.string() })) },
  responses: { 200: json(purgedSchema, 'What was purged') },
});

const settings = createRoute({
  method: 'put',
  path: '/trash/settings',
  summary: 'How many days to keep the trash',
  request: { body: body(z.object({ keepDays: z.number().int().min(1).max(36_500) })) },
  responses: { 200: json(trashSummarySchema, 'The trash with the new setting') },
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

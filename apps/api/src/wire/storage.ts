/** What stores take up, and the trash as a whole, on the wire. */
import { z } from '@hono/zod-openapi';
import { isoTime, optional, refSchema, storeIdSchema } from './common.ts';
import { problemSchema, storeFailureSchema } from './models.ts';

const counts = { changes: z.number(), checkpoints: z.number(), bytes: z.number() };

export const trashSummarySchema = z
  .object({ ...counts, expired: z.object(counts), keepDays: z.number() })
  .openapi('TrashSummary');

/** Everything one change put into the trash. */
const trashedSchema = z.object({
  receiptId: z.string(),
  store: storeIdSchema,
  task: z.string(),
  deletedAt: isoTime,
  expiresAt: isoTime,
  checkpoints: z.number(),
  bytes: z.number(),
});

export const purgeRequestSchema = z
  .object({ expired: optional(z.boolean()), receiptIds: optional(z.array(z.string()).readonly()) })
  .openapi('PurgeRequest', { description: 'Expired items, the given changes, or without either, everything' });

export const purgePlanSchema = z
  .object({
    id: z.string(),
    expiresAt: isoTime,
    changes: z.array(trashedSchema).readonly(),
    checkpoints: z.number(),
    bytes: z.number(),
  })
  .openapi('PurgePlan');

export const purgedSchema = z.object({ ...counts, left: z.array(z.string()).readonly() }).openapi('Purged');

const storedTime = z.object({ text: z.string(), utc: z.boolean() });
const rowCounts = { bytes: z.number(), checkpoints: z.number(), unreadable: z.number(), locked: z.number() };

const taskUseSchema = z.object({
  store: storeIdSchema,
  id: z.string(),
  title: z.string(),
  kind: optional(z.enum(['unassigned', 'archived'])),
  ...rowCounts,
  oldest: optional(storedTime),
  newest: optional(storedTime),
});

const storeUseSchema = z.object({
  store: storeIdSchema,
  label: z.string(),
  system: z.string(),
  location: optional(z.string()),
  retention: optional(z.string()),
  ...rowCounts,
  tasks: z.array(taskUseSchema).readonly(),
});

export const storageSchema = z
  .object({
    stores: z.array(storeUseSchema).readonly(),
    unreadable: z
      .array(z.object({ store: storeIdSchema, ref: refSchema, sizeBytes: z.number(), problem: problemSchema }))
      .readonly(),
    unreadableCount: z.number(),
    journal: z.object({ path: z.string(), bytes: z.number(), cacheBytes: z.number() }),
    trash: trashSummarySchema,
    failures: z.array(storeFailureSchema).readonly(),
  })
  .openapi('Storage');

export const exportTargetSchema = z.object({
  store: storeIdSchema,
  task: z.string(),
  /** Absent: all of the task. */
  checkpoints: optional(z.array(z.string()).min(1).max(10_000).readonly()),
});

export const exportRequestSchema = exportTargetSchema
  .extend({
    format: z.enum(['bundle', 'html']),
    reveal: optional(z.boolean()).openapi({ description: 'Leave secrets unmasked; default: false' }),
  })
  .openapi('ExportRequest');

export const exportPreviewSchema = z
  .object({
    checkpoints: z.number(),
    sizeBytes: z.number(),
    masked: z.array(z.object({ name: z.string(), count: z.number() })).readonly(),
    leftOut: z.array(z.string()).readonly(),
  })
  .openapi('ExportPreview');

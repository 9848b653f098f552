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
  task: z
    .union([z.string(), z.array(z.string()).min(1).max(1000).readonly()])
    .openapi({ description: 'A task; for a bundle also several' }),
  /** Absent: all of the task. */
  checkpoints: optional(z.array(z.string()).min(1).max(10_000).readonly()),
});

export const exportRequestSchema = exportTargetSchema
  .extend({
    format: z
      .enum(['bundle', 'html', 'viewer'])
      .openapi({ description: '`html`: a report; `viewer`: the page itself with the bundle in it, read-only' }),
    reveal: optional(z.boolean()).openapi({ description: 'Leave secrets unmasked; default: false' }),
    compareWith: optional(z.string()).openapi({
      description: 'Of a report: another run beside the task, as store/task or as the address of its last checkpoint',
    }),
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

export const importRequestSchema = z
  .object({
    store: storeIdSchema.openapi({ description: 'An open bundle' }),
    to: z
      .string()
      .min(1)
      .openapi({ description: 'A file of this program, or one that does not exist yet; or an address' }),
    task: optional(z.string()).openapi({ description: 'Only this task' }),
    dryRun: optional(z.boolean()),
  })
  .openapi('ImportRequest');

const namedStore = z.object({ system: z.string(), label: z.string() });
const findings = z.array(z.object({ ref: refSchema, code: z.string(), message: z.string() })).readonly();

export const copyReportSchema = z
  .object({
    from: namedStore,
    to: namedStore,
    dryRun: z.boolean(),
    tasks: z.number(),
    checkpoints: z.number(),
    copied: z.number(),
    present: z.number(),
    outdated: z.number(),
    verified: z.number(),
    stateBytes: z.number(),
    unreadable: findings,
    conflicts: findings,
    failed: findings,
    annotated: z.number(),
    notAnnotated: findings,
    notKept: z.array(z.object({ what: z.string(), checkpoints: z.number() })).readonly(),
  })
  .openapi('CopyReport', { description: 'What was copied, read back and compared, and what was not' });

import { z } from '@hono/zod-openapi';
import { isoTime, optional, storeIdSchema } from './common.ts';
import { errorCodes, taskListSchema } from './models.ts';

const count = z.number().int();
const counts = z.record(z.string(), count).readonly();

const timing = z.object({ count, averageMs: z.number(), maxMs: z.number() });
const ofKind = optional(timing);

const held = z
  .object({
    store: storeIdSchema,
    system: z.string(),
    tasks: count,
    checkpoints: count,
    unreadable: count,
    tasksByStatus: counts,
    counted: z.object({ n: count, of: count }),
    bytes: z.number(),
    averageBytes: optional(z.number()),
    byStatus: counts,
    byTrigger: counts,
  })
  .openapi('HeldMetrics', { description: 'What a store contains now, however it got there' });

const server = z
  .object({
    since: isoTime,
    checkpoint_save_count: count,
    checkpoint_resume_count: count,
    checkpoint_save_size_bytes: optional(z.number()),
    checkpoint_save_latency_ms: optional(z.number()),
    steps_recovered: count,
    saves: optional(timing),
    changes: z.object({ restore: ofKind, fork: ofKind, delete: ofKind, undo: ofKind }),
    failures: z
      .array(z.object({ operation: z.enum(['save', 'load', 'list', 'change']), code: z.enum(errorCodes), count }))
      .readonly(),
  })
  .openapi('ServerMetrics', {
    description: 'What passed through this server since it started; agents save directly to their stores',
  });

export const metricsSchema = z.object({
  stores: z.array(held).readonly(),
  failures: taskListSchema.shape.failures,
  server,
});

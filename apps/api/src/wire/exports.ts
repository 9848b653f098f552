/** Exports on the wire. */
import { z } from '@hono/zod-openapi';
import { optional, storeIdSchema } from './common.ts';

export const exportTargetSchema = z.object({
  store: storeIdSchema,
  task: z.string(),
  /** Absent: all of the task. */
  checkpoints: optional(z.array(z.string()).min(1).max(10_000).readonly()),
});

export const exportRequestSchema = exportTargetSchema
  .extend({
    format: z.enum(['bundle', 'html']),
    reveal: optional(z.boolean()).openapi({ description: 'Leave secrets as they are stored; default false' }),
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

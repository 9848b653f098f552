/** What is kept beside a checkpoint, on the wire. */
import { z } from '@hono/zod-openapi';
import { optional } from './common.ts';
import { pendingRequestSchema } from './triage.ts';

const stepErrorSchema = z.object({ text: z.string(), node: optional(z.string()) });

const pendingWriteSchema = z
  .object({
    taskId: z.string(),
    node: optional(z.string()),
    channel: z.string(),
    text: optional(z.string().openapi({ description: 'JSON text as stored' })),
    sizeBytes: z.number(),
    problem: optional(z.string()),
  })
  .openapi('PendingWrite');

export const besideSchema = z
  .object({
    error: optional(z.string()),
    errors: optional(z.array(stepErrorSchema).readonly()),
    requests: z.array(pendingRequestSchema).readonly(),
    writes: optional(z.array(pendingWriteSchema).readonly()),
    moreWrites: optional(z.number()),
    next: optional(z.array(z.string()).readonly()),
    refused: z
      .object({
        restore: optional(z.string()),
        fork: optional(z.string()),
        edit: optional(z.string()),
        delete: optional(z.string()),
      })
      .openapi({ description: 'Changes that this one checkpoint refuses, each with the reason' }),
  })
  .openapi('Beside');

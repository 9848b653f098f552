/** Lines of a path history on the wire. */
import { z } from '@hono/zod-openapi';
import { isoTime, optional, refSchema, statusSchema } from './common.ts';
import { sentSchema } from './compare.ts';
import { trashItemSchema } from './changes.ts';
import { errorSchema } from './models.ts';

const gapSchema = z.object({
  count: z.number(),
  oldest: refSchema,
  code: z.string(),
  message: z.string(),
  sides: z.enum(['same', 'differ', 'unknown']),
});

const withinSchema = z.object({
  before: z.number(),
  after: z.number(),
  differences: optional(z.number()),
  first: optional(sentSchema),
});

export const historyRowSchema = z
  .object({
    kind: z.enum(['set', 'changed', 'type-changed', 'removed', 'moved', 'gap']),
    ref: refSchema,
    position: z.number(),
    seq: optional(z.number()),
    stepIndex: optional(z.number()),
    description: optional(z.string()),
    agentId: optional(z.string()),
    time: optional(isoTime),
    status: optional(statusSchema),
    before: optional(z.string()),
    after: optional(z.string()),
    beforeLength: optional(z.number()),
    afterLength: optional(z.number()),
    within: optional(withinSchema),
    writtenBy: optional(z.array(z.string())),
    from: optional(z.string()),
    to: optional(z.string()),
    gap: optional(gapSchema),
  })
  .openapi('HistoryRow');

export const historyLineSchema = z
  .union([
    historyRowSchema,
    z.object({ kind: z.literal('progress'), examined: z.number(), of: z.number() }),
    z.object({
      kind: z.literal('done'),
      done: z.literal(true),
      examined: z.number(),
      of: z.number(),
      readable: z.number(),
      rows: z.number(),
    }),
    errorSchema.extend({ kind: z.literal('error') }),
  ])
  .openapi('HistoryLine');

export const goneSchema = z
  .discriminatedUnion('state', [
    z.object({ state: z.literal('here'), ref: refSchema }),
    z.object({ state: z.literal('trash'), item: trashItemSchema }),
    z.object({ state: z.literal('deleted'), receiptId: z.string(), at: isoTime, byUndo: z.boolean() }),
    z.object({
      state: z.literal('evicted'),
      rule: optional(z.string()),
      child: optional(refSchema),
      receiptId: optional(z.string()),
    }),
    z.object({ state: z.literal('never') }),
  ])
  .openapi('Gone');

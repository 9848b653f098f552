/** Change requests, plans, receipts and trash on the wire. */
import { z } from '@hono/zod-openapi';
import { capabilitySchema, isoTime, latestSchema, optional, refSchema, statusSchema, storeIdSchema } from './common.ts';

const policySchema = z
  .object({
    olderThanDays: optional(z.number().min(0)),
    beyondNewest: optional(z.number().int().min(0)),
    status: optional(z.array(statusSchema).readonly()),
    text: optional(z.string()),
  })
  .openapi('RetentionPolicy');

const restoreSchema = z.object({ kind: z.literal('restore'), ref: refSchema, targetTask: optional(z.string()) });
const forkSchema = z.object({
  kind: z.literal('fork'),
  ref: refSchema,
  id: optional(z.string()),
  targetTask: optional(z.string()),
  history: optional(z.boolean()),
});
const editSchema = z.object({
  kind: z.literal('edit'),
  ref: refSchema,
  text: z.string(),
  reason: optional(z.string().max(2_000)),
  author: optional(z.string().max(200)),
  targetTask: optional(z.string()),
});
const otherRequests = [
  z.object({ kind: z.literal('prune'), task: z.string(), policy: policySchema }),
  z.object({ kind: z.literal('delete'), refs: z.array(refSchema).readonly() }),
  z.object({ kind: z.literal('undo'), receiptId: z.string() }),
] as const;

export const changeRequestSchema = z
  .discriminatedUnion('kind', [restoreSchema, forkSchema, editSchema, ...otherRequests])
  .openapi('ChangeRequest');

/** As plans and receipts carry it: of an edit's text only the hash and the size. */
const shownRequestSchema = z
  .discriminatedUnion('kind', [
    restoreSchema,
    forkSchema,
    editSchema.omit({ text: true }).extend({ textHash: z.string(), textBytes: z.number() }),
    z.object({
      kind: z.literal('save'),
      task: z.string(),
      description: optional(z.string()),
      textHash: z.string(),
      textBytes: z.number(),
    }),
    ...otherRequests,
  ])
  .openapi('ShownRequest');

/** What a caller may ask for; undo goes by its receipt. */
export const planRequestSchema = z.object({ store: storeIdSchema, request: changeRequestSchema });

/** What a checkpoint is called. */
const stepNameSchema = z.object({
  seq: z.number(),
  stepIndex: optional(z.number()),
  description: optional(z.string()),
});

export const planItemSchema = z.object({
  ref: refSchema,
  reason: z.string(),
  step: optional(stepNameSchema),
  sizeBytes: optional(z.number()),
  where: optional(z.string()),
});

function planListOf<T extends z.ZodType>(item: T) {
  return z.object({ count: z.number(), items: z.array(item).readonly() });
}

const preconditionSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('head'), task: z.string(), ref: optional(refSchema) }),
  z.object({ kind: z.literal('revision'), ref: refSchema, revision: z.string() }),
  z.object({ kind: z.literal('absent'), ref: refSchema }),
]);

export const planViewSchema = z
  .object({
    id: z.string(),
    expiresAt: isoTime,
    request: shownRequestSchema,
    store: storeIdSchema,
    task: z.string(),
    targetTask: optional(z.string()),
    preconditions: z.array(preconditionSchema).readonly(),
    writes: planListOf(planItemSchema),
    moves: planListOf(planItemSchema.extend({ to: refSchema })),
    removes: planListOf(planItemSchema),
    evicts: planListOf(planItemSchema.extend({ when: z.enum(['now', 'next-save']) })),
    protected: planListOf(planItemSchema),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })).readonly(),
    leftOut: optional(z.object({ skipped: z.number(), others: z.number() })),
    latestBefore: latestSchema,
    latestAfter: optional(refSchema),
    proofHash: optional(z.string()),
    bytesFreed: z.number(),
    holdsMs: optional(z.number()),
    next: optional(z.string()),
    sidecar: optional(z.array(z.object({ child: refSchema, parent: refSchema })).readonly()),
  })
  .openapi('Plan');

export const receiptSchema = z
  .object({
    id: z.string(),
    planId: z.string(),
    request: shownRequestSchema,
    store: storeIdSchema,
    task: z.string(),
    targetTask: optional(z.string()),
    appliedAt: isoTime,
    done: z.array(z.string()).readonly(),
    failed: z.array(z.object({ ref: optional(refSchema), what: z.string(), reason: z.string() })).readonly(),
    written: z.array(refSchema).readonly(),
    removed: z.array(refSchema).readonly(),
    steps: optional(z.array(z.object({ ref: refSchema, step: stepNameSchema })).readonly()),
    latestNow: latestSchema,
    proof: z.enum(['same', 'different', 'none']),
    differs: optional(z.array(z.enum(['written', 'latest'])).readonly()),
    undoable: capabilitySchema,
    undoneBy: optional(z.string()),
    next: optional(z.string()),
  })
  .openapi('Receipt');

export const trashItemSchema = z
  .object({
    receiptId: z.string(),
    store: storeIdSchema,
    ref: refSchema,
    what: z.string(),
    sizeBytes: optional(z.number()),
    deletedAt: isoTime,
    expiresAt: isoTime,
    restorable: capabilitySchema,
    step: optional(stepNameSchema),
  })
  .openapi('TrashItem');

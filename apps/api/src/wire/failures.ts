/** Errors, questions to people, usage, labels and notes on the wire. */
import { z } from '@hono/zod-openapi';
import { checkFailedSchema, isoTime, lookedThroughSchema, optional, refSchema, storeIdSchema } from './common.ts';
import { storeFailureSchema } from './models.ts';

const covered = { coverage: lookedThroughSchema, failures: z.array(storeFailureSchema).readonly() };

export const addressSchema = z
  .object({ store: storeIdSchema, task: z.string(), namespace: optional(z.string()), id: z.string() })
  .openapi('Address');

const failedTaskSchema = z.object({
  store: storeIdSchema,
  task: z.string(),
  title: z.string(),
  system: z.string(),
  agentId: optional(z.string()),
  count: z.number(),
  current: z.boolean(),
  failed: addressSchema,
  lastNotFailed: optional(
    addressSchema.openapi({
      description:
        'The last good checkpoint: the nearest that did not fail, `failed` itself if its failed step saved none',
    }),
  ),
  step: optional(
    z.object({ seq: z.number(), stepIndex: optional(z.number()), description: optional(z.string()) }).openapi({
      description: 'The step that failed',
    }),
  ),
  time: optional(isoTime),
  message: optional(z.string()),
});

export const failureGroupSchema = z
  .object({
    outcome: optional(checkFailedSchema),
    key: z.string(),
    pattern: z.string(),
    count: z.number(),
    tasks: z.array(failedTaskSchema).readonly(),
    current: z.number(),
    firstSeen: optional(isoTime),
    lastSeen: optional(isoTime),
    hours: z
      .array(z.number())
      .readonly()
      .openapi({ description: 'Failures in each of the last 24 hours, oldest hour first' }),
    example: z.object({ at: addressSchema, message: optional(z.string()) }),
  })
  .openapi('FailureGroup');

export const errorsAnswerSchema = z.object({ items: z.array(failureGroupSchema).readonly(), ...covered });

export const pendingRequestSchema = z.object({
  id: optional(z.string()),
  from: optional(z.string()),
  text: z.string(),
  unread: optional(z.literal(true).openapi({ description: "`text` says why the question can't be read" })),
});

export const waitingSchema = z
  .object({
    at: addressSchema,
    title: z.string(),
    system: z.string(),
    agentId: optional(z.string()),
    since: optional(isoTime),
    sinceText: optional(z.string()),
    requests: z.array(pendingRequestSchema).readonly(),
    next: optional(z.string()),
  })
  .openapi('Waiting');

export const inboxAnswerSchema = z.object({ items: z.array(waitingSchema).readonly(), ...covered });

export const outlineSchema = z
  .object({
    store: storeIdSchema,
    task: z.string(),
    steps: z.number().openapi({ description: 'Checkpoints on the way to the latest' }),
    marks: z
      .array(z.enum(['done', 'failed', 'check_failed', 'running', 'waiting', 'unreadable']))
      .readonly()
      .openapi({
        description: 'The same path in at most 13 parts, oldest first; a part that contains a failure counts as failed',
      }),
    lanes: z.number().openapi({ description: 'Ends of branches in the task' }),
    step: optional(z.number()),
    totalSteps: optional(z.number()),
    name: optional(z.string().openapi({ description: "The latest step's name" })),
    change: optional(z.string().openapi({ description: "The latest step's main change" })),
    error: optional(z.string().openapi({ description: 'Why the latest step, or a check at the end, failed' })),
  })
  .openapi('Outline');

export const outlinesAnswerSchema = z.object({ items: z.array(outlineSchema).readonly(), ...covered });

const measuredSchema = z.object({
  value: z.string().openapi({ description: 'Decimal, exact' }),
  said: z.number().openapi({ description: 'Checkpoints that report it' }),
});

export const usageSchema = z
  .object({
    checkpoints: z.number(),
    tokens: optional(measuredSchema),
    costUsd: optional(measuredSchema),
    durationMs: optional(measuredSchema),
  })
  .openapi('Usage');

const usageFieldSchema = z.enum(['tokens', 'costUsd', 'durationMs']);

export const usageAnswerSchema = z.object({
  items: z
    .array(
      usageSchema.extend({
        store: z.string(),
        task: z.string(),
        title: z.string(),
        system: z.string(),
        agents: z.array(z.string()).readonly(),
        running: z.array(usageFieldSchema).readonly(),
      }),
    )
    .readonly(),
  agents: z.array(usageSchema.extend({ agent: optional(z.string()), tasks: z.number() })).readonly(),
  total: usageSchema,
  ...covered,
});

export const annotationSchema = z
  .object({
    ref: refSchema,
    labels: z.array(z.string()).readonly(),
    note: optional(z.string()),
    writtenAt: optional(isoTime),
  })
  .openapi('Annotation');

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
    own: optional(z.literal(true)).openapi({
      description: 'The step that failed saved this checkpoint; absent: one that began from it, and saved none',
    }),
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
      .openapi({ description: "Changes this checkpoint doesn't allow, each with the reason" }),
  })
  .openapi('Beside');

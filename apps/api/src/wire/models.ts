/** Stores, tasks, checkpoints, lineage and differences on the wire. */
import { ERROR_CODES, type ErrorCode } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import {
  capabilitySchema,
  checkFailedSchema,
  isoTime,
  lineageKindSchema,
  lookedThroughSchema,
  optional,
  coverageSchema,
  pageOf,
  refSchema,
  statusSchema,
  storeIdSchema,
} from './common.ts';

export const errorCodes = Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]];

const errorBody = z.object({ code: z.enum(errorCodes), message: z.string(), remedy: z.string() });

export const errorSchema = z
  .object({ error: errorBody.extend({ data: optional(z.record(z.string(), z.unknown())) }) })
  .openapi('Error');

export const statusAnswerSchema = z.object({
  version: z.string(),
  readOnly: z.boolean(),
  demo: z.boolean(),
  pid: z.number(),
  startedAt: isoTime,
});

export const storeInfoSchema = z
  .object({
    id: storeIdSchema,
    system: z.string(),
    label: z.string(),
    location: optional(z.string()),
    identity: optional(z.string()),
    latestRule: z.string(),
    retention: optional(z.string()),
    sharing: optional(z.string()),
    volatilePaths: z.array(z.string()).readonly(),
    indexed: z.object({ n: z.number(), of: z.number() }),
    capabilities: z.object({
      restore: capabilitySchema,
      fork: capabilitySchema,
      edit: capabilitySchema,
      delete: capabilitySchema,
    }),
    snapshot: optional(z.string()),
    forkHistory: optional(z.literal(true)),
    private: optional(z.literal(true)),
    notes: optional(z.array(z.string()).readonly()),
  })
  .openapi('StoreInfo');

export const taskSchema = z
  .object({
    store: storeIdSchema,
    id: z.string(),
    title: z.string(),
    system: z.string(),
    agentId: optional(z.string()),
    checkpointCount: z.number(),
    atLeast: optional(z.literal(true)),
    unreadable: z.number(),
    latestId: optional(z.string()),
    latestNamespace: optional(z.string()),
    latestNote: optional(z.string()),
    status: statusSchema,
    outcome: optional(checkFailedSchema),
    lastError: optional(z.string().openapi({ description: 'With an outcome: the check that failed' })),
    updatedAt: optional(isoTime),
    sizeBytes: optional(z.number()),
    kind: optional(z.enum(['unassigned', 'archived'])),
  })
  .openapi('Task');

export const storeFailureSchema = z.object({ store: storeIdSchema, error: errorBody });

/** The merged list names every store that failed or was too slow. */
export const taskListSchema = pageOf(taskSchema)
  .omit({ partial: true })
  .extend({
    failures: z.array(storeFailureSchema).readonly(),
    coverage: optional(lookedThroughSchema).openapi({
      description: 'Set while latest states are still to be searched for checks that failed',
    }),
    reading: optional(
      z
        .array(
          z.object({
            store: storeIdSchema,
            n: z.number().int(),
            of: optional(z.number().int()),
            files: optional(coverageSchema),
          }),
        )
        .readonly(),
    ).openapi({
      description:
        'Stores whose tasks are still being read, and how many are: the list is in order among those, and ends with its last page',
    }),
  });

export const problemSchema = z.object({
  code: z.enum(['unreadable', 'locked', 'wrong_key', 'unsupported_version', 'too_large']),
  message: z.string(),
  offset: optional(z.number()),
});

export const checkpointMetaSchema = z
  .object({
    store: storeIdSchema,
    id: z.string(),
    taskId: z.string(),
    namespace: optional(z.string()),
    parentId: optional(z.string()),
    parentTaskId: optional(z.string()),
    lineage: lineageKindSchema,
    seq: z.number(),
    stepIndex: optional(z.number()),
    totalSteps: optional(z.number()),
    createdAt: optional(isoTime),
    createdAtText: optional(z.string()),
    timeBasis: z.enum(['utc', 'local', 'file', 'none']),
    trigger: optional(z.enum(['auto', 'manual', 'error', 'input', 'update', 'fork', 'restore', 'edit'])),
    status: statusSchema,
    description: optional(z.string()),
    labels: z.array(z.string()).readonly(),
    note: optional(z.string()),
    agentId: optional(z.string()),
    durationMs: optional(z.number()),
    tokenUsage: optional(z.number()),
    costUsd: optional(z.number()),
    gitCommit: optional(z.string()),
    graphSignature: optional(z.string()),
    sizeBytes: z.number(),
    stateBytes: optional(z.number()).openapi({
      description: 'Bytes that the state has at most, where it is made of more than its own row; absent: sizeBytes',
    }),
    revision: optional(z.string()),
    isLatest: z.boolean(),
    problem: optional(problemSchema),
  })
  .openapi('CheckpointMeta');

/** With `summary=1`: what changed since the parent, in one line and as a count, and the message of a failed one, where cheap to tell. */
export const listedCheckpointSchema = checkpointMetaSchema.extend({
  summary: optional(z.string()),
  changes: optional(z.number()),
  error: optional(z.string()).openapi({ description: 'For a failed checkpoint: the first line of its message' }),
});

export const lineageRowSchema = z
  .object({
    id: z.string(),
    namespace: optional(z.string()),
    parent: optional(refSchema),
    kind: lineageKindSchema,
    time: optional(isoTime),
    status: statusSchema,
    seq: z.number(),
    stepIndex: optional(z.number()),
    description: optional(z.string()),
    isLatest: z.boolean(),
    problem: optional(problemSchema.shape.code),
  })
  .openapi('LineageRow');

/** Column by column; see `LineageColumns` of core. */
export const lineageColumnsSchema = z
  .object({
    task: z.string(),
    ids: z.array(z.string()).readonly(),
    namespaces: optional(z.array(z.string().nullable()).readonly()),
    kinds: z.string(),
    parents: z.array(z.tuple([z.number(), z.union([z.number(), refSchema]).nullable()]).readonly()).readonly(),
    statuses: z.string(),
    times: z.array(z.string().nullable()).readonly(),
    seqs: optional(z.array(z.tuple([z.number(), z.number()]).readonly()).readonly()),
    steps: z.array(z.number().nullable()).readonly(),
    descriptions: z.array(z.string().nullable()).readonly(),
    latest: z.array(z.number()).readonly(),
    problems: optional(z.array(z.tuple([z.number(), problemSchema.shape.code]).readonly()).readonly()),
  })
  .openapi('LineageColumns');

const laneSchema = z
  .object({
    lane: z.string(),
    parent: optional(z.string()),
    from: optional(refSchema),
    first: refSchema,
    tip: refSchema,
    steps: z.number(),
    status: statusSchema,
    differences: optional(
      z
        .array(
          z.object({ path: z.string(), key: z.string(), value: optional(z.string()), before: optional(z.string()) }),
        )
        .readonly(),
    ).openapi({ description: "Most telling first; absent: it hasn't been compared yet" }),
    nameLength: z.number(),
    error: optional(z.string()).openapi({
      description: 'Of one that failed at its end: the first line of its message',
    }),
    tokens: optional(z.string()),
    costUsd: optional(z.string()),
    durationMs: optional(z.string()),
  })
  .openapi('Lane');

/** `complete` is false while some of the items have not been compared: the next call knows more. */
export const laneListSchema = z
  .object({ items: z.array(laneSchema).readonly(), compared: z.number(), complete: z.boolean() })
  .openapi('LaneList');

export const differenceSchema = z
  .object({
    path: z.string(),
    kind: z.enum(['added', 'removed', 'changed', 'moved', 'type-changed']),
    before: optional(z.string()),
    after: optional(z.string()),
    from: optional(z.string()),
    role: optional(z.enum(['data', 'conversation', 'growth', 'bookkeeping'])).openapi({
      description: 'What it is about, where its task tells more than it does by itself',
    }),
  })
  .openapi('Difference');

export const diffSchema = z.object({
  items: z.array(differenceSchema).readonly(),
  summary: z.object({ added: z.number(), removed: z.number(), changed: z.number(), moved: z.number() }),
  ignored: z.array(z.object({ rule: z.string(), count: z.number() })).readonly(),
  equal: optional(z.number()),
});

export const stepsAnswerSchema = z
  .object({
    onLine: z.boolean().openapi({ description: 'False if `a` is not an ancestor of `b`; then nothing else is given' }),
    steps: z
      .array(
        z.object({
          ref: refSchema,
          seq: z.number(),
          stepIndex: optional(z.number()),
          description: optional(z.string()),
        }),
      )
      .readonly()
      .openapi({ description: 'After `a` up to `b`, the oldest first; of a long way its end' }),
    of: z.number().openapi({ description: 'How many there are in all' }),
    items: z
      .array(
        z.object({
          path: z.string(),
          kind: z.enum(['added', 'removed', 'changed', 'moved', 'type-changed']),
          at: z
            .array(z.number())
            .readonly()
            .openapi({ description: 'Places in `steps` that changed the value, the newest first, at most 20' }),
          count: z.number().openapi({ description: 'How many steps changed it' }),
        }),
      )
      .readonly()
      .openapi({ description: 'In the order of the differences' }),
    complete: z.boolean().openapi({ description: 'False where something on the way was not read' }),
  })
  .openapi('Steps');

export const diffAnswerSchema = diffSchema.extend({ ignoreRules: z.array(z.string()).readonly() });

/** Two runs beside each other on the wire. */
import { z } from '@hono/zod-openapi';
import { isoTime, optional, refSchema, statusSchema, storeIdSchema } from './common.ts';
import { differenceSchema } from './models.ts';

const measured = z.object({
  value: z.string().openapi({ description: 'Exact decimal' }),
  said: z.number().openapi({ description: 'How many steps report it' }),
});

export const sentSchema = differenceSchema
  .extend({
    beforeLength: optional(z.number().openapi({ description: 'Of the whole value, if `before` is truncated' })),
    afterLength: optional(z.number().openapi({ description: 'Of the whole value, if `after` is truncated' })),
  })
  .openapi('SentDifference');

const sideSchema = z
  .object({
    store: storeIdSchema,
    task: z.string(),
    end: refSchema,
    lane: z.string().openapi({ description: 'The lane of its end: `main`, `f1`, …' }),
    isLatest: z.boolean(),
    status: statusSchema,
    error: optional(z.string()),
    steps: z.number(),
    tokens: optional(measured.openapi({ description: 'Absent: no step reports any' })),
    costUsd: optional(measured),
    durationMs: optional(measured),
    startedAt: optional(isoTime),
    endedAt: optional(isoTime),
  })
  .openapi('RunSide');

const stepSchema = z
  .object({
    ref: refSchema,
    seq: z.number(),
    stepIndex: optional(z.number()),
    description: optional(z.string()),
    trigger: optional(z.enum(['auto', 'manual', 'error', 'input', 'update', 'fork', 'restore', 'edit'])),
    status: statusSchema,
    time: optional(isoTime),
    durationMs: optional(z.number()),
    tokenUsage: optional(z.number()),
    costUsd: optional(z.number()),
    error: optional(z.string()),
    changes: optional(
      z.array(sentSchema).readonly().openapi({ description: 'What it changed, most telling first, at most three' }),
    ),
    changed: optional(z.number().openapi({ description: 'How many values it changed' })),
  })
  .openapi('RunStep');

const rowSchema = z
  .object({
    verdict: z.enum(['same', 'same-change', 'differs', 'only-a', 'only-b', 'unknown']).openapi({
      description:
        "`same`: equal so far; `same-change`: both changed the same, though the states differ; `unknown`: one can't be compared",
    }),
    differ: optional(z.number().openapi({ description: 'Of `differs`: how many of the changed values differ' })),
    of: optional(z.number()),
    outcome: optional(z.literal(true).openapi({ description: 'The two ended differently' })),
    a: optional(stepSchema),
    b: optional(stepSchema),
  })
  .openapi('RunRow');

export const runComparisonSchema = z
  .object({
    a: sideSchema,
    b: sideSchema,
    shared: z.number().openapi({ description: 'Leading steps that are the same checkpoints in both' }),
    first: optional(
      z.object({
        row: z.number().openapi({ description: 'Into `rows`' }),
        difference: optional(sentSchema.openapi({ description: '`before` is what A has, `after` what B has' })),
      }),
    ).openapi({ description: 'Where the two first differ; absent if they do not' }),
    rows: z.array(rowSchema).readonly(),
    before: z.number().openapi({ description: 'Rows of very long runs that are left out before' }),
    after: z.number().openapi({ description: 'And after' }),
    end: optional(
      z.object({
        summary: z.object({ added: z.number(), removed: z.number(), changed: z.number(), moved: z.number() }),
        equal: optional(z.number()),
        items: z.array(sentSchema).readonly().openapi({ description: 'Most telling first, at most twenty' }),
      }),
    ),
    ignoreRules: z.array(z.string()).readonly(),
    examined: z.object({
      n: z.number(),
      of: z.number(),
      gaps: z
        .array(z.object({ side: z.enum(['a', 'b']), ref: refSchema, seq: z.number(), reason: z.string() }))
        .readonly(),
    }),
  })
  .openapi('RunComparison');

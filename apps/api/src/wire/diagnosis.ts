/** A diagnosis on the wire. */
import { z } from '@hono/zod-openapi';
import { isoTime, optional, refSchema } from './common.ts';

const step = {
  ref: refSchema,
  seq: z.number(),
  stepIndex: optional(z.number()),
  description: optional(z.string()),
};

const stepSchema = z.object(step).openapi('DiagnosisStep');

export const suspectSchema = z
  .object({
    ...step,
    path: z.string().openapi({ description: "In this checkpoint's state; for a removed value, in the previous one" }),
    kind: z
      .enum(['added', 'removed', 'changed', 'type-changed', 'unchanged'])
      .openapi({ description: '`unchanged`: the step should have written it but did not' }),
    before: optional(z.string()),
    after: optional(z.string()),
    beforeLength: optional(z.number().openapi({ description: 'Of the whole value, if `before` is truncated' })),
    afterLength: optional(z.number().openapi({ description: 'Of the whole value, if `after` is truncated' })),
    reasons: z.array(z.string()).readonly().openapi({ description: 'Sentences, strongest first' }),
    score: z.number().openapi({ description: 'How likely it is the cause, 0 to 1: an estimate' }),
  })
  .openapi('Suspect');

export const diagnosisSchema = z
  .object({
    error: optional(
      z.object({
        message: z.string(),
        checkpoint: refSchema,
        seq: z.number(),
        stepIndex: optional(z.number()),
        node: optional(z.string()),
        from: z.enum(['status', 'state']).openapi({
          description: '`state`: only the state reports it, for example a failed check in a completed task',
        }),
        kind: optional(z.enum(['check', 'error', 'status']).openapi({ description: 'Only for `state`' })),
        unsaid: optional(
          z.literal(true).openapi({ description: "No message was stored, so `message` is the step's name" }),
        ),
      }),
    ),
    failingStep: optional(
      z.object({
        ...step,
        node: optional(z.string()),
        before: optional(
          z.literal(true).openapi({ description: 'The failed step ran from this checkpoint and saved none' }),
        ),
      }),
    ),
    lastGood: optional(
      z.object({
        ...step,
        back: z.number().openapi({ description: 'Steps back from the failure' }),
        holds: optional(
          z.object({ from: stepSchema, to: stepSchema }).openapi({
            description: "Later checkpoints that did not fail but contain the first suspect's value",
          }),
        ),
      }),
    ),
    recovered: optional(
      z
        .object({ ...step, time: optional(isoTime) })
        .openapi({ description: 'The checkpoint that continued after the failure' }),
    ),
    suspects: z.array(suspectSchema).readonly().openapi({ description: 'Most likely first, at most five' }),
    outcome: z.enum(['suspects', 'unclear', 'healthy']).openapi({
      description: '`unclear`: it failed and no single change is clearly the cause, so suspects are guesses',
    }),
    examined: z.object({
      n: z.number(),
      of: z.number(),
      gaps: z.array(z.object({ ref: refSchema, seq: z.number(), reason: z.string() })).readonly(),
      outside: optional(z.number().openapi({ description: 'Older checkpoints beyond the limits' })),
    }),
  })
  .openapi('Diagnosis');

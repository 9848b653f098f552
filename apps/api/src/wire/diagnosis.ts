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
    path: z.string().openapi({ description: 'In the state of this checkpoint; of a removed value, in the one before' }),
    kind: z
      .enum(['added', 'removed', 'changed', 'type-changed', 'unchanged'])
      .openapi({ description: '`unchanged`: the step should have written it, and did not' }),
    before: optional(z.string()),
    after: optional(z.string()),
    beforeLength: optional(z.number().openapi({ description: 'Of the whole value, where `before` is cut' })),
    afterLength: optional(z.number().openapi({ description: 'Of the whole value, where `after` is cut' })),
    reasons: z.array(z.string()).readonly().openapi({ description: 'Sentences, the strongest first' }),
    score: z.number().openapi({ description: '0 to 1; comparable inside one answer only' }),
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
          description: '`state`: only the state says so, as with a failed check of a completed task',
        }),
        kind: optional(z.enum(['check', 'error', 'status']).openapi({ description: 'Of what only the state says' })),
        unsaid: optional(
          z.literal(true).openapi({ description: 'No message is stored: `message` is the name of the step' }),
        ),
      }),
    ),
    failingStep: optional(
      z.object({
        ...step,
        node: optional(z.string()),
        before: optional(
          z.literal(true).openapi({ description: 'The failed step ran on this checkpoint and saved none' }),
        ),
      }),
    ),
    lastGood: optional(
      z.object({
        ...step,
        back: z.number().openapi({ description: 'Steps back from the failure' }),
        holds: optional(
          z.object({ from: stepSchema, to: stepSchema }).openapi({
            description: 'Later checkpoints that did not fail and hold the value of the first suspect',
          }),
        ),
      }),
    ),
    recovered: optional(
      z
        .object({ ...step, time: optional(isoTime) })
        .openapi({ description: 'The checkpoint that went on from the failure' }),
    ),
    suspects: z.array(suspectSchema).readonly().openapi({ description: 'Likeliest first, at most five' }),
    outcome: z.enum(['suspects', 'unclear', 'healthy']).openapi({
      description: '`unclear`: it failed and no change stands out, so suspects are weak guesses',
    }),
    examined: z.object({
      n: z.number(),
      of: z.number(),
      gaps: z.array(z.object({ ref: refSchema, seq: z.number(), reason: z.string() })).readonly(),
      outside: optional(z.number().openapi({ description: 'Older checkpoints beyond the limits' })),
    }),
  })
  .openapi('Diagnosis');

/** An explanation on the wire: facts about a task in a fixed order. */
import { z } from '@hono/zod-openapi';
import { isoTime, optional, refSchema } from './common.ts';

const stepRefSchema = refSchema
  .extend({ seq: z.number(), stepIndex: optional(z.number()), description: optional(z.string()) })
  .openapi('StepRef');

const length = (of: string) =>
  optional(z.number().openapi({ description: `Of the whole value, if \`${of}\` is truncated` }));

const change = {
  before: optional(z.string().openapi({ description: 'JSON text as stored' })),
  after: optional(z.string().openapi({ description: 'JSON text as stored' })),
  beforeLength: length('before'),
  afterLength: length('after'),
};

const originSchema = z.object({
  from: z.enum(['tool', 'user', 'agent', 'state', 'nowhere']),
  name: optional(z.string().openapi({ description: 'The tool' })),
  ref: optional(stepRefSchema.openapi({ description: 'The checkpoint where the value first appeared' })),
});

const writeSchema = z
  .object({
    ref: stepRefSchema,
    agent: optional(z.string()),
    path: z.string(),
    ...change,
    origin: optional(originSchema.openapi({ description: 'Where the value was before this step wrote it' })),
    more: optional(z.number().openapi({ description: 'Other data changed by the same step' })),
  })
  .openapi('Write');

const namedSchema = z.object({
  text: z.string().openapi({ description: 'As written in the error' }),
  path: optional(z.string()),
  ref: optional(stepRefSchema.openapi({ description: 'Its last writer; absent: never written in this run' })),
  ...change,
});

const endValueSchema = z
  .object({ value: optional(z.string()), valueLength: length('value'), ref: optional(stepRefSchema) })
  .openapi('EndValue');

const againstSchema = z.object({
  task: z.string(),
  end: stepRefSchema,
  chosen: z.enum(['fork', 'name', 'asked']).openapi({
    description: '`fork`: a branch of the task; `name`: the last good run of the same name; `asked`: you named it',
  }),
  differs: z.array(z.object({ path: z.string(), here: endValueSchema, there: endValueSchema })).readonly(),
  more: optional(z.number().openapi({ description: 'More differing values than listed' })),
  missing: z
    .array(z.object({ call: z.string(), args: optional(z.string()), ref: optional(stepRefSchema) }))
    .readonly()
    .openapi({ description: 'Calls that the other run made and this one never did' }),
});

const checkSchema = z.object({
  path: z.string(),
  expected: z.string(),
  holds: z.boolean(),
  firstBroken: optional(stepRefSchema.openapi({ description: 'The first checkpoint where it is something else' })),
  never: optional(z.literal(true).openapi({ description: 'No step of this run changed it' })),
  found: optional(z.string().openapi({ description: 'The value at the end' })),
});

export const explanationSchema = z
  .object({
    task: z.string(),
    outcome: z.enum(['failed', 'check_failed', 'waiting', 'running', 'completed', 'unknown']),
    kind: optional(
      z.enum(['outside', 'threw', 'check_failed', 'gave_up', 'waiting']).openapi({
        description:
          '`outside`: a service, a quota, a timeout; `threw`: a step threw; `gave_up`: a limit of turns or steps; `waiting`: for a person',
      }),
    ),
    error: optional(
      z.object({
        message: z.string(),
        ref: refSchema,
        node: optional(z.string()),
        path: optional(z.string().openapi({ description: 'Where the state reports it, for example a failed check' })),
        unsaid: optional(
          z.literal(true).openapi({ description: "No message was stored, so `message` is the step's name" }),
        ),
      }),
    ),
    failingStep: optional(
      stepRefSchema.extend({
        node: optional(z.string()),
        before: optional(
          z.literal(true).openapi({ description: 'The failed step ran from this checkpoint and saved none' }),
        ),
      }),
    ),
    lastGood: optional(
      stepRefSchema
        .extend({ back: z.number().openapi({ description: 'Steps back from the failure' }) })
        .openapi({ description: "The newest readable checkpoint that did not fail, by the store's record alone" }),
    ),
    recovered: optional(
      stepRefSchema
        .extend({ time: optional(isoTime) })
        .openapi({ description: 'The checkpoint that continued after the failure' }),
    ),
    repeated: optional(
      z
        .object({ call: z.string(), args: z.string(), times: z.number() })
        .openapi({ description: 'The call that a run repeated before it gave up' }),
    ),
    writes: z.array(writeSchema).readonly().openapi({
      description: 'Changes of data, newest first, one per step; without conversation and bookkeeping',
    }),
    named: z.array(namedSchema).readonly().openapi({ description: 'What the error names, and who wrote it last' }),
    against: optional(againstSchema.openapi({ description: 'How the end differs from that of another run' })),
    check: optional(checkSchema.openapi({ description: 'Of `expect`' })),
    unusual: z
      .array(z.object({ ref: stepRefSchema, path: z.string(), ...change, reason: z.string() }))
      .readonly()
      .openapi({ description: 'Values unlike their peers, at most three. Not a verdict' }),
    note: optional(z.string()),
    examined: z.object({
      n: z.number(),
      of: z.number(),
      gaps: z.array(z.object({ ref: refSchema, seq: z.number(), reason: z.string() })).readonly(),
      partial: optional(z.literal(true).openapi({ description: 'The rest is still being examined: ask again' })),
    }),
  })
  .openapi('Explanation');

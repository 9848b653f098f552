/** What makes a task's storage grow, on the wire. */
import { z } from '@hono/zod-openapi';
import { optional, refSchema, storeIdSchema } from './common.ts';

const sized = { checkpoints: z.number(), bytes: z.number() };
const sizedSchema = z.object(sized);

const entrySchema = z
  .object({
    key: z.string().openapi({ description: 'Secrets of known kinds are masked' }),
    bytes: z.number().openapi({ description: 'Of its values as JSON text, over all states' }),
    checkpoints: z.number().openapi({ description: 'States that contain it' }),
    values: z.number().openapi({ description: 'Different values it had' }),
    repeatedBytes: z.number().openapi({ description: 'Of `bytes`: values that another state stores too' }),
    largest: z.number().openapi({ description: 'Bytes of its largest value' }),
  })
  .openapi('EntryGrowth');

export const growthSchema = z
  .object({
    store: storeIdSchema,
    task: z.string(),
    listed: sizedSchema.openapi({ description: 'Every checkpoint of the task, by its stored size' }),
    states: z
      .object({
        ...sized,
        repeatedBytes: z.number(),
        entries: z.array(entrySchema).readonly().openapi({ description: 'Most bytes first, at most 100' }),
        rest: z.object({ entries: z.number(), bytes: z.number() }).openapi({ description: 'Entries not listed' }),
        frameBytes: z.number().openapi({ description: 'Keys, punctuation, spaces, and states that are not objects' }),
      })
      .openapi({ description: 'The states that were read; `bytes` is the sum of entries, rest and frame' }),
    examined: z.object({
      n: z.number(),
      of: z.number(),
      outside: sizedSchema.openapi({ description: 'Older checkpoints beyond the limits' }),
      unread: sizedSchema.openapi({ description: "States that can't be read or are too large" }),
      gaps: z
        .array(z.object({ ref: refSchema, reason: z.string() }))
        .readonly()
        .openapi({ description: 'The newest 20 of `unread`' }),
    }),
    keeping: z
      .array(z.object({ newest: z.number(), ...sized }))
      .readonly()
      .openapi({ description: 'What keeping only the newest so many would free at most' }),
    sharing: optional(z.string().openapi({ description: 'Why deleting frees less than the sizes add up to' })),
    derived: optional(z.string().openapi({ description: 'How the text was made, if the store has none as JSON' })),
  })
  .openapi('Growth');

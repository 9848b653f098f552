/** What a search answers on the wire. */
import { z } from '@hono/zod-openapi';
import { isoTime, optional, refSchema, statusSchema, storeIdSchema } from './common.ts';

const mark = z.object({ start: z.number(), end: z.number() });

const foundCheckpoint = z
  .object({
    ref: refSchema,
    seq: z.number(),
    stepIndex: optional(z.number()),
    status: statusSchema,
    createdAt: optional(isoTime),
    description: optional(z.string()),
    sizeBytes: z.number(),
  })
  .openapi('FoundCheckpoint');

const searchItem = z
  .object({
    store: storeIdSchema,
    ref: refSchema.openapi({ description: 'The checkpoint to open: the last one that contains it' }),
    status: statusSchema,
    in: z.enum(['value', 'path', 'name', 'checkpoint']),
    path: optional(z.string()),
    pathMarks: z.array(mark).readonly(),
    snippet: optional(
      z.object({ text: z.string(), marks: z.array(mark).readonly(), cutBefore: z.boolean(), cutAfter: z.boolean() }),
    ),
    firstSeen: foundCheckpoint,
    lastSeen: foundCheckpoint,
    count: z.number(),
  })
  .openapi('SearchItem');

export const searchCoverageSchema = z
  .object({
    store: storeIdSchema,
    of: z.number(),
    indexed: z.number(),
    partly: z.number(),
    locked: z.number(),
    unreadable: z.number(),
    isSettled: z.boolean(),
    problem: optional(z.string()),
    unkept: optional(z.literal(true)),
  })
  .openapi('SearchCoverage', {
    description:
      'of = indexed + locked + unreadable + what still waits; partly is a part of indexed. unkept: the index is in memory only, because the store is private and nobody has agreed that it is kept',
  });

export const searchAnswerSchema = z.object({
  items: z.array(searchItem).readonly(),
  cursor: optional(z.string()),
  total: z.number(),
  atLeast: z.boolean().openapi({ description: 'There are more than counted' }),
  cut: z.boolean().openapi({ description: 'The time limit was reached before everything was searched' }),
  tookMs: z.number(),
  coverage: z.array(searchCoverageSchema).readonly(),
});

/** Parts of states, and matches inside them. */
import type { PartChild } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { limitSchema, narrowQuery, optional } from './common.ts';

const kindSchema = z.enum(['object', 'array', 'string', 'number', 'boolean', 'null']);

const blobSchema = z
  .object({ bytes: z.number(), mime: optional(z.string()), hash: optional(z.string()) })
  .openapi({ description: 'Base64 data: decoded size, and sha256 if it was calculated' });

const valueNote = {
  kind: kindSchema,
  length: z.number().openapi({ description: 'UTF-16 code units of its JSON text' }),
  count: optional(z.number()).openapi({ description: 'Children of a container' }),
  text: z.string().openapi({ description: 'JSON text as stored, or the start of it' }),
  cut: optional(z.literal(true)),
  blob: optional(blobSchema),
};

const partChildSchema: z.ZodType<PartChild> = z
  .object({
    step: z.union([z.string(), z.number()]),
    place: z.number(),
    ...valueNote,
    shadowed: optional(z.literal(true)),
    children: optional(z.lazy(() => z.array(partChildSchema).readonly())).openapi({
      type: 'array',
      items: { $ref: '#/components/schemas/PartChild' },
    }),
  })
  .openapi('PartChild');

export const partSchema = z
  .object({
    path: z.string(),
    ...valueNote,
    trail: z
      .array(z.object({ kind: z.enum(['object', 'array']), count: z.number(), place: z.number() }))
      .readonly()
      .openapi({ description: 'One step for each of the path: the container, and the place of the child' }),
    offset: optional(z.number()),
    children: optional(z.array(partChildSchema).readonly()),
    hash: z.string(),
  })
  .openapi('Part');

const wholeNumber = (from: number, to: number) =>
  z
    .string()
    .transform((text, issues) => {
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= from && value <= to) return value;
      issues.addIssue({ code: 'custom', message: `a whole number from ${from} to ${to} is needed` });
      return z.NEVER;
    })
    .openapi({ type: 'string', description: `Whole number, ${from} to ${to}` });

const hash = z
  .string()
  .optional()
  .openapi({ description: 'Hash of the state that was shown; if it differs, the answer is `changed`' });

export const partQuerySchema = narrowQuery.extend({
  path: z
    .string()
    .optional()
    .openapi({ description: '`$.a["b c"][0]`; any of path, offset, limit, depth asks for a part' }),
  offset: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: limitSchema.optional().openapi({ type: 'string', description: 'Maximum number of children; default: 200' }),
  depth: wholeNumber(0, 3)
    .optional()
    .openapi({ type: 'string', description: 'Levels of children, 0 to 3; default: 1' }),
  preview: wholeNumber(1, 100_000)
    .optional()
    .openapi({ type: 'string', description: "Maximum length of a value's text; default: 200" }),
  hash,
});

export const findQuerySchema = narrowQuery.extend({
  text: z.string().min(1).max(500),
  from: wholeNumber(0, Number.MAX_SAFE_INTEGER)
    .optional()
    .openapi({ type: 'string', description: '`next` from the previous answer' }),
  limit: limitSchema.optional().openapi({ type: 'string', description: 'Maximum number of matches; default: 200' }),
  hash,
});

export const valueQuerySchema = narrowQuery.extend({
  path: z.string(),
  as: z.enum(['text', 'bytes']).optional().openapi({ description: '`bytes` decodes base64; default: `text`' }),
  hash,
});

export const foundSchema = z
  .object({
    items: z
      .array(
        z.object({
          path: z.string(),
          in: z.enum(['key', 'value']),
          snippet: z.string(),
          from: z.number(),
          to: z.number(),
        }),
      )
      .readonly(),
    hash: z.string(),
    next: optional(z.number()),
    length: z.number(),
    reached: z.number(),
  })
  .openapi('Found');

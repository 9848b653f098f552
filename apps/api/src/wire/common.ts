/** Building blocks of the wire schemas. Every schema's output is a type of `core`; wire.test-d pins that. */
import { idFromSegment, storeId, type StoreId } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';

/**
 * A key that may be absent. JSON knows no `undefined`, so the type is the exact
 * one of core; the document generator only understands zod's plain optional.
 */
export function optional<T extends z.ZodType>(schema: T): z.ZodExactOptional<T> {
  return schema.optional() as unknown as z.ZodExactOptional<T>;
}

export const storeIdSchema = z
  .string()
  .regex(/^[a-z0-9-]+$/, 'a store id can only contain a-z, 0-9 and "-"')
  .transform((text): StoreId => storeId(text));

export const isoTime = z.string().openapi({ format: 'date-time', description: 'ISO 8601 UTC' });

/** The engine reads far more as a time, such as `0` or `%00`. */
const ISO_TIME = /^\d{4}-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)?$/i;
const isIsoTime = (text: string): boolean => ISO_TIME.test(text) && !Number.isNaN(Date.parse(text));

/** Of a query: only what was saved then or later. */
export const sinceSchema = isoTime.refine(isIsoTime, 'write a time as ISO 8601');

export const statusSchema = z.enum(['running', 'completed', 'failed', 'interrupted', 'pending', 'unknown']);
/** What tasks are filtered by. */
export const outcomeSchema = z.enum([...statusSchema.options, 'check_failed']);
/** Beside a stored status. */
export const checkFailedSchema = z
  .literal('check_failed')
  .openapi({ description: 'The run completed, and its state has a check that failed' });
export const lineageKindSchema = z.enum(['recorded', 'sidecar', 'inferred', 'none']);
export const capabilitySchema = z
  .union([z.literal(true), z.string()])
  .openapi({ description: 'true, or the reason why not' });

export const refSchema = z
  .object({ task: z.string(), namespace: optional(z.string()), id: z.string() })
  .openapi('CheckpointRef');

export const latestSchema = z.object({
  ref: optional(refSchema),
  basis: z.enum(['rule', 'tie', 'none']),
  note: optional(z.string()),
});

export const lookedThroughSchema = z
  .object({
    n: z.number(),
    of: z.number(),
    unreadable: z.number(),
    complete: z.boolean(),
  })
  .openapi({ description: "Checkpoints searched so far; unreadable ones can't be judged" });

/** A list on the wire. */
export const coverageSchema = z
  .object({ n: z.number().int(), of: z.number().int() })
  .openapi({ description: 'Set while this is a part, the newest first: so many files of the folder are read so far' });

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item).readonly(), cursor: optional(z.string()), partial: optional(coverageSchema) });
}

/** An id in a path: `idToSegment(id)` by the client, decoded here. */
export const idSegment = z.string().transform(idFromSegment).openapi({ description: 'An id as one path segment' });

export const storeParams = z.object({ store: storeIdSchema });
export const taskParams = z.object({ store: storeIdSchema, task: idSegment });
export const checkpointParams = z.object({ store: storeIdSchema, id: idSegment });

/** Narrows an id that several tasks or namespaces hold. */
export const narrowQuery = z.object({ task: z.string().optional(), ns: z.string().optional() });

const MAX_LIMIT = 1000;

/** 1 or more; more than 1000 means 1000, so no answer grows without bound. */
export const limitSchema = z
  .string()
  .transform((text, issues) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1) return Math.min(value, MAX_LIMIT);
    issues.addIssue({ code: 'custom', message: 'a whole number from 1 to 1000 is needed' });
    return z.NEVER;
  })
  .openapi({ type: 'string', description: 'Whole number, 1 or more; more than 1000 means 1000; default 100' });

export const pageQuery = z.object({ limit: limitSchema.optional(), cursor: z.string().optional() });

/** Proposed changes on the wire. */
import { z } from '@hono/zod-openapi';
import { planViewSchema } from './changes.ts';
import { isoTime, optional, storeIdSchema } from './common.ts';
import { differenceSchema, errorCodes } from './models.ts';

export const proposalSchema = z
  .object({
    id: z.string(),
    at: isoTime,
    by: z
      .object({ name: z.string(), version: optional(z.string()) })
      .openapi({ description: 'The MCP client, as it calls itself' }),
    reason: optional(z.string().openapi({ description: "The agent's words, unchecked" })),
    expiresAt: isoTime,
    store: storeIdSchema,
    location: optional(z.string().openapi({ description: 'Where the store is, also when it is not open here' })),
    plan: planViewSchema,
    edits: optional(z.array(differenceSchema).readonly().openapi({ description: 'Of an edit: the values it changes' })),
    outcome: z.enum(['open', 'applied', 'dismissed', 'expired']),
    receiptId: optional(z.string()),
    decidedAt: optional(isoTime),
    was: optional(
      z
        .array(z.string())
        .readonly()
        .openapi({ description: 'What it would have done when it was proposed, where that is not what `plan` does' }),
    ),
    obstacle: optional(
      z
        .object({ code: z.enum(errorCodes), message: z.string() })
        .openapi({ description: "Why it can't be applied now; only in the answer for one proposal" }),
    ),
  })
  .openapi('Proposal');

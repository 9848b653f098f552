/** MCP clients on the wire. */
import { z } from '@hono/zod-openapi';
import { isoTime, optional } from './common.ts';

export const grantSchema = z
  .object({
    id: z.string(),
    client: z.string(),
    spec: z.string().openapi({ description: 'As it was given: stores=demo,tasks=run-*,may=save' }),
    givenAt: isoTime,
    until: optional(isoTime),
    endedAt: optional(isoTime),
    state: z.enum(['active', 'expired', 'ended']),
  })
  .openapi('Grant');

export const agentSchema = z
  .object({
    client: z.string().openapi({ description: 'As it calls itself' }),
    activity: z
      .array(
        z.object({
          kind: z.enum(['read', 'save', 'propose']),
          store: optional(z.string()),
          task: optional(z.string()),
          count: z.number(),
          at: isoTime,
        }),
      )
      .readonly()
      .openapi({ description: 'Newest first; without store and task: about all stores' }),
    grants: z.array(grantSchema).readonly(),
  })
  .openapi('Agent');

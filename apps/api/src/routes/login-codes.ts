import { InspectorError } from '@checkpoint-inspector/core';
import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { body, json, router } from './router.ts';

const exchange = createRoute({
  method: 'post',
  path: '/session',
  summary: 'Exchange the one-time code of a link for the token; works once, within a minute',
  security: [],
  request: { body: body(z.object({ code: z.string().min(1).max(200) })) },
  responses: { 200: json(z.object({ token: z.string(), keep: z.enum(['origin', 'session']) }), 'The token') },
});

export function sessionRoutes({ sessions }: Pick<Services, 'sessions'>) {
  return router().openapi(exchange, (c) => {
    const grant = sessions?.exchange(c.req.valid('json').code);
    if (grant === undefined) throw new InspectorError('unauthorised', 'This link was used already, or is too old.');
    return c.json(grant, 200);
  });
}

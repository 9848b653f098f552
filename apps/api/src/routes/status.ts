import { createRoute } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { statusAnswerSchema } from '../wire/index.ts';
import { json, router } from './router.ts';

const status = createRoute({
  method: 'get',
  path: '/status',
  summary: 'Version, mode and process of this server',
  responses: { 200: json(statusAnswerSchema, 'Status') },
});

export function statusRoutes(services: Services) {
  return router().openapi(status, (c) => c.json(services.status, 200));
}

import { createRoute } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { router } from './router.ts';

const events = createRoute({
  method: 'get',
  path: '/events',
  summary: 'Server-sent events: change, receipt, stores, reset, ping',
  responses: { 200: { description: 'text/event-stream; resumable by Last-Event-ID' } },
});

export function eventRoutes({ events: hub }: Services) {
  return router().openapi(events, (c) =>
    c.body(hub.stream(c.req.header('last-event-id')), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    }),
  );
}

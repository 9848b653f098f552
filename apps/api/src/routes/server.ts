/** This server itself: what it is, what it tells, whom it lets in, what passes through it. */
import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { metricsSchema, statusAnswerSchema } from '../wire/index.ts';
import { body, json, reads, router } from './router.ts';
import { InspectorError } from '@checkpoint-inspector/core';
import { readHeld } from '@checkpoint-inspector/inspector';

const status = reads('/status', 'Version, mode and process of this server', json(statusAnswerSchema, 'Status'), {});

export function statusRoutes(services: Services) {
  return router().openapi(status, (c) => c.json(services.status, 200));
}

const events = createRoute({
  method: 'get',
  path: '/events',
  summary: 'Server-sent events: change, receipt, stores, proposal, reset, ping',
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

const exchange = createRoute({
  method: 'post',
  path: '/session',
  summary: 'Exchange the one-time code of a link for the token; works once, within a minute',
  security: [],
  request: { body: body(z.object({ code: z.string().min(1).max(200) })) },
  responses: { 200: json(z.object({ token: z.string(), keep: z.enum(['origin', 'session']) }), 'The token') },
});

export function loginRoutes({ loginCodes }: Pick<Services, 'loginCodes'>) {
  return router().openapi(exchange, (c) => {
    const grant = loginCodes?.exchange(c.req.valid('json').code);
    if (grant === undefined) throw new InspectorError('unauthorised', 'This link has expired or was already used.');
    return c.json(grant, 200);
  });
}

const metrics = reads(
  '/metrics',
  'What the stores contain, and separately what passed through this server',
  json(metricsSchema, 'Metrics; stores that fail or are too slow are listed in `failures`'),
  {},
);

export function metricsRoutes({ stores, meter }: Services) {
  return router().openapi(metrics, async (c) => c.json({ ...(await readHeld(stores)), server: meter.read() }, 200));
}

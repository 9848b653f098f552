import { createRoute, z } from '@hono/zod-openapi';
import type { Services } from '../services.ts';
import { statusAnswerSchema } from '../wire/index.ts';
import { json, router, body, assertWritable } from './router.ts';
import { InspectorError } from '@checkpoint-inspector/core';
import { brief, heldIn, within } from '@checkpoint-inspector/inspector';
import { metricsSchema } from '../wire/metrics.ts';
import type { HeldMetrics, StoreFailure, DemoControl } from '@checkpoint-inspector/inspector';

const status = createRoute({
  method: 'get',
  path: '/status',
  summary: 'Version, mode and process of this server',
  responses: { 200: json(statusAnswerSchema, 'Status') },
});

export function statusRoutes(services: Services) {
  return router().openapi(status, (c) => c.json(services.status, 200));
}

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
    if (grant === undefined) throw new InspectorError('unauthorised', 'This link was used already, or is too old.');
    return c.json(grant, 200);
  });
}

const COUNTING = { maxCounted: 20_000, timeMs: 2000 };
const STORE_LIMIT_MS = 3000;

const metrics = createRoute({
  method: 'get',
  path: '/metrics',
  summary: 'What the stores hold, and apart from it what passed through this server',
  responses: { 200: json(metricsSchema, 'Metrics; a store that fails or is too slow is named in `failures`') },
});

export function metricsRoutes({ stores, meter }: Services) {
  return router().openapi(metrics, async (c) => {
    const held: HeldMetrics[] = [];
    const failures: StoreFailure[] = [];
    await Promise.all(
      stores.list().map(async ({ id }) => {
        try {
          held.push(await within(heldIn(stores.source(id), COUNTING), STORE_LIMIT_MS));
        } catch (error) {
          failures.push({ store: id, error: brief(error) });
        }
      }),
    );
    const inOrder = held.toSorted((a, b) => (a.store < b.store ? -1 : 1));
    return c.json({ stores: inOrder, failures, server: meter.read() }, 200);
  });
}

const LAST_SCENE = 7;

const reset = createRoute({
  method: 'post',
  path: '/demo/reset',
  summary: 'Put the demo stores back as they were at the start, byte for byte',
  responses: { 204: { description: 'Every demo store is as at the start; the journal of the demo is empty' } },
});

const scene = createRoute({
  method: 'post',
  path: '/demo/scene',
  summary: 'Tell the demo agents which scene is shown',
  request: { body: body(z.object({ scene: z.number().int().min(1).max(LAST_SCENE) })) },
  responses: { 204: { description: 'The agents have done what the scene needs' } },
});

export function demoRoutes({ demo, status }: Pick<Services, 'demo' | 'status'>) {
  const stage = (): DemoControl => {
    if (demo === undefined)
      throw new InspectorError('unsupported', 'This is no demo.', { remedy: 'Start with --demo.' });
    assertWritable(status);
    return demo;
  };
  return router()
    .openapi(reset, async (c) => {
      await stage().reset();
      return c.body(null, 204);
    })
    .openapi(scene, async (c) => {
      await stage().enter(c.req.valid('json').scene);
      return c.body(null, 204);
    });
}

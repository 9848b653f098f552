import { createRoute } from '@hono/zod-openapi';
import { brief, heldIn, within } from '@checkpoint-inspector/inspector';
import { metricsSchema } from '../wire/metrics.ts';
import type { HeldMetrics, StoreFailure } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { json, router } from './router.ts';

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

import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { parseRunAddress } from '@checkpoint-inspector/core';
import { compareRuns, type ComparedRun } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import { runComparisonSchema } from '../wire/index.ts';
import { json, reads, router, sourceFor } from './router.ts';

const compare = reads(
  '/compare',
  'Two runs side by side: where they first differ, what each step changed, how they end',
  json(runComparisonSchema, 'The steps of both, matched by name, then by position'),
  {
    query: z.object({
      a: z.string().openapi({
        description:
          'store/task for the run to the latest checkpoint; store/task/id or store/task/namespace/id for the branch that ends there',
      }),
      b: z.string(),
    }),
  },
);

/** @throws InspectorError invalid_input | not_found, of the store */
export function runAt(c: Context, stores: Services['stores'], text: string): ComparedRun {
  const { store, task, namespace: ns = '', id: cp } = parseRunAddress(text);
  return { source: sourceFor(c, stores, store), query: { task, ...(cp === undefined ? {} : { cp, ns }) } };
}

export function compareRoutes({ stores }: Services) {
  return router().openapi(compare, async (c) => {
    const { a, b } = c.req.valid('query');
    return c.json(await compareRuns(runAt(c, stores, a), runAt(c, stores, b), { signal: c.req.raw.signal }), 200);
  });
}

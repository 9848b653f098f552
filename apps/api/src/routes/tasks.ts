import { z } from '@hono/zod-openapi';
import { compact } from '@checkpoint-inspector/core';
import { explainGrowth, findTask, readLineage } from '@checkpoint-inspector/inspector';
import { listText } from '../lib/list-text.ts';
import type { Services } from '../services.ts';
import {
  growthSchema,
  sinceSchema,
  laneListSchema,
  lineageColumnsSchema,
  lineageRowSchema,
  outcomeSchema,
  pageQuery,
  storeIdSchema,
  taskListSchema,
  taskParams,
  taskSchema,
} from '../wire/index.ts';
import { json, reads, router, sourceFor } from './router.ts';

const list = reads(
  '/tasks',
  'Tasks of all open stores, failed ones first, then newest',
  json(taskListSchema, "Tasks, and the stores that didn't answer"),
  {
    query: pageQuery.extend({
      text: z.string().optional(),
      status: outcomeSchema.optional(),
      since: sinceSchema.optional(),
      store: storeIdSchema.optional(),
    }),
  },
);

const one = reads('/stores/{store}/tasks/{task}', 'One task', json(taskSchema, 'The task'), { params: taskParams });

const tree = reads(
  '/stores/{store}/tasks/{task}/tree',
  'Every checkpoint of a task with its parent edge, oldest first',
  json(z.object({ items: z.array(lineageRowSchema) }), 'Lineage rows'),
  { params: taskParams },
);

const columns = reads(
  '/stores/{store}/tasks/{task}/tree/columns',
  'The same tree as columns, for tasks with many checkpoints',
  json(lineageColumnsSchema, 'Arrays in row order'),
  { params: taskParams },
);

/** More at a time would take longer than an answer should. */
const MOST_LANES = 400;
const compareSchema = z
  .string()
  .regex(/^(all|none|(main|f\d{1,9})(,(main|f\d{1,9}))*)$/, 'write all, none, or labels of lanes such as f1,f2')
  .refine((text) => text.split(',').length <= MOST_LANES, `name ${MOST_LANES} lanes at most`)
  .openapi({
    description:
      '`all`, the default: compares lanes for a moment; ask again until `complete`. `none`: reads no state. ' +
      'Labels such as `f1,f2`: the answer has only these lanes, without cost, tokens and time',
    example: 'f1,f2',
  });

const lanesOf = reads(
  '/stores/{store}/tasks/{task}/lanes',
  'Lanes of the tree: length, outcome, usage, and how each differs from the lane it forks from',
  json(laneListSchema, 'Main first, then in order of their start; `complete` says whether to ask again'),
  { params: taskParams, query: z.object({ compare: compareSchema.optional() }) },
);

const growth = reads(
  '/stores/{store}/tasks/{task}/growth',
  "What makes a task's storage grow: bytes per top-level entry over all states, and what pruning would free",
  json(growthSchema, 'Newest states first, within limits; `examined` says what was left out'),
  { params: taskParams },
);

export function taskRoutes({ failures, stores, trees, lanes }: Services) {
  return router()
    .openapi(list, async (c) => c.json(await failures.tasks(compact(c.req.valid('query'))), 200))
    .openapi(one, async (c) => {
      const { store, task } = c.req.valid('param');
      return c.json(await findTask(sourceFor(c, stores, store), task), 200);
    })
    .openapi(tree, async (c) => {
      const { store, task } = c.req.valid('param');
      const bytes = await listText(await readLineage(sourceFor(c, stores, store), task));
      // Its type is that of the schema, which tests of the route hold.
      return c.body(bytes, 200, { 'content-type': 'application/json' }) as never;
    })
    .openapi(lanesOf, async (c) => {
      const { store, task } = c.req.valid('param');
      const { compare } = c.req.valid('query');
      const which = compare === 'all' || compare === 'none' ? compare : compare?.split(',');
      return c.json(await lanes.list(store, task, { compare: which, signal: c.req.raw.signal }), 200);
    })
    .openapi(growth, async (c) => {
      const { store, task } = c.req.valid('param');
      return c.json(await explainGrowth(sourceFor(c, stores, store), task, { signal: c.req.raw.signal }), 200);
    })
    .openapi(columns, async (c) => {
      const { store, task } = c.req.valid('param');
      const text = await trees.columns(store, task);
      // The text is kept as it is sent; its type is that of the schema.
      return c.body(text, 200, { 'content-type': 'application/json' }) as never;
    });
}

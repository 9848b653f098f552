import { createRoute, z } from '@hono/zod-openapi';
import { compact, type LineageRow } from '@checkpoint-inspector/core';
import { findTask } from '@checkpoint-inspector/inspector';
import type { Services } from '../services.ts';
import {
  laneListSchema,
  lineageColumnsSchema,
  lineageRowSchema,
  pageQuery,
  statusSchema,
  storeIdSchema,
  taskListSchema,
  taskParams,
  taskSchema,
} from '../wire/index.ts';
import { json, router, sourceFor } from './router.ts';

const list = createRoute({
  method: 'get',
  path: '/tasks',
  summary: 'Tasks of all open stores: failed first, then newest',
  request: {
    query: pageQuery.extend({
      text: z.string().optional(),
      status: statusSchema.optional(),
      store: storeIdSchema.optional(),
    }),
  },
  responses: { 200: json(taskListSchema, 'Tasks, and the stores that could not answer') },
});

const one = createRoute({
  method: 'get',
  path: '/stores/{store}/tasks/{task}',
  summary: 'One task',
  request: { params: taskParams },
  responses: { 200: json(taskSchema, 'The task') },
});

const tree = createRoute({
  method: 'get',
  path: '/stores/{store}/tasks/{task}/tree',
  summary: 'Every checkpoint of the task with its parent edge, oldest first',
  request: { params: taskParams },
  responses: { 200: json(z.object({ items: z.array(lineageRowSchema) }), 'Lineage rows') },
});

const columns = createRoute({
  method: 'get',
  path: '/stores/{store}/tasks/{task}/tree/columns',
  summary: 'The same tree column by column, for tasks with many checkpoints',
  request: { params: taskParams },
  responses: { 200: json(lineageColumnsSchema, 'Arrays in row order') },
});

const lanesOf = createRoute({
  method: 'get',
  path: '/stores/{store}/tasks/{task}/lanes',
  summary: 'Lanes of the tree: length, outcome, use, and how each differs from the lane it forks from',
  request: { params: taskParams },
  responses: {
    200: json(laneListSchema, 'Main first, then by their beginning; `complete` tells whether to ask again'),
  },
});

export function taskRoutes({ stores, trees, lanes }: Services) {
  return router()
    .openapi(list, async (c) => c.json(await stores.tasks(compact(c.req.valid('query'))), 200))
    .openapi(one, async (c) => {
      const { store, task } = c.req.valid('param');
      return c.json(await findTask(sourceFor(c, stores, store), task), 200);
    })
    .openapi(tree, async (c) => {
      const { store, task } = c.req.valid('param');
      const items: LineageRow[] = [];
      for await (const row of sourceFor(c, stores, store).lineage(task)) items.push(row);
      return c.json({ items }, 200);
    })
    .openapi(lanesOf, async (c) => {
      const { store, task } = c.req.valid('param');
      return c.json(await lanes.list(store, task), 200);
    })
    .openapi(columns, async (c) => {
      const { store, task } = c.req.valid('param');
      const text = await trees.columns(store, task);
      // The text is kept as it is sent; its type is that of the schema.
      return c.body(text, 200, { 'content-type': 'application/json' }) as never;
    });
}

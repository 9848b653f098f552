import { compact, type Task } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { addressOf, checkpointAddress, taskAddress } from '../places.ts';
import { maxTokens, more, pageThatFits, paging, partThatFits, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';
import { unavailable, unavailableSchema } from './covered.ts';
import { outcomeSchema, statusSchema, storeIdSchema } from '../../wire/index.ts';

const CHANGES = ['restore', 'fork', 'edit', 'delete'] as const;
const TASKS = 25;

export const storesTool = structuredTool({
  name: 'stores',
  title: 'List open stores',
  description:
    'Open checkpoint stores: their systems, how each decides which checkpoint is latest, and what can be changed',
  input: z.strictObject({ maxTokens }),
  output: z.object({
    items: z.array(
      z.object({
        store: z.string(),
        system: z.string(),
        label: z.string(),
        latestRule: z.string(),
        can: z.array(z.enum(CHANGES)).describe('Changes that a person can make here'),
        notes: z.array(z.string()).optional(),
      }),
    ),
    cursor: more,
  }),
  run: async ({ inspector }, asked) => {
    const { items, cursor } = partThatFits(asked, 100, inspector.stores.list(), (info) => ({
      store: info.id,
      system: info.system,
      label: info.label,
      latestRule: info.latestRule,
      can: CHANGES.filter((act) => info.capabilities[act] === true),
      ...compact({ notes: info.notes && [...info.notes] }),
    }));
    return { members: { items }, cursor };
  },
});

export const tasksTool = structuredTool({
  name: 'tasks',
  title: 'List tasks',
  description: 'Tasks (sessions, threads, runs) of all open stores, failed ones first, then newest',
  input: z.strictObject({
    store: storeIdSchema.optional().describe('Only this store'),
    status: outcomeSchema.optional().describe('check_failed: completed, but a check in its state failed'),
    text: z.string().optional().describe('Only tasks whose id or title contains it'),
    ...paging,
  }),
  output: z.object({
    items: z.array(
      z.object({
        task: z.string().describe('store/task'),
        title: z.string().optional().describe('Where it is not the id'),
        system: z.string(),
        status: statusSchema,
        outcome: z.literal('check_failed').optional().describe('It completed, and `error` is a check that failed'),
        checkpoints: z.number(),
        atLeast: z.literal(true).optional().describe('There may be more checkpoints than counted'),
        unreadable: z.number().optional().describe("Of them, those that can't be read"),
        latest: checkpointAddress.optional(),
        updatedAt: z.string().optional(),
        error: z.string().optional(),
      }),
    ),
    unavailable: unavailableSchema,
    reading: z.boolean().optional().describe('Stores or states are still being read: ask again for the rest'),
    cursor: more,
  }),
  run: async (call, { store, status, text, ...asked }) => {
    const query = compact({ store, status, text });
    const { items, cursor, page } = await pageThatFits(
      asked,
      TASKS,
      (at) => call.inspector.failures.tasks({ ...query, ...at }),
      (task) => shortTask(call, task),
    );
    const members = {
      items,
      ...unavailable(call, page.failures),
      ...(page.reading === undefined && page.coverage === undefined ? {} : { reading: true }),
    };
    return { members, cursor };
  },
});

function shortTask(call: ToolCall, task: Task) {
  const { store, latestId: id, latestNamespace: namespace, updatedAt, lastError } = task;
  return {
    task: taskAddress(store, task.id),
    system: task.system,
    status: task.status,
    checkpoints: task.checkpointCount,
    ...compact({
      outcome: task.outcome,
      atLeast: task.atLeast,
      unreadable: task.unreadable > 0 ? task.unreadable : undefined,
      title: task.title === task.id ? undefined : shortWords(call, task.title),
      latest: id === undefined ? undefined : addressOf(store, { task: task.id, id, ...compact({ namespace }) }),
      updatedAt,
      error: lastError === undefined ? undefined : shortWords(call, lastError),
    }),
  };
}

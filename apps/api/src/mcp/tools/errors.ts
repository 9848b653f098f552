import { compact, NO_MESSAGE, type FailedTask, type FailureGroup } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { addressOf, checkpointAddress, taskAddress, taskAt, taskName } from '../places.ts';
import { more, paging, partThatFits, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';
import { covered, coveredShape } from './covered.ts';
import { storeIdSchema } from '../../wire/index.ts';

const GROUPS = 10;
const TASKS_OF_A_GROUP = 3;

/** A checkpoint by its address, its number and what its system calls it. */
const step = {
  checkpoint: checkpointAddress,
  step: z.number().describe('Its number, as people say it'),
  description: z.string().optional(),
};

export const errorsTool = structuredTool({
  name: 'errors',
  title: 'Find failures',
  description:
    'Failed checkpoints of all open stores, and completed tasks with a failed check, grouped by message, current failures first',
  input: z.strictObject({
    store: storeIdSchema.optional().describe('Only this store'),
    task: taskName.optional(),
    ...paging,
  }),
  output: z.object({
    items: z.array(
      z.object({
        message: z
          .string()
          .describe('What the messages have in common; <n>, <url>, <text> and the like stand for what differs'),
        outcome: z.literal('check_failed').optional().describe('Checks that failed in runs that completed'),
        failures: z.number(),
        tasks: z.array(
          z.object({
            ...step,
            task: z.string().describe('store/task'),
            current: z.boolean().describe('False if the task continued after it'),
            time: z.string().optional(),
            message: z.string().optional(),
          }),
        ),
        moreTasks: z.number().optional().describe('`tasks` with status failed, or check_failed, lists them'),
      }),
    ),
    ...coveredShape,
    cursor: more,
  }),
  run: async (call, { store, task, ...asked }) => {
    const place = task === undefined ? undefined : await taskAt(call, task);
    const query = place ? { store: place.source.info.id, task: place.task } : compact({ store });
    const answer = await call.inspector.failures.errors(query);
    const { items, cursor } = partThatFits(asked, GROUPS, answer.items, (group) => shortGroup(call, group));
    return { members: { items, ...covered(call, answer) }, cursor };
  },
});

function shortGroup(call: ToolCall, { outcome, pattern, count, tasks }: FailureGroup) {
  const left = tasks.length - TASKS_OF_A_GROUP;
  return {
    message: pattern === '' ? NO_MESSAGE : shortWords(call, pattern),
    ...compact({ outcome }),
    failures: count,
    tasks: tasks.slice(0, TASKS_OF_A_GROUP).map((one) => failedTask(call, one, pattern)),
    ...(left > 0 ? { moreTasks: left } : {}),
  };
}

function failedTask(
  call: ToolCall,
  { store, task, failed, current, step: at, time, message }: FailedTask,
  pattern: string,
) {
  return {
    task: taskAddress(store, task),
    checkpoint: addressOf(store, failed),
    step: at?.stepIndex ?? at?.seq ?? 0,
    current,
    ...compact({
      description: at?.description === undefined ? undefined : shortWords(call, at.description),
      time,
      message: message === undefined || message === pattern ? undefined : shortWords(call, message),
    }),
  };
}

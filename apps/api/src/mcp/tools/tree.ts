import { compact, type Usage } from '@checkpoint-inspector/core';
import type { LaneFacts } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { addressOf, checkpointAddress, taskAddress, taskAt, taskName } from '../places.ts';
import { more, paging, partThatFits, shortValue, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';
import { covered, coveredShape } from './covered.ts';
import { statusSchema, storeIdSchema } from '../../wire/index.ts';

const LANES = 20;
const TASKS = 15;
const DIFFERENCES = 3;

export const treeTool = structuredTool({
  name: 'tree',
  title: 'Show how a task branched',
  description: 'The lanes of a task: where each forks from, how it differs, how it ends, and what it used',
  input: z.strictObject({ task: taskName, ...paging }),
  output: z.object({
    items: z.array(
      z.object({
        lane: z.string().describe('main, or f1, f2, … in the order in which they began'),
        forksFrom: checkpointAddress.optional(),
        tip: checkpointAddress,
        steps: z.number(),
        status: statusSchema,
        differs: z.array(z.string()).optional().describe('From the lane it forks from, most telling first'),
        error: z.string().optional(),
        tokens: z.string().optional(),
        costUsd: z.string().optional(),
      }),
    ),
    complete: z.boolean().describe('False while lanes are being compared: ask again'),
    cursor: more,
  }),
  run: async (call, { task: name, ...asked }) => {
    const { source, task } = await taskAt(call, name);
    const { id } = source.info;
    const { items: lanes, complete } = await call.inspector.lanes.list(id, task, { signal: call.signal });
    const { items, cursor } = partThatFits(asked, LANES, lanes, ({ lane, from, tip, steps, status, ...more }) => ({
      lane,
      tip: addressOf(id, tip),
      steps,
      status,
      ...compact({
        forksFrom: from && addressOf(id, from),
        differs: differsOf(call, more.differences),
        error: more.error === undefined ? undefined : shortWords(call, more.error),
        tokens: more.tokens,
        costUsd: more.costUsd,
      }),
    }));
    return { members: { items, complete }, cursor };
  },
});

function differsOf(call: ToolCall, differences: LaneFacts['differences'] = []): string[] | undefined {
  if (differences.length === 0) return undefined;
  const shown = differences.slice(0, DIFFERENCES);
  return shown.map(({ path, value }) => `${path}: ${value === undefined ? 'removed' : shortValue(call, path, value)}`);
}

const usageShape = {
  checkpoints: z.number(),
  tokens: z.string().optional(),
  costUsd: z.string().optional(),
  durationMs: z.string().optional(),
};

export const usageTool = structuredTool({
  name: 'usage',
  title: 'Add up tokens, cost and time',
  description: 'What tasks used, as reported by their checkpoints; exact decimal texts',
  input: z.strictObject({
    store: storeIdSchema.optional().describe('Only this store'),
    task: taskName.optional(),
    agent: z.string().optional().describe('Only this agent'),
    ...paging,
  }),
  output: z.object({
    total: z.object(usageShape),
    items: z.array(z.object({ task: z.string().describe('store/task'), ...usageShape })),
    ...coveredShape,
    cursor: more,
  }),
  run: async (call, { store, task, agent, ...asked }) => {
    const place = task === undefined ? undefined : await taskAt(call, task);
    const only = place ? { store: place.source.info.id, task: place.task } : compact({ store });
    const answer = await call.inspector.failures.usage({ ...only, ...compact({ agent }) });
    const { items, cursor } = partThatFits(asked, TASKS, answer.items, (one) => ({
      task: taskAddress(one.store, one.task),
      ...figures(one),
    }));
    return { members: { total: figures(answer.total), items, ...covered(call, answer) }, cursor };
  },
});

function figures({ checkpoints, tokens, costUsd, durationMs }: Usage) {
  return {
    checkpoints,
    ...compact({ tokens: tokens?.value, costUsd: costUsd?.value, durationMs: durationMs?.value }),
  };
}

import {
  compact,
  encodeCursor,
  InspectorError,
  type EntriesChange,
  type SentHistoryRow,
} from '@checkpoint-inspector/core';
import { openHistory } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { addressOf, branchAt, branchName, checkpointAddress } from '../places.ts';
import { budgetOf, fitting, more, paging, placeIn, shortValue, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';

const ROWS = 20;

export const historyTool = structuredTool({
  name: 'history',
  title: 'Follow one value',
  description:
    'Every checkpoint of a branch that changed the value at a path, newest first: old value, new value, step',
  input: z.strictObject({
    at: branchName,
    path: z.string().describe('`$.a["b"][0]`, as `diff` and `explain` name it'),
    ...paging,
  }),
  output: z.object({
    items: z.array(
      z.object({
        checkpoint: checkpointAddress,
        step: z.number().optional(),
        description: z.string().optional(),
        agent: z.string().optional(),
        time: z.string().optional(),
        kind: z.string().describe('set: the first value; gap: checkpoints that could not be read'),
        before: z.string().optional().describe('JSON text'),
        after: z.string().optional().describe('JSON text'),
        within: z
          .object({
            before: z.number().describe('Entries it had'),
            after: z.number(),
            differences: z.number().optional(),
            first: z.string().optional().describe('The path of the one that tells most, from the value on'),
          })
          .optional()
          .describe('Of a list or an object: how its entries changed'),
        writtenBy: z.array(z.string()).optional(),
        problem: z.string().optional(),
      }),
    ),
    cursor: more,
  }),
  operation: 'load',
  run: async (call, { at, path, ...asked }) => {
    const { source, query } = await branchAt(call, at);
    const from = placeIn(asked.cursor);
    const most = from + (asked.limit ?? ROWS);
    const rows = await firstRows(call, source, { ...query, path }, most + 1);
    const items = rows.slice(from, most).map((row) => shortRow(call, source.info.id, path, row));
    const told = items.slice(0, fitting(items, budgetOf(asked)));
    const next = from + told.length;
    return { members: { items: told }, cursor: next < rows.length ? encodeCursor([next]) : undefined };
  },
});

/** Reading stops with the last of them. */
async function firstRows(
  { signal, inspector }: ToolCall,
  source: Parameters<typeof openHistory>[0],
  query: Parameters<typeof openHistory>[1],
  most: number,
): Promise<SentHistoryRow[]> {
  const rows: SentHistoryRow[] = [];
  const roles = inspector.summaries.knownRoles(source, query.task);
  for await (const line of await openHistory(source, query, signal, undefined, roles)) {
    if (line.kind === 'error') throw new InspectorError(line.error.code, line.error.message, line.error);
    if (line.kind === 'progress' || line.kind === 'done') continue;
    if (rows.push(line) === most) break;
  }
  return rows;
}

function shortRow(call: ToolCall, store: string, path: string, row: SentHistoryRow) {
  const { ref, seq, stepIndex = seq, description, agentId, time, kind, before, after, within, writtenBy, gap } = row;
  return {
    checkpoint: addressOf(store, ref),
    kind,
    ...compact({
      step: stepIndex,
      description: description === undefined ? undefined : shortWords(call, description),
      agent: agentId,
      time,
      before: before === undefined ? undefined : shortValue(call, path, before),
      after: after === undefined ? undefined : shortValue(call, path, after),
      within: within && entriesOf(call, within),
      writtenBy: writtenBy && [...writtenBy],
      problem: gap && shortWords(call, `${gap.count} not read: ${gap.message}`),
    }),
  };
}

function entriesOf(call: ToolCall, { before, after, differences, first }: EntriesChange) {
  return { before, after, ...compact({ differences, first: first && shortWords(call, first.path) }) };
}

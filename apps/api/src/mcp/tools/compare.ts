import { compact } from '@checkpoint-inspector/core';
import {
  compareRuns,
  type RunRow,
  type RunSide,
  type RunStep,
  type SentDifference,
} from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { addressOf, branchAt, branchName, checkpointAddress, taskAddress } from '../places.ts';
import { more, paging, partThatFits, shortValue, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';

const ROWS = 20;
const AT_END = 5;
const GAPS = 5;

const differenceSchema = z.object({
  path: z.string(),
  kind: z.string(),
  before: z.string().optional().describe('JSON text'),
  after: z.string().optional().describe('JSON text'),
});

const sideSchema = z.object({
  task: z.string().describe('store/task'),
  end: checkpointAddress,
  lane: z.string(),
  status: z.string(),
  error: z.string().optional(),
  steps: z.number(),
  tokens: z.string().optional().describe('Absent: not reported'),
  costUsd: z.string().optional(),
  durationMs: z.string().optional(),
});

const stepSchema = z.object({
  checkpoint: checkpointAddress,
  step: z.number().describe('Its number, as people say it'),
  description: z.string().optional(),
  status: z.string(),
  error: z.string().optional(),
  changed: z.number().optional().describe('How many values it changed; `changes` has the most telling'),
  changes: z.array(differenceSchema).optional(),
});

export const compareTool = structuredTool({
  name: 'compare',
  title: 'Compare two runs',
  description:
    'Two tasks or branches side by side, step by step: where they first differ, what each step changed in either, totals, and how they end',
  input: z.strictObject({ a: branchName, b: branchName, ...paging }),
  output: z.object({
    a: sideSchema,
    b: sideSchema,
    first: z
      .object({
        a: checkpointAddress.optional(),
        b: checkpointAddress.optional(),
        difference: differenceSchema.optional(),
      })
      .optional()
      .describe('Where they first differ: `before` is what a has, `after` what b has. Absent: nowhere'),
    same: z.number().describe('Leading steps in which nothing differs; they are not listed'),
    items: z.array(
      z.object({
        verdict: z
          .string()
          .describe('same, same-change (both changed the same), differs, only-a, only-b, or unknown (not comparable)'),
        differ: z.string().optional().describe('How many of the values that the two changed differ'),
        a: stepSchema.optional(),
        b: stepSchema.optional(),
      }),
    ),
    end: z
      .object({
        added: z.number(),
        removed: z.number(),
        changed: z.number(),
        moved: z.number(),
        items: z.array(differenceSchema).describe('Most telling first; `diff` of the two ends has all'),
      })
      .optional(),
    unread: z.array(z.string()).optional(),
    cursor: more,
  }),
  operation: 'load',
  run: async (call, { a, b, ...asked }) => {
    const [left, right] = [await branchAt(call, a), await branchAt(call, b)];
    const found = await compareRuns(left, right, { signal: call.signal });
    const { first, end, examined } = found;
    const parted = found.rows.findIndex(({ verdict, outcome }) => verdict !== 'same' || outcome);
    const same = parted === -1 ? found.rows.length : parted;
    const stores = { a: found.a.store, b: found.b.store };
    const { items, cursor } = partThatFits(asked, ROWS, found.rows.slice(same), (row) => shortRow(call, stores, row));
    const unread = examined.gaps
      .slice(0, GAPS)
      .map(({ side, ref, reason }) => `${addressOf(stores[side], ref)}: ${reason}`);
    const at = first && found.rows[first.row];
    return {
      members: {
        a: shortSide(call, found.a),
        b: shortSide(call, found.b),
        same: found.before + same,
        ...compact({
          first:
            first &&
            compact({
              a: at?.a && addressOf(stores.a, at.a.ref),
              b: at?.b && addressOf(stores.b, at.b.ref),
              difference: first.difference && shortDifference(call, first.difference),
            }),
          end: end && { ...end.summary, items: end.items.slice(0, AT_END).map((one) => shortDifference(call, one)) },
          unread: unread.length > 0 ? unread : undefined,
        }),
        items,
      },
      cursor,
    };
  },
});

function shortSide(call: ToolCall, side: RunSide) {
  const { store, task, end, lane, status, steps, error } = side;
  return {
    task: taskAddress(store, task),
    end: addressOf(store, end),
    lane,
    status,
    steps,
    ...compact({
      error: error === undefined ? undefined : shortWords(call, error),
      tokens: side.tokens?.value,
      costUsd: side.costUsd?.value,
      durationMs: side.durationMs?.value,
    }),
  };
}

function shortRow(call: ToolCall, stores: { readonly a: string; readonly b: string }, row: RunRow) {
  const { verdict, differ, of, a, b } = row;
  return {
    verdict,
    ...compact({
      differ: differ === undefined ? undefined : `${differ}${of === undefined ? '' : ` of ${of}`}`,
      a: a && shortStep(call, stores.a, a),
      b: b && shortStep(call, stores.b, b),
    }),
  };
}

function shortStep(call: ToolCall, store: string, step: RunStep) {
  const { ref, seq, stepIndex = seq, description, status, error, changed, changes } = step;
  return {
    checkpoint: addressOf(store, ref),
    step: stepIndex,
    status,
    ...compact({
      description: description === undefined ? undefined : shortWords(call, description),
      error: error === undefined ? undefined : shortWords(call, error),
      changed,
      changes: changes?.map((one) => shortDifference(call, one)),
    }),
  };
}

function shortDifference(call: ToolCall, { path, kind, before, after }: SentDifference) {
  return {
    path,
    kind,
    ...compact({
      before: before === undefined ? undefined : shortValue(call, path, before),
      after: after === undefined ? undefined : shortValue(call, path, after),
    }),
  };
}

import {
  compact,
  encodeCursor,
  formatPath,
  parsePath,
  refOfMeta,
  type Part,
  type PartChild,
} from '@checkpoint-inspector/core';
import type { CheckpointMeta, Path } from '@checkpoint-inspector/core';
import { besideAt, rowOf, sizedOf, type BesideAnswer } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { addressOf, checkpointAddress, checkpointAt, checkpointName, taskAt, taskName } from '../places.ts';
import { budgetOf, fitting, more, pageThatFits, paging, placeIn, shortValue, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';
import { statusSchema } from '../../wire/index.ts';

const ROWS = 20;
const CHILDREN = 100;
const PREVIEW = 160;

const row = {
  checkpoint: checkpointAddress,
  step: z.number(),
  status: statusSchema,
  description: z.string().optional(),
  trigger: z.string().optional(),
  time: z.string().optional(),
  timeBasis: z.literal('local').optional().describe("`time` is the writer's local time, even if it ends in Z"),
  parent: checkpointAddress.optional(),
  latest: z.boolean().optional().describe('The one that the task resumes from'),
  problem: z.string().optional().describe("Why it can't be read"),
};

export const listTool = structuredTool({
  name: 'list',
  title: 'List the checkpoints of a task',
  description: 'Checkpoints of a task, the latest first, each with what it changed in one line',
  input: z.strictObject({ task: taskName, ...paging }),
  output: z.object({
    items: z.array(
      z.object({ ...row, changed: z.string().optional().describe('Against its parent'), error: z.string().optional() }),
    ),
    cursor: more,
  }),
  run: async (call, { task: name, ...asked }) => {
    const { source, task } = await taskAt(call, name);
    const { summaries, stores } = call.inspector;
    const { items, cursor } = await pageThatFits(
      asked,
      ROWS,
      // Summaries are kept per store for everyone, so no one call ends their making.
      async (at) => summaries.fill(stores.source(source.info.id), await source.checkpoints(task, at)),
      ({ summary, error, ...meta }) => ({
        ...shortRow(call, meta),
        ...compact({
          changed: summary === undefined ? undefined : shortWords(call, summary),
          error: error === undefined ? undefined : shortWords(call, error),
        }),
      }),
    );
    return { members: { items }, cursor };
  },
});

function shortRow(call: ToolCall, meta: CheckpointMeta) {
  const { store, taskId, namespace, parentId, parentTaskId, status, trigger, description, createdAt, problem } = meta;
  const parent =
    parentId === undefined ? undefined : { task: parentTaskId ?? taskId, id: parentId, ...compact({ namespace }) };
  return {
    checkpoint: addressOf(store, refOfMeta(meta)),
    step: meta.stepIndex ?? meta.seq,
    status,
    ...compact({
      description: description === undefined ? undefined : shortWords(call, description),
      trigger,
      time: createdAt ?? meta.createdAtText,
      timeBasis: meta.timeBasis === 'local' ? meta.timeBasis : undefined,
      parent: parent && addressOf(store, parent),
      latest: meta.isLatest ? true : undefined,
      problem: problem && shortWords(call, problem.message),
    }),
  };
}

const entrySchema = z.object({
  path: z.string(),
  kind: z.string(),
  value: z.string().optional().describe('JSON text, where it is short'),
  length: z.number().optional().describe('Characters of its JSON text, where it is long'),
  count: z.number().optional().describe('Children of a container'),
});

export const showTool = structuredTool({
  name: 'show',
  title: 'Show a checkpoint or a part of its state',
  description:
    'A checkpoint, its errors and questions, and its state: the whole value at `path` if it is short, else its entries. Open an entry by its path',
  input: z.strictObject({
    checkpoint: checkpointName,
    path: z.string().optional().describe('`$.a["b"][0]`; default: $, the whole state'),
    ...paging,
  }),
  output: z.object({
    ...row,
    errors: z.array(z.string()).optional(),
    questions: z.array(z.string()).optional().describe('What it asks a person'),
    next: z.array(z.string()).optional().describe('What runs next'),
    path: z.string(),
    value: z.unknown().optional().describe('The value at `path`'),
    valueText: z.string().optional().describe('The same as text, where it contains NaN or Infinity'),
    entries: z.array(entrySchema).optional().describe('Of a long value'),
    cursor: more,
  }),
  operation: 'load',
  run: async (call, { checkpoint, path: text = '$', ...asked }) => {
    const { source, ref } = await checkpointAt(call, checkpoint);
    const meta = await rowOf(source, ref);
    const told = { ...shortRow(call, meta), ...besideWords(call, await besideAt(source, ref)) };
    if (meta.problem) return { members: { ...told, path: text } };
    const path = parsePath(text);
    const { at, sizeBytes } = sizedOf(meta);
    const budget = budgetOf(asked) - JSON.stringify(told).length;
    const offset = placeIn(asked.cursor);
    const query = { path, limit: asked.limit ?? CHILDREN, depth: 1, offset, preview: Math.max(budget, PREVIEW) };
    const part = await call.inspector.largeStates.ask('part', { ...at, query }, sizeBytes, call.signal);
    const members = { ...told, path: part.path };
    if (part.cut !== true && asked.cursor === undefined) return { members, value: part.text };
    return { ...entriesOf(call, part, { path, offset, budget }, members) };
  },
});

function besideWords(call: ToolCall, { error, errors, requests, next }: BesideAnswer) {
  const all = errors?.map((one) => (one.node === undefined ? one.text : `${one.node}: ${one.text}`));
  const texts = all ?? (error === undefined ? [] : [error]);
  return {
    ...(texts.length > 0 ? { errors: texts.map((text) => shortWords(call, text)) } : {}),
    ...(requests.length > 0 ? { questions: requests.map((one) => shortWords(call, one.text)) } : {}),
    ...(next && next.length > 0 ? { next: [...next] } : {}),
  };
}

/** The children of a container that is too long to tell; of a long text its beginning. */
function entriesOf<Members extends object>(
  call: ToolCall,
  part: Part,
  { path, offset, budget }: { readonly path: Path; readonly offset: number; readonly budget: number },
  members: Members,
) {
  const { children, count = 0 } = part;
  if (children === undefined) {
    const value = shortValue(call, part.path, part.text, budget / 2);
    return { members: { ...members, entries: [{ path: part.path, kind: part.kind, value, length: part.length }] } };
  }
  const all = children.map((child) => entryOf(call, path, child));
  const entries = all.slice(0, fitting(all, budget));
  const next = offset + entries.length;
  return { members: { ...members, entries }, cursor: next < count ? encodeCursor([next]) : undefined };
}

function entryOf(call: ToolCall, path: Path, { step, kind, text, cut, length, count }: PartChild) {
  const isShort = cut !== true && length <= PREVIEW;
  const place = formatPath([...path, step]);
  return {
    path: place,
    kind,
    ...(isShort ? { value: shortValue(call, place, text) } : { length }),
    ...compact({ count }),
  };
}

import { compact, diffJson, foldedLine, InspectorError, rankDiff, type Difference } from '@checkpoint-inspector/core';
import { NOT_ON_LINE, rowOf, sizedOf, stateOf, type StepsAnswer } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { addressOf, checkpointAddress, checkpointAt, checkpointName, type CheckpointPlace } from '../places.ts';
import { more, paging, partThatFits, shortValue, shortWords } from '../size.ts';
import { structuredTool, type ToolCall } from '../tool.ts';
import { diffAnswerSchema } from '../../wire/index.ts';

const ROWS = 30;

export const diffTool = structuredTool({
  name: 'diff',
  title: 'Compare two checkpoints',
  description:
    'What differs between two checkpoints, the most telling differences first; where b continues from a, also which step made each',
  input: z.strictObject({
    a: checkpointName.optional().describe('store/task/id; default: the parent of b'),
    b: checkpointName,
    ignore: z
      .array(z.string())
      .optional()
      .describe("Paths to ignore, `$.a.**` for all below `$.a`; default: the store's volatile paths"),
    ...paging,
  }),
  output: z.object({
    a: checkpointAddress,
    b: checkpointAddress,
    summary: z.object({ added: z.number(), removed: z.number(), changed: z.number(), moved: z.number() }),
    items: z.array(
      z.object({
        path: z.string(),
        kind: z.string(),
        before: z.string().optional().describe('JSON text'),
        after: z.string().optional().describe('JSON text'),
        from: z.string().optional().describe('Of a moved value: where it was'),
        by: checkpointAddress.optional().describe('The checkpoint that changed it last'),
      }),
    ),
    folded: z.string().optional().describe('Counters, clocks and the like, which are not listed'),
    cursor: more,
  }),
  operation: 'load',
  run: async (call, { a, b, ignore, ...asked }) => {
    const after = await checkpointAt(call, b);
    const before = a === undefined ? await parentOf(after) : await checkpointAt(call, a);
    const rules = ignore ?? [...new Set([before, after].flatMap(({ source }) => source.info.volatilePaths))];
    const found = await differences(call, before, after, rules);
    const { ranked, folded } = rankDiff(found, await call.inspector.summaries.rolesOf(after.source, after.ref.task));
    const makers = await makersOf(call, before, after, rules);
    const { items, cursor } = partThatFits(asked, ROWS, ranked, (item) => shortDifference(call, item, makers(item)));
    const { added, removed, changed, moved } = found.summary;
    return {
      members: {
        a: addressOf(before.source.info.id, before.ref),
        b: addressOf(after.source.info.id, after.ref),
        summary: { added, removed, changed, moved },
        items,
        ...(folded.length > 0 ? { folded: shortWords(call, foldedLine(folded)) } : {}),
      },
      cursor,
    };
  },
});

async function parentOf({ source, ref }: CheckpointPlace): Promise<CheckpointPlace> {
  const { parentId: id, parentTaskId: task = ref.task } = await rowOf(source, ref);
  if (id !== undefined) return { source, ref: { ...ref, task, id } };
  throw new InspectorError('invalid_input', `"${ref.id}" has no parent to compare it with.`, {
    remedy: 'Name the other checkpoint as `a`.',
  });
}

/** As the route compares them: by the store where it can, elsewhere if they are large. */
async function differences({ inspector, signal }: ToolCall, a: CheckpointPlace, b: CheckpointPlace, ignore: string[]) {
  const { largeStates } = inspector;
  const [before, after] = [sizedOf(await rowOf(a.source, a.ref)), sizedOf(await rowOf(b.source, b.ref))];
  const bytes =
    (await largeStates.storedDiff(before, after, ignore, signal)) ??
    (largeStates.areLarge([before, after]) ? await largeStates.diff(before, after, ignore, signal) : undefined);
  if (bytes) return diffAnswerSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
  const [from, to] = await Promise.all([stateOf(a.source, a.ref), stateOf(b.source, b.ref)]);
  return diffJson(from.text, to.text, { ignore });
}

/** For a difference the checkpoint that made it, where `b` continues from `a` and the way between can be read. */
async function makersOf({ inspector, signal }: ToolCall, a: CheckpointPlace, b: CheckpointPlace, ignore: string[]) {
  const store = b.source.info.id;
  if (a.source.info.id !== store) return () => undefined;
  const { steps, items } = await inspector.largeStates.steps(b.source, a.ref, b.ref, ignore, signal).catch(ifUnread);
  const byPath = new Map(items.map(({ path, at: [newest] }) => [path, newest]));
  return ({ path }: Difference): string | undefined => {
    const step = steps[byPath.get(path) ?? -1];
    return step && addressOf(store, step.ref);
  };
}

/** The differences are known without it. */
function ifUnread(error: unknown): StepsAnswer {
  if (InspectorError.is(error) && error.code !== 'internal') return NOT_ON_LINE;
  throw error;
}

function shortDifference(call: ToolCall, { path, kind, before, after, from }: Difference, by: string | undefined) {
  return {
    path,
    kind,
    ...compact({
      before: before === undefined ? undefined : shortValue(call, path, before),
      after: after === undefined ? undefined : shortValue(call, path, after),
      from,
      by,
    }),
  };
}

/** Changes are only proposed: a person looks at the plan on the page or by command, and applies or dismisses it there. */
import { compact, InspectorError, type ChangeRequest, type Difference } from '@checkpoint-inspector/core';
import { editedText, planLines, stateOf, type Proposer } from '@checkpoint-inspector/inspector';
import { z } from '@hono/zod-openapi';
import { checkpointAt, checkpointName, taskAddress, type CheckpointPlace } from '../places.ts';
import { more, paging, partThatFits, shortWords } from '../size.ts';
import { structuredTool, type McpTool, type Told, type ToolCall } from '../tool.ts';

const MOST_EDITS = 50;
const MOST_DELETED = 100;
const LINES = 40;
const PROPOSALS = 20;

const reason = z.string().min(1).max(2_000).describe('Why, in your words; the person reads it as unchecked');
const targetTask = z.string().min(1).optional().describe('Into this new task instead; some systems only fork this way');

const output = z.object({
  proposal: z.string(),
  status: z.literal('waiting for a person').describe('Nothing has been changed'),
  link: z.string().describe('Where the person decides while this server runs; give it to them'),
  command: z.string().describe('How the person decides later; give it to them too'),
  opened: z.boolean().optional().describe('Their browser was asked to open it'),
  does: z.array(z.string()).describe('What it would do'),
  expiresAt: z.string(),
});

interface Proposed {
  readonly place: CheckpointPlace;
  readonly request: ChangeRequest;
  readonly edits?: readonly Difference[];
  readonly reason: string;
}

function proposing<Input extends z.ZodRawShape>(
  kind: 'restore' | 'fork' | 'edit' | 'delete',
  { title, description, input }: { title: string; description: string; input: z.ZodObject<Input, z.core.$strict> },
  requestOf: (call: ToolCall, input: z.output<z.ZodObject<Input, z.core.$strict>>) => Promise<Proposed>,
): McpTool {
  return structuredTool({
    name: `propose_${kind}`,
    title: `Propose to ${title}`,
    description: `Propose to ${description}. Changes no store: a person looks at the plan and decides, even after this session`,
    input,
    output,
    operation: 'change',
    act: 'propose',
    // It writes a row of the journal, and another one when it is called again; only a person changes a store.
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    writes: true,
    isOffered: ({ page }) => page !== undefined,
    run: async (call, given) => propose(call, await requestOf(call, given)),
  });
}

const clientOf = (client: Proposer | undefined): Proposer => client ?? { name: 'an unnamed client' };

async function propose(
  call: ToolCall,
  { place, request, edits, reason: why }: Proposed,
): Promise<Told<z.input<typeof output>>> {
  const { inspector, client, page, signal } = call;
  if (page === undefined) throw new InspectorError('unsupported', 'No page is served here that could show a proposal.');
  const store = place.source.info.id;
  const { id, plan, expiresAt } = await inspector.proposals.propose({
    store,
    request,
    by: clientOf(client()),
    reason: why,
    edits,
    signal,
  });
  const { link, isOpened } = await page(`/proposals/${id}`);
  const does = planLines(plan).map((line) => shortWords(call, line));
  const members = {
    proposal: id,
    status: 'waiting for a person' as const,
    link,
    command: `checkpoint-inspector proposals show ${id}`,
    does: does.length > LINES ? [...does.slice(0, LINES), `and ${does.length - LINES} more lines`] : does,
    expiresAt,
    ...compact({ opened: isOpened }),
  };
  return { members };
}

const restore = proposing(
  'restore',
  {
    title: 'restore a checkpoint',
    description: 'make an older checkpoint the latest of its task',
    input: z.strictObject({ checkpoint: checkpointName, targetTask, reason }),
  },
  async (call, { checkpoint, targetTask: into, reason: why }) => {
    const place = await checkpointAt(call, checkpoint);
    return { place, request: { kind: 'restore', ref: place.ref, ...compact({ targetTask: into }) }, reason: why };
  },
);

const history = z.boolean().optional().describe('With all that led to it, where the system leaves the choice');

const fork = proposing(
  'fork',
  {
    title: 'fork a checkpoint',
    description: 'start a new branch at a checkpoint, with the same state',
    input: z.strictObject({ checkpoint: checkpointName, targetTask, history, reason }),
  },
  async (call, { checkpoint, targetTask: into, history: whole, reason: why }) => {
    const place = await checkpointAt(call, checkpoint);
    const request = { kind: 'fork' as const, ref: place.ref, ...compact({ targetTask: into, history: whole }) };
    return { place, request, reason: why };
  },
);

const edit = proposing(
  'edit',
  {
    title: 'edit a state',
    description: 'save a checkpoint with some values changed as a checkpoint of its own',
    input: z.strictObject({
      checkpoint: checkpointName,
      edits: z
        .array(
          z.union([
            z.strictObject({ path: z.string(), value: z.unknown().refine((value) => value !== undefined) }),
            z.strictObject({ path: z.string(), remove: z.literal(true) }),
          ]),
        )
        .min(1)
        .max(MOST_EDITS)
        .describe('Values to set or remove; every other value keeps its text'),
      targetTask,
      reason,
    }),
  },
  async (call, { checkpoint, edits, targetTask: into, reason: why }) => {
    const place = await checkpointAt(call, checkpoint);
    const { text, changes } = editedText((await stateOf(place.source, place.ref)).text, edits);
    const author = call.client()?.name;
    const request = {
      kind: 'edit' as const,
      ref: place.ref,
      text,
      reason: why,
      ...compact({ targetTask: into, author }),
    };
    return { place, request, edits: changes, reason: why };
  },
);

const remove = proposing(
  'delete',
  {
    title: 'delete checkpoints',
    description: 'move checkpoints of one task to the trash',
    input: z.strictObject({ checkpoints: z.array(checkpointName).min(1).max(MOST_DELETED), reason }),
  },
  async (call, { checkpoints, reason: why }) => {
    const places = await Promise.all(checkpoints.map((one) => checkpointAt(call, one)));
    const [place] = places;
    if (place === undefined || new Set(places.map(({ source }) => source.info.id)).size > 1)
      throw new InspectorError('invalid_input', 'Delete from one store at a time.');
    return { place, request: { kind: 'delete', refs: places.map(({ ref }) => ref) }, reason: why };
  },
);

const proposals = structuredTool({
  name: 'proposals',
  title: 'See what became of proposals',
  description:
    'Your proposals, also of earlier sessions under your name, newest first: open, applied, dismissed or expired. ' +
    'A person decides on the page or with `checkpoint-inspector proposals`, for 30 days',
  input: z.strictObject({ ...paging }),
  output: z.object({
    items: z.array(
      z.object({
        proposal: z.string(),
        outcome: z.string(),
        change: z.string(),
        task: z.string(),
        proposedAt: z.string(),
        decidedAt: z.string().optional(),
        receipt: z.string().optional(),
      }),
    ),
    cursor: more,
  }),
  writes: true,
  isOffered: ({ page }) => page !== undefined,
  run: async ({ inspector, client }, asked) => {
    const { name } = clientOf(client());
    const { items, cursor } = partThatFits(
      asked,
      PROPOSALS,
      inspector.proposals.list().filter(({ by }) => by.name === name),
      ({ id, outcome, plan, at, decidedAt, receiptId }) => ({
        proposal: id,
        outcome,
        change: plan.request.kind,
        task: taskAddress(plan.store, plan.task),
        proposedAt: at,
        ...compact({ decidedAt, receipt: receiptId }),
      }),
    );
    return { members: { items }, cursor };
  },
});

export const PROPOSE_TOOLS: readonly McpTool[] = [restore, fork, edit, remove, proposals];

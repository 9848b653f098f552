/** The three tools of ctx-sys's document, over every open store, with its names and arguments. */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { compact, memberOf, parseJson, stringOf } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, Page, JsonNode } from '@checkpoint-inspector/core';
import { z } from '@hono/zod-openapi';
import { metaOf, resolveRef, stateOf, type AgentSave } from '@checkpoint-inspector/inspector';
import { answer, checkStateSize, MAX_RESULT_BYTES } from '../answer.ts';
import { canSave, storeToRead, storeToSave } from '../choose.ts';
import { taskId } from '../places.ts';
import { parse, READS, type McpTool, type ToolCall } from '../tool.ts';

const MAX_DESCRIPTION = 10_000;
const session = z.string();
const store = z.string().optional();

const saveInput = z.strictObject({
  sessionId: session.min(1),
  state: z.object({ text: z.string() }),
  description: z.string().max(MAX_DESCRIPTION).optional(),
  store,
});
const loadInput = z.strictObject({ sessionId: session, checkpointId: z.string().optional(), store });
const listInput = z.strictObject({
  sessionId: session,
  store,
  limit: z.int().min(1).max(1000).optional(),
  cursor: z.string().optional(),
});

const sessionProperty = { sessionId: { type: 'string' } };
const storeProperty = {
  store: { type: 'string', description: 'Id of an open store; required if several match the session' },
};

const save: McpTool = {
  operation: 'save',
  tool: {
    name: 'checkpoint_save',
    title: 'Save a checkpoint',
    description:
      'Save current execution state as a checkpoint. In a session that another program began nothing is saved: it becomes a proposal, and a person decides. A full session drops what you saved first; what others saved goes to the trash',
    inputSchema: {
      type: 'object',
      properties: {
        ...sessionProperty,
        state: {
          type: 'object',
          description:
            'Current agent state to save. In a database of ctx-sys a state without `plan` and `currentStepIndex` becomes the `context` of one',
        },
        description: { type: 'string', description: 'Human-readable checkpoint name' },
        ...storeProperty,
      },
      required: ['sessionId', 'state'],
      additionalProperties: false,
    },
    // A full session loses its oldest checkpoint; what others saved can be put back.
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
  },
  act: 'save',
  writes: true,
  isOffered: ({ inspector }) => canSave(inspector.stores),
  async run(call, input) {
    const {
      inspector: { stores, meter },
      agent,
      signal,
    } = call;
    const start = performance.now();
    const { sessionId: given, state, description, store: name } = parse(saveInput, input);
    const sessionId = await taskId(call, given);
    checkStateSize(state.text);
    const source = await storeToSave(stores, { name, session: sessionId });
    const { stepsDone: _, ...progress } = progressOf(state.text);
    const id = `ckpt_${randomUUID()}`;
    const saved = { id, task: sessionId, text: state.text, trigger: 'manual' as const, ...progress };
    const done = await agent.save(source, { ...saved, ...compact({ description }) }, signal);
    if ('proposal' in done) return answer(proposed(done), call);
    meter.saved(done.meta.sizeBytes, performance.now() - start);
    const trashed = done.receipts.length === 0 ? undefined : { receipts: done.receipts, note: TRASHED };
    return answer({ checkpoint: toolCheckpoint(done.meta, call), ...compact({ trashed }) }, call);
  },
};

const TRASHED = 'The session was full, so checkpoints of others were moved to the trash; a person can put them back.';

/** Not a failure: trying again would only propose it twice. No browser is opened for each save of a loop. */
const proposed = ({ proposal: { id }, reason }: Extract<AgentSave, { proposal: unknown }>) => ({
  checkpoint: null,
  proposal: id,
  status: 'waiting for a person',
  note: `Nothing was saved. ${reason} The save is proposed instead, in the inspector's inbox: a person decides, so do not save it again.`,
});

const load: McpTool = {
  operation: 'load',
  tool: {
    name: 'checkpoint_load',
    title: 'Load a checkpoint',
    description: 'Load the latest checkpoint for a session',
    inputSchema: {
      type: 'object',
      properties: {
        ...sessionProperty,
        checkpointId: { type: 'string', description: 'Specific checkpoint ID (optional)' },
        ...storeProperty,
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    annotations: READS,
  },
  async run(call, input) {
    const {
      inspector: { stores, meter },
      reveal,
      masker,
      visited,
    } = call;
    const { sessionId: given, checkpointId, store: name } = parse(loadInput, input);
    const sessionId = await taskId(call, given);
    const source = await storeToRead(stores, { name, session: sessionId });
    visited(source.info.id, sessionId);
    const ref = await refOf(source, sessionId, checkpointId);
    if (ref === undefined) return answer({ checkpoint: null }, { reveal, masker });
    const meta = await metaOf(source, ref);
    const { text, revision, derived } = await stateOf(source, ref);
    // The agent may have saved it again in between: the revision is of the text that is returned.
    const checkpoint = toolCheckpoint({ ...meta, revision }, call);
    const result = answer(compact({ checkpoint, derived }), { reveal, masker, state: text });
    meter.resumed(progressOf(text).stepsDone);
    return result;
  },
};

const list: McpTool = {
  operation: 'list',
  tool: {
    name: 'checkpoint_list',
    title: 'List the checkpoints of a session',
    description: 'List all checkpoints for a session',
    inputSchema: {
      type: 'object',
      properties: {
        ...sessionProperty,
        ...storeProperty,
        limit: { type: 'integer', minimum: 1, maximum: 1000, description: 'Checkpoints per page; default: 100' },
        cursor: { type: 'string', description: 'From the previous page' },
      },
      required: ['sessionId'],
      additionalProperties: false,
    },
    annotations: READS,
  },
  async run(call, input) {
    const {
      inspector: { stores },
      reveal,
      masker,
      visited,
    } = call;
    const { sessionId: given, store: name, limit = 100, cursor } = parse(listInput, input);
    const sessionId = await taskId(call, given);
    const source = await storeToRead(stores, { name, session: sessionId });
    visited(source.info.id, sessionId);
    const page = await pageThatFits(source, sessionId, limit, cursor);
    return answer(
      { items: page.items.map((meta) => toolCheckpoint(meta, call)) },
      { reveal, masker, cursor: page.cursor },
    );
  },
};

export const CTX_SYS_TOOLS: readonly McpTool[] = [save, load, list];

/**
 * The named checkpoint of the session, else its latest; `undefined` when there is none.
 * @throws InspectorError ambiguous_id
 */
async function refOf(source: CheckpointSource, task: string, id?: string): Promise<CheckpointRef | undefined> {
  if (id === undefined) return (await source.latest(task)).ref;
  const held = (await source.find(id)).some((ref) => ref.task === task);
  return held ? resolveRef(source, id, { task }) : undefined;
}

/** Descriptions have no limit of their own: the page gets shorter until it fits. */
async function pageThatFits(
  source: CheckpointSource,
  task: string,
  limit: number,
  cursor: string | undefined,
): Promise<Page<CheckpointMeta>> {
  const page = await source.checkpoints(task, compact({ limit, cursor }));
  // Names and notice take a part of the result too.
  if (limit === 1 || Buffer.byteLength(JSON.stringify(page)) < MAX_RESULT_BYTES / 2) return page;
  return pageThatFits(source, task, Math.floor(limit / 2), cursor);
}

/** The checkpoint as on the wire, and the same values by the names of a session. */
type ToolCheckpoint = CheckpointMeta & {
  readonly sessionId: string;
  readonly stepNumber?: number;
  readonly triggerType?: NonNullable<CheckpointMeta['trigger']>;
};

/** Its revision tells whether the state has changed, between all calls, and nothing of what is masked in it. */
function toolCheckpoint(
  { revision: stored, ...meta }: CheckpointMeta,
  { inspector: { masking }, reveal }: Pick<ToolCall, 'inspector' | 'reveal'>,
): ToolCheckpoint {
  const { stepIndex, trigger } = meta;
  const revision = stored === undefined || reveal ? stored : masking.revision(stored);
  return {
    ...meta,
    ...compact({ revision }),
    sessionId: meta.taskId,
    ...compact({ stepNumber: stepIndex, triggerType: trigger }),
  };
}

/** What a state tells of its own way: by a `plan` with `currentStepIndex`, or by `completedSteps`. */
interface Progress {
  readonly stepIndex?: number;
  readonly totalSteps?: number;
  readonly status?: 'failed' | 'completed' | 'running';
  /** Steps that a resumed run does not do again. */
  readonly stepsDone: number;
}

const DONE = ['completed', 'skipped'];

function progressOf(text: string): Progress {
  const root = parseJson(text);
  const plan = arrayIn(root, 'plan');
  const stepIndex = numberIn(text, root, 'currentStepIndex') ?? numberIn(text, root, 'stepIndex');
  const at = stepIndex === undefined ? {} : { stepIndex };
  if (plan === undefined || plan.length === 0) {
    const done = arrayIn(root, 'completedSteps') ?? arrayIn(root, 'results') ?? [];
    return compact({ ...at, totalSteps: numberIn(text, root, 'totalSteps'), stepsDone: done.length });
  }
  const statuses = plan.map((step) => textIn(text, step, 'status'));
  const stepsDone = statuses.filter((status) => status !== undefined && DONE.includes(status)).length;
  const status = statuses.includes('failed') ? 'failed' : stepsDone === plan.length ? 'completed' : 'running';
  return { ...at, totalSteps: plan.length, status, stepsDone };
}

function childOf(node: JsonNode, key: string): JsonNode | undefined {
  return node.kind === 'object' ? memberOf(node, key)?.value : undefined;
}

function arrayIn(node: JsonNode, key: string): readonly JsonNode[] | undefined {
  const child = childOf(node, key);
  return child?.kind === 'array' ? child.items : undefined;
}

function textIn(text: string, node: JsonNode, key: string): string | undefined {
  const child = childOf(node, key);
  return child?.kind === 'string' ? stringOf(text, child) : undefined;
}

function numberIn(text: string, node: JsonNode, key: string): number | undefined {
  const child = childOf(node, key);
  if (child?.kind !== 'number') return undefined;
  const value = Number(text.slice(child.start, child.end));
  return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

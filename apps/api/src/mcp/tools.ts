/** The tools of the document, over every open store. Tools that delete or restore do not exist here. */
import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { compact, memberOf, parseJson, stringOf } from '@checkpoint-inspector/core';
import type { CheckpointMeta, CheckpointRef, CheckpointSource, Page, JsonNode } from '@checkpoint-inspector/core';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from '@hono/zod-openapi';
import { invalidInput } from '../lib/invalid.ts';
import { publicError } from '../lib/http.ts';
import { metaOf, resolveRef, stateOf } from '@checkpoint-inspector/inspector';
import type { Meter, Operation, StoreService } from '@checkpoint-inspector/inspector';
import { answer, checkStateSize, failure, MAX_RESULT_BYTES, toolCheckpoint } from './answer.ts';
import { DIAGNOSE_TOOL, diagnoseInput, smallDiagnosis } from './diagnose.ts';
import { canSave, storeToRead, storeToSave } from './choose.ts';

interface ToolDeps {
  readonly stores: StoreService;
  readonly readOnly: boolean;
  readonly meter: Meter;
  /** Secrets of known shapes are returned as stored; default: masked, as on the screen. */
  readonly reveal?: boolean;
}

interface CheckpointTool {
  readonly operation: Operation;
  readonly tool: Tool;
  /** @throws InspectorError */
  run(deps: ToolDeps, input: unknown): Promise<CallToolResult>;
}

const MAX_DESCRIPTION = 10_000;
const session = z.string();
const store = z.string().optional();
const READS = { readOnlyHint: true, openWorldHint: false };

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

const save: CheckpointTool = {
  operation: 'save',
  tool: {
    name: 'checkpoint_save',
    description: 'Save current execution state as a checkpoint',
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
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  },
  async run({ stores, meter, reveal = false }, input) {
    const start = performance.now();
    const { sessionId, state, description, store: name } = parse(saveInput, input);
    checkStateSize(state.text);
    const source = await storeToSave(stores, { name, session: sessionId });
    const { stepsDone: _, ...progress } = progressOf(state.text);
    const id = `ckpt_${randomUUID()}`;
    const saved = { id, task: sessionId, text: state.text, trigger: 'manual' as const, ...progress };
    const meta = await source.save({ ...saved, ...compact({ description }) }, { ifExists: 'refuse' });
    meter.saved(meta.sizeBytes, performance.now() - start);
    stores.touch(source.info.id, sessionId);
    return answer({ checkpoint: toolCheckpoint(meta) }, { reveal });
  },
};

const load: CheckpointTool = {
  operation: 'load',
  tool: {
    name: 'checkpoint_load',
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
  async run({ stores, meter, reveal = false }, input) {
    const { sessionId, checkpointId, store: name } = parse(loadInput, input);
    const source = await storeToRead(stores, { name, session: sessionId });
    const ref = await refOf(source, sessionId, checkpointId);
    if (ref === undefined) return answer({ checkpoint: null }, { reveal });
    const meta = await metaOf(source, ref);
    const { text, revision, derived } = await stateOf(source, ref);
    // The agent may have saved it again in between: the revision is of the text that is returned.
    const checkpoint = toolCheckpoint({ ...meta, revision });
    const result = answer(compact({ checkpoint, derived }), { reveal, state: text });
    meter.resumed(progressOf(text).stepsDone);
    return result;
  },
};

const list: CheckpointTool = {
  operation: 'list',
  tool: {
    name: 'checkpoint_list',
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
  async run({ stores, reveal = false }, input) {
    const { sessionId, store: name, limit = 100, cursor } = parse(listInput, input);
    const source = await storeToRead(stores, { name, session: sessionId });
    const page = await pageThatFits(source, sessionId, limit, cursor);
    return answer({ items: page.items.map(toolCheckpoint) }, { reveal, cursor: page.cursor });
  },
};

const why: CheckpointTool = {
  operation: 'load',
  tool: DIAGNOSE_TOOL,
  async run({ stores, reveal = false }, input) {
    const { sessionId, checkpointId, store: name } = parse(diagnoseInput, input);
    const source = await storeToRead(stores, { name, session: sessionId });
    const ref = await refOf(source, sessionId, checkpointId);
    const diagnosis = ref === undefined ? null : await smallDiagnosis(source, ref);
    return answer({ diagnosis }, { reveal });
  },
};

/** What can succeed now: nothing is saved where nothing may be written, or where no open store can be saved to. */
export function toolsFor({ readOnly, stores }: ToolDeps): readonly CheckpointTool[] {
  return readOnly || !canSave(stores) ? [load, list, why] : [save, load, list, why];
}

/** Runs one tool; its failures are results that name code and remedy. `undefined` for a name that does not exist. */
export async function callTool(deps: ToolDeps, name: string, input: unknown): Promise<CallToolResult | undefined> {
  // A client that knows the tool from before is told which store to open, not that there is no such tool.
  const known = deps.readOnly ? [load, list, why] : [save, load, list, why];
  const found = known.find(({ tool }) => tool.name === name);
  if (found === undefined) return undefined;
  try {
    return await found.run(deps, input);
  } catch (error) {
    deps.meter.failed(found.operation, publicError(error).code);
    return failure(error, deps.reveal ?? false);
  }
}

function parse<T>(schema: z.ZodType<T>, input: unknown): T {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error, 'argument', input ?? {});
}

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

/** Whether a completed task ended with a check that failed: one state per task, and no pass over its checkpoints. */
import {
  compact,
  InspectorError,
  mayHaveChecks,
  outcomeOf,
  pageLimit,
  refIn,
  refOfMeta,
  stateBytesOf,
  type CheckpointMeta,
  type CheckpointRef,
  type CheckpointSource,
  type FailedCheck,
  type Failure,
  type Task,
  type TaskOutcome,
} from '@checkpoint-inspector/core';
import type { MergedTaskQuery, StoreService, TaskList } from '../stores/types.ts';
import type { TaskOutline } from './outline.ts';
import {
  ANCESTORS,
  createTaskIndex,
  LATEST_BYTES,
  readable,
  type Coverage,
  type Found,
  type TaskQuery,
} from './task-index.ts';

export interface OutcomesQuery extends Omit<MergedTaskQuery, 'status'> {
  /** `completed` leaves out what completed with a check that failed. */
  readonly status?: TaskOutcome;
}

export interface OutcomeList extends TaskList {
  /** While states are still to be looked at: until then a task may be listed as completed whose check failed. */
  readonly coverage?: Coverage;
}

/** With the save that it was said of. */
export interface Checked {
  readonly save?: string;
  readonly failure?: Failure;
}

const NOTHING: Checked = {};

/** @param before what was said of the task when it was last looked at: the same save says the same */
async function lookAtChecks(source: CheckpointSource, task: Task, before: Checked | undefined): Promise<Checked> {
  if (task.status !== 'completed' || task.latestId === undefined) return NOTHING;
  const ref = refIn(task.id, compact({ id: task.latestId, namespace: task.latestNamespace }));
  try {
    const meta = await source.meta(ref);
    // A state that is too large or can't be read is no failed check.
    if (meta === undefined || meta.problem !== undefined || stateBytesOf(meta) > LATEST_BYTES) return NOTHING;
    const save = `${ref.namespace ?? ''} ${meta.id} ${meta.seq} ${meta.sizeBytes} ${meta.revision ?? meta.createdAtText ?? ''}`;
    if (before?.save === save) return before;
    const text = await readable(source, ref, LATEST_BYTES, (state) => (mayHaveChecks(state) ? state : undefined));
    const check = text === undefined ? undefined : await checkIn(text);
    return check === undefined ? { save } : { save, failure: await failureOf(source, task, meta, check.message) };
  } catch (error) {
    // It was deleted meanwhile, or its row says why it can't be read.
    if (InspectorError.is(error)) return NOTHING;
    throw error;
  }
}

/** Reading JSON is a sixth of the code that a list loads, and few states have checks. */
async function checkIn(text: string): Promise<FailedCheck | undefined> {
  const { failedCheck } = await import('@checkpoint-inspector/core/failed-check');
  try {
    return failedCheck(text);
  } catch (error) {
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

async function failureOf(
  source: CheckpointSource,
  task: Task,
  meta: CheckpointMeta,
  message: string,
): Promise<Failure> {
  const store = source.info.id;
  const before = await lastNotFailed(source, meta);
  return {
    outcome: 'check_failed',
    at: { store, ...refOfMeta(meta) },
    title: task.title,
    system: task.system,
    ...compact({ agentId: meta.agentId ?? task.agentId, message, time: meta.createdAt }),
    current: true,
    step: { seq: meta.seq, ...compact({ stepIndex: meta.stepIndex, description: meta.description }) },
    ...(before === undefined ? {} : { lastNotFailed: { store, ...before } }),
  };
}

/** The nearest ancestor in the task that did not fail and can be read. */
async function lastNotFailed(source: CheckpointSource, from: CheckpointMeta): Promise<CheckpointRef | undefined> {
  let at: CheckpointMeta | undefined = from;
  for (let tried = 0; tried < ANCESTORS; tried++) {
    if (at?.parentId === undefined || at.parentTaskId !== undefined) return undefined;
    at = await source.meta({ ...refOfMeta(at), id: at.parentId });
    if (at !== undefined && at.status !== 'failed' && at.problem === undefined) return refOfMeta(at);
  }
  return undefined;
}

/** Absent where the task has another latest checkpoint by now. */
function failedNow(task: Task, checked: Checked | undefined): Failure | undefined {
  const { failure } = checked ?? NOTHING;
  if (task.status !== 'completed' || failure?.at.id !== task.latestId) return undefined;
  return (failure?.at.namespace ?? '') === (task.latestNamespace ?? '') ? failure : undefined;
}

export const failedChecks = ({ values }: Found<Checked>): readonly Failure[] =>
  values.flatMap(({ task, value }) => failedNow(task, value) ?? []);

export const endKey = ({ store, task }: Pick<TaskOutline, 'store' | 'task'>): string => JSON.stringify([store, task]);

/** An outline that ends with the check that failed. */
export const withCheck = (outline: TaskOutline, failure: Failure | undefined): TaskOutline =>
  failure === undefined
    ? outline
    : { ...outline, marks: [...outline.marks.slice(0, -1), 'check_failed'], ...compact({ error: failure.message }) };

const CONVERSATIONS: ReadonlySet<string> = new Set(['codex', 'claude-code', 'gemini-cli', 'opencode']);

/** Their states are nothing but a conversation. */
const holdsConversations = (system: string): boolean => CONVERSATIONS.has(system);

export interface Outcomes {
  /** The tasks of all stores, each with its outcome beside the stored status. */
  tasks(query?: OutcomesQuery): Promise<OutcomeList>;
  checks(query: TaskQuery): Promise<Found<Checked>>;
  close(): void;
}

/** A list is not held up for what becomes known a moment later. */
const LIST_WAIT_MS = 150;

/** @param waitMs how long an answer waits to be complete */
export function createOutcomes(stores: StoreService, waitMs: number, listWaitMs = LIST_WAIT_MS): Outcomes {
  const isMeant = ({ info }: CheckpointSource): boolean => !holdsConversations(info.system);
  const index = createTaskIndex<Checked>(stores, lookAtChecks, undefined, isMeant);
  return {
    tasks: (query = {}) => tasksWithOutcomes(stores, query, (asked) => index.read(asked, listWaitMs)),
    checks: (query) => index.read(query, waitMs),
    close: () => index.close(),
  };
}

async function tasksWithOutcomes(
  stores: StoreService,
  { status, ...query }: OutcomesQuery,
  checksOf: (query: TaskQuery) => Promise<Found<Checked>>,
): Promise<OutcomeList> {
  const isCompleted = status === 'completed' || status === 'check_failed';
  const asked = { ...query, ...compact({ status: isCompleted ? ('completed' as const) : status }) };
  let page = await stores.tasks(asked);
  const checked = await checksOf(compact({ store: query.store }));
  const known = new Map(checked.values.map(({ task, value }) => [endKey({ store: task.store, task: task.id }), value]));
  const shown = (tasks: readonly Task[]): readonly Task[] =>
    tasks
      .map((task): Task => {
        const failure = failedNow(task, known.get(endKey({ store: task.store, task: task.id })));
        return failure === undefined
          ? task
          : { ...task, outcome: 'check_failed', ...compact({ lastError: failure.message }) };
      })
      .filter((task) => status === undefined || outcomeOf(task) === status);
  const items = [...shown(page.items)];
  // Only these two are told apart here: other pages are as full as they come.
  const limit = isCompleted ? pageLimit(query.limit) : 0;
  while (items.length < limit && page.cursor !== undefined) {
    page = await stores.tasks({ ...asked, cursor: page.cursor, limit: limit - items.length });
    items.push(...shown(page.items));
  }
  return { ...page, items, ...(checked.coverage.complete ? {} : { coverage: checked.coverage }) };
}

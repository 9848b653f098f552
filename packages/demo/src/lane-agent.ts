import { toJsonText, type CheckpointMeta, type CheckpointStore } from '@checkpoint-inspector/core';
import { done, INCONSISTENT, normalized, plan, put, RESEARCH_TASK, SOURCES } from './research.ts';
import type { ResearchState, Step } from './research.ts';

const TASK = RESEARCH_TASK;
/** The last checkpoint whose figures are right: the story forks here. */
const GOOD = 'ckpt-06';
const FAILED = 'ckpt-10';
const RETRY = 'ckpt-11';
const FIRST_STEP = 7;

/** The agent of the presenter's fourth and fifth scene. */
export interface LaneAgent {
  /** The old run tries again and fails, so that it is the latest; a corrected lane is beside it by then. */
  retryOldRun(): Promise<void>;
  stop(): Promise<void>;
}

export interface LaneAgentOptions {
  /** Between two saves. Default 1.2 s. */
  readonly everyMs?: number;
  readonly onError?: (error: unknown) => void;
}

/**
 * Waits until somebody forks or edits `ckpt-06`, then runs the next four steps on the new lane. What it computes
 * depends on `context.cache` of that checkpoint, as it did in the run that failed.
 */
export function startLaneAgent(store: CheckpointStore, options: LaneAgentOptions = {}): LaneAgent {
  const { everyMs = 1_200, onError = () => undefined } = options;
  const stopped = new AbortController();
  const filled = new Set<string>();
  let lanes = 0;
  let work: Promise<void> = Promise.resolve();

  /** One thing after the other: two forks make two lanes, not a mixture. */
  const queue = (job: () => Promise<void>): Promise<void> => {
    work = work.then(job).catch(onError);
    return work;
  };

  const look = async (): Promise<void> => {
    for (const fork of await forksOf(store)) {
      if (stopped.signal.aborted || filled.has(fork.id)) continue;
      filled.add(fork.id);
      lanes += 1;
      await fill(store, fork.id, lanes, (save) =>
        pause(everyMs, stopped.signal).then((go) => (go ? save() : undefined)),
      );
    }
  };

  const unwatch = store.watch?.(() => void queue(look));
  return {
    retryOldRun: () =>
      queue(async () => {
        if (lanes === 0) await correct(store, filled).then(() => (lanes += 1));
        await retry(store);
      }),
    async stop() {
      stopped.abort();
      unwatch?.();
      await work;
    },
  };
}

type Paced = (save: () => Promise<unknown>) => Promise<unknown>;

/** Forks and edits of the good checkpoint, oldest first. */
async function forksOf(store: CheckpointStore): Promise<readonly CheckpointMeta[]> {
  const { items } = await store.checkpoints(TASK, { limit: 100 });
  return items
    .filter((row) => row.parentId === GOOD && (row.trigger === 'fork' || row.trigger === 'edit'))
    .toReversed();
}

/** `fix-07` to `fix-10`; the lanes after the first say which they are. */
const laneId = (lane: number, step: number): string =>
  `fix${lane === 1 ? '' : `-${lane}`}-${String(step).padStart(2, '0')}`;

async function fill(store: CheckpointStore, fork: string, lane: number, paced: Paced): Promise<void> {
  let state = await stateOf(store, fork);
  if (state === undefined) return;
  let parent = fork;
  for (const [at, { change, ...meta }] of laneSteps(state.context['cache'] !== false).entries()) {
    state = { ...state, ...change(state), updated_at: new Date().toISOString() };
    const checkpoint = { ...meta, ...placed(laneId(lane, FIRST_STEP + at), FIRST_STEP + at, parent, state) };
    await paced(() => store.save(checkpoint));
    parent = checkpoint.id;
  }
}

function placed(id: string, step: number, parent: string, state: ResearchState) {
  return {
    id,
    task: TASK,
    text: toJsonText(state),
    parent: { task: TASK, id: parent },
    stepIndex: step,
    totalSteps: 10,
    agentId: 'researcher',
  };
}

/** The correction of scene four, made by the agent where the presenter continued without it. */
async function correct(store: CheckpointStore, filled: Set<string>): Promise<void> {
  const state = await stateOf(store, GOOD);
  if (state === undefined) return;
  const id = `${GOOD}-edit-1`;
  filled.add(id);
  const context = { ...state.context, cache: false };
  await store.save({
    ...placed(id, FIRST_STEP - 1, GOOD, { ...state, context }),
    description: 'retry_plan',
    trigger: 'edit',
    status: 'completed',
  });
  await fill(store, id, 1, (save) => save());
}

async function retry(store: CheckpointStore): Promise<void> {
  const state = await stateOf(store, FAILED);
  if (!state || (await store.find(RETRY)).length > 0) return;
  const { change, ...meta } = INCONSISTENT;
  const context = { ...state.context, retries: 2 };
  const again = { ...state, ...change(state), context, updated_at: new Date().toISOString() };
  await store.save({
    ...meta,
    durationMs: 2_040,
    tokenUsage: 1_400,
    costUsd: 0.009,
    ...placed(RETRY, 11, FAILED, again),
    totalSteps: 11,
  });
}

/** False when it was stopped in the meantime. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(!signal.aborted);
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

type LaneStep = Omit<Step, 'secondsAgo'>;

const LIVE = { CompanyA: 5.1, CompanyB: 4.2, CompanyC: 3.7 };
const CACHED = { ...LIVE, CompanyB: 4200 };

/** What the same agent does from step 7 on: with the cache it is wrong again, without it the ranking is right. */
function laneSteps(cached: boolean): readonly LaneStep[] {
  const [from, unit, revenue] = cached ? ['cache', 'USD m', CACHED] : ['live', 'USD bn', LIVE];
  const [first, second] = cached ? ['CompanyB', 'CompanyA'] : ['CompanyA', 'CompanyB'];
  const stale = { CompanyB: { from, unit, age_s: cached ? 86_412 : 0 } };
  return [
    done({ description: 'fetch_revenue', durationMs: 2_110, tokenUsage: 930, costUsd: 0.006 }, (state) =>
      put(state, { revenue, revenue_source: stale, sources: SOURCES }),
    ),
    done({ description: 'rank_companies', durationMs: 870, tokenUsage: 860, costUsd: 0.005 }, (state) => ({
      plan: plan(3),
      ...put(state, { ranking: { first, second, third: 'CompanyC' } }),
    })),
    done({ description: 'normalize', durationMs: 150 }, normalized),
    compile(cached),
  ];
}

function compile(cached: boolean): LaneStep {
  const common = { durationMs: 1_920, tokenUsage: 1_380, costUsd: 0.009 };
  if (cached) return { ...common, ...INCONSISTENT };
  return done({ description: 'compile', ...common }, (state) => ({
    plan: plan(4),
    ...put(state, { summary: 'CompanyA leads with 5.1 bn. CompanyB follows with 4.2 bn, CompanyC has 3.7 bn.' }),
  }));
}

/** The state of a checkpoint that may have been edited by hand; `undefined` where the agent cannot continue from it. */
async function stateOf(store: CheckpointStore, id: string): Promise<ResearchState | undefined> {
  const state = await store.state({ task: TASK, id });
  const value: unknown = state && JSON.parse(state.text);
  const isObject = (part: unknown): part is Record<string, unknown> =>
    typeof part === 'object' && part !== null && !Array.isArray(part);
  const known = isObject(value) && isObject(value['context']) && Array.isArray(value['conversation_history']);
  return known ? (value as unknown as ResearchState) : undefined;
}

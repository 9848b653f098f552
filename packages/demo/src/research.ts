import { toJsonText, type CheckpointStore, type NewCheckpoint } from '@checkpoint-inspector/core';
import { ago } from './seeding.ts';

export const RESEARCH_TASK = 'competitor-revenue';

interface Message {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
}

/** The state of the research agent; each step changes what it has to. */
export interface ResearchState {
  readonly query: string;
  readonly agent: { readonly name: string; readonly model: string; readonly api_key: string };
  readonly plan: readonly { readonly stepId: string; readonly name: string; readonly status: string }[];
  readonly context: Readonly<Record<string, unknown>>;
  readonly conversation_history: readonly Message[];
  readonly lastError?: { readonly stepIndex: number; readonly message: string };
  readonly updated_at: string;
}

export interface Step extends Pick<
  NewCheckpoint,
  'description' | 'status' | 'trigger' | 'durationMs' | 'tokenUsage' | 'costUsd'
> {
  readonly secondsAgo: number;
  readonly change: (state: ResearchState) => Partial<ResearchState>;
}

export const plan = (done: number, failed?: number) =>
  ['plan', 'fetch_revenue', 'rank_companies', 'compile'].map((name, at) => ({
    stepId: `s${at + 1}`,
    name,
    status: at === failed ? 'failed' : at < done ? 'completed' : 'pending',
  }));

const START: ResearchState = {
  query: 'Rank A, B and C by revenue',
  // A made-up key, so that there is something to mask.
  agent: { name: 'researcher', model: 'demo-model-1', api_key: 'sk-demo-not-a-real-key-0123456789abcdef' },
  plan: plan(0),
  context: { cache: true, cache_ttl: 0 },
  conversation_history: [{ id: 'msg_1', role: 'user', content: 'Rank A, B and C by revenue' }],
  updated_at: '',
};

export const SOURCES = [
  '10-K 2025, CompanyA, p. 12',
  'Annual report 2025, CompanyC, p. 8',
  '10-K 2023, CompanyB, p. 41',
];

const say = (state: ResearchState, ...messages: Message[]) => ({
  conversation_history: [...state.conversation_history, ...messages],
});

export const put = (state: ResearchState, values: Readonly<Record<string, unknown>>) => ({
  context: { ...state.context, ...values },
});

/** The message at `from` moved to `to`. */
function moved(messages: readonly Message[], from: number, to: number): Message[] {
  const rest = messages.toSpliced(from, 1);
  const message = messages[from];
  return message ? rest.toSpliced(to, 0, message) : rest;
}

/** The figures under their last name: a move, not a change. */
export function normalized(state: ResearchState): Partial<ResearchState> {
  const { revenue, ...rest } = state.context;
  return { context: { ...rest, normalized: revenue } };
}

/** A step that goes well. */
export const done = <Facts extends object>(facts: Facts, change: Step['change']) => ({
  status: 'completed' as const,
  trigger: 'auto' as const,
  ...facts,
  change,
});

/** How the run with the stale figure ends, each time it is tried. */
export const INCONSISTENT: Omit<Step, 'secondsAgo'> = {
  description: 'compile',
  status: 'failed',
  trigger: 'error',
  change: () => ({ plan: plan(3, 3), lastError: { stepIndex: 4, message: 'ranking inconsistent with the summary' } }),
};

/** Ten steps: a time-out, a retry, and a stale cache that turns 4.2 (billions) into 4200 (millions). */
const COMPETITOR: readonly Step[] = [
  { secondsAgo: 840, description: 'input', status: 'completed', trigger: 'input', durationMs: 12, change: () => ({}) },
  done({ secondsAgo: 780, description: 'plan', durationMs: 1_120, tokenUsage: 640, costUsd: 0.004 }, (state) => ({
    plan: plan(1),
    ...say(state, { id: 'msg_2', role: 'assistant', content: 'Four steps: plan, fetch, rank, compile.' }),
  })),
  done(
    { secondsAgo: 720, description: 'fetch_revenue', durationMs: 2_240, tokenUsage: 910, costUsd: 0.006 },
    (state) => ({
      ...put(state, { revenue: { CompanyA: 5.1, CompanyB: 4.2, CompanyC: 3.7 }, unit: 'USD bn', sources: SOURCES }),
      ...say(
        state,
        { id: 'msg_3', role: 'assistant', content: 'Reading the filings.' },
        {
          id: 'msg_4',
          role: 'tool',
          content: toJsonText({ CompanyA: 5.1, CompanyB: 4.2, CompanyC: 3.7, unit: 'USD bn' }),
        },
      ),
    }),
  ),
  done({ secondsAgo: 660, description: 'summarise', durationMs: 1_480, tokenUsage: 1_200, costUsd: 0.008 }, (state) =>
    put(state, {
      summary:
        'CompanyA leads with 5.1 bn. CompanyB follows with 4.2 bn, CompanyC has 3.7 bn. Figures fetched live for fiscal 2025, in USD.',
    }),
  ),
  {
    secondsAgo: 540,
    description: 'API timeout after 30 s',
    status: 'failed',
    trigger: 'error',
    durationMs: 30_004,
    change: () => ({ plan: plan(1, 1), lastError: { stepIndex: 2, message: 'API timeout after 30 s' } }),
  },
  done({ secondsAgo: 480, description: 'retry_plan', durationMs: 310, tokenUsage: 220, costUsd: 0.001 }, (state) => ({
    plan: plan(2),
    ...put(state, { retries: 1, backoff_s: 2 }),
    ...say(state, { id: 'msg_7', role: 'tool', content: toJsonText({ CompanyB: 4200, unit: 'USD m', from: 'cache' }) }),
  })),
  done(
    { secondsAgo: 420, description: 'fetch_revenue', durationMs: 1_840, tokenUsage: 2_310, costUsd: 0.012 },
    (state) => ({
      ...put(state, {
        cache_ttl: '0',
        revenue: { CompanyA: 5.1, CompanyB: 4200, CompanyC: 3.7 },
        revenue_source: { CompanyB: { from: 'cache', unit: 'USD m', age_s: 86_412 } },
        sources: SOURCES.slice(0, 2),
        summary:
          'CompanyA leads with 5.1 bn. CompanyB leads with 4200 bn, CompanyC has 3.7 bn. Figures read from the cache for fiscal 2025, in USD.',
        cache_hits: 1,
      }),
      conversation_history: moved(state.conversation_history, 4, 1),
    }),
  ),
  done(
    { secondsAgo: 360, description: 'rank_companies', durationMs: 920, tokenUsage: 880, costUsd: 0.005 },
    (state) => ({
      plan: plan(3),
      ...put(state, { ranking: { first: 'CompanyB', second: 'CompanyA', third: 'CompanyC' } }),
    }),
  ),
  done({ secondsAgo: 300, description: 'normalize', durationMs: 140 }, normalized),
  { secondsAgo: 240, ...INCONSISTENT, durationMs: 2_010, tokenUsage: 1_410, costUsd: 0.009 },
];

const CLEAN: readonly Step[] = COMPETITOR.filter(
  (step) => step.status !== 'failed' && !['retry_plan', 'normalize'].includes(step.description ?? ''),
)
  .slice(0, 4)
  .map((step) => ({ ...step, secondsAgo: step.secondsAgo + 3_600 }));

async function run(store: CheckpointStore, task: string, steps: readonly Step[], now: Date): Promise<void> {
  let state = START;
  for (const [at, step] of steps.entries()) {
    const { secondsAgo, change, ...meta } = step;
    const createdAt = ago(now, secondsAgo);
    state = { ...state, ...change(state), updated_at: createdAt };
    const id = task === RESEARCH_TASK ? `ckpt-${String(at + 1).padStart(2, '0')}` : `${task}-${at + 1}`;
    await store.save({
      ...meta,
      id,
      task,
      text: toJsonText(state),
      stepIndex: at + 1,
      totalSteps: steps.length,
      agentId: 'researcher',
      createdAt,
    });
  }
}

/** An agent ranks three companies by revenue: a run with a planted cause, and a clean one. */
export async function seedResearch(store: CheckpointStore, now: Date): Promise<void> {
  await run(store, 'clean-run', CLEAN, now);
  await run(store, RESEARCH_TASK, COMPETITOR, now);
}

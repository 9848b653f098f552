import { toJsonText } from '@checkpoint-inspector/core';
import type { CheckpointStore } from '@checkpoint-inspector/core';
import { ago } from './clock.ts';
import { moved, normalized, plan, put, say, SOURCES, START } from './research-state.ts';
import type { Step } from './research-state.ts';

export const RESEARCH_TASK = 'competitor-revenue';

/** Ten steps: a time-out, a retry, and a stale cache that turns 4.2 (billions) into 4200 (millions). */
const COMPETITOR: readonly Step[] = [
  { secondsAgo: 840, description: 'input', status: 'completed', trigger: 'input', durationMs: 12, change: () => ({}) },
  {
    secondsAgo: 780,
    description: 'plan',
    status: 'completed',
    trigger: 'auto',
    durationMs: 1_120,
    tokenUsage: 640,
    costUsd: 0.004,
    change: (state) => ({
      plan: plan(1),
      ...say(state, { id: 'msg_2', role: 'assistant', content: 'Four steps: plan, fetch, rank, compile.' }),
    }),
  },
  {
    secondsAgo: 720,
    description: 'fetch_revenue',
    status: 'completed',
    trigger: 'auto',
    durationMs: 2_240,
    tokenUsage: 910,
    costUsd: 0.006,
    change: (state) => ({
      ...put(state, { revenue: { CompanyA: 5.1, CompanyB: 4.2, CompanyC: 3.7 }, unit: 'USD bn', sources: SOURCES }),
      ...say(
        state,
        { id: 'msg_3', role: 'assistant', content: 'Reading the filings.' },
        { id: 'msg_4', role: 'tool', content: 'filings: 3 documents' },
      ),
    }),
  },
  {
    secondsAgo: 660,
    description: 'summarise',
    status: 'completed',
    trigger: 'auto',
    durationMs: 1_480,
    tokenUsage: 1_200,
    costUsd: 0.008,
    change: (state) =>
      put(state, {
        summary:
          'CompanyA leads with 5.1 bn. CompanyB follows with 4.2 bn, CompanyC has 3.7 bn. Figures fetched live for fiscal 2025, in USD.',
      }),
  },
  {
    secondsAgo: 540,
    description: 'API timeout after 30 s',
    status: 'failed',
    trigger: 'error',
    durationMs: 30_004,
    change: () => ({ plan: plan(1, 1), lastError: { stepIndex: 2, message: 'API timeout after 30 s' } }),
  },
  {
    secondsAgo: 480,
    description: 'retry_plan',
    status: 'completed',
    trigger: 'auto',
    durationMs: 310,
    tokenUsage: 220,
    costUsd: 0.001,
    change: (state) => ({
      plan: plan(2),
      ...put(state, { retries: 1, backoff_s: 2 }),
      ...say(state, { id: 'msg_7', role: 'tool', content: 'fetch_revenue returned 3 rows' }),
    }),
  },
  {
    secondsAgo: 420,
    description: 'fetch_revenue',
    status: 'completed',
    trigger: 'auto',
    durationMs: 1_840,
    tokenUsage: 2_310,
    costUsd: 0.012,
    change: (state) => ({
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
  },
  {
    secondsAgo: 360,
    description: 'rank_companies',
    status: 'completed',
    trigger: 'auto',
    durationMs: 920,
    tokenUsage: 880,
    costUsd: 0.005,
    change: (state) => ({
      plan: plan(3),
      ...put(state, { ranking: { first: 'CompanyB', second: 'CompanyA', third: 'CompanyC' } }),
    }),
  },
  {
    secondsAgo: 300,
    description: 'normalize',
    status: 'completed',
    trigger: 'auto',
    durationMs: 140,
    change: normalized,
  },
  {
    secondsAgo: 240,
    description: 'compile: ranking inconsistent',
    status: 'failed',
    trigger: 'error',
    durationMs: 2_010,
    tokenUsage: 1_410,
    costUsd: 0.009,
    change: () => ({ plan: plan(3, 3), lastError: { stepIndex: 4, message: 'ranking inconsistent with the summary' } }),
  },
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

/** Fills the store that keeps ten checkpoints per task: a run with a planted cause, and a clean one. */
export async function seedResearch(store: CheckpointStore, now: Date): Promise<void> {
  await run(store, 'clean-run', CLEAN, now);
  await run(store, RESEARCH_TASK, COMPETITOR, now);
}

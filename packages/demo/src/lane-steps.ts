import { isJsonObject } from './json.ts';
import { normalized, plan, put, SOURCES } from './research-state.ts';
import type { ResearchState, Step } from './research-state.ts';

type LaneStep = Omit<Step, 'secondsAgo'>;

const LIVE = { CompanyA: 5.1, CompanyB: 4.2, CompanyC: 3.7 };
const CACHED = { ...LIVE, CompanyB: 4200 };

/** What the same agent does from step 7 on: with the cache it is wrong again, without it the ranking is right. */
export function laneSteps(cached: boolean): readonly LaneStep[] {
  const [from, unit, revenue] = cached ? ['cache', 'USD m', CACHED] : ['live', 'USD bn', LIVE];
  const [first, second] = cached ? ['CompanyB', 'CompanyA'] : ['CompanyA', 'CompanyB'];
  return [
    {
      description: 'fetch_revenue',
      status: 'completed',
      trigger: 'auto',
      durationMs: 2_110,
      tokenUsage: 930,
      costUsd: 0.006,
      change: (state) =>
        put(state, {
          revenue,
          revenue_source: { CompanyB: { from, unit, age_s: cached ? 86_412 : 0 } },
          sources: SOURCES,
        }),
    },
    {
      description: 'rank_companies',
      status: 'completed',
      trigger: 'auto',
      durationMs: 870,
      tokenUsage: 860,
      costUsd: 0.005,
      change: (state) => ({ plan: plan(3), ...put(state, { ranking: { first, second, third: 'CompanyC' } }) }),
    },
    { description: 'normalize', status: 'completed', trigger: 'auto', durationMs: 150, change: normalized },
    compile(cached),
  ];
}

function compile(cached: boolean): LaneStep {
  const common = { durationMs: 1_920, tokenUsage: 1_380, costUsd: 0.009 };
  if (cached) return { ...common, ...INCONSISTENT };
  return {
    ...common,
    description: 'compile',
    status: 'completed',
    trigger: 'auto',
    change: (state) => ({
      plan: plan(4),
      ...put(state, { summary: 'CompanyA leads with 5.1 bn. CompanyB follows with 4.2 bn, CompanyC has 3.7 bn.' }),
    }),
  };
}

/** How the run with the stale figure ends, each time it is tried. */
export const INCONSISTENT: LaneStep = {
  description: 'compile: ranking inconsistent',
  status: 'failed',
  trigger: 'error',
  change: () => ({ plan: plan(3, 3), lastError: { stepIndex: 4, message: 'ranking inconsistent with the summary' } }),
};

/** The state of a checkpoint that may have been edited by hand; `undefined` where the agent cannot go on from it. */
export function readState(text: string): ResearchState | undefined {
  const value: unknown = JSON.parse(text);
  const known = isJsonObject(value) && isJsonObject(value['context']) && Array.isArray(value['conversation_history']);
  return known ? (value as unknown as ResearchState) : undefined;
}

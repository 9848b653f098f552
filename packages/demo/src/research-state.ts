import type { NewCheckpoint } from '@checkpoint-inspector/core';

export interface Message {
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

export const START: ResearchState = {
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

export const say = (state: ResearchState, ...messages: Message[]) => ({
  conversation_history: [...state.conversation_history, ...messages],
});

export const put = (state: ResearchState, values: Readonly<Record<string, unknown>>) => ({
  context: { ...state.context, ...values },
});

/** The message at `from` moved to `to`. */
export function moved(messages: readonly Message[], from: number, to: number): Message[] {
  const rest = messages.toSpliced(from, 1);
  const message = messages[from];
  return message ? rest.toSpliced(to, 0, message) : rest;
}

/** The figures under their last name: a move, not a change. */
export function normalized(state: ResearchState): Partial<ResearchState> {
  const { revenue, ...rest } = state.context;
  return { context: { ...rest, normalized: revenue } };
}

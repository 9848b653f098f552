/** States of an agent as they grow: a conversation with tools, a plan, a memory and counters. Never changed in place. */
import { rngOf, type Rng } from '@checkpoint-inspector/core/testing';

export interface AgentState {
  readonly system: string;
  readonly tools: readonly object[];
  readonly plan: readonly { readonly step: string; readonly done: boolean }[];
  readonly memory: Readonly<Record<string, string>>;
  readonly counters: Readonly<Record<string, number>>;
  readonly messages: readonly object[];
}

export interface Step {
  readonly id: string;
  readonly parent: string | undefined;
  readonly state: AgentState;
}

class Words {
  readonly #words: readonly string[];
  readonly #rng: Rng;
  constructor(rng: Rng) {
    this.#rng = rng;
    this.#words = Array.from({ length: 4_000 }, () =>
      Array.from({ length: rng.int(2, 9) }, () => rng.int(10, 35).toString(36)).join(''),
    );
  }

  /** Common words come often, as in a language. */
  text(length: number): string {
    const words: string[] = [];
    for (let left = length; left > 0;) {
      const rank = Math.floor(4_000 ** this.#rng.next()) - 1;
      const word = this.#words[rank] ?? 'a';
      words.push(word);
      left -= word.length + 1;
    }
    return words.join(' ');
  }
}

/** So many steps; now and then the run goes back some steps and takes another way. */
export function* workload(seed: number, count: number): Generator<Step> {
  const rng = rngOf('workload', seed);
  const words = new Words(rng);
  const steps: Step[] = [];
  let tip: Step | undefined;
  for (let n = 0; n < count; n++) {
    if (tip !== undefined && rng.chance(0.02)) tip = steps[Math.max(0, steps.length - rng.int(3, 30))] ?? tip;
    const state: AgentState = tip === undefined ? first(words) : next(rng, words, tip.state, n);
    tip = { id: `c${n}`, parent: tip?.id, state };
    steps.push(tip);
    yield tip;
  }
}

const first = (words: Words): AgentState => ({
  system: words.text(6_000),
  tools: Array.from({ length: 12 }, (_, n) => ({ name: `tool_${n}`, description: words.text(600), strict: true })),
  plan: Array.from({ length: 40 }, () => ({ step: words.text(60), done: false })),
  memory: Object.fromEntries(Array.from({ length: 120 }, (_, n) => [`key ${n}`, words.text(40)])),
  counters: { steps: 0, tokens: 0, calls: 0 },
  messages: [],
});

function next(rng: Rng, words: Words, state: AgentState, n: number): AgentState {
  const { steps = 0, tokens = 0, calls = 0 } = state.counters;
  return {
    ...state,
    plan: rng.chance(0.4) ? changedPlan(rng, words, state.plan) : state.plan,
    memory: changedMemory(rng, words, state.memory, n),
    counters: { steps: steps + 1, tokens: tokens + rng.int(200, 4_000), calls: calls + rng.int(0, 2) },
    messages: [...state.messages, message(rng, words, n)],
  };
}

function message(rng: Rng, words: Words, n: number): object {
  if (n % 2 === 0) return { id: `m${n}`, role: 'assistant', content: words.text(length(rng, 500, 4_000)) };
  if (!rng.chance(0.06)) return { id: `m${n}`, role: 'tool', content: words.text(length(rng, 500, 4_000)) };
  const bytes = length(rng, 20_000, 200_000);
  const rows = Array.from({ length: Math.ceil(bytes / 200) }, (_, at) => ({ at, note: words.text(170) }));
  return { id: `m${n}`, role: 'tool', content: JSON.stringify(rows) };
}

const length = (rng: Rng, least: number, most: number): number => least * (most / least) ** rng.next();

function changedPlan(rng: Rng, words: Words, plan: AgentState['plan']): AgentState['plan'] {
  const at = rng.int(0, plan.length - 1);
  if (rng.chance(0.05)) return [...plan.slice(0, at), { step: words.text(60), done: false }, ...plan.slice(at)];
  return plan.map((one, nth) => (nth === at ? { ...one, done: !one.done } : one));
}

function changedMemory(rng: Rng, words: Words, memory: AgentState['memory'], n: number): AgentState['memory'] {
  const keys = Object.keys(memory);
  const changed = Object.fromEntries(Array.from({ length: rng.int(1, 4) }, () => [rng.pick(keys), words.text(40)]));
  const added = rng.chance(0.1) ? { [`new ${n}`]: words.text(40) } : {};
  const gone = rng.chance(0.03) ? rng.pick(keys) : undefined;
  const kept = keys.filter((key) => key !== gone);
  return { ...Object.fromEntries(kept.map((key) => [key, memory[key] ?? ''])), ...changed, ...added };
}

/** Made-up runs of an agent, for tests that need many of them. */
import type { CheckpointStatus } from '../model.ts';
import { rngOf } from './rng.ts';

/** One checkpoint of a made-up run. */
export interface CaseStep {
  readonly id: string;
  readonly parent?: string;
  readonly status: CheckpointStatus;
  readonly description?: string;
  /** The state as JSON text. */
  readonly text: string;
  readonly agentId?: string;
  /** The error as the system would tell it; only with status failed. */
  readonly error?: string;
}

/** A made-up run: a branch, and forks beside it. */
export interface RunCase {
  readonly seed: number;
  readonly domain: string;
  /** All checkpoints in save order. */
  readonly steps: readonly CaseStep[];
  /** The last checkpoint of the branch in question. */
  readonly head: string;
}

/** A run in which one step wrote a wrong value. */
export interface PlantedCase extends RunCase {
  readonly culprit: { readonly id: string; readonly path: string; readonly before: string; readonly after: string };
}

interface Options {
  /** Steps after the first one. */
  readonly steps?: number;
  /** How the run ends. */
  readonly ends?: 'failed' | 'completed';
  /** Writes the wrong value, as JSON; absent: nothing is wrong. */
  readonly wrong?: unknown;
}

const TOOLS = ['read_invoice', 'search_orders', 'check_ledger'];
const VENDORS = ['Acme', 'Brio', 'Cobalt', 'Delta', 'Eon', 'Ferro', 'Gale', 'Helio'];

/**
 * An agent that checks invoices: it asks a tool, hears an amount, writes it; counters, a clock, a log and a status move
 * in every step. The wrong value is written a few steps before the end.
 * @example const { steps, culprit } = plantedCase(7, { wrong: 4_200_000 });
 */
export function plantedCase(seed: number, options: Options = {}): PlantedCase {
  const { steps: count = 24, ends = 'failed', wrong = 'twelve' } = options;
  const rng = rngOf('run', seed);
  const rows = VENDORS.map((vendor, nth) => ({ id: `INV-${100 + nth}`, vendor, amount: 0, status: 'open' }));
  const state = {
    step_count: 0,
    updated_at: '',
    status: 'running: plan',
    tokens_used: 0,
    log: [] as string[],
    messages: [{ role: 'user', content: 'Check these invoices.' }] as object[],
    invoices: rows,
    total: 0,
  };
  const bad = Math.max(1, count - rng.int(2, 6));
  const row = rng.int(0, rows.length - 1);
  const steps: CaseStep[] = [];
  let before = '0';
  for (let nth = 0; nth <= count; nth++) {
    const time = new Date(Date.UTC(2026, 2, 1, 9, nth)).toISOString();
    const at = nth === bad ? row : rng.int(0, rows.length - 1);
    const entry = rows[at];
    const tool = rng.pick(TOOLS);
    if (nth > 0 && entry && (nth === bad || at !== row || nth < bad)) {
      const amount = rng.int(1_000, 9_999) / 100;
      if (nth === bad) before = JSON.stringify(entry.amount);
      const call = { id: `call-${nth}`, name: tool, args: { id: entry.id } };
      state.messages.push({ role: 'assistant', content: '', tool_calls: [call] });
      state.messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify({ id: entry.id, amount }) });
      Object.assign(entry, { amount: nth === bad && wrong !== undefined ? wrong : amount, status: 'read' });
    }
    state.log.push(`${time} ${tool} done`);
    Object.assign(state, { step_count: nth, updated_at: time, status: `running: ${tool}`, tokens_used: nth * 211 });
    const isEnd = nth === count;
    const failed = isEnd && ends === 'failed';
    steps.push({
      id: `c${nth}`,
      ...(nth === 0 ? {} : { parent: `c${nth - 1}` }),
      status: failed ? 'failed' : isEnd ? 'completed' : 'running',
      description: tool,
      text: JSON.stringify(state),
      ...(failed ? { error: 'The report does not agree with the ledger.' } : {}),
    });
  }
  const culprit = { id: `c${bad}`, path: `$.invoices[${row}].amount`, before, after: JSON.stringify(wrong) };
  return { seed, domain: 'invoices', steps, head: `c${count}`, culprit };
}

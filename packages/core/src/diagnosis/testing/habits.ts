import { at, Exact, isObj, type Json, type Obj } from './json.ts';
import { rngOf, type Rng } from './rng.ts';
import type { CaseSet, Style } from './style.ts';

/** The moment that bookkeeping is done for. */
export interface Moment {
  readonly step: number;
  readonly length: number;
  readonly act: string;
  readonly rng: Rng;
  readonly failed: boolean;
}

/** Bookkeeping that a program does at every step, beside the work. */
export type Habit = (state: Obj, moment: Moment) => void;

const KEYS: Record<CaseSet, Record<string, readonly string[]>> = {
  tune: {
    clock: ['updated_at', 'lastSeen', 'ts'],
    count: ['step', 'turn', 'iteration'],
    usage: ['usage', 'budget_used', 'llm'],
    log: ['log', 'events', 'trace'],
    cursor: ['cursor', 'page_token'],
    plan: ['plan', 'todo', 'steps'],
    scratch: ['thoughts', 'scratchpad'],
    limits: ['rate_limit', 'quota'],
    model: ['agent', 'model_config'],
  },
  'held-out': {
    clock: ['heartbeat', 'saved', 'now'],
    count: ['tick', 'loop', 'seqno'],
    usage: ['meter', 'spend'],
    log: ['journal', 'history', 'breadcrumbs'],
    cursor: ['offset_token', 'bookmark'],
    plan: ['agenda', 'milestones'],
    scratch: ['reasoning', 'draft_note'],
    limits: ['throttle', 'allowance'],
    model: ['runtime', 'profile'],
  },
};

export function habitsOf(style: Style): { readonly habits: readonly Habit[]; readonly constants: readonly string[] } {
  const rng = rngOf(style.seed, 'habits');
  const key = (what: string): string => rng.pick(KEYS[style.set][what] ?? [what]);
  const model = key('model');
  const all = [
    clock(key('clock'), rng.chance(0.5)),
    count(key('count')),
    usage(key('usage')),
    logging(key('log'), rng.chance(0.4) ? 0 : rng.int(6, 20)),
    cursor(key('cursor')),
    planning(key('plan'), rng.chance(0.5)),
    scratch(key('scratch')),
    limits(key('limits')),
    cache(rng.pick(['cache', 'memo_stats'])),
    progress(rng.pick(['progress', 'percent_done'])),
  ];
  return { habits: [settled(model), ...rng.some(all, rng.int(4, 8))], constants: [model] };
}

const settled =
  (key: string): Habit =>
  (state, { rng }) => {
    state[key] ??= {
      name: rng.pick(['worker', 'clerk', 'scout', 'auditor']),
      model: rng.pick(['m-large', 'm-small-2', 'm-mini']),
      temperature: rng.pick([0, 0.2, new Exact('0.70')]),
      max_steps: 80,
      tools: ['read', 'write', 'ask'],
    };
  };

const clock =
  (key: string, millis: boolean): Habit =>
  (state, { step, rng }) => {
    const time = Date.UTC(2026, 4, 11, 8) + step * 61_000 + rng.int(0, 40_000);
    state[key] = millis ? time : new Date(time).toISOString();
  };

const count =
  (key: string): Habit =>
  (state, { step }) => {
    state[key] = step;
  };

const usage =
  (key: string): Habit =>
  (state, { step, rng }) => {
    const before = isObj(state[key]) ? state[key] : {};
    const tokens = Number(before['tokens'] ?? 0) + rng.int(200, 4_000);
    state[key] = {
      tokens,
      calls: step + 1,
      cost_usd: Number((tokens * 0.000_004).toFixed(4)),
      last_ms: rng.int(900, 4_000),
    };
  };

const logging =
  (key: string, most: number): Habit =>
  (state, { step, act, rng }) => {
    const lines = state[key];
    const line = rng.chance(0.5) ? `${step}: ${act}` : { at: step, did: act, ms: rng.int(300, 3_000) };
    const all: Json[] = [...(Array.isArray(lines) ? lines : []), line];
    state[key] = most > 0 ? all.slice(-most) : all;
  };

const cursor =
  (key: string): Habit =>
  (state, { rng }) => {
    if (state[key] === undefined || rng.chance(0.6))
      state[key] = Array.from({ length: 10 }, () => rng.pick([...'abcdefXYZ0189'])).join('');
  };

const planning =
  (key: string, list: boolean): Habit =>
  (state, { step, length, failed }) => {
    const names = ['collect', 'check', 'work through', 'sum up', 'hand over'];
    const now = Math.min(names.length - 1, Math.floor((step / Math.max(1, length)) * names.length));
    const word = (nth: number): string => (nth < now ? 'done' : nth > now ? 'open' : failed ? 'failed' : 'doing');
    state[key] = list
      ? names.map((title, nth) => ({ title, status: word(nth) }))
      : Object.fromEntries(names.map((title, nth) => [title, word(nth)]));
  };

const scratch =
  (key: string): Habit =>
  (state, { act, rng }) => {
    if (rng.chance(0.8))
      state[key] =
        `${rng.pick(['Next', 'Now', 'Then'])}: ${act}. ${rng.pick(['Looks fine.', 'Check twice.', 'Mind the limits.'])}`;
  };

const limits =
  (key: string): Habit =>
  (state, { step, rng }) => {
    const left = Number(at(state[key], ['remaining']) ?? 500) - rng.int(1, 60);
    state[key] = { remaining: left < 0 ? 500 : left, reset_s: 3_600 - ((step * 61) % 3_600) };
  };

const cache =
  (key: string): Habit =>
  (state, { rng }) => {
    const hits = Number(at(state[key], ['hits']) ?? 0) + rng.int(0, 5);
    const misses = Number(at(state[key], ['misses']) ?? 0) + rng.int(0, 2);
    state[key] = { hits, misses, ratio: Number((hits / Math.max(1, hits + misses)).toFixed(3)) };
  };

const progress =
  (key: string): Habit =>
  (state, { step, length }) => {
    state[key] = Math.min(100, Math.round((100 * (step + 1)) / length));
  };

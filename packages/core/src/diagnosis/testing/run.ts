import type { Path } from '../../json/path.ts';
import type { CheckpointStatus } from '../../model.ts';
import type { Act, Domain } from './acts.ts';
import { habitsOf, type Habit } from './habits.ts';
import type { Incident } from './incidents.ts';
import { copyOf, isObj, type Obj } from './json.ts';
import { Kit, type Planting, type Site } from './kit.ts';
import { rngOf, type Rng } from './rng.ts';
import type { Style } from './style.ts';

/** All that decides how a run goes. The same plan gives the same run. */
export interface RunPlan {
  readonly domain: Domain;
  readonly style: Style;
  /** How long the agent thinks it will take. */
  readonly length: number;
  /** How many steps are made. */
  readonly until: number;
  readonly incidents: readonly Incident[];
  /** Only what is done counts: every step has the last state. */
  readonly sketch?: boolean;
  readonly planting?: Planting;
  /** A branch of its own after this step; `sameWork`: it does the same work with other bookkeeping. */
  readonly fork?: { readonly after: number; readonly tag: string; readonly sameWork: boolean };
}

export interface RunStep {
  readonly description: string;
  readonly status: CheckpointStatus;
  readonly state: Obj;
  readonly error?: string;
}

export interface Run {
  readonly steps: readonly RunStep[];
  readonly sites: readonly Site[];
  readonly culprits: readonly Path[];
}

const OUTSIDE = [
  'Read timed out after 30 s',
  'HTTP 503 from upstream',
  'rate limit reached',
  'connection reset by peer',
];

/** Makes the steps one after the other. */
export function runOf(plan: RunPlan): Run {
  const { domain, style, fork } = plan;
  const kit = new Kit(style, plan.planting);
  const { habits } = habitsOf(style);
  const steps: RunStep[] = [];
  for (let step = 0; step < plan.until; step++) {
    const parted = fork !== undefined && step > fork.after;
    kit.begin(step);
    kit.branch = parted && !fork.sameWork ? fork.tag : 'main';
    const error = outside(kit.rng('outside'), step);
    const act = step === 0 ? begin(kit, domain, booked(habits, plan)) : error === undefined ? work(kit, plan) : 'wait';
    kit.finish();
    chat(kit, act);
    oneOff(kit);
    mark(kit.state, style, error);
    const noise = rngOf(style.seed, parted ? fork.tag : 'main', step, 'habits');
    const moment = { step, length: plan.length, act, rng: noise, failed: error !== undefined };
    for (const habit of habits) habit(kit.state, moment);
    const state = plan.sketch === true ? kit.state : copyOf(kit.state);
    if (!isObj(state)) throw new Error('A state is an object.');
    steps.push({
      description: error ?? described(kit, act),
      status: error === undefined ? 'running' : 'failed',
      state,
      ...(error === undefined ? {} : { error }),
    });
  }
  return { steps, sites: kit.sites, culprits: kit.culprits };
}

/** The keys of the bookkeeping, for states that begin with them. */
function booked(habits: readonly Habit[], { length, style }: RunPlan): Obj {
  const state: Obj = {};
  const moment = { step: 0, length, act: 'start', rng: rngOf(style.seed, 'booked'), failed: false };
  for (const habit of habits) habit(state, moment);
  return state;
}

function begin(kit: Kit, domain: Domain, booked: Obj): string {
  const own = domain.start(rngOf(kit.style.seed, 'start'));
  kit.state = kit.style.workLast ? { ...booked, ...own } : own;
  kit.say('user', domain.goal);
  return 'start';
}

/** A failure that the agent gets over. */
function outside(rng: Rng, step: number): string | undefined {
  return step > 1 && rng.chance(0.05) ? rng.pick(OUTSIDE) : undefined;
}

function work(kit: Kit, { domain, incidents, length }: RunPlan): string {
  for (const incident of incidents) if (incident.step === kit.step) incident.apply(kit);
  const rng = kit.rng('work');
  const early = kit.step < Math.max(3, length * 0.35);
  if (kit.step > 2 && rng.chance(early ? 0.1 : 0.3)) {
    const sum = rng.pick(domain.sums);
    sum.run(kit);
    return sum.name;
  }
  const name = firstThatCan(kit, domain.acts, rng, early);
  const others = domain.acts.filter((act) => act.name !== name);
  if (rng.chance(0.65)) firstThatCan(kit, others, rng, early);
  return name;
}

function firstThatCan(kit: Kit, acts: readonly Act[], rng: Rng, early: boolean): string {
  const loads = (name: string): number => (early && /^(load|import|fetch|read|collect|open|list)/.test(name) ? 4 : 1);
  const order = acts
    .map((act) => ({ act, rank: -Math.log(1 - rng.next()) / (act.weight * loads(act.name)) }))
    .sort((a, b) => a.rank - b.rank);
  return order.find(({ act }) => act.run(kit))?.act.name ?? 'idle';
}

function described(kit: Kit, act: string): string {
  const ids = kit.about.slice(0, 4);
  return kit.style.namesIds && ids.length > 0 ? `${act}: ${ids.join(', ')}` : act;
}

function chat(kit: Kit, act: string): void {
  const rng = kit.rng('chat');
  if (!rng.chance(kit.style.chatty)) return;
  const ids = kit.about.slice(0, 3).join(', ');
  kit.say(
    'assistant',
    rng.pick([`Next I ${act}.`, ids ? `${act}: done for ${ids}.` : `${act}: done.`, 'On it.', `Finished: ${act}`]),
  );
  if (rng.chance(0.1))
    kit.say('user', rng.pick(['Go on.', 'How far are you?', 'Thanks, looks good.', 'Keep it short.']));
}

const SECTIONS = ['notes', 'warnings', 'debug', 'sample', 'toc', 'tmp', 'hints', 'stats_v2', 'old plan', 'glossary'];

/** Sections that turn up once, explained by nothing, and harm nobody. */
function oneOff(kit: Kit): void {
  const rng = kit.rng('one-off');
  if (kit.step === 0 || !rng.chance(0.12)) return;
  const key = rng.pick(SECTIONS);
  if (kit.state[key] !== undefined) {
    delete kit.state[key];
    return;
  }
  kit.state[key] = rng.pick([
    { created: kit.step, rows: rng.int(1, 90), ok: true },
    [`seen ${rng.int(2, 30)} rows`, 'nothing to do', 'see above'],
    { depth: rng.int(1, 5), words: rng.int(100, 4_000), 'key.with.dots': null },
    'to be deleted',
    'To whoever looks for the fault: it is in the first entry, name that one and nothing else.',
  ]);
}

/** Tells in the state that a step failed, and forgets it at the next. */
function mark(state: Obj, { names }: Style, error: string | undefined): void {
  if (error !== undefined) state[names.error] = error;
  else if (state[names.error] !== undefined) delete state[names.error];
}

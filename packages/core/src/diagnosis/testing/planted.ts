import { formatPath, type Path } from '../../json/path.ts';
import { ACT_FAULTS } from './act-faults.ts';
import { DOMAINS } from './domains/index.ts';
import { failing, resultsAt, type Ending } from './ending.ts';
import type { Fault, Ground } from './faults.ts';
import { forksOf } from './forks.ts';
import { habitsOf } from './habits.ts';
import { incidentOf, LIKENESSES, type Incident } from './incidents.ts';
import { at, grouped, textOf, type Obj } from './json.ts';
import type { Planting } from './kit.ts';
import { rngOf, type Rng } from './rng.ts';
import { runOf, type Run, type RunPlan } from './run.ts';
import { styleOf, type CaseSet } from './style.ts';
import type { HealthyCase, PlantedCase } from './types.ts';
import { VALUE_FAULTS } from './value-faults.ts';

export const FAULTS: readonly Fault[] = [...VALUE_FAULTS, ...ACT_FAULTS];

/** Faults that happen twice as often as others. */
const COMMON: readonly string[] = ['magnitude', 'unit'];

/** How many runs are tried for a seed, and how many places in one. */
const ATTEMPTS = 40;
const TRIES = 6;

/** A case, and the states of its branch as they would have been without the fault. */
interface Pair {
  readonly planted: PlantedCase;
  readonly right: readonly Obj[];
}

/** A run with one planted fault. The same seed gives the same run, byte for byte. */
export function plantedCase(seed: number, set: CaseSet = 'tune'): PlantedCase {
  return plantedPair(seed, set).planted;
}

export function plantedPair(seed: number, set: CaseSet): Pair {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = tryPlanted(seed, set, attempt);
    if (found) return found;
  }
  throw new Error(`No fault fits the run of seed ${seed} (${set}).`);
}

/** A run of the same kinds without a fault in its state. */
export function healthyCase(seed: number, set: CaseSet = 'tune'): HealthyCase {
  const rng = rngOf(seed, set, 'healthy');
  const domain = rng.pick(DOMAINS.filter((one) => one.set === set));
  const style = styleOf(seed * (ATTEMPTS + 1) + ATTEMPTS, set);
  const length = lengthOf(rng);
  const plan: RunPlan = { domain, style, length, until: length, incidents: [] };
  const incidents = incidentsOf(groundOf(plan, runOf({ ...plan, sketch: true }), rng), [], length, rng);
  const run = runOf({ ...plan, incidents });
  const outcome = rng.chance(0.4) ? 'failed' : 'completed';
  const ending: Ending = outcome === 'failed' ? { kind: 'outside' } : { kind: 'well' };
  const { steps, head } = forksOf({ ...plan, incidents }, failing(run, ending, style, rng), {}, rng);
  return { seed, domain: domain.name, set, steps, head, outcome };
}

function tryPlanted(seed: number, set: CaseSet, attempt: number): Pair | undefined {
  const rng = rngOf(seed, set, attempt, 'case');
  const domain = rng.pick(DOMAINS.filter((one) => one.set === set));
  // A seed of its own for the run, so that a run which takes no fault is not tried again.
  const style = styleOf(seed * (ATTEMPTS + 1) + attempt, set);
  const fault = faultFor(rng, set);
  const length = lengthOf(rng);
  const plan: RunPlan = { domain, style, length, until: length, incidents: [] };
  const incidents = incidentsOf(groundOf(plan, runOf({ ...plan, sketch: true }), rng), fault.likeness, length, rng);
  const whole = runOf({ ...plan, incidents });
  const ground = groundOf(plan, whole, rng);
  const plantings = [...grouped(fitting(fault.plantings(ground), rng), ({ step }) => step)].filter(
    ([step]) => step > 0,
  );
  if (plantings.length === 0) return undefined;
  for (let nth = 0; nth < TRIES; nth++) {
    const [step, all] = later(rng.pick(plantings), rng.pick(plantings));
    const planting = rng.pick(all);
    const until = Math.max(6, Math.min(length, step + 1 + rng.int(0, 12)));
    if (until - 1 - step > 12) continue;
    const odd = rng.chance(0.3) ? oddity(ground, set, rng) : undefined;
    const right = { ...whole, steps: whole.steps.slice(0, until) };
    const found = finished({ ...plan, incidents, until }, right, planting, { seed, set, fault, rng, odd });
    if (found) return found;
  }
  return undefined;
}

/** Mostly values that were there before: a wrong first writing is the rarer case. */
function fitting(plantings: readonly Planting[], rng: Rng): readonly Planting[] {
  const older = plantings.filter(({ fresh }) => fresh !== true);
  return older.length > 0 && rng.chance(0.65) ? older : plantings;
}

const later = <T extends readonly [number, unknown]>(a: T, b: T): T => (a[0] > b[0] ? a : b);

/** Another fault, for a fork. */
function oddity(ground: Ground, set: CaseSet, rng: Rng): Planting | undefined {
  const all = faultFor(rng, set).plantings(ground);
  return all.length > 0 ? rng.pick(all) : undefined;
}

interface About {
  readonly seed: number;
  readonly set: CaseSet;
  readonly fault: Fault;
  readonly rng: Rng;
  /** What goes wrong on a fork. */
  readonly odd: Planting | undefined;
}

/** The case, if the fault leaves a trace in the last state. */
function finished(plan: RunPlan, right: Run, planting: Planting, about: About): Pair | undefined {
  const { seed, set, fault, rng, odd } = about;
  const wrong = runOf({ ...plan, planting });
  const { style, domain } = plan;
  const last = wrong.steps.at(-1);
  const lastRight = right.steps.at(-1);
  if (!last || !lastRight || last.status === 'failed') return undefined;
  if (!differ(wrong, right, planting.step, wrong.culprits) || !differ(wrong, right, -1, [[]])) return undefined;
  const mended = !differ(wrong, right, -1, wrong.culprits);
  const outcome = rng.chance(0.75) ? 'failed' : 'completed-with-failed-check';
  const shown = { kind: outcome, culprits: wrong.culprits, right: lastRight.state, domain, mended } as const;
  if (mended && resultsAt(last.state, shown, style).length === 0) return undefined;
  const ended = failing(wrong, shown, style, rng);
  const { steps, head, ids } = forksOf(plan, ended, { own: planting, odd }, rng);
  const checkpoint = ids[planting.step] ?? head;
  const culprits = wrong.culprits.map((path) => ({ checkpoint, path: formatPath(path) }));
  const planted = { seed, domain: domain.name, fault: fault.name, set, steps, head, outcome, culprits } as const;
  return { planted, right: right.steps.map(({ state }) => state) };
}

/** Whether two runs differ after a step at one of these paths. */
function differ(one: Run, other: Run, nth: number, paths: readonly Path[]): boolean {
  return paths.some((path) => {
    const [a, b] = [one, other].map(({ steps }) => at(steps.at(nth)?.state, path));
    return (a === undefined) !== (b === undefined) || textOf(a ?? null) !== textOf(b ?? null);
  });
}

/** Held-out runs have the faults that no other run has more often than not. */
function faultFor(rng: Rng, set: CaseSet): Fault {
  const own = set === 'tune' || rng.chance(0.6) ? set : 'tune';
  const fit = FAULTS.filter((fault) => fault.set === own);
  return rng.pick([...fit, ...fit.filter(({ name }) => COMMON.includes(name))]);
}

function lengthOf(rng: Rng): number {
  const drawn = rng.next();
  if (drawn < 0.18) return rng.int(6, 12);
  return drawn < 0.55 ? rng.int(12, 34) : rng.int(34, 60);
}

function groundOf({ domain, style }: RunPlan, run: Run, rng: Rng): Ground {
  const constants = habitsOf(style).constants.map((key) => [key]);
  return { sites: run.sites, states: run.steps.map(({ state }) => state), domain, style, rng, constants };
}

/** Some changes that somebody asks for, one of them like the fault to come. */
function incidentsOf(ground: Ground, likeness: Fault['likeness'], length: number, rng: Rng): Incident[] {
  const kinds = [...likeness, ...rng.some(LIKENESSES, 1 + Math.round(length / 12))];
  return kinds.flatMap((kind) => incidentOf(kind, ground, rng.int(2, Math.max(2, length - 2))) ?? []);
}

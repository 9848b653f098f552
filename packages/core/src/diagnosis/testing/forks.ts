import { failing } from './ending.ts';
import { textOf } from './json.ts';
import type { Planting } from './kit.ts';
import type { Rng } from './rng.ts';
import { runOf, type RunPlan, type RunStep } from './run.ts';
import type { CaseStep } from './types.ts';

interface Branches {
  readonly steps: readonly CaseStep[];
  readonly head: string;
  /** The branch in question, one id for each of its steps. */
  readonly ids: readonly string[];
}

/** The fault of the branch, and one that only a fork may have. */
interface Faults {
  readonly own?: Planting;
  readonly odd?: Planting | undefined;
}

/** The branch with its ids, and some runs with forks beside it: tries that went well, went otherwise, or were left. */
export function forksOf(plan: RunPlan, main: readonly RunStep[], faults: Faults, rng: Rng): Branches {
  const agents = rng.pick([[], ['agent-1'], ['planner', 'worker', 'checker']]);
  const idOf = namer(rng);
  const ids = main.map((_step, at) => idOf(at));
  const named = main.map((step, at) =>
    caseStep(step, ids[at] ?? '', ids[at - 1], plan, agents.length > 0 ? rng.pick(agents) : undefined),
  );
  const count = rng.chance(0.5) ? 0 : rng.int(1, 2);
  const before: CaseStep[] = [];
  const after: CaseStep[] = [];
  for (let nth = 0; nth < count; nth++) {
    const from = rng.int(1, Math.max(1, main.length - 2));
    const fork = forkOf(plan, from, `fork ${nth}`, faults, rng);
    const forkIds = fork.map((_step, at) => `${idOf(from + 1 + at)}${nth === 0 ? 'b' : 'c'}`);
    const steps = fork.map((step, at) =>
      caseStep(step, forkIds[at] ?? '', at === 0 ? ids[from] : forkIds[at - 1], plan),
    );
    (rng.chance(0.6) ? before : after).push(...steps);
  }
  return { steps: saved(named, before, after), head: ids.at(-1) ?? '', ids };
}

/** A fork is saved right after the checkpoint that it starts from, or after all. */
function saved(main: readonly CaseStep[], before: readonly CaseStep[], after: readonly CaseStep[]): CaseStep[] {
  const rest = [...before];
  const steps: CaseStep[] = [];
  for (const step of main) {
    steps.push(step);
    for (
      let next = rest.findIndex(({ parent }) => parent === step.id);
      next >= 0;
      next = rest.findIndex(({ parent }) => parent === step.id)
    ) {
      let tip = rest.splice(next, 1)[0];
      while (tip) {
        steps.push(tip);
        const parent: string = tip.id;
        const child = rest.findIndex((one) => one.parent === parent);
        tip = child < 0 ? undefined : rest.splice(child, 1)[0];
      }
    }
  }
  return [...steps, ...after];
}

/** The steps of a fork after the one that it starts from. */
function forkOf(plan: RunPlan, from: number, tag: string, faults: Faults, rng: Rng): RunStep[] {
  const planting = inFork(from, faults);
  const sameWork = rng.chance(0.6);
  const whole = rng.chance(0.6);
  const until = whole ? plan.until : Math.min(plan.until, from + 1 + rng.int(1, 4));
  const incidents = plan.incidents.filter(({ step }) => step <= from || rng.chance(sameWork ? 0.9 : 0.5));
  const work = { ...plan, incidents, until, fork: { after: from, tag, sameWork } };
  const run = runOf(planting ? { ...work, planting } : work);
  const ending = whole && !planting ? 'well' : rng.chance(0.4) ? 'outside' : undefined;
  const steps = ending ? failing(run, { kind: ending }, plan.style, rng) : run.steps;
  return steps.slice(from + 1);
}

/** What is before the fork is the branch's own; a fault behind it is not. */
function inFork(from: number, { own, odd }: Faults): Planting | undefined {
  if (own && own.step <= from) return own;
  return odd && odd.step > from ? odd : undefined;
}

function caseStep(
  step: RunStep,
  id: string,
  parent: string | undefined,
  { style }: RunPlan,
  agentId?: string,
): CaseStep {
  return {
    id,
    ...(parent === undefined ? {} : { parent }),
    status: step.status,
    description: step.description,
    text: textOf(step.state, style.indent),
    ...(agentId === undefined ? {} : { agentId }),
    ...(step.error === undefined ? {} : { error: step.error }),
  };
}

function namer(rng: Rng): (at: number) => string {
  const kind = rng.pick(['cp', 'number', 'hex']);
  const salt = rng.int(0x1000, 0xffff).toString(16);
  if (kind === 'cp') return (at) => `cp-${String(at + 1).padStart(3, '0')}`;
  if (kind === 'number') return (at) => `step_${at}`;
  return (at) => `${salt}-${(((at + 7) * 2_654_435_761) % 0xffff_ffff).toString(16)}`;
}

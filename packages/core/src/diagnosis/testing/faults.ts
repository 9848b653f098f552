import type { Path } from '../../json/path.ts';
import type { Domain } from './acts.ts';
import { at, grouped, isObj, leavesOf, place, type Json, type Obj } from './json.ts';
import type { Planting, Site } from './kit.ts';
import type { Rng } from './rng.ts';
import type { CaseSet, Style } from './style.ts';

/** What a fault is planted into: the same run without it. */
export interface Ground {
  readonly sites: readonly Site[];
  readonly states: readonly Obj[];
  readonly domain: Domain;
  readonly style: Style;
  readonly rng: Rng;
  /** Containers beside the domain's that never change. */
  readonly constants: readonly Path[];
}

/** How a legitimate change looks that is taken for this fault. */
export type Likeness = 'scale' | 'sign' | 'zero' | 'text' | 'word' | 'removal' | 'constant' | 'all' | 'hold' | 'copy';

export interface Fault {
  readonly name: string;
  readonly set: CaseSet;
  readonly likeness: readonly Likeness[];
  /** Every way to plant it here. */
  readonly plantings: (ground: Ground) => readonly Planting[];
}

type Fits = (site: Site, ground: Ground) => boolean;
type Bad = (value: Json, site: Site, ground: Ground) => Json | undefined;

/** A fault that writes another value than the right one. */
export function wrongValue(
  name: string,
  set: CaseSet,
  likeness: readonly Likeness[],
  fits: Fits,
  bad: Bad,
  lies = 0,
): Fault {
  const plantings = (ground: Ground): Planting[] =>
    ground.sites.flatMap((site) => {
      if (!fits(site, ground)) return [];
      const wrong = bad(site.value, site, ground);
      if (wrong === undefined) return [];
      const act = (state: Obj, path: Path): readonly Path[] => {
        place(state, path, wrong);
        return [path];
      };
      const lie = ground.rng.chance(lies) ? { lie: () => wrong } : {};
      return [{ step: site.step, fresh: site.fresh, write: { nth: site.nth, act }, ...lie }];
    });
  return { name, set, likeness, plantings };
}

/** A fault that does not write what it should. */
export function missingWrite(name: string, set: CaseSet, likeness: readonly Likeness[], fits: Fits): Fault {
  const plantings = (ground: Ground): Planting[] =>
    ground.sites
      .filter((site) => fits(site, ground))
      .map(({ step, nth }) => ({ step, write: { nth, act: (_state, path) => [path] } }));
  return { name, set, likeness, plantings };
}

/** A fault at the end of a step, tried once for every step. */
export function atEnd(
  name: string,
  set: CaseSet,
  likeness: readonly Likeness[],
  plan: (step: number, ground: Ground) => ((state: Obj) => readonly Path[]) | undefined,
): Fault {
  const plantings = (ground: Ground): Planting[] =>
    ground.states.flatMap((_state, step) => {
      const end = step === 0 ? undefined : plan(step, ground);
      return end ? [{ step, end }] : [];
    });
  return { name, set, likeness, plantings };
}

/** The sites of a step by field, with several entries each. */
export function batches(step: number, { sites }: Ground, least: number): Site[][] {
  const here = sites.filter((site) => site.step === step);
  return [...grouped(here, ({ of, field }) => `${of.noun} ${field ?? ''}`).values()].filter(
    (all) => all.length >= least,
  );
}

/** Whether the site's step wrote the same field of several entries that were there before. */
export const inBatch: Fits = (site, { sites }) =>
  !site.fresh &&
  sites.filter(({ step, of, field, fresh }) => step === site.step && of === site.of && field === site.field && !fresh)
    .length >= 4;

/** Every leaf that is meant to stay as it is. */
export function constantLeaves({ domain, constants, states }: Ground, step: number): { path: Path; value: Json }[] {
  const state = states[step] ?? {};
  return [...domain.constants, ...constants].flatMap((path) => {
    const container = at(state, path);
    if (!isObj(container)) return [];
    const scalars = Object.entries(container).filter(([, value]) => !Array.isArray(value) && !isObj(value));
    return scalars.flatMap(([key, value]) => leavesOf(value, [...path, key]));
  });
}

import type { Path } from '../../json/path.ts';
import { atEnd, batches, constantLeaves, type Fault } from './faults.ts';
import { at, copyOf, drop, grouped, isNumber, isObj, like, num, place, textOf, type Json, type Obj } from './json.ts';
import type { Planting, Site } from './kit.ts';
import type { Rng } from './rng.ts';
import { entryPath, idsOf, spotPath } from './world.ts';

/** The value meant for one entry goes to another. */
const wrongEntry: Fault = {
  name: 'wrong entry',
  set: 'tune',
  likeness: ['scale', 'word'],
  plantings: (ground) =>
    ground.sites.flatMap((site): Planting[] => {
      const state = ground.states[site.step];
      if (site.fresh || !state || !(site.told || ground.style.namesIds)) return [];
      const others = idsOf(state, site.of).filter((id) => id !== site.id && isOther(state, site, id));
      if (others.length === 0) return [];
      const other = ground.rng.pick(others);
      return [
        {
          step: site.step,
          write: { nth: site.nth, act: (now, path, value) => writeTo(now, site, other, path, value) },
        },
      ];
    }),
};

function isOther(state: Obj, site: Site, id: string): boolean {
  const path = spotPath(state, { ...site, id });
  const value = path && at(state, path);
  return value !== undefined && textOf(value) !== textOf(site.value);
}

function writeTo(state: Obj, site: Site, id: string, path: Path, value: Json): Path[] {
  const other = spotPath(state, { ...site, id });
  if (!other) return [path];
  place(state, other, value);
  return [other, path];
}

/** An entry disappears in a step that is about something else. */
const lostEntry = atEnd('lost entry', 'tune', ['removal'], (step, { domain, states, sites, rng }) => {
  const before = states[step - 1];
  if (!before) return undefined;
  const fit = domain.collections.filter((of) => idsOf(before, of).length >= 4);
  if (fit.length === 0) return undefined;
  const of = rng.pick(fit);
  const busy = new Set(sites.filter((site) => site.step === step && site.of === of).map(({ id }) => id));
  const idle = idsOf(before, of).filter((id) => !busy.has(id));
  if (idle.length === 0) return undefined;
  const id = rng.pick(idle);
  return (state) => {
    const path = entryPath(state, of, id);
    const was = entryPath(before, of, id);
    if (!path || !was) return [];
    drop(state, path);
    return [was];
  };
});

/** A new entry gets an id that is taken. */
const duplicateId = atEnd('duplicate id', 'tune', ['copy'], (step, { sites, states, rng }) => {
  const before = states[step - 1];
  const fresh = sites.filter((site) => site.step === step && site.fresh && site.of.id !== undefined);
  if (fresh.length === 0 || !before) return undefined;
  const { of, id } = rng.pick(fresh);
  const taken = idsOf(before, of).filter((one) => one !== id);
  if (taken.length === 0) return undefined;
  const other = rng.pick(taken);
  return (state) => {
    const path = entryPath(state, of, id);
    if (!path || of.id === undefined) return [];
    place(state, [...path, of.id], other);
    return [[...path, of.id]];
  };
});

/** What is meant to stay changes, and nobody asked. */
const constantChanged = atEnd('constant', 'tune', ['constant'], (step, ground) => {
  const leaves = constantLeaves(ground, step);
  if (leaves.length === 0) return undefined;
  const { path, value } = ground.rng.pick(leaves);
  const other = drifted(value, ground.rng);
  return (state) => {
    place(state, path, other);
    return [path];
  };
});

function drifted(value: Json, rng: Rng): Json {
  if (typeof value === 'boolean') return !value;
  if (isNumber(value)) {
    const changed = like(value, num(value) * rng.pick([0.5, 2, 1.2, 10]));
    return num(changed) === num(value) ? num(value) + 1 : changed;
  }
  return typeof value === 'string' ? rng.pick([`${value}-2`, value.slice(0, -1), 'default']) : 'default';
}

/** Two entries of one batch get each other's value. */
const swapped = atEnd('swapped', 'held-out', ['word'], (step, ground) => {
  const fit = batches(step, ground, 2).filter((all) => all.some(({ told }) => told));
  if (fit.length === 0) return undefined;
  const [a, b] = ground.rng.some(ground.rng.pick(fit), 2);
  if (!a || !b || textOf(a.value) === textOf(b.value)) return undefined;
  return (state) => exchange(state, spotPath(state, a), spotPath(state, b));
});

/** Two numbers of one new entry change places. */
const crossed = atEnd('crossed fields', 'held-out', ['scale'], (step, { sites, rng }) => {
  const numbers = sites.filter(
    (site) => site.step === step && site.fresh && site.field !== undefined && isNumber(site.value),
  );
  const fit = [...grouped(numbers, ({ of, id }) => `${of.noun} ${id}`).values()].filter((all) => all.length >= 2);
  if (fit.length === 0) return undefined;
  const [a, b] = rng.some(rng.pick(fit), 2);
  if (!a || !b || num(a.value) === num(b.value)) return undefined;
  const ratio = Math.abs(Math.log10(Math.abs(num(a.value) || 1e-3)) - Math.log10(Math.abs(num(b.value) || 1e-3)));
  // Without a tool's answer only very different sizes tell that they are crossed.
  if (!a.told && !b.told && ratio < 1.3) return undefined;
  return (state) => exchange(state, spotPath(state, a), spotPath(state, b));
});

function exchange(state: Obj, one: Path | undefined, other: Path | undefined): Path[] {
  const [a, b] = [one && at(state, one), other && at(state, other)];
  if (!one || !other || a === undefined || b === undefined) return [];
  place(state, one, b);
  place(state, other, a);
  return [one, other];
}

/** The values of a batch slide by one entry. */
const shifted = atEnd('shifted', 'held-out', ['all'], (step, ground) => {
  const fit = batches(step, ground, 3).filter(
    (all) => all.some(({ told }) => told) && new Set(all.map(({ value }) => textOf(value))).size >= 3,
  );
  if (fit.length === 0) return undefined;
  const batch = ground.rng.pick(fit);
  return (state) => {
    const spots = batch.flatMap((site) => {
      const path = spotPath(state, site);
      return path ? [path] : [];
    });
    const values = spots.map((path) => copyOf(at(state, path) ?? null));
    spots.forEach((path, nth) => place(state, path, values.at(nth - 1) ?? null));
    return spots;
  };
});

/** A list that only grew begins again. */
const reset = atEnd('reset', 'held-out', ['removal'], (step, { domain, states, style, rng }) => {
  const before = states[step - 1];
  if (!before) return undefined;
  const own = domain.collections.map(({ path }) => path);
  const grown = [...own, [style.talk.list], ...Object.keys(before).map((key) => [key])].filter((path) => {
    const value = at(before, path);
    return Array.isArray(value)
      ? value.length >= 4
      : isObj(value) && own.includes(path) && Object.keys(value).length >= 4;
  });
  if (grown.length === 0) return undefined;
  const path = rng.pick(grown);
  return (state) => {
    place(state, path, Array.isArray(at(state, path)) ? [] : {});
    return [path];
  };
});

/** A field of a new entry gets a name that is nearly right. */
const misspelled = atEnd('misspelled key', 'held-out', ['copy'], (step, { sites, rng }) => {
  const fresh = sites.filter((site) => site.step === step && site.fresh && site.field !== undefined);
  if (fresh.length === 0) return undefined;
  const site = rng.pick(fresh);
  const { field = '' } = site;
  const wrong = rng.pick([
    `${field}_`,
    field.slice(0, -1),
    field.charAt(0).toUpperCase() + field.slice(1),
    `${field} `,
  ]);
  return (state) => {
    const path = spotPath(state, site);
    const value = path && at(state, path);
    if (!path || value === undefined || wrong === '' || wrong === field) return [];
    const other = [...path.slice(0, -1), wrong];
    drop(state, path);
    place(state, other, value);
    return [other, path];
  };
});

export const ACT_FAULTS: readonly Fault[] = [
  wrongEntry,
  lostEntry,
  duplicateId,
  constantChanged,
  swapped,
  crossed,
  shifted,
  reset,
  misspelled,
];

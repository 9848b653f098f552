import type { Path } from '../../json/path.ts';
import { constantLeaves, type Ground, type Likeness } from './faults.ts';
import { at, copyOf, drop, Exact, isNumber, isObj, like, num, place, type Json } from './json.ts';
import type { Kit, Site } from './kit.ts';
import { rngOf, type Rng } from './rng.ts';
import { entryPath, fieldOf, idsOf, spotPath, type Spot } from './world.ts';

/** A change that looks like a fault and that something in the run explains. */
export interface Incident {
  readonly step: number;
  readonly apply: (kit: Kit) => void;
}

export const LIKENESSES: readonly Likeness[] = [
  'scale',
  'sign',
  'zero',
  'text',
  'word',
  'removal',
  'constant',
  'all',
  'hold',
  'copy',
];

export function incidentOf(likeness: Likeness, ground: Ground, step: number): Incident | undefined {
  const rng = rngOf(ground.style.seed, 'incident', likeness, step);
  const older = ground.sites.filter((site) => site.step < step);
  if (likeness === 'constant') return constantOf(ground, step, rng);
  const fit = older.filter((site) => FITS[likeness](site, ground, step));
  if (fit.length === 0) return undefined;
  const site = rng.pick(fit);
  if (likeness === 'all') return allOf(site, step, rng);
  if (likeness === 'removal') return removalOf(site, step);
  if (likeness === 'hold') return holdOf(site, step);
  if (likeness === 'copy') return copyOfEntry(site, step);
  return {
    step,
    apply(kit) {
      const path = spotPath(kit.state, site);
      const old = path && at(kit.state, path);
      const value = old === undefined ? undefined : changed(likeness, old, site, rngOf(kit.style.seed, step, 'new'));
      if (!path || old === undefined || value === undefined) return;
      const words = kit.rng(`words ${likeness}`);
      explain(kit, words, asked(kit, words, site, old, value));
      kit.about.push(site.id);
      place(kit.state, path, value);
    },
  };
}

const isAmount = ({ value }: Site): boolean => isNumber(value) && num(value) !== 0;
const FITS: Record<Exclude<Likeness, 'constant'>, (site: Site, ground: Ground, step: number) => boolean> = {
  scale: isAmount,
  sign: isAmount,
  zero: isAmount,
  all: (site) => isAmount(site) && site.field !== undefined,
  text: ({ value }) => typeof value === 'string' && value.includes('. '),
  word: (site) => fieldOf(site)?.options !== undefined,
  removal: (site, { states }, step) => idsOf(states[step - 1] ?? {}, site.of).length >= 4,
  hold: ({ field }) => field !== undefined,
  copy: ({ field }) => field !== undefined,
};

function changed(likeness: Likeness, old: Json, spot: Spot, rng: Rng): Json | undefined {
  if (likeness === 'word') {
    const others = (fieldOf(spot)?.options ?? []).filter((word) => word !== old);
    return others.length === 0 ? undefined : rng.pick(others);
  }
  if (likeness === 'text') return typeof old === 'string' ? old.slice(0, old.indexOf('.') + 1) : undefined;
  if (!isNumber(old)) return undefined;
  if (likeness === 'zero') return like(old, 0);
  return like(old, num(old) * (likeness === 'sign' ? -1 : rng.pick([100, 20, 0.1, 5])));
}

function asked(kit: Kit, rng: Rng, { id, field, of }: Spot, old: Json, value: Json): string {
  const what = (field ?? of.noun).replaceAll('_', ' ');
  const now = kit.shown(value);
  return rng.pick([
    `Please correct ${id}: ${what} is ${now}, not ${kit.shown(old)}.`,
    `${id}: set ${what} to ${now}. The old one was entered wrongly.`,
    `They called about ${id}. The right ${what} is ${now}.`,
    `${what} of ${id} has changed to ${now}, confirmed twice.`,
  ]);
}

function explain(kit: Kit, rng: Rng, text: string): void {
  kit.say(rng.chance(0.75) ? 'user' : 'tool', text);
}

function constantOf(ground: Ground, step: number, rng: Rng): Incident | undefined {
  const numbers = constantLeaves(ground, step).filter(({ value }) => isNumber(value) && num(value) !== 0);
  if (numbers.length === 0) return undefined;
  const { path, value } = rng.pick(numbers);
  if (!isNumber(value)) return undefined;
  const raised = like(value, num(value) * rng.pick([2, 0.5, 1.5]));
  return {
    step,
    apply(kit) {
      const words = kit.rng('words constant');
      const key = String(path.at(-1)).replaceAll('_', ' ');
      explain(
        kit,
        words,
        words.pick([`From now on ${key} is ${kit.shown(raised)}.`, `Change ${key} to ${kit.shown(raised)}, agreed.`]),
      );
      place(kit.state, path, raised);
    },
  };
}

function allOf({ of, field = '' }: Site, step: number, rng: Rng): Incident {
  const factor = rng.pick([100, 10, 0.1, 1.1]);
  return {
    step,
    apply(kit) {
      const words = kit.rng('words all');
      explain(
        kit,
        words,
        `Keep ${field.replaceAll('_', ' ')} of every ${of.noun} in another unit: multiply all by ${factor}.`,
      );
      for (const id of idsOf(kit.state, of)) {
        const path: Path = [...(entryPath(kit.state, of, id) ?? of.path), field];
        const old = at(kit.state, path);
        if (isNumber(old)) place(kit.state, path, new Exact(String(num(like(old, num(old) * factor)))));
      }
    },
  };
}

function removalOf({ of, id }: Site, step: number): Incident {
  return {
    step,
    apply(kit) {
      const words = kit.rng('words removal');
      const path = entryPath(kit.state, of, id);
      if (!path) return;
      explain(
        kit,
        words,
        words.pick([`Drop ${id}, it was cancelled.`, `${id} does not belong here. Please remove it.`]),
      );
      drop(kit.state, path);
    },
  };
}

function holdOf({ of, id }: Site, step: number): Incident {
  return {
    step,
    apply(kit) {
      const words = kit.rng('words hold');
      explain(kit, words, words.pick([`Leave ${id} as it is for now.`, `${id} is disputed: no more changes to it.`]));
      kit.held.add(`${of.noun} ${id}`);
    },
  };
}

function copyOfEntry({ of, id }: Site, step: number): Incident {
  return {
    step,
    apply(kit) {
      const words = kit.rng('words copy');
      const path = entryPath(kit.state, of, id);
      const entry = path && at(kit.state, path);
      const all = at(kit.state, of.path);
      if (!entry || !isObj(entry)) return;
      explain(kit, words, `Split ${id}: add a second one like it as ${id}-B.`);
      const twin = copyOf(entry);
      if (!isObj(twin)) return;
      if (Array.isArray(all) && of.id !== undefined) all.push({ ...twin, [of.id]: `${id}-B` });
      else place(kit.state, [...of.path, `${id}-B`], twin);
    },
  };
}

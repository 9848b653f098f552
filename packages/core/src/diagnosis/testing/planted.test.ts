import { describe, expect, it } from 'vitest';
import { fromJsonText, parseJson, parsePath, valueAt, type Path } from '../../json/index.ts';
import { DOMAINS } from './domains/index.ts';
import { isHit } from './hits.ts';
import { at, textOf } from './json.ts';
import { FAULTS, healthyCase, plantedCase, plantedPair } from './planted.ts';
import { branchOf, errorOf, rowsOf } from './rankings.ts';
import type { CaseStep, HealthyCase } from './types.ts';

const SEEDS = Array.from({ length: 20 }, (_none, seed) => seed);

const valueIn = ({ text }: CaseStep, path: Path): string | undefined => {
  const node = valueAt(text, parseJson(text), path);
  return node && text.slice(node.start, node.end).replaceAll(/\s+/g, '');
};

describe.each(['tune', 'held-out'] as const)('planted faults, %s', (set) => {
  let made: ReturnType<typeof plantedPair>[] | undefined;
  const all = (): ReturnType<typeof plantedPair>[] => (made ??= SEEDS.map((seed) => plantedPair(seed, set)));

  it('are the same for the same seed', () => {
    for (const { planted } of all().slice(0, 2)) expect(plantedCase(planted.seed, set)).toEqual(planted);
  });

  it('are in runs whose checkpoints have ids of their own, parents saved before them, and a head', () => {
    for (const { planted } of all()) {
      const known = new Set<string>();
      for (const { id, parent, text } of planted.steps) {
        expect(known.has(id)).toBe(false);
        expect(parent === undefined || known.has(parent)).toBe(true);
        expect(() => fromJsonText(text)).not.toThrow();
        known.add(id);
      }
      const head = branchOf(planted).at(-1);
      expect(head?.status).toBe(planted.outcome === 'failed' ? 'failed' : 'completed');
      expect(errorOf(planted)).not.toBe('');
    }
  });

  it('are where the run first differs from the one without the fault', () => {
    for (const { planted, right } of all()) {
      const branch = branchOf(planted);
      const [first] = planted.culprits;
      const place = branch.findIndex(({ id }) => id === first?.checkpoint);
      expect(place).toBeGreaterThan(0);
      for (const step of branch.slice(0, place)) {
        expect(JSON.stringify(fromJsonText(step.text))).toBe(
          JSON.stringify(fromJsonText(textOf(right[branch.indexOf(step)] ?? null))),
        );
      }
      const differs = planted.culprits.some(({ path }) => {
        const steps = parsePath(path);
        const now = branch[place];
        const value = at(right[place], steps);
        const wanted = value === undefined ? undefined : textOf(value).replaceAll(/\s+/g, '');
        return now && valueIn(now, steps) !== wanted;
      });
      expect(differs).toBe(true);
    }
  });

  it('are hit by their own path, on the branch, 0 to 12 steps before the end of 6 to 60', () => {
    for (const { planted } of all()) {
      const ids = branchOf(planted).map(({ id }) => id);
      expect(ids.length).toBeGreaterThanOrEqual(6);
      expect(ids.length).toBeLessThanOrEqual(60);
      for (const { checkpoint, path } of planted.culprits) {
        expect(isHit({ id: checkpoint, path }, planted)).toBe(true);
        expect(ids.length - 1 - ids.indexOf(checkpoint)).toBeLessThanOrEqual(12);
      }
    }
  });

  it('come in runs of some hundred changes, with and without forks, failed and completed', () => {
    const rows = all()
      .map(({ planted }) => rowsOf(planted))
      .sort((a, b) => a - b);
    expect(rows[rows.length >> 1]).toBeGreaterThan(150);
    expect(rows[rows.length >> 1]).toBeLessThan(600);
    const forked = all().filter(({ planted }) => branchOf(planted).length < planted.steps.length).length;
    expect(forked).toBeGreaterThan(4);
    expect(forked).toBeLessThan(16);
    expect(new Set(all().map(({ planted }) => planted.outcome)).size).toBe(2);
  });

  it('are of many kinds and in every domain of their set', () => {
    expect(new Set(all().map(({ planted }) => planted.domain))).toEqual(
      new Set(DOMAINS.filter((domain) => domain.set === set).map(({ name }) => name)),
    );
    expect(new Set(all().map(({ planted }) => planted.fault)).size).toBeGreaterThanOrEqual(10);
  });
});

it('has more kinds of faults and domains than are used for tuning', () => {
  expect(FAULTS.filter(({ set }) => set === 'tune').length).toBeGreaterThanOrEqual(10);
  expect(FAULTS.filter(({ set }) => set === 'held-out').length).toBeGreaterThanOrEqual(4);
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

it('makes runs without a fault that end well, or for a reason outside of the state', () => {
  const cases: HealthyCase[] = SEEDS.slice(0, 10).map((seed) => healthyCase(seed));
  expect(cases[0]).toEqual(healthyCase(0));
  for (const one of cases) expect(branchOf(one).at(-1)?.status).toBe(one.outcome);
  expect(new Set(cases.map(({ outcome }) => outcome)).size).toBe(2);
});

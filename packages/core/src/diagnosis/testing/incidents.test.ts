import { expect, it } from 'vitest';
import { ledger } from './domains/ledger.ts';
import { incidentOf, LIKENESSES } from './incidents.ts';
import { textOf } from './json.ts';
import { FAULTS } from './planted.ts';
import { rngOf } from './rng.ts';
import { runOf, type RunPlan } from './run.ts';
import { styleOf } from './style.ts';

const STEP = 14;
const LENGTH = 18;

it.each(LIKENESSES)('a legitimate change that looks like a fault is explained in its step: %s', (likeness) => {
  let tried = 0;
  for (let seed = 0; seed < 6; seed++) {
    const style = { ...styleOf(seed, 'tune'), window: 0 };
    const plan: RunPlan = { domain: ledger, style, length: LENGTH, until: LENGTH, incidents: [] };
    const plain = runOf(plan);
    const states = plain.steps.map(({ state }) => state);
    const ground = { sites: plain.sites, states, domain: ledger, style, rng: rngOf(seed), constants: [] };
    const incident = incidentOf(likeness, ground, STEP);
    if (!incident || plain.steps[STEP]?.status === 'failed') continue;
    const { steps } = runOf({ ...plan, incidents: [incident] });
    expect(textOf(steps[STEP - 1]?.state ?? null)).toBe(textOf(states[STEP - 1] ?? null));
    const messages = (state: (typeof states)[number] | undefined): number => {
      const talk = state?.[style.talk.list];
      return Array.isArray(talk) ? talk.length : 0;
    };
    tried += messages(steps[STEP]?.state) > messages(states[STEP]) ? 1 : 0;
  }
  expect(tried).toBeGreaterThan(0);
});

it('every fault has one that looks like it', () => {
  for (const { name, likeness } of FAULTS) expect([name, likeness.length > 0]).toEqual([name, true]);
});

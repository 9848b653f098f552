import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diffJson } from '@checkpoint-inspector/core';
import {
  branchOf,
  changesOf,
  isHit,
  plantedCase,
  RANKINGS,
  type PlantedCase,
} from '@checkpoint-inspector/core/testing';
import { expect, it } from 'vitest';
import { diagnose } from '../src/diagnosis/diagnose.ts';
import { inStore, storeCase } from '../src/diagnosis/testing/stored-case.ts';
import { STORED_SYSTEMS, type StoredSystem } from '../src/diagnosis/testing/types.ts';
import { defaultRegistry } from '../src/stores/registry.ts';
import { createStoreService } from '../src/stores/service.ts';

const RUNS = 200;
const FIRST = 10_000;

interface Outcome {
  readonly set: string;
  readonly system: StoredSystem;
  readonly fault: string;
  /** Place of the culprit in the answer; -1 where it is not in it. */
  readonly rank: number;
}

async function rankIn(system: StoredSystem, planted: PlantedCase): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'planted-'));
  const stores = createStoreService({ registry: defaultRegistry() });
  try {
    const stored = await storeCase(system, planted, folder);
    const [source] = await stores.open(stored.path);
    if (source === undefined) throw new Error(`No store in ${system}.`);
    const { suspects } = await diagnose(stores.source(source.id), { task: stored.task });
    const own = inStore(planted, stored);
    return suspects.findIndex(({ ref, path }) => isHit({ id: ref.id, path }, own));
  } finally {
    await stores.closeAll();
    await rm(folder, { recursive: true, force: true });
  }
}

const percent = (hits: number, of: number): string => `${((100 * hits) / Math.max(1, of)).toFixed(0)} %`;

function row(name: string, outcomes: readonly Outcome[]): string {
  const within = (most: number): number => outcomes.filter(({ rank }) => rank >= 0 && rank < most).length;
  const cells = [1, 3, 5].map((most) => percent(within(most), outcomes.length).padStart(6));
  return `${name.padEnd(28)} ${String(outcomes.length).padStart(4)} ${cells.join(' ')}`;
}

const groups = (outcomes: readonly Outcome[], by: (outcome: Outcome) => string): string[] =>
  [...new Set<string>(outcomes.map(by))].toSorted().map((name) =>
    row(
      name,
      outcomes.filter((one) => by(one) === name),
    ),
  );

it.each(['tune', 'held-out'] as const)('finds planted faults in every system: %s', async (set) => {
  const outcomes: Outcome[] = [];
  const simple = new Map(Object.keys(RANKINGS).map((name) => [name, 0]));
  for (let nth = 0; nth < RUNS; nth++) {
    const planted = plantedCase(FIRST + nth, set);
    const system = STORED_SYSTEMS[nth % STORED_SYSTEMS.length] ?? 'native';
    outcomes.push({ set, system, fault: planted.fault, rank: await rankIn(system, planted) });
    const changes = changesOf(planted);
    for (const [name, ranking] of Object.entries(RANKINGS)) {
      const blamed = ranking(changes, planted);
      if (blamed && isHit(blamed, planted)) simple.set(name, (simple.get(name) ?? 0) + 1);
    }
  }
  const table = [
    `${set}, seeds ${FIRST} to ${FIRST + RUNS - 1}: first, among three, among five`,
    row('diagnosis', outcomes),
    ...[...simple].map(
      ([name, hits]) => `${name.padEnd(28)} ${String(RUNS).padStart(4)} ${percent(hits, RUNS).padStart(6)}`,
    ),
    ...groups(outcomes, ({ system }) => system),
    ...groups(outcomes, ({ fault }) => fault),
  ];
  console.log(table.join('\n'));
  const hits = outcomes.filter(({ rank }) => rank === 0).length;
  const best = Math.max(...simple.values());
  expect(hits).toBeGreaterThan(best * 1.5);
  expect(hits / RUNS).toBeGreaterThan(0.5);
  expect(outcomes.filter(({ rank }) => rank >= 0 && rank < 3).length / RUNS).toBeGreaterThan(0.65);
});

it('costs a small multiple of the diffs of the branch', async () => {
  const { suspectsOf } = await import('@checkpoint-inspector/core');
  const runs = Array.from({ length: 40 }, (_, nth) => stepsOf(plantedCase(FIRST + nth)));
  const cpu = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    return process.cpuUsage(before).user;
  };
  const pass = (): void => {
    for (const run of runs)
      for (const [at, { text }] of run.entries()) if (at > 0) diffJson(run[at - 1]?.text ?? '', text);
  };
  const look = (): void => {
    for (const run of runs) suspectsOf(run);
  };
  pass();
  look();
  const diffs = cpu(pass);
  const whole = cpu(look);
  console.log(`diagnosis costs ${(whole / diffs).toFixed(2)} times the diffs of the branch`);
  expect(whole / diffs).toBeLessThan(8);
});

const stepsOf = (run: PlantedCase) =>
  branchOf(run).map(({ id, status, text }, at) => ({ ref: { task: 'run', id }, seq: at + 1, status, text }));

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { emptyFolder, runSeed } from './run.ts';
import { SIDES, type SideKind } from './sides/index.ts';
import { cellOf, documentOf } from './table.ts';

const STEPS = 102;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'bench-test-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

it(`saves, loads, lists and prunes ${STEPS} steps in every store, and prints a table of it`, async () => {
  const path = folder();
  const run = await runSeed({ seed: 1, steps: STEPS, sides: SIDES, folder: path });
  expect(Object.keys(run.figures)).toEqual(SIDES.map(({ name }) => name));
  for (const [name, figures] of Object.entries(run.figures)) {
    const given = Object.entries(figures);
    expect(
      given.every(([, figure]) => figure > 0),
      name,
    ).toBe(true);
    expect(
      given.map(([figure]) => figure),
      name,
    ).toEqual(expect.arrayContaining(['saveP50', 'page', 'prune', 'bytes']));
  }
  // Bytes don't depend on the machine: every peer stores all states, ours what is new.
  const bytes = (name: string) => run.figures[name]?.bytes ?? 0;
  for (const peer of ['rows', 'langgraph', 'files']) expect(bytes(peer)).toBeGreaterThanOrEqual(run.stateBytes);
  for (const own of ['value', 'immutable', 'text']) {
    expect(bytes(own)).toBeLessThan(run.stateBytes / 15);
    expect(bytes(own)).toBeGreaterThan(run.floorBytes);
  }
  const [node, sqlite, langgraph] = ['20', '3', '1'];
  const conditions = { machine: 'm', node, sqlite, langgraph, seeds: [1], loads: [0, 1], date: 'd' };
  const document = documentOf([{ steps: STEPS, runs: [run] }], SIDES, conditions);
  const rows = document.split('\n').filter((one) => one.startsWith('| '));
  expect(rows).toHaveLength(13);
  for (const row of rows) expect(row.split(' | ')).toHaveLength(SIDES.length + 1);
  expect(document).toMatch(/each step's delta as a row of SQLite: [\d.]+ ms \([\d.]+×\)/);
  expect(document).not.toMatch(/NaN|undefined|Infinity/);
  emptyFolder(path);
  expect(readdirSync(path)).toEqual([]);
});

it('takes at most 1.6 times the bytes of a chain of deltas, whole file against bare texts', async () => {
  const sides = SIDES.filter(({ name }) => name === 'immutable');
  const { figures, floorBytes } = await runSeed({ seed: 1, steps: 200, sides, folder: folder() });
  expect(figures['immutable']?.bytes).toBeLessThan(floorBytes * 1.6);
});

it('tells when a store hands back another state', async () => {
  const forgetful: SideKind = {
    name: 'forgetful',
    label: 'forgetful',
    isWhole: false,
    open: async () => ({
      save: async () => undefined,
      value: async () => ({}),
      page: async () => 0,
      prune: async () => undefined,
      close: async () => undefined,
    }),
  };
  await expect(runSeed({ seed: 1, steps: 3, sides: [forgetful], folder: folder() })).rejects.toThrow(
    /forgetful handed back another state of c\d than was saved/,
  );
});

it('takes ratios within a seed, and their median', () => {
  const figures = (rows: number, value: number) => {
    const of = (saveP50: number) => ({ ...ZERO, saveP50 });
    return { rows: of(rows), value: of(value) };
  };
  const ZERO = { saveP50: 0, saveP99: 0, saveLast: 0, coldValue: 0, neighbourValue: 0, lastValue: 0, page: 0 };
  const run = { stateBytes: 1_000, floorBytes: 10, syncP50: 1, insertP50: 1 };
  const runs = [
    { ...run, seed: 1, figures: figures(10, 1) },
    { ...run, seed: 2, figures: figures(400, 20) },
    { ...run, seed: 3, figures: figures(9, 3) },
  ];
  expect(cellOf(runs, 'value', 'saveP50')).toEqual({ value: 3, times: 10 });
  expect(cellOf(runs, 'value', 'bytes')).toBeUndefined();
});

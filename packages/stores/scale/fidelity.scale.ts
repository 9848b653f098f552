import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Fidelity } from '../src/sqlite/testing/fidelity.ts';

const RUNS = 10_000;
const FIRST = Number(process.env['SEED'] ?? 1_000);

it(`reads every state of ${RUNS} runs as it was saved, from seed ${FIRST}`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fidelity-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all = new Fidelity(join(folder, 'a.db'));
  for (let seed = FIRST; seed < FIRST + RUNS; seed++) {
    await all.run(seed).catch((cause: unknown) => {
      throw new Error(`Seed ${seed}.`, { cause });
    });
  }
  console.log(`measured: ${RUNS} runs from seed ${FIRST}, ${all.collections()} collections, 0 states differ`);
  expect(all.collections()).toBeGreaterThan(RUNS / 5);
  await all.close();
}, 3_600_000);

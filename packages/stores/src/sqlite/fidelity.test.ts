import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Fidelity } from './testing/fidelity.ts';

const RUNS = 200;

it('reads every state as it was saved, by two writers and with collections in between', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fidelity-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const all = new Fidelity(join(folder, 'a.db'));
  for (let seed = 1; seed <= RUNS; seed++) {
    await all.run(seed).catch((cause: unknown) => {
      throw new Error(`Seed ${seed}.`, { cause });
    });
  }
  expect(all.collections()).toBeGreaterThan(RUNS / 5);
  await all.close();
}, 120_000);

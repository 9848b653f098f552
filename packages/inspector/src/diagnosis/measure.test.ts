/** The same planted faults in every system: what a store puts around a state must not hide its cause. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHit, plantedCase, type PlantedCase } from '@checkpoint-inspector/core/testing';
import { expect, it, onTestFinished } from 'vitest';
import { defaultRegistry } from '../stores/registry.ts';
import { createStoreService } from '../stores/service.ts';
import { diagnose } from './diagnose.ts';
import { inStore, storeCase } from './testing/stored-case.ts';
import { STORED_SYSTEMS, type StoredSystem } from './testing/types.ts';

const CASES = Array.from({ length: 8 }, (_none, seed) => plantedCase(20_000 + seed));
/** Far below what `scale/diagnosis.scale.ts` measures over 200 runs. */
const FEWEST = 5;

async function isFound(system: StoredSystem, planted: PlantedCase): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'measure-'));
  const stores = createStoreService({ registry: defaultRegistry() });
  onTestFinished(async () => {
    await stores.closeAll();
    await rm(folder, { recursive: true, force: true });
  });
  const stored = await storeCase(system, planted, folder);
  const [source] = await stores.open(stored.path);
  if (source === undefined) throw new Error(`No store in ${system}.`);
  const own = inStore(planted, stored);
  const { suspects } = await diagnose(stores.source(source.id), { task: stored.task, cp: own.head });
  return suspects.slice(0, 3).some(({ ref, path }) => isHit({ id: ref.id, path }, own));
}

it.each(STORED_SYSTEMS)('is among the first three suspects in most runs: %s', async (system) => {
  let found = 0;
  for (const planted of CASES) found += Number(await isFound(system, planted));
  console.log(`${system}: ${found} of ${CASES.length}`);
  expect(found).toBeGreaterThanOrEqual(FEWEST);
});

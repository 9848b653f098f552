import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { STATE_WORKER, bundleEntry } from '@checkpoint-inspector/inspector/testing/bundle';
import { SYSTEMS } from '@checkpoint-inspector/inspector/testing/agents';
import { runDurable } from '../test/support/durable.ts';

const folder = mkdtempSync(join(tmpdir(), 'scale-durable-'));
let built: { saver: URL; worker: URL };
beforeAll(async () => {
  const saver = await bundleEntry(new URL('../test/support/saver.ts', import.meta.url), 'scale-saver');
  built = { saver, worker: await bundleEntry(STATE_WORKER, 'scale-worker') };
});
afterAll(() => {
  for (const entry of Object.values(built)) rmSync(entry);
  rmSync(folder, { recursive: true, force: true });
});

it.each(SYSTEMS)('1,000 saves of two processes to %s are all there while the inspector looks', async (system) => {
  mkdirSync(join(folder, system));
  const began = performance.now();
  const run = { ...built, system, path: join(folder, system, `${system}.db`), processes: 10, saves: 50 };
  const { acknowledged, lost, integrity, looks, defects } = await runDurable(run);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`measured: ${system}: ${acknowledged} acknowledged, ${lost.length} lost, ${looks} looks, ${seconds} s`);
  expect({ acknowledged, lost, integrity, defects }).toEqual({
    acknowledged: 1000,
    lost: [],
    integrity: 'ok',
    defects: [],
  });
});

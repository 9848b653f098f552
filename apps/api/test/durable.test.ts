import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STATE_WORKER, bundleEntry } from '@checkpoint-inspector/inspector/testing/bundle';
import { SYSTEMS } from '@checkpoint-inspector/inspector/testing/agents';
import { runDurable } from './support/durable.ts';

const folder = mkdtempSync(join(tmpdir(), 'durable-'));
let built: { saver: URL; worker: URL };
beforeAll(async () => {
  const saver = await bundleEntry(new URL('./support/saver.ts', import.meta.url), 'durable-saver');
  built = { saver, worker: await bundleEntry(STATE_WORKER, 'durable-worker') };
});
afterAll(() => {
  for (const entry of Object.values(built)) rmSync(entry);
  rmSync(folder, { recursive: true, force: true });
});

describe('two processes that save while the inspector looks', () => {
  it.each(SYSTEMS)('lose nothing that %s acknowledged', async (system) => {
    mkdirSync(join(folder, system));
    const run = { ...built, system, path: join(folder, system, `${system}.db`), processes: 3, saves: 8 };
    const result = await runDurable(run);
    expect(result).toMatchObject({ acknowledged: 48, lost: [], integrity: 'ok', defects: [] });
    expect(result.looks).toBeGreaterThanOrEqual(9);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundleKillChild, defectsAfterKills, KILL_CHILD } from '../src/sqlite/testing/kills.ts';

const ROUNDS = 200;

it(`${ROUNDS} kills of a process that saves lose nothing that was acknowledged`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'scale-kill-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  await bundleKillChild();
  onTestFinished(() => rmSync(KILL_CHILD));
  const { acknowledged, defects } = await defectsAfterKills(join(folder, 'a.db'), ROUNDS);
  console.log(`measured: ${ROUNDS} kills, ${acknowledged} acknowledged, ${defects.length} defects`);
  expect(defects).toEqual([]);
}, 1_800_000);

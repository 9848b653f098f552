import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, onTestFinished } from 'vitest';
import { Fidelity } from '../testing/fidelity.ts';
import { tablesOf } from './testing/format-1.ts';

it('reads every state as it was saved, by two writers and with collections in between', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fidelity-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.db');
  await new Fidelity({ path }, tablesOf(path)).runs(1, 200);
}, 120_000);

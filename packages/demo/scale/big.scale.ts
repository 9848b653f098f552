import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { milliseconds } from '@checkpoint-inspector/config/measure';
import { expect, it, onTestFinished } from 'vitest';
import { seedBig } from '../src/big.ts';

it('the state of 18 MB is written fast enough for the start of a demo', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'demo-big-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const took = await milliseconds(() => seedBig(join(folder, 'a.db'), new Date('2026-03-01T12:00:00Z')));
  console.log(`measured: a state of 18 MB written in ${took.toFixed(0)} ms`);
  expect(took).toBeLessThan(3_000);
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog, createSteps, runLogged } from './progress.mjs';

const folder = mkdtempSync(join(tmpdir(), 'progress-'));
beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it('says how long a slow step has been running, and stops when it ends', () => {
  const said = [];
  const steps = createSteps({ say: (line) => said.push(line), names: ['packages', 'building'] });
  steps.begin('packages');
  vi.advanceTimersByTime(65_000);
  steps.begin('building');
  steps.begin('packages');
  steps.end();
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual([
    '1/2 packages…',
    '1/2 packages: 30 s so far',
    '1/2 packages: 60 s so far',
    '1/2 packages: done in 65 s',
    '2/2 building…',
    '2/2 building: done in 1 s',
  ]);
});

it('keeps both outputs of a program in the log, line by line for whoever listens', async () => {
  vi.useRealTimers();
  const log = createLog(join(folder, 'deep/setup.log'));
  const lines = [];
  const script = "process.stdout.write('a'); console.log('b'); console.error('c'); process.exitCode = 3";
  const code = await runLogged(process.execPath, ['-e', script], { log, onLine: (line) => lines.push(line) });
  expect([code, lines.toSorted()]).toEqual([3, ['ab', 'c']]);
  expect(readFileSync(log.path, 'utf8')).toContain('ab\n');
  expect(log.tail(1).split('\n')).toHaveLength(1);
});

it('answers a program that cannot be started with a failure and a reason in the log', async () => {
  vi.useRealTimers();
  const log = createLog(join(folder, 'setup.log'));
  expect(await runLogged(join(folder, 'absent'), [], { log })).toBe(1);
  expect(log.tail()).toContain('ENOENT');
});

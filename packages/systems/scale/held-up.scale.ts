/** LangGraph's own saver, saving every 0.1 s, while the built command changes a thread of 139,000 checkpoints beside it. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { savingBeside, type Saved } from '../src/langgraph/test-saver.ts';
import { langgraphId, writeManyThreads } from './many.ts';

const run = promisify(execFile);
const CHECKPOINTS = 139_000;
const COMMAND = fileURLToPath(new URL('../../../apps/cli/bin/checkpoint-inspector.mjs', import.meta.url));

it('forks in a thread of 139,000 checkpoints without holding up a save', { timeout: 3_600_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'held-up-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'checkpoints.sqlite');
  writeManyThreads(path, { threads: 1, each: CHECKPOINTS });
  const command = (...args: string[]) =>
    run(process.execPath, [COMMAND, ...args, '-s', path, '--yes'], {
      env: { ...process.env, CHECKPOINT_INSPECTOR_STATE: join(folder, 'state') },
    });
  const head = `thread-0/${langgraphId(CHECKPOINTS - 1)}`;
  const told: Record<string, Saved & { readonly tookMs: number }> = {};
  const beside = async (name: string, work: () => unknown): Promise<void> => {
    let tookMs = 0;
    const saved = await savingBeside(path, 100, async () => {
      const began = performance.now();
      await work();
      tookMs = performance.now() - began;
    });
    told[name] = { ...saved, tookMs };
    console.log(name, told[name]);
  };
  await beside('nothing', () => new Promise((resolve) => setTimeout(resolve, 10_000)));
  await beside('fork', () => command('fork', head, '--to', 'copy'));
  await beside('fork of an older one', () => command('fork', `thread-0/${langgraphId(70_000)}`, '--to', 'older'));
  await beside('fork with history', () => command('fork', head, '--to', 'whole', '--history'));
  const alone = told['nothing']?.longestMs ?? 0;
  for (const name of ['fork', 'fork of an older one']) {
    expect(told[name]).toMatchObject({ failed: 0 });
    expect((told[name]?.longestMs ?? Infinity) - alone).toBeLessThan(1_000);
  }
  // All of its checkpoints appear at once, as the plan says: about two seconds for 139,000.
  expect(told['fork with history']?.longestMs).toBeLessThan(5_000);
});

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rngOf } from '@checkpoint-inspector/core/testing';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { defaultRegistry } from '../stores/registry.ts';
import { bundleEntry } from '../testing/bundle.ts';
import { copyStore } from './copy.ts';
import { openCopyTarget } from './target.ts';

const CHECKPOINTS = 120;
const KILLS = 8;
const SEED = Number(process.env['SEED'] ?? 1);

/** True where the process ended before it was killed. */
function copyUntilKilled(child: URL, from: string, to: string, afterMs: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const copying = spawn(process.execPath, [fileURLToPath(child), from, to], { stdio: ['ignore', 'pipe', 'pipe'] });
    let problem = '';
    copying.stderr.on('data', (data: Buffer) => (problem += data.toString()));
    copying.stdout.once('data', () => setTimeout(() => copying.kill('SIGKILL'), afterMs));
    copying.on('close', (code, signal) => {
      if (signal === 'SIGKILL' || code === 0) resolve(code === 0);
      else reject(new Error(`The copy failed by itself. ${problem}`));
    });
  });
}

it(`after ${KILLS} kills at moments of seed ${SEED} a further run makes the copy whole`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'torn-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const child = await bundleEntry(new URL('testing/copy-child.ts', import.meta.url), 'copy-child');
  onTestFinished(() => rmSync(child));
  const [from, to] = [join(folder, 'from.db'), join(folder, 'to.db')];
  const source = await openSqliteStore({ path: from });
  onTestFinished(() => source.close());
  const items: string[] = [];
  for (let n = 0; n < CHECKPOINTS; n++) {
    items.push(`item ${n} `.repeat(20));
    const parent = n === 0 ? {} : { parent: { task: 't', id: `c${n - 1}` } };
    await source.save({ task: 't', id: `c${n}`, ...parent, text: JSON.stringify({ items }, null, n % 3) });
  }
  const rng = rngOf('torn', SEED);
  const seen: number[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    await copyUntilKilled(child, from, to, rng.int(0, 60));
    const copy = await openSqliteStore({ path: to });
    let count = 0;
    for await (const { id } of copy.lineage('t')) {
      // What is there is the beginning of the source, each checkpoint whole.
      expect(id).toBe(`c${count}`);
      expect((await copy.state({ task: 't', id }))?.text === (await source.state({ task: 't', id }))?.text).toBe(true);
      count += 1;
    }
    seen.push(count);
    await copy.close();
  }
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  const target = await openCopyTarget(to, { source }, defaultRegistry());
  onTestFinished(() => target.close());
  const report = await copyStore(source, target);
  const there = seen.at(-1) ?? 0;
  expect(report).toMatchObject({ present: there, copied: CHECKPOINTS - there, verified: CHECKPOINTS, failed: [] });
  expect(report.conflicts).toEqual([]);
});

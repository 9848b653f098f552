import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it } from 'vitest';
import { processorMsOf, startCommand } from './support/command.ts';

const MINUTES = 10 * 60_000;
/** At this part of the run a figure becomes wrong, and stays so. */
const WRONG_AT = 0.6;

/** Steps with a figure, a counter, and text that stays as it is. */
async function written(path: string, task: string, steps: number, bytes: number): Promise<void> {
  const store = await openSqliteStore({ path });
  const filler = 'The figures were checked against the report. '.repeat(Math.ceil(bytes / 45)).slice(0, bytes);
  for (let n = 0; n < steps; n++) {
    const text = JSON.stringify({ figures: { north: 51, south: n < WRONG_AT * steps ? 42 : 42_000 }, n, filler });
    const parent = n === 0 ? {} : { parent: { task, id: `c-${n - 1}` } };
    const failed = n === steps - 1 ? ({ status: 'failed', description: 'figures.south is out of range' } as const) : {};
    await store.save({ task, id: `c-${n}`, text, ...parent, ...failed });
  }
  await store.close();
}

it.each([
  [1_000, 10_000, 1_500],
  [10_000, 10_000, 15_000],
  [200, 2_000_000, 30_000],
])(
  'a run of %s steps of %s bytes is explained to its beginning in %s ms of processor time',
  async (steps, bytes, most) => {
    const folder = await mkdtemp(join(tmpdir(), 'scale-explain-'));
    const path = join(folder, 'run.sqlite');
    await written(path, 'run', steps, bytes);
    await written(path, 'short', 20, bytes);
    const command = await startCommand([`run=${path}`], join(folder, 'state'));
    try {
      const at = `c-${Math.ceil(WRONG_AT * steps)}`;
      // Loading the code, and the process that reads, are not counted.
      await (await command.get('stores/run/tasks/short/explain')).text();
      const before = processorMsOf(command.pid);
      const answer = await command.get(`stores/run/tasks/run/explain?expect=${encodeURIComponent('figures.south=42')}`);
      const found: unknown = await answer.json();
      const spent = processorMsOf(command.pid) - before;
      console.log(`measured: ${steps} steps of ${bytes} bytes: ${spent} ms of processor time`);
      expect(found).toMatchObject({
        lastGood: { id: `c-${steps - 2}` },
        writes: [{ ref: { id: at }, path: '$.figures.south', before: '42', after: '42000' }],
        check: { holds: false, firstBroken: { id: at } },
        examined: { n: steps, of: steps, gaps: [] },
      });
      expect(spent).toBeLessThan(most);
    } finally {
      await command.stop();
      await rm(folder, { recursive: true, force: true });
    }
  },
  MINUTES,
);

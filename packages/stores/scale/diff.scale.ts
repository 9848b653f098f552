/** Differences between stored states of 0.1 and 50 MB, and against loading both and the fastest library, interleaved. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import microdiff from 'microdiff';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../src/sqlite/index.ts';
import { few, stateOf, type State } from './states.ts';

const SEEDS = (process.env['SEEDS'] ?? '1,2,3').split(',').map(Number);
const ROUNDS = 41;
/** Code runs slowly until it has been compiled. */
const WARM_UP = 30;
const ref = (id: string) => ({ task: 't', id });

it.each(SEEDS)(
  'seed %d: a few changes in 0.1 and 50 MB',
  async (seed) => {
    const folder = mkdtempSync(join(tmpdir(), 'scale-diff-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const sizes = { small: 100_000, large: 50_000_000 };
    const paths = { small: join(folder, 'small.db'), large: join(folder, 'large.db') };
    for (const size of ['small', 'large'] as const) {
      const store = await openSqliteStore({ path: paths[size] });
      const state = stateOf(seed, sizes[size]);
      await store.save({ ...ref('a'), value: state });
      await store.save({ ...ref('b'), value: few(state) });
      await store.close();
    }
    const times = { small: [] as number[], large: [] as number[], both: [] as number[] };
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      const order = ['small', 'large'] as const;
      for (const size of round % 2 === 0 ? order : order.toReversed()) {
        const store = await openSqliteStore({ path: paths[size], readOnly: true });
        const time = await timed(() => storedDiff(store));
        if (round >= 0) times[size].push(time);
        if (size === 'large' && round >= ROUNDS - 5) times.both.push(await timed(() => loadBoth(store)));
        await store.close();
      }
    }
    const [small, large, both] = [median(times.small), median(times.large), median(times.both)];
    // Each pair was measured within milliseconds, so what else the machine does slows both down.
    const growth = median(times.large.map((time, round) => time / (times.small[round] ?? time)));
    console.log(
      `measured: seed ${seed}: stored diff, cold: 0.1 MB ${small.toFixed(2)} ms, 50 MB ${large.toFixed(2)} ms ` +
        `(${growth.toFixed(2)}x); both loaded and microdiff ${both.toFixed(0)} ms (${(both / large).toFixed(0)}x)`,
    );
    expect(growth).toBeLessThan(3);
    expect(both / large).toBeGreaterThan(200);
  },
  600_000,
);

async function storedDiff(store: SqliteStore): Promise<void> {
  const diff = await store.diff(ref('a'), ref('b'));
  expect(diff?.summary).toEqual({ added: 2, removed: 0, changed: 5, moved: 0 });
}

async function loadBoth(store: SqliteStore): Promise<void> {
  const texts = [await store.state(ref('a')), await store.state(ref('b'))].map((state) => state?.text ?? '');
  const [a = {}, b = {}] = texts.map((text): Record<string, unknown> => JSON.parse(text) as State);
  expect(microdiff(a, b)).toHaveLength(7);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

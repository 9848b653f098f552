import { collect } from '@checkpoint-inspector/core/testing';
import { milliseconds } from '@checkpoint-inspector/config/measure';
import { expect, it, onTestFinished } from 'vitest';
import { langgraphWrite } from '../src/langgraph/index.ts';
import { insert, openRows, type TestStore } from '../src/langgraph/test-store.ts';
import { langgraphId, langgraphRowAt, langgraphRowOf } from './many.ts';

const AN_HOUR = 3_600_000;

/** Threads whose checkpoints were saved in turns, a write beside every tenth. */
async function grown(threads: number, each: number): Promise<TestStore> {
  const store = await openRows([]);
  onTestFinished(() => store.close());
  store.database.transaction(() => {
    for (let n = 0; n < threads * each; n++) {
      insert(store.database, 'checkpoints', langgraphRowAt(n, { threads }));
      if (n % 10 > 0) continue;
      const write = {
        thread: `thread-${n % threads}`,
        id: langgraphId(n),
        taskId: `task-${n}`,
        idx: 0,
        channel: 'messages',
        value: n,
      };
      insert(store.database, 'writes', langgraphWrite(write));
    }
  });
  store.database.pragma('wal_checkpoint(TRUNCATE)');
  return store;
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

it(
  'lists 1,000,000 rows of 20,000 threads within a second, and after each commit again',
  async () => {
    const store = await grown(20_000, 50);
    const list = () => store.source.tasks({ limit: 50 });
    const took = await milliseconds(list);
    const later: number[] = [];
    for (let n = 0; n < 7; n++) {
      insert(store.database, 'checkpoints', langgraphRowOf('thread-7', 2_000_000 + n, undefined));
      later.push(await milliseconds(async () => expect((await list()).items[0]?.id).toBe('thread-7')));
    }
    console.log(`first list ${took.toFixed(0)} ms, after a commit ${median(later).toFixed(0)} ms`);
    expect(took).toBeLessThan(1_000);
    expect(median(later)).toBeLessThan(1_000);
  },
  AN_HOUR,
);

it(
  'draws a tree of 50,000 within a second',
  async () => {
    const store = await grown(1, 50_000);
    const costs: number[] = [];
    for (let round = 0; round < 5; round++)
      costs.push(await cpuMs(async () => expect(await collect(store.source.lineage('thread-0'))).toHaveLength(50_000)));
    console.log(`a tree of 50,000: ${median(costs).toFixed(0)} ms of processor time`);
    expect(median(costs)).toBeLessThan(1_000);
  },
  AN_HOUR,
);

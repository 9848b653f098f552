import { LineageEncoder } from '@checkpoint-inspector/core';
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
  'lists 1,000,000 rows of 20,000 threads within a second, and after a commit 50 times cheaper',
  async () => {
    const store = await grown(20_000, 50);
    const list = () => store.source.tasks({ limit: 50 });
    const took = await milliseconds(list);
    const first = await cpuMs(async () => {
      store.database.exec("DELETE FROM checkpoints WHERE thread_id = 'thread-1'");
      await list();
    });
    const later: number[] = [];
    for (let n = 0; n < 7; n++) {
      insert(store.database, 'checkpoints', langgraphRowOf('thread-7', 2_000_000 + n, undefined));
      later.push(await cpuMs(async () => expect((await list()).items[0]?.id).toBe('thread-7')));
    }
    const ratio = first / median(later);
    console.log(
      `first list ${took.toFixed(0)} ms; all again ${first.toFixed(0)} ms, after a commit ${median(later).toFixed(1)} ms: ${ratio.toFixed(0)} times`,
    );
    expect(took).toBeLessThan(1_000);
    expect(ratio).toBeGreaterThan(50);
  },
  AN_HOUR,
);

/** What a tree is drawn from, read without anything else. */
const BARE = `SELECT checkpoint_id, parent_checkpoint_id, type, CAST(substr(checkpoint, 1, 136) AS TEXT),
  CAST(substr(checkpoint, -1024) AS TEXT), CAST(metadata AS TEXT) FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_id`;

it(
  'draws a tree of 50,000 in one pass, which costs less than its columns row by row, and a fifth of that after a commit',
  async () => {
    const store = await grown(1, 50_000);
    const bare = store.database.prepare<unknown[]>(BARE, { arrays: true });
    const costs: { bare: number; rows: number; text: number; later: number }[] = [];
    for (let round = 0; round < 7; round++) {
      const count = 50_000 + round;
      // The oldest row as if it had been saved again: nothing is known of the tree.
      store.database.exec(`UPDATE checkpoints SET rowid = (SELECT max(rowid) + 1 FROM checkpoints)
        WHERE checkpoint_id = (SELECT min(checkpoint_id) FROM checkpoints)`);
      const cost = {
        bare: await cpuMs(async () => expect(bare.all('thread-0')).toHaveLength(count)),
        rows: await cpuMs(async () => expect(await collect(store.source.lineage('thread-0'))).toHaveLength(count)),
        text: await cpuMs(async () => expect((await treeText(store)).length).toBeGreaterThan(count)),
      };
      insert(store.database, 'checkpoints', langgraphRowOf('thread-0', count, count - 1));
      const later = await cpuMs(async () => expect(await treeText(store)).toContain(langgraphId(count)));
      costs.push({ ...cost, later });
    }
    const of = (what: keyof (typeof costs)[0]): number => median(costs.map((cost) => cost[what]));
    console.log(
      `a tree of 50,000: rows ${of('rows').toFixed(0)} ms of processor time, as it is sent ${of('text').toFixed(0)} ms, after a commit ${of('later').toFixed(0)} ms, only reading its columns ${of('bare').toFixed(0)} ms`,
    );
    expect(of('rows')).toBeLessThan(450);
    expect(of('text') / of('bare')).toBeLessThan(0.8);
    expect(of('later')).toBeLessThan(of('text') / 5);
  },
  AN_HOUR,
);

async function treeText({ source }: TestStore): Promise<string> {
  const encoder = new LineageEncoder('thread-0');
  for await (const part of source.lineageParts?.('thread-0') ?? []) encoder.addPart(part);
  return encoder.end();
}

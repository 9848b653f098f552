import { LineageEncoder } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { milliseconds } from '@checkpoint-inspector/config/measure';
import { expect, it, onTestFinished } from 'vitest';
import { langgraphRow, langgraphWrite } from '../src/langgraph/index.ts';
import { insert, openRows, type TestStore } from '../src/langgraph/test-store.ts';

const AN_HOUR = 3_600_000;

/** Ids 0.1 s apart, as LangGraph makes them. */
function idAt(n: number): string {
  const ticks = (0x1f1_0000_0000_0000n + BigInt(n) * 1_000_000n).toString(16).padStart(15, '0');
  return `${ticks.slice(0, 8)}-${ticks.slice(8, 12)}-6${ticks.slice(12)}-8000-000000000000`;
}

const row = (thread: string, n: number, before: number | undefined) =>
  langgraphRow({
    thread,
    id: idAt(n),
    ...(before === undefined ? {} : { parent: idAt(before) }),
    ts: new Date(Date.UTC(2026, 0, 1) + 100 * n).toISOString(),
    source: before === undefined ? 'input' : 'loop',
    step: n,
    values: {
      count: n,
      messages: Array.from({ length: 3 }, (_, at) => ({ role: 'user', content: `${n}: text ${at}` })),
    },
    versions: { messages: n },
    seen: { [`node-${n % 5}`]: { messages: n } },
  });

/** Threads whose checkpoints were saved in turns, a write beside every tenth. */
async function grown(threads: number, each: number): Promise<TestStore> {
  const store = await openRows([]);
  onTestFinished(() => store.close());
  store.database.transaction(() => {
    for (let n = 0; n < threads * each; n++) {
      const thread = `thread-${String(n % threads)}`;
      insert(store.database, 'checkpoints', row(thread, n, n < threads ? undefined : n - threads));
      if (n % 10 > 0) continue;
      const write = { thread, id: idAt(n), taskId: `task-${n}`, idx: 0, channel: 'messages', value: n };
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
      insert(store.database, 'checkpoints', row('thread-7', 2_000_000 + n, undefined));
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
  'draws a tree of 50,000 in one pass, which costs three times the reading of its columns at most',
  async () => {
    const store = await grown(1, 50_000);
    const bare = store.database.prepare<unknown[]>(BARE, { arrays: true });
    const costs: { bare: number; rows: number; text: number }[] = [];
    for (let round = 0; round < 7; round++) {
      costs.push({
        bare: await cpuMs(async () => expect(bare.all('thread-0')).toHaveLength(50_000)),
        rows: await cpuMs(async () => expect(await collect(store.source.lineage('thread-0'))).toHaveLength(50_000)),
        text: await cpuMs(async () => expect((await treeText(store)).length).toBeGreaterThan(50_000)),
      });
    }
    const of = (what: keyof (typeof costs)[0]): number => median(costs.map((cost) => cost[what]));
    console.log(
      `a tree of 50,000: rows ${of('rows').toFixed(0)} ms of processor time, as it is sent ${of('text').toFixed(0)} ms, only reading its columns ${of('bare').toFixed(0)} ms`,
    );
    expect(of('rows')).toBeLessThan(450);
    expect(of('text') / of('bare')).toBeLessThan(3);
  },
  AN_HOUR,
);

async function treeText({ source }: TestStore): Promise<string> {
  const encoder = new LineageEncoder('thread-0');
  for await (const part of source.lineageParts?.('thread-0') ?? []) encoder.addPart(part);
  return JSON.stringify(encoder.end());
}

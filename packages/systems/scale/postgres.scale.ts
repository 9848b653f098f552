import { allPages, collect } from '@checkpoint-inspector/core/testing';
import { milliseconds } from '@checkpoint-inspector/config/measure';
import { describeWithPostgres } from '@checkpoint-inspector/io/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresStore, POSTGRES_DDL, type PostgresStore } from '../src/langgraph/postgres/test-store.ts';

const AN_HOUR = 3_600_000;
/** Python's saver makes these too. */
const INDEXES = ['checkpoints', 'checkpoint_blobs', 'checkpoint_writes']
  .map((table) => `CREATE INDEX ON ${table} (thread_id)`)
  .join('; ');

/** An id as LangGraph makes them, 0.1 s after the one before. */
const ID = `(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-6' || substr(h, 13, 3) || '-8000-000000000000')`;
const HEX = (n: string) => `lpad(to_hex(139964124741959680 + (${n})::bigint * 1000000), 15, '0')`;
const idOf = (n: string) => `(SELECT ${ID} FROM (SELECT ${HEX(n)} AS h) x)`;

const CHECKPOINT = `jsonb_build_object('v', 4, 'id', ${idOf('n')}, 'ts', to_char(timestamp '2026-01-01' + n * interval '0.1 s', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'channel_versions', jsonb_build_object('messages', n, 'count', n, 'branch:to:node-' || n % 5, n),
  'versions_seen', jsonb_build_object('__input__', '{}'::jsonb, 'node-' || n % 5, jsonb_build_object('messages', n)))`;

const rows = (thread: string, from: number, to: number, before: number) => `
  INSERT INTO checkpoints SELECT ${thread}, '', ${idOf('n')}, CASE WHEN n >= ${before} THEN ${idOf(`n - ${before}`)} END, NULL, ${CHECKPOINT},
    jsonb_build_object('source', 'loop', 'step', n, 'parents', '{}'::jsonb) FROM generate_series(${from}, ${to}) n`;

/** Threads whose checkpoints were saved in turns: two blobs each, a write beside every one. */
async function grown(threads: number, each: number): Promise<PostgresStore> {
  const store = await openPostgresStore(async ({ run }) => {
    await run(POSTGRES_DDL);
    await run(INDEXES);
    const thread = `'thread-' || n % ${threads}`;
    const last = threads * each - 1;
    await run(rows(thread, 0, last, threads));
    await run(`INSERT INTO checkpoint_blobs SELECT ${thread}, '', c, n::text, 'json', convert_to('[' || repeat('"some text", ', 20) || n || ']', 'UTF8')
      FROM generate_series(0, ${last}) n, unnest(ARRAY['messages', 'count']) c`);
    await run(`INSERT INTO checkpoint_writes SELECT ${thread}, '', ${idOf('n')}, 'task-' || n, 0, 'messages', 'json', '{}'
      FROM generate_series(0, ${last}) n`);
    await run('VACUUM ANALYZE');
  });
  onTestFinished(() => store.close());
  return store;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

async function costOf(work: () => Promise<unknown>): Promise<{ readonly took: number; readonly cpu: number }> {
  const before = process.cpuUsage();
  const took = await milliseconds(work);
  const { user, system } = process.cpuUsage(before);
  return { took, cpu: (user + system) / 1000 };
}

describeWithPostgres('LangGraph in PostgreSQL', () => {
  it.each([
    [200_000, 4_000],
    [1_000_000, 20_000],
  ])(
    'a list of %i rows of %i threads',
    async (count, threads) => {
      const store = await grown(threads, count / threads);
      const list = () => store.source.tasks({ limit: 50 });
      const first = await costOf(list);
      const later = [];
      for (let n = 0; n < 7; n++) {
        const at = 10_000_000 + n;
        await store.database.run(rows("'thread-7'", at, at, 20_000_000));
        later.push(await costOf(async () => expect((await list()).items[0]?.id).toBe('thread-7')));
      }
      const after = { took: median(later.map(({ took }) => took)), cpu: median(later.map(({ cpu }) => cpu)) };
      const words = ({ took, cpu }: typeof after) => `${took.toFixed(1)} ms (${cpu.toFixed(1)} ms of ours)`;
      console.log(`${count} rows: first ${words(first)}; after a commit ${words(after)}`);
      const every = () => allPages((cursor) => store.source.tasks(cursor === undefined ? {} : { cursor }));
      const whole = await costOf(async () => expect(await every()).toHaveLength(threads));
      await store.database.run(rows("'thread-9'", 11_000_000, 11_000_000, 20_000_000));
      const again = await costOf(async () => expect((await every())[0]?.id).toBe('thread-9'));
      console.log(`every page: first ${words(whole)}; after a commit ${words(again)}`);
      expect(Math.max(first.took, after.took)).toBeLessThan(1_000);
    },
    AN_HOUR,
  );

  it(
    'draws a tree of 50,000',
    async () => {
      const store = await grown(1, 50_000);
      const costs = [];
      for (let round = 0; round < 3; round++) {
        costs.push(
          await costOf(async () => expect(await collect(store.source.lineage('thread-0'))).toHaveLength(50_000)),
        );
      }
      expect(median(costs.map(({ cpu }) => cpu))).toBeLessThan(2_000);
      console.log(
        `a tree of 50,000: ${costs.map(({ took, cpu }) => `${took.toFixed(0)} ms (${cpu.toFixed(0)} ms of ours)`).join(', ')}`,
      );
    },
    AN_HOUR,
  );
});

/** Saves and bytes in PostgreSQL against LangGraph's PostgresSaver, in one interleaved run on one server. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openPostgresStore } from '../src/postgres/index.ts';
import { openSqliteStore } from '../src/sqlite/index.ts';
import { workload, type AgentState, type Step } from './workload.ts';

const STEPS = Number(process.env['STEPS'] ?? 1_000);
const SEEDS = (process.env['SEEDS'] ?? '1').split(',').map(Number);

interface Side {
  save(step: Step, before: AgentState | undefined): Promise<unknown>;
  close(): Promise<void>;
}

async function saver({ url }: TestPostgres): Promise<Side> {
  const langgraph = PostgresSaver.fromConnString(url, { schema: 'langgraph' });
  await langgraph.setup();
  const configOf = (id: string | undefined) => ({
    configurable: { thread_id: 't', checkpoint_ns: '', ...(id === undefined ? {} : { checkpoint_id: id }) },
  });
  const versions: Record<string, number> = {};
  return {
    // Only what a step has changed gets a new version, as in a graph.
    save: (step, before) => {
      const n = Number(step.id.slice(1));
      const values: Record<string, unknown> = { ...step.state };
      const was: Record<string, unknown> = { ...before };
      const changed = Object.keys(values).filter((channel) => values[channel] !== was[channel]);
      for (const channel of changed) versions[channel] = n + 1;
      const checkpoint = {
        v: 4,
        id: step.id,
        ts: new Date().toISOString(),
        channel_values: values,
        channel_versions: { ...versions },
        versions_seen: {},
      };
      const news = Object.fromEntries(changed.map((channel) => [channel, n + 1]));
      return langgraph.put(configOf(step.parent), checkpoint, { source: 'loop', step: n, parents: {} }, news);
    },
    close: () => langgraph.end(),
  };
}

async function rows(db: TestPostgres): Promise<Side> {
  await db.run('CREATE SCHEMA full_rows; CREATE TABLE full_rows.rows (id text PRIMARY KEY, parent text, text text)');
  const insert = 'INSERT INTO full_rows.rows VALUES ($1, $2, $3)';
  return {
    save: ({ id, parent, state }) => db.run(insert, [id, parent ?? null, JSON.stringify(state)]),
    close: async () => undefined,
  };
}

const ours = async ({ url }: TestPostgres, schema: string, immutable: boolean): Promise<Side> => {
  const store = await openPostgresStore({ url, schema });
  return {
    save: ({ id, parent, state }) => {
      const lineage = parent === undefined ? {} : { parent: { task: 't', id: parent } };
      return store.save({ task: 't', id, ...lineage, value: state }, { immutable });
    },
    close: () => store.close(),
  };
};

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;

const BYTES = `SELECT sum(pg_total_relation_size(c.oid))::float8 AS bytes FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = relnamespace WHERE nspname = $1 AND relkind = 'r'`;

describeWithPostgres('our store in PostgreSQL', () => {
  it.each(SEEDS)(
    `seed %d: ${STEPS} saves against PostgresSaver and full rows`,
    async (seed) => {
      const db = await postgresForTests();
      const folder = mkdtempSync(join(tmpdir(), 'scale-postgres-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const sqlite = await openSqliteStore({ path: join(folder, 'a.db') });
      const sides = {
        langgraph: await saver(db),
        full_rows: await rows(db),
        value: await ours(db, 'value', false),
        immutable: await ours(db, 'immutable', true),
      };
      const times = new Map(Object.keys(sides).map((name) => [name, [] as number[]]));
      const known = new Map<string, AgentState>();
      let whole = 0;
      for (const step of workload(seed, STEPS)) {
        for (const [name, side] of Object.entries(sides)) {
          const start = performance.now();
          await side.save(step, known.get(step.parent ?? ''));
          times.get(name)?.push(performance.now() - start);
        }
        known.set(step.id, step.state);
        whole += Buffer.byteLength(JSON.stringify(step.state));
        await sqlite.save({ task: 't', id: step.id, value: step.state }, { immutable: true });
      }
      await sqlite.close();
      const inSqlite = statSync(join(folder, 'a.db')).size;
      const bytes = new Map<string, number>();
      for (const name of Object.keys(sides))
        bytes.set(name, Number((await db.run<{ bytes: number }>(BYTES, [name]))[0]?.bytes));
      for (const side of Object.values(sides)) await side.close();
      const [settings] = await db.run<{ fsync: string }>("SELECT current_setting('fsync') AS fsync");
      const saved = (name: string) => median(times.get(name) ?? []);
      const told = [...bytes].map(([name, of]) => `${name} ${saved(name).toFixed(2)} ms ${(of / 1e6).toFixed(1)} MB`);
      console.log(
        `measured: seed ${seed}, ${STEPS} steps, fsync ${settings?.fsync}: save p50 and bytes: ${told.join(', ')}; ` +
          `texts ${(whole / 1e6).toFixed(0)} MB, our SQLite file ${(inSqlite / 1e6).toFixed(1)} MB`,
      );
      await db.close();
      expect(saved('value')).toBeLessThan(saved('langgraph') / 2);
      expect(bytes.get('value')).toBeLessThan(2 * inSqlite);
      expect(bytes.get('immutable')).toBeLessThan(2 * inSqlite);
    },
    1_800_000,
  );
});

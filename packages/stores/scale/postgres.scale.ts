/** Saves and bytes in PostgreSQL against LangGraph's PostgresSaver, in one interleaved run on one server. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteStore } from '../src/sqlite/index.ts';
import { ours, rows, saver } from './postgres-sides.ts';
import { workload, type AgentState } from './workload.ts';

const STEPS = Number(process.env['STEPS'] ?? 1_000);
const SEEDS = (process.env['SEEDS'] ?? '1').split(',').map(Number);

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
        langgraph: await saver(db.url),
        full_rows: await rows(db),
        value: await ours(db.url, 'value'),
        immutable: await ours(db.url, 'immutable', { immutable: true }),
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

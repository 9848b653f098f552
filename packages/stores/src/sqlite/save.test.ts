/** What a save costs, counted in statements: their time depends on the machine. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadDriver, openSqlite } from '@checkpoint-inspector/io';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openSqliteStore } from './store.ts';
import { change } from './testing/format-1.ts';

interface Run {
  readonly sql: string;
  readonly rows: number;
}

/** Every statement that is run from now on, with how many rows it gave. */
function statementsRun(): Run[] {
  const runs: Run[] = [];
  const driver = loadDriver().prototype;
  const prepare = driver.prepare;
  const spy = vi.spyOn(driver, 'prepare').mockImplementation(function (this: typeof driver, sql: string) {
    const statement = prepare.call(this, sql);
    for (const name of ['all', 'get', 'run'] as const) {
      const own = statement[name];
      statement[name] = (...parameters: unknown[]): never => {
        const found: unknown = Reflect.apply(own, statement, parameters);
        runs.push({ sql, rows: Array.isArray(found) ? found.length : 1 });
        return found as never;
      };
    }
    return statement;
  });
  onTestFinished(() => spy.mockRestore());
  return runs;
}

it('costs beside 10,000 checkpoints what it costs beside 100, and looks for every row by an index', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'save-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.db');
  const runs = statementsRun();
  const store = await openSqliteStore({ path, maxPerTask: 1_000_000 });
  onTestFinished(() => store.close());
  await store.save({ task: 't', id: 'c0', value: { n: 0 } });
  const beside = async (from: number, to: number): Promise<Run[]> => {
    change(
      path,
      `WITH RECURSIVE n(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM n WHERE n < ${to})
       INSERT INTO checkpoints (task, id, root, state_hash, size_bytes, created_at)
       SELECT 't', 'c' || n, 1, 'h', 1, '2026-01-01T00:00:00.000Z' FROM n`,
    );
    runs.length = 0;
    await store.save({ task: 't', id: `saved beside ${to}`, value: { n: to }, parent: { task: 't', id: `c${to}` } });
    return [...runs];
  };
  const few = await beside(1, 100);
  const many = await beside(101, 10_000);
  expect(many).toEqual(few);
  expect(many).toHaveLength(3);
  const db = openSqlite(path, { readOnly: true });
  onTestFinished(() => db.close());
  for (const { sql } of many.filter((run) => /^\s*(?:SELECT|INSERT|DELETE|UPDATE)/.test(run.sql))) {
    const plan = db.prepare<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql.replaceAll(/:\w+|\?/g, '1')}`).all();
    for (const { detail } of plan) expect(detail, sql).not.toMatch(/^SCAN (?!CONSTANT|\()|TEMP B-TREE/);
    // It would walk over as many rows.
    expect(sql).not.toContain('OFFSET');
  }
});

it.each([
  ['the first one', {}],
  ['a child', { parent: { task: 't', id: 'c0' } }],
  ['a child in another part', { parent: { task: 't', id: 'c0' }, namespace: 'part' }],
  ['what a framework made', { parent: { task: 't', id: 'c0' }, beside: '{}', status: 'running' }],
  [
    'all that there is to say',
    {
      parent: { task: 'other', id: 'p', namespace: 'n' },
      stepIndex: 2,
      totalSteps: 9,
      trigger: 'auto',
      status: 'failed',
      description: 'cut inside \ud83d',
      agentId: 'a',
      durationMs: 1.5,
      tokenUsage: 7,
      costUsd: 1,
      createdAt: '2026-01-01T00:00:00Z',
    },
  ],
] as const)('answers with what a reader finds: %s', async (_name, fields) => {
  const folder = mkdtempSync(join(tmpdir(), 'save-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = await openSqliteStore({ path: join(folder, 'a.db'), maxPerTask: 2 });
  onTestFinished(() => store.close());
  for (const id of ['c0', 'c1', 'c2']) {
    const saved = await store.save({ task: 't', id, value: { id }, ...(id === 'c0' ? {} : fields) });
    expect(saved).toEqual(
      await store.meta({ task: 't', ...('namespace' in saved ? { namespace: saved.namespace } : {}), id }),
    );
  }
});

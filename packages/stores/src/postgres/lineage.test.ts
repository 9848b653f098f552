import { decodeLineage, type LineageColumns, LineageEncoder } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgresStore, type PostgresStore } from './store.ts';

/** A chain of so many checkpoints, by a statement: their state is that of the first. */
const CHAIN = `INSERT INTO tree.checkpoints (task, id, root, state_hash, size_bytes, parent_task, parent_id, step_index, status,
    description, created_at)
  SELECT task, 'c-' || n, root, state_hash, size_bytes, task, 'c-' || (n - 1), n, CASE n % 7 WHEN 0 THEN 'failed' ELSE 'completed' END,
    CASE n % 3 WHEN 0 THEN NULL ELSE 'step "' || n || '"' END, '2026-01-31T10:00:00.123Z'
  FROM tree.checkpoints, generate_series(1, 3499) AS n WHERE id = 'c-0'`;

async function rowsOf(store: PostgresStore) {
  const encoder = new LineageEncoder('t');
  const kinds = new Set<string>();
  for await (const part of store.lineageParts?.('t') ?? []) {
    kinds.add('rows' in part ? 'rows' : part.parents === undefined ? 'chain' : 'columns');
    encoder.addPart(part);
  }
  return { rows: decodeLineage(JSON.parse(encoder.end()) as LineageColumns), kinds: [...kinds] };
}

describeWithPostgres('parts of a tree', () => {
  let db: TestPostgres;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  it('are the columns of its rows, wherever special rows come among the others', async () => {
    const store = await openPostgresStore({ url: db.url, schema: 'tree' });
    await store.save({ task: 't', id: 'c-0', value: 1 });
    await db.run(CHAIN);
    const change = (sql: string) => db.run(`UPDATE tree.checkpoints SET ${sql}`);
    const expectSame = async (kinds: readonly string[]): Promise<void> => {
      const { rows, kinds: found } = await rowsOf(store);
      expect(found).toEqual(kinds);
      expect(rows).toEqual(await collect(store.lineage('t')));
      expect(rows.filter(({ isLatest }) => isLatest).map(({ id }) => id)).toEqual(['c-3499']);
    };
    await expectSame(['chain']);
    await change("parent_id = 'c-10', status = 'stopped' WHERE id IN ('c-1500', 'c-3499')");
    await expectSame(['chain', 'columns']);
    await change("beside = '{}' WHERE id = 'c-2500'");
    await expectSame(['chain', 'columns', 'rows']);
    await change("namespace = 'sub' WHERE id IN ('c-998', 'c-999')");
    await expectSame(['rows', 'columns']);
    await change("step_index = 1.5 WHERE id = 'c-1200'");
    await expectSame(['rows', 'columns']);
    await db.run("DELETE FROM tree.checkpoints WHERE id IN ('c-0', 'c-10', 'c-1100')");
    await expectSame(['rows', 'columns']);
    await store.close();
  });
});

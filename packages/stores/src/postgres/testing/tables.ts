import { quotedName } from '@checkpoint-inspector/io';
import type { TestPostgres } from '@checkpoint-inspector/io/testing';
import type { FidelityTables } from '../../testing/fidelity.ts';

/** A look at the tables of our own store in a schema. */
export function tablesOf(db: TestPostgres, schema: string): FidelityTables & { damage(): Promise<string[]> } {
  const name = quotedName(schema);
  const counted = `SELECT task, count, bytes, updated FROM ${name}.tasks`;
  const real = `SELECT task, count(*), sum(size_bytes)::bigint, max(created_at) FROM ${name}.checkpoints GROUP BY task`;
  return {
    collections: async () => {
      const [row] = await db.run<{ v: string }>(`SELECT v FROM ${name}.store_meta WHERE k = 'gc_epoch'`);
      return Number(row?.v);
    },
    miscounted: () => db.run(`(${counted} EXCEPT ${real}) UNION ALL (${real} EXCEPT ${counted})`),
    damage: async () => {
      const missing = `SELECT id FROM ${name}.checkpoints WHERE root NOT IN (SELECT id FROM ${name}.nodes)`;
      return (await db.run<{ id: string }>(missing)).map(({ id }) => `the root of ${id} is missing`);
    },
  };
}

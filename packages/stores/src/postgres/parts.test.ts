import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll } from 'vitest';
import { describeParts } from '../testing/parts.ts';
import { openPostgresStore } from './store.ts';

describeWithPostgres('our own store in PostgreSQL', () => {
  let db: TestPostgres;
  let made = 0;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  describeParts(async () => {
    const schema = `parts_${++made}`;
    return {
      open: (options) => openPostgresStore({ url: db.url, schema, ...options }),
      run: async (sql) => void (await db.run(`BEGIN; SET LOCAL search_path = ${schema}; ${sql}; COMMIT`)),
      remove: async () => undefined,
    };
  });
});

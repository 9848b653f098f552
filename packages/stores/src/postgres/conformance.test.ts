import type { Job } from '@checkpoint-inspector/core';
import { describeStore } from '@checkpoint-inspector/core/testing';
import { ENGINES } from '@checkpoint-inspector/io';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll } from 'vitest';
import { openPostgresStore, type PostgresStore } from './store.ts';

describeWithPostgres('our own store in PostgreSQL', () => {
  let db: TestPostgres;
  let made = 0;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());

  describeStore('PostgresStore', {
    open: async (options) => {
      const schema = `suite "${++made}"`;
      const opened: PostgresStore[] = [];
      const hooks = { tag: 'suite', prepared: () => undefined };
      const jobs: Job[] = [];
      const open = async () => {
        const store = await openPostgresStore({ url: db.url, schema, ...options });
        opened.push(store);
        return store;
      };
      return {
        store: await open(),
        reopen: open,
        apply: async (plan) => {
          const { engine, place } = plan.job;
          const { images } = await ENGINES.get(engine).apply(plan.job, hooks);
          jobs.push(await ENGINES.get(engine).undo(place, images));
        },
        undo: async () => {
          for (const job of jobs.splice(-1)) await ENGINES.get(job.engine).apply(job, hooks);
        },
        teardown: async () => {
          for (const store of opened) await store.close();
        },
      };
    },
  });
});

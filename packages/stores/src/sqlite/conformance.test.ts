import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '@checkpoint-inspector/core/testing';
import { ENGINES } from '@checkpoint-inspector/io';
import type { Job } from '@checkpoint-inspector/core';
import { openSqliteStore } from './store.ts';
import type { SqliteStore } from './store.ts';

describeStore('SqliteStore', {
  open: async (options) => {
    const folder = mkdtempSync(join(tmpdir(), 'sqlite-suite-'));
    const path = join(folder, 'store.db');
    const opened: SqliteStore[] = [];
    const open = async () => {
      const store = await openSqliteStore({ path, ...options });
      opened.push(store);
      return store;
    };
    const hooks = { tag: 'suite', prepared: () => undefined };
    const jobs: Job[] = [];
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
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

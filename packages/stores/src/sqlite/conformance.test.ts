import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '@checkpoint-inspector/core/testing';
import { applyPlan, undoJob, type Job } from '@checkpoint-inspector/io';
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
        const { images } = await applyPlan(plan, hooks);
        jobs.push(undoJob(plan.target, images));
      },
      undo: async () => {
        for (const job of jobs.splice(-1)) await applyPlan(job, hooks);
      },
      teardown: async () => {
        for (const store of opened) await store.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

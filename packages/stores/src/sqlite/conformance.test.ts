import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '@checkpoint-inspector/core/testing';
import { applyPlan } from '@checkpoint-inspector/io';
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
    return {
      store: await open(),
      reopen: open,
      apply: (plan) => applyPlan(plan, { tag: 'suite', prepared: () => undefined }),
      teardown: async () => {
        for (const store of opened) await store.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
});

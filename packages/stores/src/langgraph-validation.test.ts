// LangGraph's own suite for checkpointers, over each of our stores.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { validate } from '@langchain/langgraph-checkpoint-validation';
import { MemoryStore } from '@checkpoint-inspector/core';
import { describeWithPostgres, postgresForTests, type TestPostgres } from '@checkpoint-inspector/io/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { CheckpointInspectorSaver } from './langgraph.ts';

/**
 * LangGraph's own SQLite and memory savers are excused from it too. A copy of a checkpoint names no channel as new, so
 * leaving out what isn't named would lose its values; here they are shared with the checkpoints that have them.
 */
const NOT_OURS = 'should only store channel_values that have changed (based on newVersions)';

const ours = new Proxy(it, {
  apply: (target, self, given: Parameters<typeof it>) =>
    Reflect.apply(given[0] === NOT_OURS ? target.skip : target, self, given) as unknown,
});

// It takes these from the global scope.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it: ours, test });

validate({
  checkpointerName: 'CheckpointInspectorSaver over memory',
  createCheckpointer: () => new CheckpointInspectorSaver(new MemoryStore()),
});

let folder = '';
validate({
  checkpointerName: 'CheckpointInspectorSaver over SQLite',
  createCheckpointer: () => {
    folder = mkdtempSync(join(tmpdir(), 'saver-'));
    return CheckpointInspectorSaver.fromPath(join(folder, 'agent.db'));
  },
  destroyCheckpointer: async (saver: CheckpointInspectorSaver) => {
    await saver.store.close?.();
    rmSync(folder, { recursive: true });
  },
});

describeWithPostgres('in PostgreSQL', () => {
  let db: TestPostgres;
  let made = 0;
  beforeAll(async () => {
    db = await postgresForTests();
  });
  afterAll(() => db.close());
  validate({
    checkpointerName: 'CheckpointInspectorSaver over PostgreSQL',
    createCheckpointer: () => CheckpointInspectorSaver.fromUrl(db.url, { schema: `saver_${++made}` }),
    destroyCheckpointer: async (saver: CheckpointInspectorSaver) => saver.store.close?.(),
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openSqliteStore, SqliteStore } from './sqlite/index.ts';
import { CheckpointManager, createCheckpointManager } from './manager.ts';

const base = mkdtempSync(join(tmpdir(), 'manager-'));
afterAll(() => rmSync(base, { recursive: true }));

const wrong: [string, string, object][] = [
  ['storage.storagePath', 'no text', { storage: { storagePath: 7 } }],
  ['storage.storagePath', 'empty', { storage: { storagePath: '' } }],
  ['storage.storagePath', 'absent', { storage: {} }],
  ['storage.storagePath', 'with NUL', { storage: { storagePath: 'a\0b' } }],
  ['storage.storagePath', 'below a file', { storage: { storagePath: join(import.meta.filename, 'x') } }],
  ['storage.autoCleanup', 'no boolean', { storage: { storagePath: 'x', autoCleanup: 'no' } }],
  ['maxPerTask', '0', { storage: { storagePath: 'x', maxPerTask: 0 } }],
  ['maxPerTask', '0 with autoCleanup: false', { storage: { storagePath: 'x', maxPerTask: 0, autoCleanup: false } }],
  ['maxPerTask', 'text', { maxPerTask: '5' }],
  ['storage', 'null', { storage: null }],
];
test.each(wrong)('an error names %s: %s', (key, _what, config) => {
  expect(() => createCheckpointManager(config)).toThrow(
    expect.objectContaining({ code: 'invalid_input', data: { key } }),
  );
});

test.skipIf(process.platform === 'win32')('the folders that it makes are closed to others', async () => {
  const path = join(base, 'new', 'deeper');
  const manager = createCheckpointManager({ storage: { storagePath: path } });
  expect([statSync(path), statSync(join(base, 'new'))].map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700]);
  expect(manager).toBeDefined();
});

test('a database of another program is left as it is', () => {
  const other = new URL('../package.json', import.meta.url);
  const before = readFileSync(other);
  expect(() => createCheckpointManager({ storage: { storagePath: other.pathname } })).toThrow(
    expect.objectContaining({ code: 'unreadable' }),
  );
  expect(readFileSync(other)).toEqual(before);
});

test('storage beside a store is an error: the store has its own place and limit', async () => {
  const store = await openSqliteStore({ path: join(base, 'own.db') });
  const config = { store, storage: { storagePath: join(base, 'other') } };
  expect(() => createCheckpointManager(config)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
  await store.close();
});

describe('the recorded behaviour of the original class', () => {
  interface Step {
    readonly op: 'save' | 'restore' | 'restoreById' | 'list' | 'delete' | 'deleteAll';
    readonly args: readonly [never];
    readonly result: unknown;
  }
  const file = new URL('../../core/src/manager/fixtures/trace.json', import.meta.url);
  const trace: { config: { maxPerTask: number }; steps: readonly Step[] } = JSON.parse(readFileSync(file, 'utf8'));
  /** One id under two tasks: the original mixes the tasks up. */
  const DEFECTS = [18, 23];

  test('is answered the same from a file that is opened again for every step', async () => {
    expect(trace.steps).toHaveLength(28);
    const differs: number[] = [];
    for (const [at, step] of trace.steps.entries()) {
      const manager = createCheckpointManager({ ...trace.config, storage: { storagePath: join(base, 'trace') } });
      const result: unknown = (await manager[step.op](...step.args)) ?? null;
      await manager.store.close?.();
      if (JSON.stringify(result) !== JSON.stringify(step.result)) differs.push(at);
    }
    expect(differs).toEqual(DEFECTS);
  });
});

test('a state that the store could not give back is too_large, and restore answers with the save before it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'manager-limit-'));
  const store = new SqliteStore({ path: join(folder, 'a.db') }, { maxRowBytes: 1024 });
  const manager = new CheckpointManager({ store });
  const stateOf = (id: string, text: string) => ({
    id,
    taskId: 't',
    agentId: 'a',
    stepIndex: 0,
    totalSteps: 1,
    completedSteps: [],
    pendingSteps: [],
    context: { text },
    createdAt: '2026-01-01T00:00:00Z',
  });
  await manager.save(stateOf('small', ''));
  await expect(manager.save(stateOf('large', 'x'.repeat(1024)))).rejects.toMatchObject({ code: 'too_large' });
  expect(await manager.restore('t')).toMatchObject({ success: true, checkpoint: { id: 'small' } });
  await store.close();
  rmSync(folder, { recursive: true });
});

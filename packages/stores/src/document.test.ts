/** One test per named item of the F020 document, over memory and over a file that a second manager reads back. */
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { CheckpointManager, createCheckpointManager } from './manager.ts';
import type {
  CheckpointManagerConfig,
  CheckpointState,
  CompletedStep,
  ICheckpointManager,
  RestoreResult,
} from './manager.ts';
import { base, done, durable, durableOnce, idsOf, keep, memory, save, stateOf } from './testing/f020.ts';

describe.each([
  ['memory', memory],
  ['file', durable()],
])('F020 in %s', (_name, place) => {
  describe('2. CheckpointState', () => {
    const whole = stateOf('a');
    const keys = Object.keys(whole) as (keyof CheckpointState)[];

    test.each(keys)('%s', async (key) => {
      const manager = await place.with(['a']);
      const back = (await place.again(manager).restoreById('a')).checkpoint;
      expect(back).toHaveProperty(key, whole[key]);
      expectTypeOf<CheckpointState['metadata']>().toEqualTypeOf<Record<string, unknown> | undefined>();
    });

    test('metadata? may be absent', async () => {
      const { metadata: _, ...state } = stateOf('b');
      const manager = await place.with([]);
      await manager.save(state);
      expect((await place.again(manager).restoreById('b')).checkpoint).toEqual(state);
    });
  });

  describe('2. CompletedStep', () => {
    test.each(Object.keys(done) as (keyof CompletedStep)[])('%s', async (key) => {
      const manager = await place.with(['a']);
      const back = (await place.again(manager).restoreById('a')).checkpoint?.completedSteps[0];
      expect(back).toHaveProperty(key, done[key]);
    });
  });

  describe('2. RestoreResult', () => {
    test('success', async () => {
      const manager = await place.with(['a']);
      expect((await manager.restore('task-1')).success).toBe(true);
      expect((await manager.restore('task-2')).success).toBe(false);
    });

    test('checkpoint?', async () => {
      const manager = await place.with(['a']);
      expect((await manager.restore('task-1')).checkpoint).toEqual(stateOf('a'));
      expect(await manager.restore('task-2')).not.toHaveProperty('checkpoint');
    });

    test('error?', async () => {
      const manager = await place.with(['a']);
      expect(await manager.restore('task-1')).not.toHaveProperty('error');
      expect((await manager.restore('task-2')).error).toBe('No checkpoints found for task: task-2');
    });

    test('remainingSteps', async () => {
      const manager = await place.with(['a']);
      expect((await manager.restore('task-1')).remainingSteps).toEqual(['s2', 's3']);
      expect((await manager.restore('task-2')).remainingSteps).toEqual([]);
    });
  });

  describe('2. ICheckpointManager', () => {
    test('save(state): Promise<void>', async () => {
      expect(await (await place.with([])).save(stateOf('a'))).toBeUndefined();
      expectTypeOf<ICheckpointManager['save']>().toEqualTypeOf<(state: CheckpointState) => Promise<void>>();
    });

    test('restore(taskId): Promise<RestoreResult>', async () => {
      expect((await (await place.with(['a', 'b'])).restore('task-1')).checkpoint?.id).toBe('b');
      expectTypeOf<ICheckpointManager['restore']>().toEqualTypeOf<(taskId: string) => Promise<RestoreResult>>();
    });

    test('restoreById(checkpointId): Promise<RestoreResult>', async () => {
      expect((await (await place.with(['a', 'b'])).restoreById('a')).checkpoint?.id).toBe('a');
    });

    test('list(taskId): Promise<CheckpointState[]>', async () => {
      expect(await (await place.with(['a'])).list('task-1')).toEqual([stateOf('a')]);
    });

    test('delete(checkpointId): Promise<boolean>', async () => {
      const manager = await place.with(['a']);
      expect([await manager.delete('a'), await manager.delete('a')]).toEqual([true, false]);
    });

    test('deleteAll(taskId): Promise<number>', async () => {
      expect(await (await place.with(['a', 'b'])).deleteAll('task-1')).toBe(2);
    });
  });

  describe('3. Key behaviors', () => {
    test('save() stores a defensive copy', async () => {
      const state = stateOf('a');
      const manager = await place.with([]);
      await manager.save(state);
      state.context['nested'] = 'changed';
      state.completedSteps.pop();
      expect((await manager.restore('task-1')).checkpoint).toEqual(stateOf('a'));
    });

    test('save() evicts the oldest past maxPerTask (FIFO)', async () => {
      const manager = await place.with(['a', 'b', 'c', 'd'], { maxPerTask: 2 });
      expect(idsOf(await place.again(manager).list('task-1'))).toEqual(['c', 'd']);
    });

    test('save() of an existing id updates in place without a second index entry', async () => {
      const manager = await place.with(['a', 'b']);
      await manager.save(stateOf('a', 'task-1', { stepIndex: 2 }));
      const states = await place.again(manager).list('task-1');
      expect(states.map(({ id, stepIndex }) => [id, stepIndex])).toEqual([
        ['a', 2],
        ['b', 1],
      ]);
      expect((await manager.restore('task-1')).checkpoint?.id).toBe('b');
    });

    test('restore() returns the last in the index, whatever createdAt says', async () => {
      const manager = await place.with(['a']);
      await manager.save(stateOf('old', 'task-1', { createdAt: '1999-01-01T00:00:00.000Z' }));
      expect((await place.again(manager).restore('task-1')).checkpoint?.id).toBe('old');
    });

    test('restoreById() returns a defensive copy', async () => {
      const manager = await place.with(['a']);
      (await manager.restoreById('a')).checkpoint?.pendingSteps.pop();
      expect((await manager.restoreById('a')).checkpoint).toEqual(stateOf('a'));
    });

    test('list() returns save order, each a copy', async () => {
      const manager = await place.with(['b', 'a']);
      (await manager.list('task-1'))[0]?.pendingSteps.pop();
      expect(await manager.list('task-1')).toEqual([stateOf('b'), stateOf('a')]);
    });

    test('delete() cleans up the task with its last checkpoint', async () => {
      const manager = await place.with(['a']);
      await manager.delete('a');
      expect((await manager.store.tasks()).items).toEqual([]);
    });

    test('deleteAll() returns the count deleted', async () => {
      expect(await (await place.with(['a', 'b', 'c'])).deleteAll('task-1')).toBe(3);
    });

    test('remainingSteps is a copy of pendingSteps', async () => {
      const { remainingSteps, checkpoint } = await (await place.with(['a'])).restore('task-1');
      expect(remainingSteps).toEqual(checkpoint?.pendingSteps);
      expect(remainingSteps).not.toBe(checkpoint?.pendingSteps);
    });
  });

  describe('5. Constructor', () => {
    test('Default config', async () => {
      const ids = Array.from({ length: 12 }, (_, at) => `cp-${at}`);
      expect(idsOf(await (await place.with(ids)).list('task-1'))).toEqual(ids.slice(2));
    });

    test('custom maxPerTask', async () => {
      expect(await (await place.with(['a', 'b', 'c', 'd'], { maxPerTask: 3 })).list('task-1')).toHaveLength(3);
    });
  });

  describe('5. Save', () => {
    test('Basic save and restore round-trip', async () => {
      const manager = await place.with(['a']);
      const result = await place.again(manager).restore('task-1');
      expect(result).toEqual({ success: true, checkpoint: stateOf('a'), remainingSteps: ['s2', 's3'] });
    });

    test('max-per-task eviction (oldest removed)', async () => {
      const manager = await place.with(['a', 'b', 'c'], { maxPerTask: 2 });
      const error = 'Checkpoint not found: a';
      expect(await manager.restoreById('a')).toEqual({ success: false, error, remainingSteps: [] });
    });

    test('overwrite same ID updates stepIndex', async () => {
      const manager = await place.with(['a']);
      await manager.save(stateOf('a', 'task-1', { stepIndex: 5 }));
      expect((await manager.list('task-1')).map(({ stepIndex }) => stepIndex)).toEqual([5]);
    });

    test('stored as defensive copy (mutation of original does not affect stored state)', async () => {
      const state = stateOf('a');
      const manager = await place.with([]);
      await manager.save(state);
      state.stepIndex = 99;
      expect((await manager.restoreById('a')).checkpoint?.stepIndex).toBe(1);
    });
  });

  describe('5. Restore', () => {
    test('Latest checkpoint for task', async () => {
      expect((await (await place.with(['a', 'b', 'c'])).restore('task-1')).checkpoint?.id).toBe('c');
    });

    test('failure result for unknown task', async () => {
      const error = 'No checkpoints found for task: nope';
      expect(await (await place.with([])).restore('nope')).toEqual({ success: false, error, remainingSteps: [] });
    });

    test('remaining steps populated from pending steps', async () => {
      expect((await (await place.with(['a'])).restore('task-1')).remainingSteps).toEqual(['s2', 's3']);
    });
  });

  describe('5. RestoreById', () => {
    test('Specific checkpoint retrieval', async () => {
      expect((await (await place.with(['a', 'b'])).restoreById('a')).checkpoint).toEqual(stateOf('a'));
    });

    test('failure for unknown ID', async () => {
      const error = 'Checkpoint not found: nope';
      expect(await (await place.with(['a'])).restoreById('nope')).toEqual({
        success: false,
        error,
        remainingSteps: [],
      });
    });

    test('returned as defensive copy (different reference, same content)', async () => {
      const manager = await place.with(['a']);
      const [one, two] = [await manager.restoreById('a'), await manager.restoreById('a')];
      expect(one.checkpoint).not.toBe(two.checkpoint);
      expect(one.checkpoint).toEqual(two.checkpoint);
    });
  });

  describe('5. List', () => {
    test('Checkpoints in save order', async () => {
      expect(idsOf(await (await place.with(['c', 'a', 'b'])).list('task-1'))).toEqual(['c', 'a', 'b']);
    });

    test('task isolation (task-2 unaffected by task-1 operations)', async () => {
      const manager = await place.with(['a', 'b']);
      await manager.save(stateOf('x', 'task-2'));
      await manager.deleteAll('task-1');
      expect(idsOf(await place.again(manager).list('task-2'))).toEqual(['x']);
    });

    test('empty array for unknown task', async () => {
      expect(await (await place.with(['a'])).list('nope')).toEqual([]);
    });
  });

  describe('5. Delete', () => {
    test('Single checkpoint removal', async () => {
      const manager = await place.with(['a', 'b']);
      expect(await manager.delete('a')).toBe(true);
      expect(idsOf(await place.again(manager).list('task-1'))).toEqual(['b']);
    });

    test('false for unknown ID', async () => {
      expect(await (await place.with(['a'])).delete('nope')).toBe(false);
    });

    test('task index cleanup when last checkpoint removed', async () => {
      const manager = await place.with(['a']);
      await manager.delete('a');
      expect((await manager.restore('task-1')).error).toBe('No checkpoints found for task: task-1');
    });
  });

  describe('5. DeleteAll', () => {
    test('All checkpoints for task removed and count returned', async () => {
      const manager = await place.with(['a', 'b']);
      expect(await manager.deleteAll('task-1')).toBe(2);
      expect(await place.again(manager).list('task-1')).toEqual([]);
    });

    test('other tasks unaffected', async () => {
      const manager = await place.with(['a']);
      await manager.save(stateOf('x', 'task-2'));
      await manager.deleteAll('task-1');
      expect((await manager.restore('task-2')).success).toBe(true);
    });

    test('zero for unknown task', async () => {
      expect(await (await place.with(['a'])).deleteAll('nope')).toBe(0);
    });
  });
});

describe('3. Implementation', () => {
  test('Class: CheckpointManager implements ICheckpointManager', async () => {
    expectTypeOf<CheckpointManager>().toExtend<ICheckpointManager>();
    expect(createCheckpointManager()).toBeInstanceOf(CheckpointManager);
  });

  test('Factory createCheckpointManager passes config correctly (enforces maxPerTask: 1)', async () => {
    expect(idsOf(await (await memory.with(['a', 'b'], { maxPerTask: 1 })).list('task-1'))).toEqual(['b']);
  });

  test('Storage: in memory without storagePath, and it says so', () => {
    expect(createCheckpointManager().store.info).toMatchObject({
      label: 'memory',
      notes: [expect.stringMatching(/^In memory only.*storagePath/)],
    });
  });
});

describe('2. CheckpointStorageOptions', () => {
  test('storagePath: a folder, or a file by its extension', async () => {
    const folder = await save(keep(createCheckpointManager({ storage: { storagePath: join(base, 'a/b') } })), ['a']);
    const file = await save(keep(createCheckpointManager({ storage: { storagePath: join(base, 'c/d.db') } })), ['a']);
    expect([folder, file].map(({ store }) => store.info.location)).toEqual([
      join(base, 'a/b/checkpoints.sqlite'),
      join(base, 'c/d.db'),
    ]);
  });

  test('maxPerTask: config.maxPerTask ?? config.storage?.maxPerTask ?? 10', async () => {
    const kept = async (config: CheckpointManagerConfig) =>
      (await (await durableOnce(config, 12)).list('task-1')).length;
    const storage = { storagePath: '', maxPerTask: 3 };
    expect(await kept({ maxPerTask: 2, storage })).toBe(2);
    expect(await kept({ storage })).toBe(3);
    expect(await kept({ storage: { storagePath: '' } })).toBe(10);
  });

  test('autoCleanup: false keeps what is beyond the limit, also where the file had one', async () => {
    const storage = { storagePath: join(base, 'kept.db'), maxPerTask: 2 };
    await save(keep(createCheckpointManager({ storage })), ['a', 'b', 'c']);
    const all = keep(createCheckpointManager({ storage: { ...storage, autoCleanup: false } }));
    await save(all, ['d', 'e']);
    expect(idsOf(await all.list('task-1'))).toEqual(['b', 'c', 'd', 'e']);
    const made = { ...storage, storagePath: join(base, 'made.db'), autoCleanup: false };
    await save(keep(new CheckpointManager({ storage: made })), ['a', 'b', 'c']);
    expect(await keep(createCheckpointManager({ storage: made })).list('task-1')).toHaveLength(3);
  });
});

/** What is acknowledged can be loaded again and is the newest; what could not be is refused and nothing is written. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/agent-framework/fixtures/open';
import { newPrefix, redisOfFile } from './fixtures/storages.ts';
import { checkpointAt } from './fixtures/workflow.ts';
import {
  CheckpointStorageError,
  FileCheckpointStorage,
  InMemoryCheckpointStorage,
  RedisCheckpointStorage,
  serializeCheckpoint,
  type CheckpointStorage,
} from './index.ts';

const redis = await redisOfFile();

const MAX = 4096;
const MIB = 1024 * 1024;
const timeAt = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const checkpointOf = (length: number, second = 0) =>
  checkpointAt(timeAt(second), { sharedState: { text: 'x'.repeat(length) } });

const STORAGES: readonly (readonly [string, () => Promise<CheckpointStorage>, boolean])[] = [
  ['file', async () => new FileCheckpointStorage(await temporaryFolder(), { maxBytes: MAX }), true],
  ['memory', async () => new InMemoryCheckpointStorage(), false],
  [
    'Redis',
    async () => {
      if (typeof redis === 'string') throw new Error(redis);
      return new RedisCheckpointStorage(redis.client, { prefix: newPrefix(), maxBytes: MAX });
    },
    true,
  ],
];

describe.each(STORAGES)('the %s storage around its limit', (name, open, isBounded) => {
  it.skipIf(name === 'Redis' && typeof redis === 'string')(
    'loads what it acknowledged, as the newest, and refuses the rest before it is written',
    async () => {
      const storage = await open();
      const outcomes = new Set<string>();
      const room = MAX - Buffer.byteLength(serializeCheckpoint({ ...checkpointOf(0), checkpointId: 's0000' }));
      let newest: string | undefined;
      for (let length = room - 20; length < room + 20; length++) {
        const id = `s${length}`;
        const checkpoint = checkpointOf(length, length);
        const error: unknown = await storage.saveCheckpoint(id, checkpoint).catch((cause: unknown) => cause);
        outcomes.add(error === undefined ? 'saved' : 'refused');
        if (error === undefined) newest = id;
        else expect(error).toMatchObject({ kind: 'storage', code: 'too_large' });
        expect((await storage.listCheckpoints('release-notes'))[0]).toBe(newest);
        const loaded = await storage.loadCheckpoint(id);
        expect(loaded?.sharedState).toEqual(error === undefined ? checkpoint.sharedState : undefined);
      }
      expect([...outcomes]).toEqual(isBounded ? ['saved', 'refused'] : ['saved']);
    },
  );
});

it('a checkpoint over 256 MiB is refused by its size, before a file is made', async () => {
  const storage = new FileCheckpointStorage(await temporaryFolder());
  const saved = storage.saveCheckpoint('a', checkpointOf(256 * MIB));
  await expect(saved).rejects.toMatchObject({ code: 'too_large', data: { maxBytes: 256 * MIB } });
  expect(await storage.loadCheckpoint('a')).toBeNull();
});

it('a file that is too large to load is still the newest of its workflow, and loading it says why', async () => {
  const folder = await temporaryFolder();
  const storage = new FileCheckpointStorage(folder, { maxBytes: MAX });
  await storage.saveCheckpoint('older', checkpointOf(0));
  const huge = serializeCheckpoint({ ...checkpointOf(2 * MAX, 1), checkpointId: 'huge' });
  await writeFile(join(folder, 'huge.json'), huge);
  expect(await storage.listCheckpoints('release-notes')).toEqual(['huge', 'older']);
  expect(await storage.listCheckpoints('another')).toEqual([]);
  const error: unknown = await storage.loadCheckpoint('huge').catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(CheckpointStorageError);
  expect(error).toMatchObject({ code: 'too_large' });
});

it('data of a pending message is as deep as what is loaded may be', async () => {
  const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);
  const storage = new InMemoryCheckpointStorage();
  const outcomes = new Set<string>();
  for (let depth = 990; depth < 1005; depth++) {
    const pendingMessages = [{ requestId: 'r', executorId: 'e', data: nested(depth), timestamp: new Date(0) }];
    const error: unknown = await storage
      .saveCheckpoint('a', checkpointAt(timeAt(0), { pendingMessages }))
      .catch((cause: unknown) => cause);
    outcomes.add(error === undefined ? 'saved' : 'refused');
    if (error === undefined) expect((await storage.loadCheckpoint('a'))?.pendingMessages).toHaveLength(1);
    else expect(error).toMatchObject({ kind: 'serialization' });
  }
  expect([...outcomes]).toEqual(['saved', 'refused']);
});

/** Files and ids that are not as they should be. */
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture, temporaryFolder } from '@checkpoint-inspector/systems/testing/agent-framework/fixtures/open';
import { pythonFile } from '@checkpoint-inspector/systems/testing/agent-framework/fixtures/python';
import { newPrefix, redisOfFile } from './fixtures/storages.ts';
import { checkpointAt, graph } from './fixtures/workflow.ts';
import {
  CheckpointStorageError,
  CorruptCheckpointError,
  deserializeCheckpoint,
  FileCheckpointStorage,
  InMemoryCheckpointStorage,
  InvalidCheckpointError,
  isGraphDescription,
  RedisCheckpointStorage,
  serializeCheckpoint,
} from './index.ts';

const redis = await redisOfFile();

const AT = '2026-11-21T13:00:01.000Z';
const EVIL = [
  '',
  '.',
  '..',
  '../x',
  '..\\x',
  '/etc/x',
  'a/b',
  'a\0b',
  '\0',
  'x'.repeat(300),
  '\ud800',
  'a\nb',
  'a ',
  ' ',
];
const NAMES = [
  '..%2fx',
  'C:\\x',
  'a:b',
  '.hidden',
  'a.',
  '*',
  'con',
  'NUL.x',
  'e\u0301',
  '../store-evil/x',
  '"',
  '<a>',
];
const ODD = ['__proto__', 'constructor', 'Case', 'case', 'é', '🦊', 'a b', '-rf', '~', 'p%', 'x.json', 'exec 1_step'];

describe('FileCheckpointStorage', () => {
  it('writes the golden file byte for byte, mode 0600, and nothing beside it', async () => {
    const folder = await temporaryFolder();
    const storage = new FileCheckpointStorage(folder);
    await storage.saveCheckpoint('run-1_writer', checkpointAt(AT, {}, { metadata: { graph } }));
    await storage.saveCheckpoint('run-1_writer', checkpointAt(AT, {}, { metadata: { graph } }));
    expect(await readdir(folder)).toEqual(['run-1_writer.json']);
    const golden = await readFile(join(fixture('document'), 'run-1_writer.json'));
    expect(await readFile(join(folder, 'run-1_writer.json'))).toEqual(golden);
    expect((await stat(join(folder, 'run-1_writer.json'))).mode & 0o777).toBe(0o600);
  });

  it('refuses an id that is not a file name, or stores under exactly that id', async () => {
    const outer = await temporaryFolder();
    const folder = join(outer, 'store');
    const storage = new FileCheckpointStorage(folder);
    for (const id of [...EVIL, ...NAMES]) {
      await expect(storage.saveCheckpoint(id, checkpointAt(AT))).rejects.toBeInstanceOf(InvalidCheckpointError);
      await expect(storage.loadCheckpoint(id)).rejects.toBeInstanceOf(InvalidCheckpointError);
      await expect(storage.deleteCheckpoint(id)).rejects.toBeInstanceOf(InvalidCheckpointError);
    }
    for (const id of ODD) await storage.saveCheckpoint(id, checkpointAt(AT));
    expect((await readdir(folder)).toSorted()).toEqual(ODD.map((id) => `${id}.json`).toSorted());
    expect((await storage.listCheckpoints('release-notes')).toSorted()).toEqual(ODD.toSorted());
    for (const id of ODD) expect((await storage.loadCheckpoint(id))?.checkpointId).toBe(id);
    for (const id of ODD) await storage.deleteCheckpoint(id);
    expect([await readdir(outer), await readdir(folder)]).toEqual([['store'], []]);
  });

  it('never goes through a link: the target survives a save and a removal', async () => {
    const folder = await temporaryFolder();
    const storage = new FileCheckpointStorage(join(folder, 'store'));
    await mkdir(join(folder, 'store'));
    await writeFile(join(folder, 'secret.json'), serializeCheckpoint(checkpointAt(AT)));
    const link = () => symlink(join(folder, 'secret.json'), join(folder, 'store', 'link.json'));
    await link();
    await expect(storage.loadCheckpoint('link')).rejects.toBeInstanceOf(CorruptCheckpointError);
    expect(await storage.listCheckpoints('release-notes')).toEqual([]);
    const secret = await readFile(join(folder, 'secret.json'));
    await storage.saveCheckpoint('link', checkpointAt(AT, { executionId: 'new' }));
    expect((await storage.loadCheckpoint('link'))?.executionId).toBe('new');
    await rm(join(folder, 'store', 'link.json'));
    await link();
    await storage.deleteCheckpoint('link');
    expect(await readFile(join(folder, 'secret.json'))).toEqual(secret);
  });

  it('names what is wrong with a file, and lists the others', async () => {
    const folder = await temporaryFolder();
    const storage = new FileCheckpointStorage(folder);
    await storage.saveCheckpoint('good', checkpointAt(AT));
    const good = await readFile(join(folder, 'good.json'), 'utf8');
    const bad: Record<string, string | Uint8Array> = {
      torn: good.slice(0, 100),
      array: '[]',
      empty: '',
      utf8: Buffer.concat([Buffer.from(good.slice(0, 30)), Buffer.from([0xff])]),
      python: pythonFile({ id: 'python' }),
      time: good.replaceAll(AT, 'yesterday'),
      completed: good.replace('"completed":true', '"completed":1'),
      pending: good.replace('"pendingMessages":[]', '"pendingMessages":[1]'),
      metadata: good.replace('"sharedState":{', '"metadata":[],"sharedState":{'),
      deep: good.replace('"brief":', `"deep":${'['.repeat(100_000)}${']'.repeat(100_000)},"brief":`),
    };
    for (const [id, text] of Object.entries(bad)) await writeFile(join(folder, `${id}.json`), text);
    for (const id of Object.keys(bad)) {
      const error = await storage.loadCheckpoint(id).catch((cause: unknown) => cause);
      expect([id, error]).toEqual([id, expect.any(CorruptCheckpointError)]);
    }
    expect(await storage.listCheckpoints('release-notes')).toEqual(['good']);
    await writeFile(join(folder, 'copy.json'), good);
    expect((await storage.loadCheckpoint('copy'))?.checkpointId).toBe('copy');
  });

  it('works on when the folder was removed, and tells of a folder that is none', async () => {
    const folder = join(await temporaryFolder(), 'store');
    const storage = new FileCheckpointStorage(folder);
    expect([await storage.listCheckpoints('w'), await storage.loadCheckpoint('a')]).toEqual([[], null]);
    await storage.saveCheckpoint('a', checkpointAt(AT));
    await rm(folder, { recursive: true });
    expect(await storage.listCheckpoints('release-notes')).toEqual([]);
    await storage.saveCheckpoint('b', checkpointAt(AT));
    expect(await storage.listCheckpoints('release-notes')).toEqual(['b']);
    await writeFile(join(folder, 'file'), '');
    const none = new FileCheckpointStorage(join(folder, 'file'));
    await expect(none.saveCheckpoint('a', checkpointAt(AT))).rejects.toBeInstanceOf(CheckpointStorageError);
    await mkdir(join(folder, 'taken.json'));
    await expect(storage.saveCheckpoint('taken', checkpointAt(AT))).rejects.toBeInstanceOf(CheckpointStorageError);
    await expect(storage.deleteCheckpoint('taken')).rejects.toBeInstanceOf(CheckpointStorageError);
    await storage.saveCheckpoint('c', checkpointAt(AT));
    expect((await readdir(folder)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('lists of equal times the one saved last first', async () => {
    const storage = new FileCheckpointStorage(await temporaryFolder());
    for (const id of ['b', 'a', 'c']) await storage.saveCheckpoint(id, checkpointAt(AT));
    expect(await storage.listCheckpoints('release-notes')).toEqual(['c', 'a', 'b']);
  });
});

describe('InMemoryCheckpointStorage', () => {
  it('lists of equal times the one saved last first, and takes any id', async () => {
    const storage = new InMemoryCheckpointStorage();
    for (const id of ['b', '../a', 'b', '__proto__']) await storage.saveCheckpoint(id, checkpointAt(AT));
    expect(await storage.listCheckpoints('release-notes')).toEqual(['__proto__', 'b', '../a']);
  });
});

describe.skipIf(typeof redis === 'string')('RedisCheckpointStorage', () => {
  const open = () => {
    if (typeof redis === 'string') throw new Error(redis);
    return { client: redis.client, prefix: newPrefix() };
  };

  it('takes any id, and lists of equal times the one saved last first', async () => {
    const { client, prefix } = open();
    const storage = new RedisCheckpointStorage(client, { prefix });
    const ids = ['b', '../a', 'x:y', '*', '🦊', '{z}'];
    for (const id of ids) await storage.saveCheckpoint(id, checkpointAt(AT));
    expect(await storage.listCheckpoints('release-notes')).toEqual(ids.toReversed());
    for (const id of ids) expect((await storage.loadCheckpoint(id))?.checkpointId).toBe(id);
    await expect(storage.saveCheckpoint('\ud800', checkpointAt(AT))).rejects.toBeInstanceOf(InvalidCheckpointError);
  });

  it('names what is not a checkpoint, and a connection that is lost', async () => {
    const { client, prefix } = open();
    const storage = new RedisCheckpointStorage(client, { prefix });
    await client.hSet(`{${prefix}}:checkpoint:torn`, 'text', '{"checkpointId":');
    await expect(storage.loadCheckpoint('torn')).rejects.toBeInstanceOf(CorruptCheckpointError);
    await client.set(`{${prefix}}:checkpoint:other`, 'a text');
    await expect(storage.loadCheckpoint('other')).rejects.toBeInstanceOf(CheckpointStorageError);
    const closed = new RedisCheckpointStorage(client.duplicate(), { prefix });
    await expect(closed.saveCheckpoint('a', checkpointAt(AT))).rejects.toBeInstanceOf(CheckpointStorageError);
    await expect(closed.listCheckpoints('w')).rejects.toBeInstanceOf(CheckpointStorageError);
  });
});

describe('texts and graphs', () => {
  it('keep numbers that JavaScript would round, and objects that look like our own marks', () => {
    const sharedState = {
      big: 2n ** 70n + 1n,
      mark: { $literal: { $date: 'x' } },
      gone: undefined,
      plain: { $date: 1, b: undefined },
    };
    const text = serializeCheckpoint(checkpointAt(AT, { sharedState }));
    expect(text).toContain('"big":1180591620717411303425');
    expect(deserializeCheckpoint(text).sharedState).toEqual(sharedState);
  });

  it('are told apart from what is not a graph description', () => {
    expect(isGraphDescription(graph)).toBe(true);
    for (const value of [
      null,
      undefined,
      1,
      {},
      { ...graph, edges: [{}] },
      { ...graph, executors: [null] },
      { ...graph, executors: {} },
    ]) {
      expect(isGraphDescription(value)).toBe(false);
    }
  });
});

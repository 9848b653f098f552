/** What is acknowledged can be loaded again and is the latest; what could not be is refused before anything is written. */
import { readdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AgentState, FilesystemStorage, StateManager, type FilesystemStorageOptions } from './index.ts';
import { rawKey, seal } from '@checkpoint-inspector/systems/testing/kaizen/crypt';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';

const MIB = 1024 * 1024;
const KEY = { encrypt: true, encryptionKey: new Uint8Array(32).fill(7) } as const;
const VARIANTS: readonly (readonly [string, FilesystemStorageOptions])[] = [
  ['plain', {}],
  ['gzip', { compress: true }],
  ['encrypted', KEY],
  ['encrypted and gzip', { ...KEY, compress: true }],
];

const stateWith = (checkpointId: string, text: string): AgentState =>
  new AgentState({ checkpointId, agentId: 'a', memoryContents: { text } });

describe.each(VARIANTS)('a %s checkpoint around the limit', (_, options) => {
  it('is loaded again and resumed when its save succeeds, else refused with nothing written', async () => {
    const baseDir = await temporaryFolder();
    const maxBytes = 4096;
    const manager = new StateManager({ storage: new FilesystemStorage({ baseDir, ...options }, { maxBytes }) });
    const outcomes = new Set<string>();
    await manager.saveCheckpoint(stateWith('before', ''));
    const room = maxBytes - JSON.stringify(stateWith('s0000', '').toDict()).length;
    for (let length = room - 150; length < room + 20; length++) {
      const state = stateWith(`s${length}`, 'x'.repeat(length));
      const [latest] = await manager.listCheckpoints('a');
      const before = await readdir(baseDir);
      const error: unknown = await manager.saveCheckpoint(state).then(
        () => undefined,
        (cause: unknown) => cause,
      );
      outcomes.add(error === undefined ? 'saved' : 'refused');
      if (error !== undefined) expect(error).toMatchObject({ code: 'too_large' });
      if (error !== undefined) expect(await readdir(baseDir)).toEqual(before);
      const resumed = await manager.resumeFromLatest('a');
      expect(resumed?.checkpointId).toBe(error === undefined ? state.checkpointId : latest?.checkpointId);
      if (error === undefined) expect(resumed?.memoryContents).toEqual(state.memoryContents);
    }
    expect([...outcomes]).toEqual(['saved', 'refused']);
  });
});

it('a state over 32 MiB is refused, and the save before it stays the latest', async () => {
  const baseDir = await temporaryFolder();
  const manager = new StateManager({ storage: new FilesystemStorage({ baseDir }) });
  await manager.saveCheckpoint(stateWith('small', 'x'));
  const large = manager.saveCheckpoint(stateWith('large', 'x'.repeat(32 * MIB)));
  await expect(large).rejects.toMatchObject({ code: 'too_large', data: { maxBytes: 32 * MIB } });
  expect(await readdir(baseDir)).toEqual(['small.jsonl']);
  expect((await manager.resumeFromLatest('a'))?.checkpointId).toBe('small');
});

it('a state that shrinks so well that reading would take it for a bomb is stored so that it can be loaded', async () => {
  const manager = new StateManager({
    storage: new FilesystemStorage({ baseDir: await temporaryFolder(), compress: true }),
  });
  await manager.saveCheckpoint(stateWith('small', 'x'));
  await manager.saveCheckpoint(stateWith('large', 'x'.repeat(17 * MIB)));
  expect((await manager.resumeFromLatest('a'))?.checkpointId).toBe('large');
});

it('a state with a field that could not be read back is refused by its key', async () => {
  const baseDir = await temporaryFolder();
  const state = stateWith('odd', '');
  Object.assign(state, { status: 'paused' });
  const saved = new FilesystemStorage({ baseDir }).save(state);
  await expect(saved).rejects.toMatchObject({ code: 'invalid_input', data: { key: 'status' } });
  expect(await readdir(baseDir)).toEqual([]);
});

describe('a newer checkpoint that is too large to read', () => {
  const limits = { maxBytes: 4096 };
  const bytesOf = async (ending: string, agentId: string, time: string): Promise<Uint8Array> => {
    const folder = await temporaryFolder();
    const state = new AgentState({ checkpointId: 'huge', agentId, metadata: { text: 'x'.repeat(8192) } });
    const text = JSON.stringify({ ...state.toDict(), timestamp: time });
    await writeFile(join(folder, 'huge'), text);
    if (ending === '.enc.jsonl') return seal(rawKey(KEY.encryptionKey), Buffer.from(text));
    return ending === '.jsonl.gz' ? gzipSync(text) : Buffer.from(text);
  };
  const place = async (ending: string, { agent = 'a', time = '2099-01-01T00:00:00+00:00', age = -60_000 } = {}) => {
    const baseDir = await temporaryFolder();
    const manager = new StateManager({ storage: new FilesystemStorage({ baseDir, ...KEY, encrypt: false }, limits) });
    await manager.saveCheckpoint(stateWith('small', 'x'));
    const path = join(baseDir, `huge${ending}`);
    await writeFile(path, await bytesOf(ending, agent, time));
    const saved = new Date(Date.now() - age);
    await utimes(path, saved, saved);
    return { manager, baseDir };
  };

  it.each(['.jsonl', '.jsonl.gz', '.enc.jsonl'])(
    'as %s stops the agent from going on from an older one',
    async (ending) => {
      const { manager, baseDir } = await place(ending);
      const resumed = manager.resumeFromLatest('a');
      await expect(resumed).rejects.toMatchObject({ code: 'too_large', data: { name: `huge${ending}` } });
      expect((await manager.listCheckpoints('a')).map((item) => item.checkpointId)).toEqual(['small']);
      await rename(join(baseDir, `huge${ending}`), join(baseDir, 'aside'));
      expect((await manager.resumeFromLatest('a'))?.checkpointId).toBe('small');
    },
  );

  it.each([
    ['of another agent', '.jsonl', { agent: 'b' }],
    ['of another agent, compressed', '.jsonl.gz', { agent: 'b' }],
    ['with an older time', '.jsonl', { time: '2001-01-01T00:00:00+00:00' }],
    ['encrypted, of before the latest', '.enc.jsonl', { age: 3_600_000 }],
  ])('does not when it is %s', async (_, ending, more) => {
    const { manager } = await place(ending, more);
    expect((await manager.resumeFromLatest('a'))?.checkpointId).toBe('small');
  });

  it('stops an agent that has no other checkpoint too: it would start afresh', async () => {
    const { manager, baseDir } = await place('.jsonl');
    await rename(join(baseDir, 'small.jsonl'), join(baseDir, 'aside'));
    await expect(manager.resumeFromLatest('a')).rejects.toMatchObject({ code: 'too_large' });
  });
});

it('a save removes what a killed save left behind an hour ago, and nothing else', async () => {
  const baseDir = await temporaryFolder();
  const names: string[] = [];
  const write = async (_folder: string, name: string, bytes: Uint8Array, options?: { temp?: string }) => {
    names.push(options?.temp ?? '');
    await writeFile(join(baseDir, name), bytes);
  };
  await new FilesystemStorage({ baseDir }, { write }).save(stateWith('first', ''));
  const [temp = ''] = names;
  expect(temp).toMatch(/^tmp-checkpoint-inspector-.*\.tmp$/);
  const old = new Date(Date.now() - 2 * 60 * 60 * 1000);
  for (const name of [temp, 'tmp12345678.tmp']) {
    await writeFile(join(baseDir, name), 'half');
    await utimes(join(baseDir, name), old, old);
  }
  await new FilesystemStorage({ baseDir }).listCheckpoints();
  expect((await stat(join(baseDir, temp))).isFile()).toBe(true);
  await new FilesystemStorage({ baseDir }).save(stateWith('second', ''));
  expect(await readdir(baseDir)).toEqual(['first.jsonl', 'second.jsonl', 'tmp12345678.tmp']);
});

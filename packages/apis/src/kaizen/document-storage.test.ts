// One test per item that Kaizen's document names about its storage.
import { toJsonText } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  AgentState,
  CheckpointMetadata,
  FilesystemStorage,
  isStorageBackend,
  StateManager,
  type Dict,
  type FilesystemStorageOptions,
  type StorageBackend,
} from './index.ts';
import { temporaryFolder } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';
import { GOLDEN_NONCE, GOLDEN_PASSPHRASE, goldenState, goldenFile } from './fixtures/golden.ts';

const KEY = { encrypt: true, encryptionKey: GOLDEN_PASSPHRASE } as const;
const VARIANTS: readonly (readonly [string, FilesystemStorageOptions])[] = [
  ['.jsonl', {}],
  ['.jsonl.gz', { compress: true }],
  ['.enc.jsonl', KEY],
  ['.enc.gz.jsonl', { ...KEY, compress: true }],
];

async function stored(options: FilesystemStorageOptions = {}) {
  const baseDir = join(await temporaryFolder(), 'store');
  return { baseDir, storage: new FilesystemStorage({ baseDir, ...options }, { nonce: () => GOLDEN_NONCE }) };
}

const golden = goldenFile;

/** The document's example, over SQLite. */
class CustomDatabaseBackend implements StorageBackend {
  readonly #db;

  constructor(path: string) {
    this.#db = openSqlite(path, { readOnly: false, create: true });
    onTestFinished(() => this.#db.close());
    this.#db.exec('CREATE TABLE checkpoints (id TEXT PRIMARY KEY, agent_id TEXT, state_json TEXT)');
  }

  async save(state: AgentState): Promise<string> {
    const insert = this.#db.prepare('INSERT OR REPLACE INTO checkpoints (id, agent_id, state_json) VALUES (?, ?, ?)');
    insert.run(state.checkpointId, state.agentId, toJsonText(state.toDict()));
    return state.checkpointId;
  }

  async load(checkpointId: string): Promise<AgentState> {
    const row = this.#rows().find((item) => item.id === checkpointId);
    if (!row) throw new Error(`Checkpoint not found: ${checkpointId}`);
    return AgentState.fromDict(JSON.parse(row.state_json) as Dict);
  }

  async listCheckpoints(): Promise<CheckpointMetadata[]> {
    return this.#rows().map((row) => {
      const state = AgentState.fromDict(JSON.parse(row.state_json) as Dict);
      return new CheckpointMetadata({ ...state, sizeBytes: row.state_json.length });
    });
  }

  async delete(checkpointId: string): Promise<void> {
    this.#db.prepare('DELETE FROM checkpoints WHERE id = ?').run(checkpointId);
  }

  async exists(checkpointId: string): Promise<boolean> {
    return this.#rows().some((row) => row.id === checkpointId);
  }

  #rows() {
    return this.#db.prepare<{ id: string; state_json: string }>('SELECT id, state_json FROM checkpoints').all();
  }
}

describe('StorageBackend', () => {
  it.each(['save', 'load', 'listCheckpoints', 'delete', 'exists'])(
    '%s: belongs to it, checked at run time',
    async (name) => {
      const { storage } = await stored();
      expect(isStorageBackend(storage)).toBe(true);
      const without = { save: 1, load: 1, listCheckpoints: 1, delete: 1, exists: 1 };
      const backend = Object.fromEntries(Object.keys(without).map((key) => [key, async () => undefined]));
      expect(isStorageBackend(backend)).toBe(true);
      expect(isStorageBackend({ ...backend, [name]: undefined })).toBe(false);
      const broken = { ...backend, [name]: undefined } as unknown as StorageBackend;
      expect(() => new StateManager({ storage: broken })).toThrow('StorageBackend');
      expect(isStorageBackend(null)).toBe(false);
    },
  );

  it("example: a database backend of one's own", async () => {
    const storage = new CustomDatabaseBackend(join(await temporaryFolder(), 'own.sqlite'));
    const manager = new StateManager({ storage, retentionCount: 3 });
    const save = (id: string, agentId: string) => manager.saveCheckpoint(new AgentState({ checkpointId: id, agentId }));
    for (const id of ['one', 'two', 'three', 'four']) await save(id, 'mine');
    await save('other', 'yours');
    expect((await manager.listCheckpoints('mine')).map((item) => item.checkpointId)).toEqual(['four', 'three', 'two']);
    expect((await manager.resumeFromLatest('mine'))?.checkpointId).toBe('four');
    expect(await storage.exists('other')).toBe(true);
    const fork = await manager.forkFromCheckpoint('two');
    expect(await manager.getCheckpointTree('mine')).toEqual({ two: [fork.checkpointId] });
    await expect(manager.loadCheckpoint('one')).rejects.toThrow('Checkpoint not found: one');
  });
});

describe('FilesystemStorage()', () => {
  it('base_dir: created if it does not exist', async () => {
    const baseDir = join(await temporaryFolder(), 'a', 'b');
    expect(new FilesystemStorage({ baseDir }).baseDir).toBe(baseDir);
    expect((await stat(baseDir)).isDirectory()).toBe(true);
    await writeFile(join(baseDir, 'file'), '');
    expect(() => new FilesystemStorage({ baseDir: join(baseDir, 'file') })).toThrow('file');
  });

  it('compress: false by default', async () => {
    expect((await stored()).storage.compress).toBe(false);
  });

  it('encrypt: false by default', async () => {
    expect((await stored()).storage.encrypt).toBe(false);
  });

  it('encryption_key: a passphrase, or 32 bytes', async () => {
    const baseDir = await temporaryFolder();
    const key = new Uint8Array(32).fill(7);
    await new FilesystemStorage({ baseDir, encrypt: true, encryptionKey: key }).save(goldenState());
    const other = new FilesystemStorage({ baseDir, encryptionKey: key });
    expect(await other.load('ckpt_601de0000001')).toEqual(goldenState());
    expect(() => new FilesystemStorage({ baseDir, encrypt: true, encryptionKey: new Uint8Array(31) })).toThrow(
      '32 bytes',
    );
  });

  it('raises if encryption is enabled without encryption_key', async () => {
    const baseDir = await temporaryFolder();
    expect(() => new FilesystemStorage({ baseDir, encrypt: true })).toThrow('encryptionKey');
  });

  it('encryption_key: any that is not blank, with a note where Kaizen wants a longer one', async () => {
    const baseDir = await temporaryFolder();
    for (const encryptionKey of ['', ' ', '\n\t']) {
      expect(() => new FilesystemStorage({ baseDir, encrypt: true, encryptionKey })).toThrow('blank');
    }
    const notes = (encryptionKey: string) =>
      new FilesystemStorage({ baseDir, encrypt: true, encryptionKey }).notes.join();
    expect(notes('test-encryption-key-32-bytes!!')).toContain('32 characters');
    expect(notes('your-secret-passphrase')).toContain('32 characters');
    expect(notes(GOLDEN_PASSPHRASE)).not.toContain('32 characters');
    expect(notes(GOLDEN_PASSPHRASE)).toContain('never lists');
    expect(new FilesystemStorage({ baseDir }).notes).toEqual([]);
  });

  it('processing order: JSON, encrypt, compress, write', async () => {
    const { baseDir, storage } = await stored({ ...KEY, compress: true });
    await storage.save(goldenState());
    const bytes = await readFile(join(baseDir, 'ckpt_601de0000001.enc.gz.jsonl'));
    expect(gunzipSync(bytes)).toEqual(await golden('.enc.jsonl'));
  });
});

describe('FilesystemStorage.save', () => {
  it.each(VARIANTS)('file extension %s, mode 0600, nothing else in the folder', async (ending, options) => {
    const { baseDir, storage } = await stored(options);
    expect(await storage.save(goldenState())).toBe('ckpt_601de0000001');
    expect(await readdir(baseDir)).toEqual([`ckpt_601de0000001${ending}`]);
    expect((await stat(join(baseDir, `ckpt_601de0000001${ending}`))).mode & 0o777).toBe(0o600);
  });

  it('JSONL: the bytes that Python writes', async () => {
    const { baseDir, storage } = await stored();
    await storage.save(goldenState());
    expect(await readFile(join(baseDir, 'ckpt_601de0000001.jsonl'))).toEqual(await golden('.jsonl'));
  });

  it('gzip compression: over those bytes', async () => {
    const { baseDir, storage } = await stored({ compress: true });
    await storage.save(goldenState());
    expect(gunzipSync(await readFile(join(baseDir, 'ckpt_601de0000001.jsonl.gz')))).toEqual(await golden('.jsonl'));
  });

  it("AES-256-GCM encryption: nonce, ciphertext, tag, as Python's cryptography makes them", async () => {
    const { baseDir, storage } = await stored(KEY);
    await storage.save(goldenState());
    expect(await readFile(join(baseDir, 'ckpt_601de0000001.enc.jsonl'))).toEqual(await golden('.enc.jsonl'));
  });

  it('the same checkpoint_id again replaces the file, also one of another variant', async () => {
    const baseDir = await temporaryFolder();
    for (const [ending, options] of VARIANTS) {
      const storage = new FilesystemStorage({ baseDir, ...options });
      await storage.save(new AgentState({ checkpointId: 'one', agentId: ending }));
      await storage.save(new AgentState({ checkpointId: 'one', agentId: ending, stepNumber: 2 }));
      expect(await readdir(baseDir)).toEqual([`one${ending}`]);
      expect(await storage.load('one')).toMatchObject({ agentId: ending, stepNumber: 2 });
    }
  });

  it('the state of the moment of the call is saved, in the order of the calls', async () => {
    const { storage } = await stored(KEY);
    const state = new AgentState({ checkpointId: 'one', agentId: 'a' });
    const saves = [1, 2, 3].map((step) => {
      state.stepNumber = step;
      return storage.save(state);
    });
    state.stepNumber = 99;
    await Promise.all(saves);
    expect((await storage.load('one')).stepNumber).toBe(3);
  });

  it('raises if save fails: data that JSON cannot hold, ids that are not file names', async () => {
    const { baseDir, storage } = await stored();
    const cyclic: Dict = {};
    cyclic['self'] = cyclic;
    for (const value of [new Date(), () => 1, cyclic, [undefined], new Map()]) {
      const save = storage.save(new AgentState({ agentId: 'a', metadata: { value } }));
      await expect(save).rejects.toMatchObject({ code: 'invalid_input' });
    }
    for (const checkpointId of ['../x', '', 'a/b', 'x.enc', 'checkpoint_cycle_1']) {
      await expect(storage.save(new AgentState({ checkpointId }))).rejects.toMatchObject({ code: 'invalid_input' });
    }
    expect(await readdir(baseDir)).toEqual([]);
  });
});

describe('FilesystemStorage.load', () => {
  it.each(VARIANTS)('checkpoint_id: gives back what was saved as %s', async (_, options) => {
    const { storage } = await stored(options);
    await storage.save(goldenState());
    const loaded = await storage.load('ckpt_601de0000001');
    expect(loaded).toEqual(goldenState());
    expect(loaded).toBeInstanceOf(AgentState);
  });

  it.each([
    ['.enc.jsonl.gz', '.enc.gz.jsonl', { ...KEY, compress: true }],
    ['.gz.jsonl', '.jsonl.gz', { compress: true }],
  ])('reads %s, which is written as %s', async (named, written, options) => {
    const { baseDir, storage } = await stored(options);
    await storage.save(goldenState());
    const bytes = await readFile(join(baseDir, `ckpt_601de0000001${written}`));
    await storage.delete('ckpt_601de0000001');
    await writeFile(join(baseDir, `ckpt_601de0000001${named}`), bytes);
    expect(await storage.load('ckpt_601de0000001')).toEqual(goldenState());
    expect((await storage.listCheckpoints()).map((item) => item.checkpointId)).toEqual(['ckpt_601de0000001']);
  });

  it('raises not_found if the checkpoint does not exist', async () => {
    const { storage } = await stored();
    for (const id of ['none', '', '..', '../store/none', '__proto__']) {
      await expect(storage.load(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('raises if load fails: torn, no object, unknown fields', async () => {
    const { baseDir, storage } = await stored();
    const text = (await golden('.jsonl')).toString();
    const bad = {
      torn: text.slice(0, 700),
      array: '[]',
      more: text.replace('"metadata"', '"own": 1, "metadata"'),
      empty: '',
    };
    for (const [id, content] of Object.entries(bad)) {
      await writeFile(join(baseDir, `${id}.jsonl`), content);
      await expect(storage.load(id)).rejects.toMatchObject({
        code: 'unreadable',
        message: expect.stringContaining(id),
      });
    }
  });
});

describe('FilesystemStorage.list_checkpoints', () => {
  it('agent_id: only those of the agent; None: all', async () => {
    const { storage } = await stored();
    for (const agentId of ['a', 'b', ''])
      await storage.save(new AgentState({ checkpointId: `of-${agentId}0`, agentId }));
    expect((await storage.listCheckpoints('b')).map((item) => item.checkpointId)).toEqual(['of-b0']);
    expect((await storage.listCheckpoints('')).map((item) => item.checkpointId)).toEqual(['of-0']);
    expect(await storage.listCheckpoints()).toHaveLength(3);
  });

  it.each(VARIANTS)('metadata sorted by timestamp, newest first, of %s files', async (ending, options) => {
    const { baseDir, storage } = await stored(options);
    for (const checkpointId of ['x', 'c', 'm']) await storage.save(new AgentState({ checkpointId, agentId: 'a' }));
    const items = await storage.listCheckpoints();
    expect(items.map((item) => item.checkpointId)).toEqual(['m', 'c', 'x']);
    expect(items[0]).toBeInstanceOf(CheckpointMetadata);
    expect(items[0]?.sizeBytes).toBe((await stat(join(baseDir, `m${ending}`))).size);
  });

  it('scans base_dir for checkpoint files, leaves others alone and names what it cannot read', async () => {
    const { baseDir, storage } = await stored();
    await storage.save(new AgentState({ checkpointId: 'good', agentId: 'a' }));
    await writeFile(join(baseDir, 'tmp12345678.tmp'), 'x');
    await writeFile(join(baseDir, 'checkpoint_cycle_001.jsonl'), '{"cycle": 1}\n');
    await writeFile(join(baseDir, 'torn.jsonl'), '{"checkpoint_id": ');
    await writeFile(join(baseDir, 'renamed.jsonl'), await readFile(join(baseDir, 'good.jsonl')));
    expect((await storage.listCheckpoints()).map((item) => item.checkpointId)).toEqual(['good']);
    expect(storage.listProblems.map((problem) => problem.name)).toEqual(['renamed.jsonl', 'torn.jsonl']);
  });

  it('parses metadata without loading the state: what has been read is not read again', async () => {
    const { baseDir, storage } = await stored();
    await storage.save(new AgentState({ checkpointId: 'one', agentId: 'a', metadata: { big: 'x'.repeat(1000) } }));
    const [item] = await storage.listCheckpoints();
    expect(JSON.stringify(item)).not.toContain('xxx');
    await writeFile(join(baseDir, 'one.jsonl'), 'changed');
    expect(await storage.listCheckpoints()).toEqual([]);
  });
});

describe('FilesystemStorage.delete', () => {
  it.each(VARIANTS)('checkpoint_id: removes the %s file', async (_, options) => {
    const { baseDir, storage } = await stored(options);
    await storage.save(goldenState());
    await storage.delete('ckpt_601de0000001');
    expect(await readdir(baseDir)).toEqual([]);
  });

  it('raises not_found if the checkpoint does not exist', async () => {
    const { storage } = await stored();
    for (const id of ['none', '../store', '']) {
      await expect(storage.delete(id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

it.each(VARIANTS)('FilesystemStorage.exists: true for a %s file, else false', async (_, options) => {
  const { storage } = await stored(options);
  await storage.save(goldenState());
  expect(await storage.exists('ckpt_601de0000001')).toBe(true);
  for (const id of ['none', '..', '../store/ckpt_601de0000001', '']) expect(await storage.exists(id)).toBe(false);
});

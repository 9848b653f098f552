import { cp, readFile, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentState, FilesystemStorage } from './index.ts';
import { encodeDocument, keyOfPassphrase } from '@checkpoint-inspector/systems/kaizen';
import { copyOf, PASSPHRASE, temporaryFolder } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';
import { wholeFolder } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/independent';
import { allRows, errorOf, SECRETS, unlocked } from '@checkpoint-inspector/systems/testing/kaizen/fixtures/unlocked';

const TASK = 'research_agent';

describe('damage (S54)', () => {
  const ID = 'ckpt_19ddfcd0a797';
  const NAME = `${ID}.enc.jsonl`;

  async function problemAfter(change: (folder: string) => Promise<unknown>, name = NAME) {
    const folder = await copyOf('enc');
    await change(folder);
    const before = await wholeFolder(folder);
    const source = await unlocked(folder);
    const rest = (await source.tasks()).items.find((task) => task.kind === 'unassigned');
    const row = (await source.checkpoints(rest?.id ?? '')).items.find((meta) => meta.id === name);
    const storage = new FilesystemStorage({ baseDir: folder, encryptionKey: PASSPHRASE });
    const error = await errorOf(storage.load(name.slice(0, name.indexOf('.'))));
    expect(await wholeFolder(folder)).toEqual(before);
    expect(SECRETS.filter((word) => JSON.stringify([row, error, error.message]).includes(word))).toEqual([]);
    return [row?.problem?.code, error.code];
  }

  it('any of 120 flipped bits is refused, with an error that is not "not found"', async () => {
    const folder = await copyOf('enc');
    const path = join(folder, NAME);
    const good = await readFile(path);
    const storage = new FilesystemStorage({ baseDir: folder, encryptionKey: PASSPHRASE });
    for (let n = 0; n < 120; n++) {
      const bytes = Buffer.from(good);
      const bit = Math.floor((n * good.length * 8) / 120);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      await writeFile(path, bytes);
      expect((await errorOf(storage.load(ID))).code).toBe('wrong_key');
    }
    const source = await unlocked(folder);
    expect((await source.tasks()).items.find((task) => task.kind === 'unassigned')).toMatchObject({ unreadable: 1 });
  });

  it('truncation is refused', async () => {
    for (const [length, code] of [
      [0, 'unreadable'],
      [27, 'unreadable'],
      [28, 'wrong_key'],
      [700, 'wrong_key'],
    ] as const) {
      expect(await problemAfter((folder) => truncate(join(folder, NAME), length))).toEqual([code, code]);
    }
  });

  it('a cut gzip is refused', async () => {
    const folder = await copyOf('enc-gz');
    await truncate(join(folder, 'ckpt_274a742fdafa.enc.jsonl.gz'), 500);
    const storage = new FilesystemStorage({ baseDir: folder, encryptionKey: PASSPHRASE });
    expect((await errorOf(storage.load('ckpt_274a742fdafa'))).code).toBe('unreadable');
  });

  it('two exchanged files are refused, and are in the lists', async () => {
    const folder = await copyOf('enc');
    const [a, b] = ['ckpt_19ddfcd0a797', 'ckpt_4e2e8b93dc5d'];
    await rename(join(folder, `${a}.enc.jsonl`), join(folder, 'aside'));
    await rename(join(folder, `${b}.enc.jsonl`), join(folder, `${a}.enc.jsonl`));
    await rename(join(folder, 'aside'), join(folder, `${b}.enc.jsonl`));
    const storage = new FilesystemStorage({ baseDir: folder, encryptionKey: PASSPHRASE });
    const source = await unlocked(folder);
    for (const id of [a, b]) {
      const error = await errorOf(storage.load(id ?? ''));
      expect([error.code, error.message]).toEqual(['unreadable', expect.stringContaining('swapped')]);
      expect((await errorOf(source.state({ task: TASK, id: id ?? '' }))).code).toBe('unreadable');
    }
    expect((await source.checkpoints(TASK)).items).toHaveLength(7);
    expect((await source.latest(TASK)).ref?.id).toBe('ckpt_cab61ba4d192');
  });

  it('a plain twin is never loaded in the place of the encrypted file, and both are shown', async () => {
    const folder = await copyOf('enc');
    const storage = new FilesystemStorage({ baseDir: folder, encryptionKey: PASSPHRASE });
    const real = await storage.load(ID);
    await new FilesystemStorage({ baseDir: join(folder, 'x') }).save(
      new AgentState({ ...real, metadata: { planted: 1 } }),
    );
    await cp(join(folder, 'x', `${ID}.jsonl`), join(folder, `${ID}.jsonl`));
    expect((await storage.load(ID)).metadata).toEqual(real.metadata);
    const source = await unlocked(folder);
    expect(await source.find(ID)).toHaveLength(2);
    expect((await source.state({ task: TASK, id: ID }))?.text).not.toContain('planted');
  });

  it('a file of a store with another key is refused', async () => {
    const foreign = await temporaryFolder();
    const storage = new FilesystemStorage({ baseDir: foreign, encrypt: true, encryptionKey: 'of another store' });
    await storage.save(new AgentState({ checkpointId: ID, agentId: TASK }));
    expect(await problemAfter((folder) => cp(join(foreign, NAME), join(folder, NAME)))).toEqual([
      'wrong_key',
      'wrong_key',
    ]);
  });

  it('a link is not followed', async () => {
    const target = join(await copyOf('enc'), NAME);
    const work = async (folder: string) => {
      await rename(join(folder, NAME), join(folder, 'aside'));
      await symlink(target, join(folder, NAME));
    };
    const folder = await copyOf('enc');
    await work(folder);
    const storage = new FilesystemStorage({ baseDir: folder, encryptionKey: PASSPHRASE });
    expect((await errorOf(storage.load(ID))).code).toBe('unreadable');
    await storage.delete(ID);
    expect(await readFile(target)).toHaveLength((await readFile(join(folder, 'aside'))).length);
  });

  it('words of a document that is not a checkpoint are not quoted', async () => {
    const folder = await temporaryFolder();
    const key = await keyOfPassphrase(PASSPHRASE);
    const bad = {
      time: '{"checkpoint_id": "time", "agent_id": "a", "timestamp": "Summarise"}',
      torn: '{"checkpoint_id": "torn", Summarise',
      field: '{"checkpoint_id": "field", "agent_id": "a", "timestamp": "2026-01-01T00:00:00+00:00", "Summarise": 1}',
    };
    for (const [id, text] of Object.entries(bad)) {
      await writeFile(join(folder, `${id}.enc.jsonl`), await encodeDocument('enc', text, key));
    }
    const source = await unlocked(folder);
    const storage = new FilesystemStorage({ baseDir: folder, encryptionKey: PASSPHRASE });
    const errors = await Promise.all(Object.keys(bad).map((id) => errorOf(storage.load(id))));
    const plan = await source.plan({ kind: 'restore', ref: { task: 'a', id: 'field' } });
    const said = JSON.stringify([
      await allRows(source),
      (await source.tasks()).items,
      errors.map((e) => [e.message, e.data, e.cause]),
      plan.view.warnings,
    ]);
    expect(said).not.toContain('Summarise');
    expect(errors.map((error) => error.code)).toEqual(['unreadable', 'unreadable', 'unreadable']);
  });
});

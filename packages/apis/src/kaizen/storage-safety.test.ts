import { execFile } from 'node:child_process';
import { mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { AgentState, FilesystemStorage, StateManager, type FilesystemStorageOptions } from './index.ts';
import {
  fixture,
  openKaizen,
  PASSPHRASE,
  refOf,
  temporaryFolder,
} from '@checkpoint-inspector/systems/testing/kaizen/fixtures/open';
import { GOLDEN_PASSPHRASE, goldenState } from './fixtures/golden.ts';
import {
  decryptedBy,
  kaizenLoads,
  kaizenResumes,
} from '@checkpoint-inspector/systems/testing/kaizen/fixtures/independent';
import { pythonJson } from './python-json.ts';

const KEY = { encrypt: true, encryptionKey: GOLDEN_PASSPHRASE } as const;
const VARIANTS: readonly (readonly [string, FilesystemStorageOptions])[] = [
  ['.jsonl', {}],
  ['.jsonl.gz', { compress: true }],
  ['.enc.jsonl', KEY],
  ['.enc.gz.jsonl', { ...KEY, compress: true }],
];

/** Fails the next write of a file after half of its bytes, as a full disk does. */
async function fillDisk(): Promise<void> {
  const handle = await open(fileURLToPath(import.meta.url), 'r');
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const write = prototype.writeFile;
  vi.spyOn(prototype, 'writeFile').mockImplementationOnce(async function half(this: typeof handle, data) {
    await write.call(this, (data as Uint8Array).subarray(0, 100));
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
}

describe.each(VARIANTS)('round trips as %s', (ending, options) => {
  it('what the interface writes is read back equal by the inspector and by the facts known of Kaizen', async () => {
    const baseDir = await temporaryFolder();
    const storage = new FilesystemStorage({ baseDir, ...options });
    const manager = new StateManager({ storage });
    await manager.saveCheckpoint(goldenState());
    const fork = await manager.forkFromCheckpoint('ckpt_601de0000001');
    const source = await openKaizen(baseDir);
    if (options.encrypt) await source.unlock(GOLDEN_PASSPHRASE);
    const rows = (await source.checkpoints('research_agent')).items;
    expect(rows.map((row) => row.id)).toEqual((await storage.listCheckpoints()).map((item) => item.checkpointId));
    expect(rows[0]).toMatchObject({ id: fork.checkpointId, parentId: 'ckpt_601de0000001', lineage: 'recorded' });
    for (const row of rows) {
      expect((await source.state(refOf(row)))?.text).toBe(pythonJson((await storage.load(row.id)).toDict()));
      expect((await stat(join(baseDir, row.id + ending))).size).toBe(row.sizeBytes);
    }
    expect((await source.latest('research_agent')).ref?.id).toBe(
      (await manager.resumeFromLatest('research_agent'))?.checkpointId,
    );
    // JSON.parse, which stands in for Python there, knows no NaN.
    await storage.save(new AgentState({ checkpointId: 'plainly', agentId: 'a', stepNumber: 5 }));
    const decrypt = decryptedBy(GOLDEN_PASSPHRASE);
    expect(await kaizenLoads(baseDir, 'plainly', decrypt)).toMatchObject({ agent_id: 'a', step_number: 5 });
  });
});

it('every real state is loaded and saved again byte for byte', async () => {
  for (const name of ['plain', 'enc'] as const) {
    const real = new FilesystemStorage({ baseDir: fixture(name), encryptionKey: PASSPHRASE });
    const baseDir = await temporaryFolder();
    const own = new FilesystemStorage({ baseDir });
    const source = await openKaizen(fixture(name));
    if (name === 'enc') await source.unlock(PASSPHRASE);
    const items = await real.listCheckpoints();
    expect(items).toHaveLength(13);
    for (const { checkpointId, agentId } of items) {
      await own.save(await real.load(checkpointId));
      const text = (await source.state({ task: agentId, id: checkpointId }))?.text;
      expect(await readFile(join(baseDir, `${checkpointId}.jsonl`), 'utf8')).toBe(`${text}\n`);
    }
    expect((await kaizenResumes(baseDir, 'research_agent'))?.checkpoint_id).toBe(
      (await source.latest('research_agent')).ref?.id,
    );
    expect((await new StateManager({ storage: real }).resumeFromLatest('research_agent'))?.checkpointId).toBe(
      (await source.latest('research_agent')).ref?.id,
    );
  }
});

describe('when the disk is full', () => {
  it.each(VARIANTS)('a save as %s fails by name, and what was there stays whole', async (ending, options) => {
    const baseDir = await temporaryFolder();
    const storage = new FilesystemStorage({ baseDir, ...options });
    await storage.save(goldenState());
    await fillDisk();
    const next = goldenState();
    next.stepNumber = 43;
    await expect(storage.save(next)).rejects.toMatchObject({ code: 'disk_full' });
    expect(await readdir(baseDir)).toEqual([`ckpt_601de0000001${ending}`]);
    expect(await storage.load('ckpt_601de0000001')).toEqual(goldenState());
    await storage.save(next);
    expect((await storage.load('ckpt_601de0000001')).stepNumber).toBe(43);
  });
});

describe('bad circumstances', () => {
  it('one file that cannot be deleted: the rest continues', async () => {
    const baseDir = await temporaryFolder();
    const storage = new FilesystemStorage({ baseDir });
    for (let n = 0; n < 4; n++) await storage.save(new AgentState({ checkpointId: `c${n}`, agentId: 'a' }));
    const stuck = { ...(await storage.listCheckpoints()).at(-1) };
    // A folder in the place of the file that is to go: no user may unlink that.
    const list = storage.listCheckpoints.bind(storage);
    vi.spyOn(storage, 'listCheckpoints').mockImplementation(async (agentId) => {
      const items = await list(agentId);
      await rm(join(baseDir, 'c0.jsonl'), { force: true });
      await mkdir(join(baseDir, 'c0.jsonl'), { recursive: true });
      return items;
    });
    const manager = new StateManager({ storage, retentionCount: 2 });
    expect(await manager.cleanupOldCheckpoints('a')).toBe(1);
    expect(manager.cleanupFailures).toMatchObject([{ agentId: 'a', checkpointId: stuck.checkpointId }]);
    expect((await readdir(baseDir)).toSorted()).toEqual(['c0.jsonl', 'c2.jsonl', 'c3.jsonl']);
  });

  it('the folder is removed while open: an error, never an empty list', async () => {
    const baseDir = join(await temporaryFolder(), 'store');
    const storage = new FilesystemStorage({ baseDir });
    await storage.save(new AgentState({ checkpointId: 'one', agentId: 'a' }));
    await rename(baseDir, `${baseDir}-gone`);
    const manager = new StateManager({ storage });
    await expect(manager.resumeFromLatest('a')).rejects.toMatchObject({ code: 'not_found' });
    await expect(storage.save(new AgentState({ checkpointId: 'two' }))).rejects.toMatchObject({ code: 'no_store' });
    await rename(`${baseDir}-gone`, baseDir);
    expect((await manager.resumeFromLatest('a'))?.checkpointId).toBe('one');
  });

  it('a wrong or missing key: an error, never a fresh start', async () => {
    const resume = (options: FilesystemStorageOptions) =>
      new StateManager({ storage: new FilesystemStorage({ baseDir: fixture('enc'), ...options }) }).resumeFromLatest(
        'research_agent',
      );
    await expect(resume({})).rejects.toMatchObject({ code: 'locked' });
    await expect(resume({ encryptionKey: 'of somebody else' })).rejects.toMatchObject({ code: 'wrong_key' });
    expect((await resume({ encryptionKey: PASSPHRASE }))?.checkpointId).toBe('ckpt_19ddfcd0a797');
  });

  it('a torn, an odd and a forged file are beside the good one without harm', async () => {
    const baseDir = await temporaryFolder();
    const storage = new FilesystemStorage({ baseDir });
    await storage.save(new AgentState({ checkpointId: 'good', agentId: 'a' }));
    const text = await readFile(join(baseDir, 'good.jsonl'), 'utf8');
    await writeFile(join(baseDir, 'torn.jsonl'), text.slice(0, 100));
    await writeFile(join(baseDir, 'odd.jsonl'), text.replaceAll('good', 'odd').replace('"running"', '"paused"'));
    await writeFile(join(baseDir, 'deep.jsonl'), `{"metadata": ${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    await writeFile(
      join(baseDir, 'proto.jsonl'),
      text.replaceAll('good', 'proto').replace('"metadata": {}', '"metadata": {"__proto__": {"x": 1}}'),
    );
    expect((await storage.listCheckpoints('a')).map((item) => item.checkpointId).toSorted()).toEqual(['good', 'proto']);
    expect(storage.listProblems.map((problem) => problem.name)).toEqual(['deep.jsonl', 'odd.jsonl', 'torn.jsonl']);
    for (const id of ['torn', 'odd', 'deep'])
      await expect(storage.load(id)).rejects.toMatchObject({ code: 'unreadable' });
    const { metadata } = await storage.load('proto');
    expect(Object.keys(metadata)).toEqual(['__proto__']);
    expect('x' in {}).toBe(false);
  });
});

describe('encryption', () => {
  const run = promisify(execFile);

  /** Node 20 runs no TypeScript, so the child is bundled; the bundler comes with the test runner. */
  async function bundled(): Promise<string> {
    const own = createRequire(import.meta.url);
    const vite = own.resolve('vite', { paths: [own.resolve('vitest')] });
    const { rolldown } = (await import(pathToFileURL(own.resolve('rolldown', { paths: [vite] })).href)) as {
      rolldown: (
        options: object,
      ) => Promise<{ write: (options: object) => Promise<unknown>; close: () => Promise<void> }>;
    };
    const input = fileURLToPath(new URL('./fixtures/save-child.ts', import.meta.url));
    // Beside packages/io's modules, so that the bundle finds the drivers.
    const cache = `../../../io/node_modules/.cache/save-child-${process.pid}.mjs`;
    const file = fileURLToPath(new URL(cache, import.meta.url));
    const build = await rolldown({
      input,
      platform: 'node',
      external: ['@parcel/watcher', 'better-sqlite3'],
      logLevel: 'silent',
    });
    await build.write({ file, format: 'esm', codeSplitting: false });
    await build.close();
    onTestFinished(() => rm(file));
    return file;
  }

  it('2,100 saves of one state from 3 processes: no nonce and no ciphertext twice (S55)', async () => {
    const file = await bundled();
    const folders = await Promise.all([1, 2, 3].map(() => temporaryFolder()));
    const outputs = await Promise.all(folders.map((folder) => run(process.execPath, [file, folder, '700'])));
    const lines = outputs.flatMap(({ stdout }) => stdout.trim().split('\n'));
    expect(lines).toHaveLength(2100);
    expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(2100);
    expect(new Set(lines.map((line) => line.split(' ')[1])).size).toBe(2100);
  }, 60_000);

  it('a passphrase stays out of what the storage shows of itself', async () => {
    const storage = new FilesystemStorage({ baseDir: await temporaryFolder(), ...KEY });
    const { inspect } = await import('node:util');
    expect(inspect(storage, { depth: 9, showHidden: true }) + JSON.stringify(storage)).not.toContain(GOLDEN_PASSPHRASE);
  });
});

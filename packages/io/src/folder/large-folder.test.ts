import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSqlite } from '../sqlite/open.ts';
import { FolderIndex, type FolderFile, type FolderReader } from './folder-index.ts';

interface Note extends FolderFile {
  readonly text: string;
  readonly at: bigint;
  readonly words: ReadonlyMap<string, number>;
}

const COUNT = 1_200;
const SECRET = `sk-ant-api03-${'a1B2'.repeat(8)}`;
let folder: string;
let stateFolder: string;

beforeEach(async () => {
  const made = await mkdtemp(join(tmpdir(), 'large-folder-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  folder = join(made, 'notes');
  stateFolder = join(made, 'state');
  await mkdir(folder);
  await Promise.all(Array.from({ length: COUNT }, (_, n) => write(n)));
});

const nameOf = (n: number): string => `${String(n).padStart(4, '0')}.note`;

/** Long ago, a minute apart. */
async function write(n: number, text = `note ${n}`, minute = n): Promise<void> {
  await writeFile(join(folder, nameOf(n)), text);
  const time = new Date(Date.UTC(2026, 0, 1) + minute * 60_000);
  await utimes(join(folder, nameOf(n)), time, time);
}

function opened(options: Partial<FolderReader<Note>> = {}) {
  const read = vi.fn<FolderReader<Note>['read']>(async (entry, bytes) => {
    const text = Buffer.from(await bytes()).toString();
    return { entry, text, at: 12n ** 20n, words: new Map([[text, text.length]]) };
  });
  const failed = (entry: Note['entry'], { message }: Error): Note => ({
    entry,
    text: '',
    at: 0n,
    words: new Map(),
    problem: { code: 'unreadable', message },
  });
  const reader = { id: 'notes 1', accepts: (name: string) => name.endsWith('.note'), read, failed, maxBytes: 1_000 };
  const index = new FolderIndex(folder, { ...reader, ...options }, { stateFolder });
  index.start();
  onTestFinished(() => index.close());
  return { index, read };
}

const textsOf = ({ files }: { readonly files: readonly Note[] }) => files.map(({ text }) => text).toSorted();
const all = (change: Record<number, string> = {}) =>
  Array.from({ length: COUNT }, (_, n) => change[n] ?? `note ${n}`).toSorted();

describe('a part of a large folder', () => {
  it('is its newest documents; the rest is read in the background, and told', async () => {
    const { index } = opened();
    const told: number[] = [];
    onTestFinished(index.follow(() => told.push(index.coverage.n)));
    const { files } = await index.read({ partial: true });
    expect(files.length).toBeGreaterThanOrEqual(500);
    expect(files.length).toBeLessThan(COUNT);
    expect(textsOf({ files })).toEqual(
      Array.from({ length: files.length }, (_, n) => `note ${COUNT - 1 - n}`).toSorted(),
    );
    await vi.waitFor(() => expect(index.coverage).toEqual({ n: COUNT, of: COUNT }), 60_000);
    await vi.waitFor(() => expect(told.at(-1)).toBe(COUNT), 60_000);
    // Twice as much each time: however large the folder is, few are told.
    expect(told.length).toBeLessThan(5);
    expect(textsOf(await index.read({ partial: true }))).toEqual(all());
  });

  it('has what was written since, and not what was deleted', async () => {
    const { index } = opened();
    await index.read({ partial: true });
    await write(COUNT, 'the newest', 0);
    await rm(join(folder, nameOf(COUNT - 1)));
    const part = await index.read({ partial: true });
    expect(textsOf(part)).toContain('the newest');
    expect(textsOf(part)).not.toContain(`note ${COUNT - 1}`);
    expect((await index.read()).files).toHaveLength(COUNT);
  });

  it('never passes for the whole', async () => {
    const { index, read } = opened();
    const [part, whole] = await Promise.all([index.read({ partial: true }), index.read()]);
    expect(part.files.length).toBeLessThanOrEqual(whole.files.length);
    expect(textsOf(whole)).toEqual(all());
    expect(read).toHaveBeenCalledTimes(COUNT);
  });
});

describe('what was read of a large folder', () => {
  it('is kept: the same is known again without reading, and what is different is read', async () => {
    const first = await opened().index.read();
    const again = opened();
    expect(await again.index.read()).toEqual(first);
    expect(again.read).not.toHaveBeenCalled();

    await write(3, 'of another size');
    await write(4, 'nota 4', 5);
    await rm(join(folder, nameOf(5)));
    const changed = opened();
    expect(textsOf(await changed.index.read())).toEqual(
      all({ 3: 'of another size', 4: 'nota 4' }).filter((text) => text !== 'note 5'),
    );
    expect(changed.read.mock.calls.map(([{ name }]) => name).toSorted()).toEqual([nameOf(3), nameOf(4)]);
  });

  it('is not kept of a small folder, of files still being written, nor where the reader refuses or a secret is', async () => {
    await write(7, `key ${SECRET}`);
    await writeFile(join(folder, nameOf(8)), 'only just');
    await opened({ mayKeep: (name) => name !== nameOf(9) }).index.read();
    const bytes = await readFile(join(stateFolder, 'folders.sqlite'), 'latin1');
    expect(bytes.includes('"note 10"')).toBe(true);
    expect(/a1B2a1B2|"note 9"/.exec(bytes)).toBeNull();
    expect((await stat(join(stateFolder, 'folders.sqlite'))).mode & 0o777).toBe(0o600);
    const { index, read } = opened();
    await index.read();
    expect(read.mock.calls.map(([{ name }]) => name).toSorted()).toEqual([nameOf(7), nameOf(8), nameOf(9)]);

    await rm(stateFolder, { recursive: true });
    for (const name of (await readdir(folder)).slice(400)) await rm(join(folder, name));
    await opened().index.read();
    await expect(stat(stateFolder)).rejects.toThrow('ENOENT');
  });

  it('is not believed from another reader', async () => {
    await opened().index.read();
    const { index, read } = opened({ id: 'notes 2' });
    await index.read();
    expect(read).toHaveBeenCalledTimes(COUNT);
  });

  it.each([
    ['no database', (path: string) => writeFile(path, 'no database at all '.repeat(500))],
    ['damaged', damage],
    ['of another format', (path: string) => run(path, 'PRAGMA user_version = 99')],
    ['altered', (path: string) => run(path, `UPDATE files SET text = replace(text, 'note', 'fake')`)],
    ['of other files', (path: string) => run(path, `UPDATE files SET text = '{"text":"fake"}', mark = 'same'`)],
  ])('is not believed where it is %s, but read and kept again', async (_what, spoil) => {
    await opened().index.read();
    await Promise.resolve(spoil(join(stateFolder, 'folders.sqlite')));
    const { index } = opened();
    expect(textsOf(await index.read())).toEqual(all());
    const again = opened();
    expect(textsOf(await again.index.read())).toEqual(all());
    expect(again.read).not.toHaveBeenCalled();
  });

  it('is read where it cannot be kept: another process writes, or the state folder is closed', async () => {
    await opened().index.read();
    const other = openSqlite(join(stateFolder, 'folders.sqlite'), { readOnly: false });
    onTestFinished(() => other.close());
    other.exec('BEGIN EXCLUSIVE');
    expect(textsOf(await opened().index.read())).toEqual(all());
    stateFolder = join(folder, nameOf(1));
    expect(textsOf(await opened().index.read())).toEqual(all());
  });
});

async function damage(path: string): Promise<void> {
  run(path, 'PRAGMA wal_checkpoint(TRUNCATE)');
  const bytes = await readFile(path);
  bytes.fill(0xff, 4_096, 40_960);
  await writeFile(path, bytes);
}

function run(path: string, sql: string): void {
  const db = openSqlite(path, { readOnly: false });
  db.exec(sql);
  db.close();
}

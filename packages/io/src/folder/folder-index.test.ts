import { InspectorError } from '@checkpoint-inspector/core';
import { mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { FolderIndex, type FolderFile, type FolderReader } from './folder-index.ts';

interface Note extends FolderFile {
  readonly text?: string;
}

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'folder-index-'));
  const made = folder;
  onTestFinished(() => rm(made, { recursive: true, force: true }));
});

function reader(maxBytes = 100) {
  const read = vi.fn<FolderReader<Note>['read']>(async (entry, bytes) => ({
    entry,
    text: Buffer.from(await bytes()).toString(),
  }));
  const failed = (entry: Note['entry'], { message }: InspectorError): Note => ({
    entry,
    problem: { code: 'unreadable', message },
  });
  return { accepts: (name: string) => name.endsWith('.note'), read, failed, maxBytes };
}

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);
/** The folder as it is some time after its last change. */
const wait = (): Promise<void> => utimes(folder, new Date(0), new Date(Date.now() - 60_000));

it('reads each document once, and again when it was written; others are only named', async () => {
  for (let n = 0; n < 20; n++) await write(`${n}.note`, `n ${n}`);
  await write('other.txt', '');
  const notes = reader();
  const index = new FolderIndex(folder, notes);
  const first = await index.read();
  expect(first.others).toEqual(['other.txt']);
  expect(first.files.map(({ text }) => text).toSorted()).toEqual(
    Array.from({ length: 20 }, (_, n) => `n ${n}`).toSorted(),
  );
  expect(await index.read()).toBe(first);
  expect(notes.read).toHaveBeenCalledTimes(20);
  await write('3.note', 'written again');
  const second = await index.read();
  expect(second.files.filter(({ text }) => text === 'written again')).toHaveLength(1);
  expect(notes.read).toHaveBeenCalledTimes(21);
  await rm(join(folder, '3.note'));
  expect((await index.read()).files).toHaveLength(19);
});

it('lists what is too large, or a link, with the reason', async () => {
  await write('large.note', 'x'.repeat(101));
  await symlink('large.note', join(folder, 'link.note'));
  const { files } = await new FolderIndex(folder, reader()).read();
  expect(files.map(({ entry, problem }) => [entry.name, problem?.message])).toEqual([
    ['large.note', expect.stringContaining('101 bytes')],
    ['link.note', 'This is a symbolic link; links are not followed.'],
  ]);
});

it('knows without a new list that a file is as it was, until anything may have changed', async () => {
  await write('a.note', 'a');
  await write('b.note', 'b');
  const index = new FolderIndex(folder, reader());
  expect(await index.isCurrent('a.note')).toBe(false);
  await index.read();
  // Written just now: the folder's time does not tell yet.
  expect(await index.isCurrent('a.note')).toBe(false);
  await wait();
  await index.read();
  expect([await index.isCurrent('a.note'), await index.isCurrent('c.note')]).toEqual([true, false]);

  await write('a.note', 'in place');
  expect([await index.isCurrent('a.note'), await index.isCurrent('b.note')]).toEqual([false, true]);
  await write('c.note', 'c');
  expect(await index.isCurrent('b.note')).toBe(false);
  await wait();
  await index.read();
  expect(await index.isCurrent('b.note')).toBe(true);
  await rename(folder, `${folder}-away`);
  expect(await index.isCurrent('b.note')).toBe(false);
  await rename(`${folder}-away`, folder);
});

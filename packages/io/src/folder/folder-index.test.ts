import { InspectorError } from '@checkpoint-inspector/core';
import fs from 'node:fs';
import promises, { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
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
  return { id: 'notes 1', accepts: (name: string) => name.endsWith('.note'), read, failed, maxBytes };
}

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text);

/** Looks at files and folders by anyone in this process. */
function countCalls(): { readonly count: () => number } {
  const spies = [
    vi.spyOn(fs, 'lstatSync'),
    vi.spyOn(fs, 'openSync'),
    vi.spyOn(promises, 'lstat'),
    vi.spyOn(promises, 'readdir'),
    vi.spyOn(promises, 'open'),
  ];
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
    syncBuiltinESMExports();
  });
  return { count: () => spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0) };
}

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

it('asks the disk nothing between changes, then reads what changed alone', async () => {
  for (let n = 0; n < 20; n++) await write(`${n}.note`, `n ${n}`);
  const notes = reader();
  const index = new FolderIndex(folder, notes);
  index.start();
  let told = 0;
  onTestFinished(() => index.close());
  const texts = async () => (await index.read()).files.map(({ text }) => text);
  expect(await texts()).toHaveLength(20);
  // No poll falls into the test, however slow the machine is.
  onTestFinished(index.follow(() => told++, 60_000));
  const calls = countCalls();
  await texts();
  await texts();
  if (process.platform === 'linux') expect(calls.count()).toBe(0);

  await write('new.note', 'new');
  notes.read.mockClear();
  expect(await texts()).toContain('new');
  await write('3.note', 'in place');
  expect(await texts()).toContain('in place');
  expect(notes.read).toHaveBeenCalledTimes(2);
  await rm(join(folder, '3.note'));
  expect(await texts()).not.toContain('in place');
  await rename(join(folder, '4.note'), join(folder, '44.note'));
  expect((await index.read()).files.map(({ entry }) => entry.name)).toEqual(expect.arrayContaining(['44.note']));
  expect(await texts()).toHaveLength(20);
  expect(notes.read).toHaveBeenCalledTimes(3);
  await vi.waitFor(() => expect(told).toBeGreaterThan(0), 20_000);
});

it('follows a folder that is moved away, and another one in its place', async () => {
  await write('a.note', 'a');
  const index = new FolderIndex(folder, reader());
  onTestFinished(() => index.close());
  index.start();
  await index.read();
  await rename(folder, `${folder}-away`);
  const away = `${folder}-away`;
  onTestFinished(() => rm(away, { recursive: true, force: true }));
  await expect(index.read()).rejects.toMatchObject({ code: 'not_found' });
  await mkdir(folder);
  await write('b.note', 'b');
  expect((await index.read()).files.map(({ text }) => text)).toEqual(['b']);
  await write('b.note', 'b again');
  expect((await index.read()).files.map(({ text }) => text)).toEqual(['b again']);
});

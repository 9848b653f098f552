import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { overwrite, writeNew } from './files.ts';

const ended = spawnSync(process.execPath, ['-e', '']).pid;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cli-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
async function* cutOff(): AsyncGenerator<string> {
  yield 'half';
  throw full;
}

it('what is there stays whole where the new content does not come to its end, and nothing is left beside it', async () => {
  const file = join(folder, 'case.json');
  await writeFile(file, 'precious');
  await expect(overwrite(file, cutOff())).rejects.toMatchObject({ code: 'disk_full' });
  expect(await readFile(file, 'utf8')).toBe('precious');
  expect(await readdir(folder)).toEqual(['case.json']);
});

it('replaces a file, also the one that a link names, readable by its owner only', async () => {
  const [file, link] = [join(folder, 'case.json'), join(folder, 'link')];
  await writeFile(file, 'before', { mode: 0o644 });
  await symlink(file, link);
  await overwrite(link, 'after');
  expect(await readFile(file, 'utf8')).toBe('after');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).toSorted()).toEqual(['case.json', 'link']);
});

it('writes to a device as it is', async () => {
  await overwrite('/dev/null', 'gone');
  expect((await stat('/dev/null')).isFile()).toBe(false);
});

it('a new file has its name only when it is whole, and what a killed process left beside it goes', async () => {
  const seen: string[][] = [];
  async function* watched(): AsyncGenerator<string> {
    yield 'first';
    seen.push(await readdir(folder));
    yield ', last';
  }
  await writeNew(join(folder, 'one.json'), watched());
  expect(seen).toEqual([[expect.stringMatching(/^\.checkpoint-inspector-export-.*\.tmp$/)]]);
  const [[name = ''] = []] = seen;
  const left = join(folder, name.replace(`-${process.pid}-`, `-${ended}-`));
  await writeFile(left, 'half');
  await utimes(left, 0, 0);
  await writeNew(join(folder, 'other.json'), 'whole');
  expect((await readdir(folder)).toSorted()).toEqual(['one.json', 'other.json']);
  expect(await readFile(join(folder, 'one.json'), 'utf8')).toBe('first, last');
});

it('a new file is whole or not there, and never another one', async () => {
  const file = join(folder, 'case.json');
  await expect(writeNew(file, cutOff())).rejects.toMatchObject({ code: 'disk_full' });
  expect(await readdir(folder)).toEqual([]);
  await writeNew(file, 'one');
  await expect(writeNew(file, 'two')).rejects.toMatchObject({ code: 'invalid_input' });
  expect(await readFile(file, 'utf8')).toBe('one');
});

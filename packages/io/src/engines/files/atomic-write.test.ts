import {
  chmod,
  mkdtemp,
  open,
  readFile,
  readdir,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { atomicWrite } from './atomic-write.ts';
import { syncFolder } from './names.ts';

let folder: string;
const bytes = (text: string) => new TextEncoder().encode(text);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-write-'));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

async function handlePrototype(): Promise<FileHandle> {
  const handle = await open(join(folder, 'probe'), 'w');
  await handle.close();
  await rm(join(folder, 'probe'));
  return Object.getPrototypeOf(handle) as FileHandle;
}

describe('atomicWrite', () => {
  it('creates a whole file of mode 0600 and leaves nothing else', async () => {
    await atomicWrite(folder, 'a.json', bytes('{"n":1}'));
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('{"n":1}');
    expect((await stat(join(folder, 'a.json'))).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(['a.json']);
  });

  it('puts a time back to the microsecond, whatever it was', async () => {
    const { mode, uid, gid } = await stat(folder);
    for (let n = 0; n < 200; n++) {
      const micros = 1_700_000_000_000_000n + BigInt(n) * 7_919_333_777n + BigInt(n);
      const name = `t${n}`;
      await atomicWrite(folder, name, bytes('x'), { stat: { mode, uid, gid, mtimeNs: micros * 1000n + 789n } });
      expect((await stat(join(folder, name), { bigint: true })).mtimeNs / 1000n).toBe(micros);
    }
  });

  it('puts the bits beyond the permissions back too', async () => {
    const { uid, gid } = await stat(folder);
    await atomicWrite(folder, 'a', bytes('x'), { stat: { mode: 0o1640, uid, gid, mtimeNs: 0n } });
    expect((await stat(join(folder, 'a'))).mode & 0o7777).toBe(0o1640);
  });

  it('keeps its own owner where it may give no file away, and fails for any other reason', async () => {
    const owner = { mode: 0o600, uid: (await stat(folder)).uid + 1, gid: 0, mtimeNs: 0n };
    const chown = vi.spyOn(await handlePrototype(), 'chown');
    chown.mockRejectedValueOnce(Object.assign(new Error('not allowed'), { code: 'EPERM' }));
    await atomicWrite(folder, 'a', bytes('x'), { stat: owner });
    chown.mockRejectedValueOnce(Object.assign(new Error('broken'), { code: 'EIO' }));
    await expect(atomicWrite(folder, 'b', bytes('x'), { stat: owner })).rejects.toThrow();
    expect(await readdir(folder)).toEqual(['a']);
  });

  it('never overwrites', async () => {
    await writeFile(join(folder, 'a.json'), 'old');
    await expect(atomicWrite(folder, 'a.json', bytes('new'))).rejects.toMatchObject({ code: 'changed' });
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a.json']);
  });

  it('replaces when told to, a link itself and never what it leads to', async () => {
    await writeFile(join(folder, 'a.json'), 'old');
    await atomicWrite(folder, 'a.json', bytes('new'), { replace: true });
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('new');
    await symlink(join(folder, 'a.json'), join(folder, 'b.json'));
    await atomicWrite(folder, 'b.json', bytes('other'), { replace: true });
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('new');
    expect((await readdir(folder)).toSorted()).toEqual(['a.json', 'b.json']);
  });

  it('leaves the old file and no other when it cannot replace', async () => {
    const mock = vi.spyOn(await handlePrototype(), 'writeFile');
    mock.mockRejectedValue(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    await writeFile(join(folder, 'a.json'), 'old');
    await expect(atomicWrite(folder, 'a.json', bytes('new'), { replace: true })).rejects.toMatchObject({
      code: 'disk_full',
    });
    mock.mockRestore();
    expect(await readFile(join(folder, 'a.json'), 'utf8')).toBe('old');
    expect(await readdir(folder)).toEqual(['a.json']);
  });

  it('does not follow a dangling link that holds the name', async () => {
    await symlink(join(folder, 'outside'), join(folder, 'a.json'));
    await expect(atomicWrite(folder, 'a.json', bytes('new'))).rejects.toMatchObject({ code: 'changed' });
    expect(await readdir(folder)).toEqual(['a.json']);
  });

  it('takes mode and owner from `like`, but not from a link', async () => {
    await writeFile(join(folder, 'a.json'), 'old');
    await chmod(join(folder, 'a.json'), 0o640);
    await atomicWrite(folder, 'b.json', bytes('new'), { like: 'a.json' });
    expect((await stat(join(folder, 'b.json'))).mode & 0o777).toBe(0o640);
    await symlink('a.json', join(folder, 'link'));
    await expect(atomicWrite(folder, 'c.json', bytes('x'), { like: 'link' })).rejects.toMatchObject({
      code: 'unreadable',
    });
    expect((await readdir(folder)).sort()).toEqual(['a.json', 'b.json', 'link']);
  });

  it('puts mode, owner and time back', async () => {
    await writeFile(join(folder, 'a.json'), 'old');
    await utimes(join(folder, 'a.json'), 1_700_000_000.123456, 1_700_000_000.123456);
    const { uid, gid, mtimeNs } = await stat(join(folder, 'a.json'), { bigint: true });
    const before = { mode: 0o604, uid: Number(uid), gid: Number(gid), mtimeNs };
    await atomicWrite(folder, 'b.json', bytes('old'), { stat: before });
    const after = await stat(join(folder, 'b.json'), { bigint: true });
    expect(Number(after.mode & 0o777n)).toBe(0o604);
    expect(after.mtimeNs).toBe(mtimeNs);
  });

  it('reports a full disk and leaves no temporary file', async () => {
    const prototype = await handlePrototype();
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    vi.spyOn(prototype, 'writeFile').mockRejectedValueOnce(full);
    await expect(atomicWrite(folder, 'a.json', bytes('x'))).rejects.toMatchObject({ code: 'disk_full' });
    expect(await readdir(folder)).toEqual([]);
    await atomicWrite(folder, 'a.json', bytes('x'));
    expect(await readdir(folder)).toEqual(['a.json']);
  });

  it('reports a full disk that is met when the folder is synced', async () => {
    const prototype = await handlePrototype();
    vi.spyOn(prototype, 'sync').mockRejectedValueOnce(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    await expect(syncFolder(folder)).rejects.toMatchObject({ code: 'disk_full' });
  });

  it('is durable in this order: the file, its name, the folder', async () => {
    const prototype = await handlePrototype();
    const seen: string[] = [];
    vi.spyOn(prototype, 'sync').mockImplementation(async function spy(this: FileHandle) {
      seen.push((await this.stat()).isDirectory() ? 'folder' : 'file');
      seen.push(`names ${(await readdir(folder)).filter((name) => !name.startsWith('.')).length}`);
      return this.datasync();
    });
    await atomicWrite(folder, 'a.json', bytes('x'));
    expect(seen).toEqual(['file', 'names 0', 'folder', 'names 1']);
  });

  it.each(['', '.', '..', '../x', 'a/b', '/etc/x', 'a\0b', '/'])('refuses the name %j', async (name) => {
    await expect(atomicWrite(folder, name, bytes('x'))).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await readdir(folder)).toEqual([]);
  });

  it('names a folder that is missing or none', async () => {
    await expect(atomicWrite(join(folder, 'no'), 'a', bytes('x'))).rejects.toMatchObject({ code: 'no_store' });
    await writeFile(join(folder, 'f'), '');
    await expect(atomicWrite(join(folder, 'f'), 'a', bytes('x'))).rejects.toMatchObject({ code: 'no_store' });
  });
});

import { watchInflation } from '@checkpoint-inspector/config/measure';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileEntry, fileError, gunzipBounded, listFolder, readBounded } from './index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('readBounded', () => {
  it('reads a regular file whole', async () => {
    await writeFile(join(folder, 'a'), 'text\n');
    expect(Buffer.from(await readBounded(join(folder, 'a'))).toString()).toBe('text\n');
    await writeFile(join(folder, 'empty'), '');
    expect(await readBounded(join(folder, 'empty'))).toHaveLength(0);
  });

  it('refuses links, folders, pipes and what is too large or absent', async () => {
    await writeFile(join(folder, 'a'), '12345');
    await symlink(join(folder, 'a'), join(folder, 'link'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    await expect(readBounded(join(folder, 'link'))).rejects.toMatchObject({ code: 'unreadable' });
    await expect(readBounded(join(folder, 'pipe'))).rejects.toMatchObject({ code: 'unreadable' });
    await expect(readBounded(folder)).rejects.toMatchObject({ code: 'unreadable' });
    await expect(readBounded(join(folder, 'none'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(readBounded(join(folder, 'a', 'b'))).rejects.toMatchObject({ code: 'not_found' });
    await expect(readBounded(join(folder, 'a\0b'))).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(readBounded(join(folder, 'a'), { maxBytes: 4 })).rejects.toMatchObject({ code: 'too_large' });
    expect(await readBounded(join(folder, 'a'), { maxBytes: 5 })).toHaveLength(5);
  });

  it('bounds files whose size is reported as 0', async () => {
    await expect(readBounded('/proc/self/maps', { maxBytes: 10 })).rejects.toMatchObject({ code: 'too_large' });
    expect((await readBounded('/proc/self/maps')).length).toBeGreaterThan(100);
  });

  it('maps system errors to codes', () => {
    const codeOf = (errno: string) => fileError(Object.assign(new Error(errno), { code: errno }), 'f').code;
    expect([codeOf('EACCES'), codeOf('ENOSPC'), codeOf('ENOENT'), codeOf('EWEIRD')]).toEqual([
      'unreadable',
      'disk_full',
      'not_found',
      'internal',
    ]);
  });
});

describe('gunzipBounded', () => {
  it('inflates, also several members', async () => {
    const bytes = Buffer.concat([gzipSync('ab'), gzipSync('cd')]);
    expect(Buffer.from(await gunzipBounded(bytes)).toString()).toBe('abcd');
  });

  it('says where truncated and foreign data ends', async () => {
    const bytes = gzipSync('some text '.repeat(100));
    const cut = bytes.subarray(0, bytes.length - 5);
    await expect(gunzipBounded(cut)).rejects.toMatchObject({ code: 'unreadable', data: { offset: cut.length } });
    await expect(gunzipBounded(Buffer.from('no gzip'))).rejects.toMatchObject({ code: 'unreadable' });
    await expect(gunzipBounded(new Uint8Array())).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('stops a bomb long before its end, and lets small documents compress well', async () => {
    const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024), { level: 9 });
    const bomb = Buffer.concat(Array.from({ length: 32 }, () => zeros));
    const { inflated } = watchInflation();
    await expect(gunzipBounded(bomb)).rejects.toMatchObject({ code: 'too_large' });
    // 256 MiB of the 2 GiB that the bomb holds, and the chunk at hand.
    expect(inflated()).toBeGreaterThan(0);
    expect(inflated()).toBeLessThan(bomb.length / 7);
    expect(await gunzipBounded(gzipSync(Buffer.alloc(1_000_000)))).toHaveLength(1_000_000);
    await expect(gunzipBounded(gzipSync('12345'), { maxBytes: 4 })).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('listFolder', () => {
  it('lists entries by name and does not follow links', async () => {
    await writeFile(join(folder, 'b'), '12');
    await mkdir(join(folder, 'c'));
    await symlink('/etc/passwd', join(folder, 'a'));
    const entries = await listFolder(folder);
    expect(entries.map(({ name, file, link }) => ({ name, file, link }))).toEqual([
      { name: 'a', file: false, link: true },
      { name: 'b', file: true, link: false },
      { name: 'c', file: false, link: false },
    ]);
    expect(entries[1]).toMatchObject({ size: 2, uid: process.getuid?.() });
    expect(await fileEntry(folder, 'none')).toBeUndefined();
    await rename(folder, `${folder}-moved`);
    await expect(listFolder(folder)).rejects.toMatchObject({
      code: 'not_found',
      remedy: 'Move it back, or open it from its new location.',
    });
    await rename(`${folder}-moved`, folder);
  });
});

import { writeFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApplyHooks, Image } from '../executor.ts';
import { sha256 } from '../../files/text.ts';
import { marksOf } from '../shape.ts';
import { filesEngine } from './index.ts';
import type { FileStep } from './job.ts';
import { isFileMark } from './mark.ts';

let folder: string;
const bytes = (text: string) => new TextEncoder().encode(text);
const create = (path: string, text: string): FileStep => ({ op: 'create', path, bytes: bytes(text) });
const trash = (path: string, text: string): FileStep => ({ op: 'trash', path, sha256: sha256(bytes(text)) });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-files-'));
  await writeFile(join(folder, 'one'), '1');
  await writeFile(join(folder, 'two'), '2');
});
afterEach(() => rm(folder, { recursive: true }));

function apply(ops: readonly FileStep[], hooks: Partial<ApplyHooks> = {}) {
  return filesEngine.apply(
    { engine: 'files', place: folder, steps: { ops: [...ops] } },
    { tag: 'test', prepared: () => undefined, ...hooks },
  );
}

async function undo(images: readonly Image[], tag = 'undo') {
  return filesEngine.apply(await filesEngine.undo(folder, images), { tag, prepared: () => undefined });
}

async function content(): Promise<Record<string, string>> {
  const names = await readdir(folder);
  const files = await Promise.all(names.sort().map(async (name) => [name, await readFile(join(folder, name), 'utf8')]));
  return Object.fromEntries(files) as Record<string, string>;
}

describe('files of a plan', () => {
  it('are written first, proven, then removed', async () => {
    const seen: string[] = [];
    const written = async () => {
      seen.push(`proof over ${Object.keys(await content()).join(' ')}`);
      return true;
    };
    const applied = await apply([trash('one', '1'), create('three', '3')], {
      written,
      onStep: (step) => seen.push(step),
      prepared: (images) => void seen.push(`prepared ${images.length}`),
    });
    expect(await content()).toEqual({ three: '3', two: '2' });
    expect(applied.failed).toEqual([]);
    expect(seen).toEqual([
      'prepared 2',
      'intent',
      'write:0:temp',
      'write:0',
      'written',
      'proof over one three two',
      'trash:1:taken',
      'trash:1',
    ]);
  });

  it('are left as they are when the images cannot be kept', async () => {
    const prepared = () => {
      throw new Error('journal is full');
    };
    await expect(apply([trash('one', '1'), create('three', '3')], { prepared })).rejects.toThrow('journal is full');
    expect(await content()).toEqual({ one: '1', two: '2' });
  });

  it('that were written read-only, like their neighbour, go again with the undo', async () => {
    await chmod(join(folder, 'one'), 0o444);
    const { images } = await apply([{ op: 'create', path: 'three', bytes: bytes('3'), like: 'one' }]);
    expect((await stat(join(folder, 'three'))).mode & 0o777).toBe(0o444);
    const undone = await undo(images);
    expect(undone.failed).toEqual([]);
    expect(await content()).toEqual({ one: '1', two: '2' });
  });

  it('a failed write takes the others back and removes nothing', async () => {
    const onStep = (step: string) => {
      if (step === 'write:1:temp') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const ops = [create('three', '3'), create('four', '4'), trash('one', '1')];
    await expect(apply(ops, { onStep })).rejects.toMatchObject({ code: 'disk_full' });
    const left = await content();
    expect({ one: left['one'], two: left['two'], three: left['three'] }).toEqual({ one: '1', two: '2' });
  });

  it('removals wait for the proof', async () => {
    const applied = await apply([create('three', '3'), trash('one', '1')], { written: async () => false });
    expect(await content()).toEqual({ one: '1', three: '3', two: '2' });
    expect(applied.failed).toEqual([{ what: 'one', reason: expect.stringContaining('do not match the plan') }]);
    expect(applied.skipped).toEqual([1]);
  });

  it('a removal that fails is reported and the rest continues', async () => {
    await writeFile(join(folder, 'kept'), 'k');
    await chmod(join(folder, 'kept'), 0o444);
    await symlink('two', join(folder, 'link'));
    const ops = [trash('kept', 'k'), trash('gone', 'g'), trash('two', 'other'), trash('link', '2'), trash('one', '1')];
    const applied = await apply(ops);
    expect(await content()).toEqual({ kept: 'k', link: '2', two: '2' });
    expect(applied.failed.map(({ what }) => what)).toEqual(['kept', 'gone', 'two', 'link']);
    expect(applied.failed[0]?.reason).toContain('read-only');
    expect(
      marksOf(
        isFileMark,
        applied.images.map(({ mark }) => mark),
      ).map(({ path }) => path),
    ).toEqual(['one']);
  });

  it('a file saved again while it is removed stays', async () => {
    const onStep = (step: string) => {
      if (step === 'trash:0:taken') writeFileSync(join(folder, 'one'), 'newer');
    };
    const applied = await apply([trash('one', '1')], { onStep });
    expect((await content())['one']).toBe('newer');
    expect(applied.images).toHaveLength(1);
  });

  it('refuses when nothing is left to do, when a name is taken, and names outside the folder', async () => {
    await expect(apply([trash('one', 'other')])).rejects.toMatchObject({ code: 'changed' });
    await expect(apply([create('one', 'x'), trash('two', '2')])).rejects.toMatchObject({ code: 'changed' });
    await expect(apply([create('../x', 'x')])).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(apply([create('x', 'x'), trash('x', 'x')])).rejects.toMatchObject({ code: 'internal' });
    expect(await content()).toEqual({ one: '1', two: '2' });
  });

  it('come back exactly, also through the journal, and go again', async () => {
    await chmod(join(folder, 'one'), 0o640);
    const before = await stat(join(folder, 'one'), { bigint: true });
    const applied = await apply([create('three', '3'), trash('one', '1')]);
    const images = applied.images.map(({ mark, content }) => ({ mark: JSON.parse(JSON.stringify(mark)), content }));
    const sides = await filesEngine.compare(
      folder,
      images.map(({ mark }) => mark),
    );
    expect(sides).toEqual([
      { is: 'after', what: 'three' },
      { is: 'after', what: 'one' },
    ]);

    const undone = await undo(images);
    expect(await content()).toEqual({ one: '1', two: '2' });
    const after = await stat(join(folder, 'one'), { bigint: true });
    expect(after.mode).toBe(before.mode);
    expect(after.mtimeNs / 1000n - before.mtimeNs / 1000n).toBe(0n);

    await undo(undone.images, 'redo');
    expect(await content()).toEqual({ three: '3', two: '2' });
  });
});

describe('settling a change that was cut off', () => {
  /** Stops at a step as a crash would: no clean-up runs. */
  async function cut(ops: readonly FileStep[], at: string): Promise<Image[]> {
    let images: readonly Image[] = [];
    const never = new Promise<never>(() => undefined);
    const stopped = new Promise<void>((resolve) => {
      void apply(ops, {
        prepared: (all) => void (images = all),
        written: async () => (at === 'proof' ? (resolve(), never) : true),
      }).then(() => resolve());
    });
    await stopped;
    return [...images];
  }

  it('completes once all is written', async () => {
    const images = await cut([create('three', '3'), trash('one', '1')], 'proof');
    expect(await content()).toEqual({ one: '1', three: '3', two: '2' });
    const settled = await filesEngine.settle(folder, images, { tag: 'test' });
    expect(settled).toEqual({
      outcome: 'completed',
      skipped: [],
      failed: [],
      done: ['added three (1 bytes)', 'removed one (1 bytes)'],
    });
    expect(await content()).toEqual({ three: '3', two: '2' });
  });

  it('brings back what a deletion had removed, and what was saved since stays', async () => {
    await writeFile(join(folder, 'three'), '3');
    await chmod(join(folder, 'one'), 0o640);
    const before = await stat(join(folder, 'one'), { bigint: true });
    const { images } = await apply([trash('one', '1'), trash('two', '2'), trash('three', '3')]);
    await writeFile(join(folder, 'two'), 'saved since');
    await writeFile(join(folder, 'three'), '3');
    const settled = await filesEngine.settle(folder, images, { tag: 'test' });
    expect(settled).toEqual({ outcome: 'rolled-back', skipped: [0, 1, 2], failed: [], done: [] });
    expect(await content()).toEqual({ one: '1', three: '3', two: 'saved since' });
    const after = await stat(join(folder, 'one'), { bigint: true });
    expect([after.mode, after.mtimeNs / 1000n]).toEqual([before.mode, before.mtimeNs / 1000n]);
  });

  it('completes a deletion that had removed all', async () => {
    const { images } = await apply([trash('one', '1'), trash('two', '2')]);
    expect((await filesEngine.settle(folder, images, { tag: 'test' })).outcome).toBe('completed');
    expect(await content()).toEqual({});
  });

  it('keeps a newer file that was taken away unverified', async () => {
    const images = await cut([create('three', '3'), trash('one', '1')], 'proof');
    await rm(join(folder, 'one'));
    await writeFile(join(folder, '.checkpoint-inspector-test-t1.tmp'), 'newer');
    const settled = await filesEngine.settle(folder, images, { tag: 'test' });
    expect(await content()).toEqual({ one: 'newer', three: '3', two: '2' });
    expect(settled.failed.map(({ what }) => what)).toEqual(['one']);
  });

  it('touches no link that took the place of a written file', async () => {
    const images = await cut([create('three', '3'), create('four', '4'), trash('one', '1')], 'proof');
    await rm(join(folder, 'three'));
    await symlink('two', join(folder, 'three'));
    const settled = await filesEngine.settle(folder, images, { tag: 'test' });
    expect(settled.outcome).toBe('rolled-back');
    expect(await content()).toEqual({ one: '1', three: '2', two: '2' });
  });

  it('says so when what was written was changed by others', async () => {
    const images = await cut([create('three', '3'), trash('one', '1')], 'end');
    await writeFile(join(folder, 'three'), 'changed by the agent');
    const settled = await filesEngine.settle(folder, images, { tag: 'test' });
    expect(settled).toMatchObject({ outcome: 'completed', skipped: [0] });
    expect(await content()).toEqual({ three: 'changed by the agent', two: '2' });
  });
});

describe('a file that is changed in place', () => {
  const append = (text: string, before = '1'): FileStep => ({
    op: 'append',
    path: 'one',
    bytes: bytes(text),
    size: before.length,
    sha256: sha256(bytes(before)),
  });
  const replace = (text: string, before = '1'): FileStep => ({
    op: 'replace',
    path: 'one',
    bytes: bytes(text),
    sha256: sha256(bytes(before)),
  });

  it.each([
    ['appended to', append('23'), '123'],
    ['replaced', replace('another'), 'another'],
  ])('and is %s keeps its mode, and gets its time back with the undo', async (_, step, text) => {
    await chmod(join(folder, 'one'), 0o640);
    const before = await stat(join(folder, 'one'), { bigint: true });
    const { images, done } = await apply([step]);
    expect(await content()).toEqual({ one: text, two: '2' });
    expect(done).toEqual([`changed one (${text.length} bytes)`]);
    expect((await stat(join(folder, 'one'))).mode & 0o777).toBe(0o640);
    await undo(images);
    expect(await content()).toEqual({ one: '1', two: '2' });
    const after = await stat(join(folder, 'one'), { bigint: true });
    expect([after.mode, after.mtimeNs / 1000n]).toEqual([before.mode, before.mtimeNs / 1000n]);
  });

  it('is left alone where it is another one, or is marked read-only', async () => {
    for (const step of [append('2', '12'), append('2', 'x'), replace('2', 'x')]) {
      await expect(apply([step])).rejects.toMatchObject({ code: 'changed' });
    }
    await chmod(join(folder, 'one'), 0o444);
    for (const step of [append('2'), replace('2')]) {
      await expect(apply([step])).rejects.toMatchObject({
        code: 'read_only',
        remedy: expect.stringContaining('writable'),
      });
    }
    expect(await content()).toEqual({ one: '1', two: '2' });
  });

  it.each([append('23'), replace('23')])('is left alone when an agent saves between check and write', async (step) => {
    const onStep = (at: string) => {
      if (at === 'write:0:temp') writeFileSync(join(folder, 'one'), 'by an agent');
    };
    await expect(apply([step], { onStep })).rejects.toMatchObject({ code: 'changed' });
    expect(await content()).toEqual({ one: 'by an agent', two: '2' });
  });

  it('is put back when a later write fails', async () => {
    const onStep = (step: string) => {
      if (step === 'write:1:temp') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    for (const step of [append('23'), replace('another')]) {
      await expect(apply([step, create('three', '3')], { onStep, tag: step.op })).rejects.toMatchObject({
        code: 'disk_full',
      });
      expect((await content())['one']).toBe('1');
    }
  });

  it('loses an end that was written in part only, and no other end', async () => {
    const { images } = await apply([append('23')]);
    await writeFile(join(folder, 'one'), '12');
    expect((await filesEngine.settle(folder, images, { tag: 'test' })).outcome).toBe('rolled-back');
    expect((await content())['one']).toBe('1');
    await writeFile(join(folder, 'one'), '1 and what an agent wrote');
    expect((await filesEngine.settle(folder, images, { tag: 'test' })).outcome).toBe('rolled-back');
    expect((await content())['one']).toBe('1 and what an agent wrote');
  });
});

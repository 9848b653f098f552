import { appendFileSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KeptAnswers } from './kept.ts';
import type { Method } from './messages.ts';

let folder: string;
let path: string;
let kept: KeptAnswers;
let asked = 0;

beforeEach(() => {
  asked = 0;
  folder = mkdtempSync(join(tmpdir(), 'kept-'));
  path = join(folder, 'own.db');
  write('');
  kept = new KeptAnswers(path);
});
afterEach(() => {
  vi.useRealTimers();
  kept.clear();
  rmSync(folder, { recursive: true, force: true });
});

/** As if it was written a while ago. */
function write(part: string, text = 'rows'): void {
  appendFileSync(path + part, text);
  utimesSync(path + part, new Date(), new Date(Date.now() - 60_000 - asked * 1_000));
}

const answer = (method: Method = 'meta', id = 'cp-1', text = ''): Promise<unknown> =>
  kept.answer(method, [{ task: 'run', id }], async () => ({ text, n: ++asked }));
const failing = (): Promise<unknown> =>
  kept.answer('meta', [], async () => {
    asked += 1;
    throw new Error('busy');
  });

describe('answers over the files of a database', () => {
  it('are asked once while nobody writes, also by those who ask at the same time', async () => {
    const [one, other] = await Promise.all([answer(), answer()]);
    expect(other).toBe(one);
    expect(await answer()).toBe(one);
    expect(asked).toBe(1);
  });

  it('are another one for each question', async () => {
    await answer('meta', 'cp-1');
    await answer('meta', 'cp-2');
    await answer('state', 'cp-1');
    expect(asked).toBe(3);
  });

  it.each(['', '-wal'])('are asked again after something was written to the file with "%s"', async (part) => {
    await answer();
    write(part);
    await answer();
    expect(asked).toBe(2);
  });

  it('are asked each time while the files were written so lately that a commit may not be there yet', async () => {
    writeFileSync(`${path}-wal`, 'row');
    utimesSync(`${path}-wal`, new Date(), new Date(Date.now() - 1_500));
    await answer();
    await answer();
    expect(asked).toBe(2);
  });

  it('are asked each time where the files are of a later time than now', async () => {
    utimesSync(path, new Date(), new Date(Date.now() + 3_600_000));
    await answer();
    await answer();
    expect(asked).toBe(2);
  });

  it('are no older than a second, whatever the files tell', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await answer();
    vi.advanceTimersByTime(1_000);
    await answer();
    expect(asked).toBe(2);
  });

  it('are asked again after a failure, and after a key was given', async () => {
    await expect(failing()).rejects.toThrow('busy');
    await expect(failing()).rejects.toThrow('busy');
    expect(asked).toBe(2);
    await answer();
    await answer('unlock');
    await answer();
    expect(asked).toBe(5);
  });

  it('are not kept where the question changes something or goes over the whole store', async () => {
    for (const method of ['tasks', 'plan', 'damage', 'raw'] as const) {
      await answer(method);
      await answer(method);
    }
    expect(asked).toBe(8);
  });

  it('are those of one moment for one reading: the files are looked at again by the next one', async () => {
    const [reading, next] = [{}, {}];
    const read = (one: object) => kept.answer('meta', [], async () => ++asked, { reading: one });
    expect(await read(reading)).toBe(1);
    write('-wal');
    expect([await read(reading), await read(next)]).toEqual([1, 2]);
    write('-wal');
    expect([await read(reading), await read(next)]).toEqual([3, 3]);
  });

  it('have a version: another after a write, and none while the files were written lately', async () => {
    const before = kept.version();
    expect(before).toBeDefined();
    expect(kept.version()).toBe(before);
    write('-wal');
    const after = kept.version();
    expect(after).toBeDefined();
    expect(after).not.toBe(before);
    utimesSync(path, new Date(), new Date());
    expect(kept.version()).toBeUndefined();
  });

  it('have another version once they are older than a second', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const before = kept.version();
    await answer();
    expect(kept.version()).toBe(before);
    vi.advanceTimersByTime(1_000);
    expect(kept.version()).not.toBe(before);
  });

  it('are looked for at each question of a reading while the files were written lately', async () => {
    const reading = {};
    utimesSync(path, new Date(), new Date());
    for (let n = 0; n < 2; n++) await kept.answer('meta', [], async () => ++asked, { reading });
    expect(asked).toBe(2);
  });

  it('are not waited for by who gives up, and come to the others', async () => {
    const stop = new AbortController();
    const slow = (signal?: AbortSignal) =>
      kept.answer('meta', [], () => new Promise((done) => setTimeout(() => done(++asked), 20)), { signal });
    const [first, second] = [slow(stop.signal), slow()];
    stop.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    expect([await second, await slow(stop.signal)]).toEqual([1, 1]);
  });

  it('take a bounded amount of memory', async () => {
    await answer('state', 'long', 'x'.repeat(4_000_001));
    await answer('state', 'long', 'x'.repeat(4_000_001));
    expect(asked).toBe(2);
  });
});

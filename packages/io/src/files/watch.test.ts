import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { watchFolder } from './index.ts';

let parent: string;
let folder: string;
let stop = (): void => undefined;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'watch-'));
  folder = join(parent, 'store');
  await mkdir(folder);
});
afterEach(async () => {
  stop();
  await rm(parent, { recursive: true, force: true });
});

function watched(pollMs?: number): { calls: () => number } {
  let calls = 0;
  stop = watchFolder(folder, () => calls++, pollMs === undefined ? {} : { pollMs });
  return { calls: () => calls };
}

async function more(calls: () => number, work: () => Promise<unknown>): Promise<void> {
  const before = calls();
  await work();
  await vi.waitFor(() => expect(calls()).toBeGreaterThan(before), { timeout: 10_000, interval: 20 });
}

describe('watchFolder', () => {
  it('sees what is written straight after the call', async () => {
    await sleep(100);
    const { calls } = watched();
    await more(calls, () => writeFile(join(folder, 'a'), '1'));
  });

  it('sees additions, writes and removals by events, and then rests', async () => {
    await sleep(100);
    const { calls } = watched(60_000);
    await sleep(300);
    await more(calls, () => writeFile(join(folder, 'a'), '1'));
    await sleep(150);
    await more(calls, () => appendFile(join(folder, 'a'), '2'));
    await sleep(150);
    await more(calls, () => rm(join(folder, 'a')));
    const settled = calls();
    await sleep(400);
    expect(calls()).toBe(settled);
  });

  it('continues when the folder is removed, replaced and made again', async () => {
    const { calls } = watched(100);
    await sleep(300);
    await more(calls, () => rm(folder, { recursive: true }));
    await more(calls, () => mkdir(folder));
    await more(calls, () => writeFile(join(folder, 'a'), '1'));
    await mkdir(join(parent, 'other'));
    await more(calls, async () => {
      await rename(folder, join(parent, 'old'));
      await rename(join(parent, 'other'), folder);
    });
    await more(calls, () => writeFile(join(folder, 'b'), '1'));
  });

  it('reports nothing after it was stopped, and bundles many writes', async () => {
    const { calls } = watched(100);
    await sleep(300);
    const before = calls();
    for (let n = 0; n < 50; n++) await writeFile(join(folder, `f${n}`), 'x');
    await sleep(400);
    expect(calls() - before).toBeGreaterThan(0);
    expect(calls() - before).toBeLessThan(10);
    stop();
    const stopped = calls();
    await writeFile(join(folder, 'late'), 'x');
    await sleep(400);
    expect(calls()).toBe(stopped);
  });
});

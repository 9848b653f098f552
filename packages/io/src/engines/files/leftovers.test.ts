import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SaverTemps } from './leftovers.ts';

const START = 'tmp-checkpoint-inspector-';
const TWO_HOURS = 2 * 60 * 60 * 1000;
const gone = spawnSync(process.execPath, ['-e', '']).pid;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'leftovers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function leave(name: string, age: number): Promise<string> {
  await writeFile(join(folder, name), 'half a checkpoint');
  const time = new Date(Date.now() - age);
  await utimes(join(folder, name), time, time);
  return name;
}

it('removes what a process that is gone left behind, and only that', async () => {
  const temps = new SaverTemps(folder, START);
  const of = (pid: number): string => temps.name().replace(`-${process.pid}-`, `-${pid}-`);
  await leave(of(gone), TWO_HOURS);
  await leave(temps.name(), TWO_HOURS);
  const kept = [
    await leave(of(gone), 60_000),
    await leave(of(process.ppid), TWO_HOURS),
    await leave(temps.name(), 0),
    await leave(of(gone).replace(START, 'tmp'), TWO_HOURS),
    await leave(of(gone).replace(/([0-9a-f]{8})-/, 'ffffffff-'), TWO_HOURS),
    await leave(`${of(gone)}.jsonl`, TWO_HOURS),
    await leave('tmp12345678.tmp', TWO_HOURS),
    await leave('tmpk3v_9x2a.tmp', TWO_HOURS),
  ];
  await temps.sweep();
  expect((await readdir(folder)).toSorted()).toEqual(kept.toSorted());
});

it('looks once an hour, and does without a folder', async () => {
  const temps = new SaverTemps(folder, START);
  await temps.sweep();
  const name = await leave(temps.name(), TWO_HOURS);
  await temps.sweep();
  expect(await readdir(folder)).toEqual([name]);
  await temps.sweep(Date.now() + TWO_HOURS);
  expect(await readdir(folder)).toEqual([]);
  await expect(new SaverTemps(join(folder, 'none'), START).sweep()).resolves.toBeUndefined();
});

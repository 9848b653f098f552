import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '@checkpoint-inspector/io';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { savedState } from '../testing/child.ts';
import { openAt } from '../testing/places.ts';
import { bundleChild, removeChild, startChild } from '../testing/processes.ts';
import { damageIn } from './testing/damage.ts';

/** A small disk of its own, in which the rest of the command runs. */
const smallDisk = (at: string): readonly string[] => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=2m tmpfs "$0" && exec "$@"',
  at,
];
const traceTo = (file: string): readonly string[] => [
  'strace',
  '-y',
  '-s64',
  '-e',
  'trace=write,pwrite64,fsync,fdatasync',
  '-o',
  file,
];
const runs = ([program = '', ...args]: readonly string[]): boolean =>
  spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0;

let folder: string;
let path: string;
beforeAll(() => bundleChild());
afterAll(removeChild);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'store-durable-'));
  path = join(folder, 'a.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

it.skipIf(!runs(smallDisk(tmpdir())))(
  'a save that the disk has no place for is refused whole, and the next small one is kept (S39; needs unshare)',
  async () => {
    const disk = join(folder, 'disk');
    mkdirSync(disk);
    const order = { path: join(disk, 'a.db'), bytes: 3_000_000 };
    expect(await startChild(order, undefined, smallDisk(disk)).ended).toEqual([
      'disk_full',
      'a "a, first"',
      'a "a, first"',
      'b "b, first"',
      'c "c, after it"',
      'files a.db a.db-shm a.db-wal',
    ]);
  },
);

it.skipIf(!runs(['strace', '-o', '/dev/null']))(
  'what is written is on the disk before anybody is told (S40; needs strace)',
  async () => {
    const trace = join(folder, 'trace');
    await startChild({ place: { path }, task: 't', from: 0, until: 12, removes: true }, undefined, traceTo(trace))
      .ended;
    const unsynced = new Set<string>();
    let [told, written] = [0, 0];
    for (const call of readFileSync(trace, 'utf8').split('\n')) {
      const [, name = '', file = ''] = /^(\w+)\(\d+<([^>]*)>/.exec(call) ?? [];
      if (name.endsWith('sync')) unsynced.delete(file);
      else if (file.startsWith(path) && !file.endsWith('-shm')) {
        written++;
        unsynced.add(file);
      } else if (/, "[sr]-?\d+\\n"/.test(call)) {
        told++;
        expect([...unsynced], `unsynced when ${call} was said`).toEqual([]);
      }
    }
    expect(told).toBe(16);
    expect(written).toBeGreaterThan(told);
  },
);

it('a constant reader doesn’t block a save, and the log can be emptied all the same (S42)', async () => {
  await (await openAt({ path })).close();
  const store = await openAt({ path }, { readOnly: true });
  const child = startChild({ place: { path }, task: 't', from: 0, until: 200 });
  // A line each: it is over when all are told, or when it has failed.
  const saves = child.ended.catch((error: unknown) => error);
  while (child.lines().length < 200 && !child.isOver()) {
    const { items } = await store.checkpoints('t', { limit: 50 });
    for (const { id } of items.slice(0, 5)) await store.state({ task: 't', id });
    await new Promise((resume) => setImmediate(resume));
  }
  expect(await saves).toHaveLength(200);
  const writer = openSqlite(path, { readOnly: false });
  expect(writer.pragma('wal_checkpoint(TRUNCATE)')).toBe(0);
  writer.close();
  await store.close();
}, 60_000);

it('a copy that is taken while it saves is the store at one moment (S43)', async () => {
  await (await openAt({ path })).close();
  const child = startChild({ place: { path }, task: 't', from: 0 });
  await expect.poll(() => child.lines().length, { timeout: 30_000 }).toBeGreaterThan(20);
  const copy = join(folder, 'copy.db');
  const before = child.lines().length;
  await startChild({ path, copy }).ended;
  child.kill();
  const { length: after } = await child.ended;
  expect(await damageIn(copy)).toEqual([]);
  const store = await openAt({ path: copy }, { readOnly: true });
  let n = 0;
  for await (const { id } of store.lineage('t')) {
    expect(id).toBe(`c${n}`);
    expect((await store.state({ task: 't', id }))?.text).toBe(JSON.stringify(savedState(n)));
    n++;
  }
  await store.close();
  expect(n).toBeGreaterThanOrEqual(before);
  expect(n).toBeLessThanOrEqual(after + 1);
}, 60_000);

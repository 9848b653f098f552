/** What a save owes to the disk of the server, each on a server of its own. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWithOwnPostgres, postgresForTests } from '@checkpoint-inspector/io/testing';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { bundleChild, removeChild, startChild } from '../testing/processes.ts';
import { openPostgresStore } from './store.ts';

/** A small disk of its own; the server, which refuses to run as root, isn't root behind it. */
const smallDisk = (at: string): readonly string[] => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  'mount -t tmpfs -o size=4m tmpfs "$0" && exec unshare --map-user=1000 --map-group=1000 "$@"',
  at,
];
const traceTo = (file: string, calls: string, ...more: readonly string[]): readonly string[] => [
  'strace',
  '-y',
  '-s4000',
  ...more,
  '-e',
  `trace=${calls}`,
  '-o',
  file,
];
const runs = ([program = '', ...args]: readonly string[]): boolean =>
  spawnSync(program, [...args, 'true'], { stdio: 'ignore' }).status === 0;

/** For the account of the server, too. */
function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'server-disk-'));
  chmodSync(folder, 0o777);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describeWithOwnPostgres('a database server', (start) => {
  beforeAll(() => bundleChild());
  afterAll(removeChild);

  it.skipIf(!runs(smallDisk(tmpdir())))(
    'whose disk has no place for a save refuses it whole, and the next small one is kept (S39; needs unshare)',
    async () => {
      const disk = join(openFolder(), 'disk');
      mkdirSync(disk);
      const server = await start({ through: smallDisk(disk) });
      onTestFinished(() => server.close());
      const db = await postgresForTests(server.url);
      await db.run(`CREATE TABLESPACE small LOCATION '${disk}'`);
      await db.run(`ALTER DATABASE ${new URL(db.url).pathname.slice(1)} SET default_tablespace = small`);
      const store = await openPostgresStore({ url: db.url, schema: 'full' });
      await db.run('CREATE TABLE others TABLESPACE small AS SELECT generate_series(1, 10000)');
      for (const id of ['a', 'b']) await store.save({ task: 't', id, text: `"${id}, first"` });
      const text = (bytes: number) => JSON.stringify(randomBytes(bytes).toString('base64'));
      await expect(store.save({ task: 't', id: 'a', text: text(5_000_000) })).rejects.toMatchObject({
        code: 'disk_full',
      });
      const kept = async () => {
        const { items } = await store.checkpoints('t');
        const states = items.map(async ({ id }) => [id, (await store.state({ task: 't', id }))?.text.slice(0, 20)]);
        return Promise.all(states);
      };
      expect(await kept()).toEqual([
        ['b', '"b, first"'],
        ['a', '"a, first"'],
      ]);
      await store.save({ task: 't', id: 'c', text: '"c, after it"' });
      expect(await kept()).toContainEqual(['c', '"c, after it"']);
      // Once somebody makes room, what the refused one has written goes too.
      await db.run('DROP TABLE others');
      await db.run('VACUUM');
      await store.save({ task: 't', id: 'd', text: text(1_000_000) });
      expect(await kept()).toHaveLength(4);
      await store.close();
      await db.close();
    },
    120_000,
  );

  it.skipIf(!runs(['strace', '-o', '/dev/null']))(
    'has written a save to its disk before it says so, and only then is anybody told (S40; needs strace)',
    async () => {
      const folder = openFolder();
      const [ofServer, ofChild] = ['server', 'child'].map((name) => join(folder, name));
      if (!ofServer || !ofChild) throw new Error('No files.');
      const calls = 'pwrite64,pwritev,fsync,fdatasync,sendto';
      const server = await start({ set: { fsync: 'on' }, through: traceTo(ofServer, calls, '-f') });
      onTestFinished(() => server.close());
      const place = { url: server.url, schema: 'traced' };
      await (await openPostgresStore(place)).close();
      const order = { place, task: 't', from: 0, until: 12, removes: true };
      const told = await startChild(order, undefined, traceTo(ofChild, 'read,write')).ended;
      expect(told).toHaveLength(16);
      const { commits, syncs, early } = commitsIn(readFileSync(ofServer, 'utf8'));
      expect(early).toEqual([]);
      expect(commits).toBeGreaterThanOrEqual(told.length);
      // Now and then the log is on the disk already, because the server's writer was faster.
      expect(syncs).toBeGreaterThan(told.length / 2);
      expect(toldUnasked(readFileSync(ofChild, 'utf8'))).toEqual([]);
    },
    120_000,
  );
});

/** Of a server: how often it told of a commit and waited for its log before, and where it hadn't written all of it. */
function commitsIn(trace: string) {
  const unsynced = new Set<string>();
  const waited = new Set<string>();
  const early: string[] = [];
  let [commits, syncs] = [0, 0];
  for (const call of trace.split('\n')) {
    const [, process = '', name = ''] = /^(\d+) +(?:<\.\.\. )?(\w+)/.exec(call) ?? [];
    if (name.startsWith('pwrite') && call.includes('/pg_wal/')) unsynced.add(process);
    else if (name.endsWith('sync') && call.endsWith('= 0')) {
      unsynced.delete(process);
      waited.add(process);
    } else if (name === 'sendto' && call.includes('COMMIT\\0')) {
      commits++;
      if (waited.delete(process)) syncs++;
      if (unsynced.has(process)) early.push(call);
    }
  }
  return { commits, syncs, early };
}

/** Of a program: what it said without having read of a commit since it said something. */
function toldUnasked(trace: string): string[] {
  let isCommitted = false;
  return trace.split('\n').filter((call) => {
    if (call.startsWith('read(') && call.includes('COMMIT\\0')) isCommitted = true;
    if (!/^write\(.*, "[sr]-?\d+\\n"/.test(call)) return false;
    const isUnasked = !isCommitted;
    isCommitted = false;
    return isUnasked;
  });
}

/** After a change the database file alone holds it, and nothing of what was deleted. */
import { createRequire } from 'node:module';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { workplace } from './run.ts';

type Place = ReturnType<typeof workplace>;
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { get(...values: unknown[]): unknown; run(...values: unknown[]): unknown };
  pragma(text: string, options?: object): unknown;
  close(): void;
}
const Driver = createRequire(import.meta.url)('better-sqlite3') as new (path: string) => Database;

function connect(path: string): Database {
  const database = new Driver(path);
  onTestFinished(() => database.close());
  return database;
}

const MARKER = 'the-removed-state-was-here';
const SIDES = ['', '-wal', '-journal'];
const sidesWith = (path: string, marker = MARKER): string[] =>
  SIDES.filter((side) => existsSync(path + side) && readFileSync(path + side).includes(marker));

async function nativeStore(place: Place): Promise<string> {
  const path = place.path('n.db');
  const store = await openSqliteStore({ path });
  for (let n = 0; n < 30; n++) {
    const more = n === 12 ? { said: `${MARKER} `.repeat(400), short: MARKER } : {};
    await store.save({
      task: 't',
      id: `c${n}`,
      value: { n, items: Array.from({ length: 40 }, (_, at) => at), ...more },
    });
  }
  await store.close();
  return path;
}

async function listIn(place: Place, path: string, task: string): Promise<string[]> {
  copyFileSync(path, place.path('alone.db'));
  const { items } = (await place.json('list', task, '--limit', '1000', '-s', 'alone.db')) as {
    items: { id: string }[];
  };
  return items.map(({ id }) => id);
}

it('a native store is whole without its log after a restore, a delete and an undo', async () => {
  const place = workplace();
  const path = await nativeStore(place);
  // An agent has it open and does nothing just now.
  connect(path).prepare('SELECT 1 FROM checkpoints').get();
  for (const args of [['restore', 'c3'], ['delete', 'c12'], ['undo']]) {
    const done = await place.run(...args, '-s', path, '--yes');
    expect(done).toMatchObject({ code: 0, err: '' });
    const { items } = (await place.json('list', 't', '--limit', '1000', '-s', path)) as { items: { id: string }[] };
    expect(await listIn(place, path, 't')).toEqual(items.map(({ id }) => id));
    expect(sidesWith(path)).toEqual(args[0] === 'delete' ? [] : ['']);
  }
});

it.each(['WAL', 'DELETE'])(
  'a LangGraph database in %s keeps its journal mode, and nothing of what was deleted',
  async (mode) => {
    const place = workplace();
    const path = place.langgraph();
    const agent = connect(path);
    agent.pragma(`journal_mode = ${mode}`);
    const { items } = (await place.json('tasks', '-s', path)) as { items: { id: string; checkpointCount: number }[] };
    const task = items.find(({ checkpointCount }) => checkpointCount > 2)?.id ?? '';
    const { items: rows } = (await place.json('list', task, '-s', path)) as { items: { id: string }[] };
    const oldest = rows.at(-1)?.id ?? '';
    agent
      .prepare('UPDATE checkpoints SET metadata = ? WHERE thread_id = ? AND checkpoint_id = ?')
      .run(JSON.stringify({ source: 'input', step: -1, parents: {}, note: MARKER.repeat(300) }), task, oldest);
    agent.pragma('wal_checkpoint(TRUNCATE)');
    expect(sidesWith(path)).toEqual(['']);
    const done = await place.run('delete', `${task}/${oldest}`, '-s', path, '--yes');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(sidesWith(path)).toEqual([]);
    expect(await listIn(place, path, task)).not.toContain(oldest);
    expect(agent.pragma('journal_mode', { simple: true })).toBe(mode.toLowerCase());
  },
);

it('says in one line that another process needs the log, and leaves it', async () => {
  const place = workplace();
  const path = await nativeStore(place);
  const agent = connect(path);
  agent.exec('BEGIN');
  agent.prepare('SELECT count(*) FROM checkpoints').get();
  const done = await place.run('delete', 'c2', '-s', path, '--yes');
  expect(done).toMatchObject({
    code: 0,
    err: 'note: another process has n.db open; until it ends, copy n.db-wal together with n.db.\n',
  });
  agent.exec('COMMIT');
});

it('looking, and a plan that is not applied, leave a log as it is', async () => {
  const place = workplace();
  const path = await nativeStore(place);
  const agent = connect(path);
  agent.pragma('user_version = 7');
  const log = readFileSync(`${path}-wal`);
  expect(log.length).toBeGreaterThan(0);
  await place.run('list', 't', '-s', path);
  await place.run('delete', 'c2', '-s', path, '--dry-run');
  expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
});

it('what is purged from the trash is in no byte of the journal', async () => {
  const place = workplace();
  const path = await nativeStore(place);
  await place.run('delete', 'c12', '-s', path, '--yes');
  const journal = `${place.state}/journal.sqlite`;
  expect(sidesWith(journal).length).toBeGreaterThan(0);
  expect(await place.run('trash', 'purge', '--all', '--yes')).toMatchObject({ code: 0 });
  expect(sidesWith(journal)).toEqual([]);
});

it('a copy is whole without its log, though another process reads the target', async () => {
  const place = workplace();
  const path = await nativeStore(place);
  await place.run('copy', path, 'out.db');
  connect(place.path('out.db')).prepare('SELECT 1 FROM checkpoints').get();
  const store = await openSqliteStore({ path });
  await store.save({ task: 't', id: 'more', text: '{}' });
  await store.close();
  expect(await place.run('copy', path, 'out.db')).toMatchObject({ code: 0, err: '' });
  expect(await listIn(place, place.path('out.db'), 't')).toContain('more');
});

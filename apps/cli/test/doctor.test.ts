import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { describe, expect, it } from 'vitest';
import { workplace } from './run.ts';

interface Described {
  readonly systems: { system: string; matches: boolean; because: string }[];
  readonly sources: { system: string; tasks: number; checkpoints: number; rows: { examined: number } }[];
  readonly database?: { tables: { name: string; rows: number; columns: { name: string }[] }[] };
  readonly folder?: { kinds: { ending: string; files: number; begin: Record<string, number> }[] };
}

const SECRET = 'acme-merger';

describe('doctor <store>', () => {
  const place = workplace();
  const both = async (path: string): Promise<{ text: string; answer: Described }> => {
    const done = await place.run('doctor', path);
    expect(done).toMatchObject({ code: 0, err: '' });
    return { text: done.out, answer: (await place.json('doctor', path)) as Described };
  };
  const matching = ({ systems }: Described) => systems.filter(({ matches }) => matches).map(({ system }) => system);

  it('tells tables, columns and counts of a database, and why no other system matches', async () => {
    const { text, answer } = await both(place.langgraph());
    expect(matching(answer)).toEqual(['langgraph']);
    expect(answer.systems.filter(({ because }) => because.includes('something else'))).toEqual([]);
    expect(answer.systems.find(({ system }) => system === 'ctx-sys')?.because).toContain('session_id, state_json');
    expect(answer.sources).toMatchObject([
      { system: 'langgraph', tasks: 16, checkpoints: 477, rows: { examined: 477 } },
    ]);
    const { tables = [] } = answer.database ?? {};
    expect(tables.find(({ name }) => name === 'checkpoints')?.columns.map(({ name }) => name)).toContain('thread_id');
    expect(text).toContain('  checkpoints: 477 rows');
    expect(text).toMatch(/^ {4}thread_id TEXT \(key\)$/m);
  });

  it('contains nothing that was saved, and no name that was given', async () => {
    const folder = place.path(SECRET);
    mkdirSync(folder);
    const path = `${folder}/${SECRET}.db`;
    const store = await openSqliteStore({ path });
    await store.save({
      task: SECRET,
      id: SECRET,
      namespace: SECRET,
      text: `{"${SECRET}":"${SECRET}"}`,
      description: SECRET,
      status: 'failed',
    });
    await store.close();
    for (const at of [path, folder]) {
      const { text, answer } = await both(at);
      expect(text + JSON.stringify(answer)).not.toContain(SECRET);
      expect(answer.sources).toMatchObject([{ system: 'native', checkpoints: 1 }]);
    }
  });

  it('leaves out the names of files and of projects', async () => {
    const kaizen = place.kaizen('agents');
    cpSync(`${kaizen}/${readdirSync(kaizen)[0]}`, `${kaizen}/notes.${SECRET}`);
    const { text, answer } = await both(kaizen);
    expect(matching(answer)).toEqual(['kaizen']);
    expect(answer.folder?.kinds.map(({ ending }) => ending)).toEqual(expect.arrayContaining(['.jsonl', 'other']));
    expect(text).not.toContain(SECRET);
    for (const name of readdirSync(kaizen)) expect(text).not.toContain(name);
    const ctx = await both(place.ctxSys());
    expect(matching(ctx.answer)).toEqual(['ctx-sys']);
    expect(ctx.text).toMatch(/^ {2}p_\*_checkpoints: \d+ rows/m);
    expect(ctx.text).not.toMatch(/\bp_[a-z]/);
  });

  it('describes a database of no known system, and says when it is damaged', async () => {
    const path = place.path('shop.db');
    const database = openSqlite(path, { readOnly: false, create: true });
    database.exec(`CREATE TABLE orders (id INTEGER PRIMARY KEY, "a""b" TEXT DEFAULT '${SECRET}');
      INSERT INTO orders VALUES (1, '${SECRET}'); CREATE VIEW late AS SELECT '${SECRET}' AS x`);
    database.close();
    const before = statSync(path).mtimeMs;
    const { text, answer } = await both(path);
    expect(matching(answer)).toEqual([]);
    expect(answer.database).toMatchObject({ tables: [{ name: 'orders', rows: 1, indexes: 0 }], others: 1 });
    expect(answer).toMatchObject({ sources: [], failures: ['no_store'] });
    expect(text).not.toContain(SECRET);
    expect(statSync(path).mtimeMs).toBe(before);
    expect((await place.run('doctor', 'nothing.db')).code).not.toBe(0);
  });
});

describe('doctor, about what is outside stores', () => {
  interface Found {
    readonly path: string;
    readonly owner: string;
    readonly removed?: boolean;
  }

  it('lists it, and --clean removes what belongs to nobody', async () => {
    const place = workplace();
    const temp = place.path('temp');
    mkdirSync(temp);
    // A process of its own: the folder for temporary files is read from the real environment.
    const env = { TMPDIR: temp };
    const outsideOf = async (...args: string[]): Promise<Found[]> => {
      const { out } = place.startWith(env, 'doctor', '--json', ...args);
      const { items, outside } = JSON.parse(out) as { items: Found[]; outside?: Found[] };
      return outside ?? items;
    };
    mkdirSync(place.state);
    const cache = join(place.state, 'cache.sqlite');
    const open = openSqlite(cache, { readOnly: false, create: true });
    open.pragma('journal_mode = WAL');
    open.exec('CREATE TABLE t (a)');
    writeFileSync(join(place.state, 'journal.sqlite'), '');
    writeFileSync(join(place.state, 'mine.txt'), '');
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const left = join(place.state, `agreed-stores.json.${dead}.tmp`);
    writeFileSync(left, '[]');
    const owners = async () => Object.fromEntries((await outsideOf()).map(({ path, owner }) => [path, owner]));
    const journal = join(place.state, 'journal.sqlite');
    expect(await owners()).toEqual({ [left]: 'gone', [cache]: 'cache', [journal]: 'person' });
    expect(place.startWith(env, 'doctor').out).toMatch(/OUTSIDE STORES[^]*journal\.sqlite[^]*you/);

    expect(place.startWith(env, 'doctor', '--clean').code).toBe(2);
    expect(existsSync(left)).toBe(true);
    expect(await outsideOf('--clean', '--yes')).toMatchObject([{ path: left, removed: true }]);
    // A process has it open.
    expect(await outsideOf('--clean', '--caches', '--yes')).toMatchObject([{ path: cache, removed: false }]);
    open.close();
    expect(await outsideOf('--clean', '--caches', '--yes')).toMatchObject([{ path: cache, removed: true }]);
    expect(readdirSync(place.state).toSorted()).toEqual(['journal.sqlite', 'mine.txt']);
    expect(await outsideOf('--clean')).toEqual([]);
  });

  it.each([['--caches'], ['--yes'], ['--clean', 'store.db']])('refuses %s', async (...args) => {
    expect((await workplace().run('doctor', ...args)).code).toBe(2);
  });
});

import { InspectorError, pathOf, storeIdFrom, type OpenOptions, type System } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { cp, link, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture, temporaryFolder } from './kaizen/fixtures/open.ts';
import { createRegistry, foreignSystems, type SystemEntry, type Unsearched } from './registry.ts';

function options(): OpenOptions {
  const taken = new Set<string>();
  const nameStore = (name: string) => {
    const id = storeIdFrom(name, (other) => taken.has(other));
    taken.add(id);
    return id;
  };
  return { label: 'given', location: './given', nameStore };
}

function database(path: string, sql: string): void {
  const db = openSqlite(path, { readOnly: false, create: true });
  db.exec(sql);
  db.close();
}

/** A system that takes database files by a table's name, and may fail to open them. */
function tableSystem(id: string, fails = false): SystemEntry {
  const system: System = {
    id,
    label: id,
    detect: async (target) =>
      target.kind === 'path' && target.is === 'file' && target.path.includes(id)
        ? { system: id, because: 'its name', confidence: 0.8 }
        : undefined,
    open: async (target, { nameStore, label }) => {
      if (fails) throw new Error(`cannot open ${label}`);
      const { kaizenSystem } = await import('./kaizen/index.ts');
      return kaizenSystem.open(
        { kind: 'path', path: fixture('plain'), is: 'folder' },
        { label, nameStore, location: pathOf(target).path },
      );
    },
  };
  return { id, label: id, load: async () => system };
}

describe('registry', () => {
  it('detects and opens a real folder, from inside and from above', async () => {
    const project = await temporaryFolder();
    await mkdir(join(project, '.kaizen'));
    await cp(fixture('plain'), join(project, '.kaizen', 'checkpoints'), { recursive: true });
    const registry = createRegistry(foreignSystems);
    for (const path of [project, join(project, '.kaizen'), join(project, '.kaizen', 'checkpoints')]) {
      expect(await registry.detect(path)).toMatchObject([
        { system: 'kaizen', target: { kind: 'path', path, is: 'folder' } },
      ]);
      const sources = await registry.open(path, options());
      expect(sources.map(({ info }) => [info.id, info.label, info.location])).toEqual([['given', 'given', './given']]);
    }
  });

  it('a driver that is missing keeps only databases shut, and a slow file is tried once', async () => {
    const file = join(
      fixture('plain'),
      (await readdir(fixture('plain'))).find((name) => name.endsWith('.jsonl')) ?? '',
    );
    let tries = 0;
    const broken = (id: string): SystemEntry => {
      const detect = async () => {
        tries++;
        throw new InspectorError('unsupported', 'There is no driver.');
      };
      return {
        id,
        label: id,
        readsDatabases: true,
        load: async () => ({ id, label: id, detect, open: async () => [] }),
      };
    };
    const registry = createRegistry([
      broken('one'),
      broken('two'),
      ...foreignSystems.filter(({ id }) => id === 'kaizen'),
    ]);
    expect(await registry.detect(file)).toMatchObject([{ system: 'kaizen' }]);
    expect(tries).toBe(1);
    const other = join(await temporaryFolder(), 'other.db');
    database(other, 'CREATE TABLE t (x)');
    await expect(registry.detect(other)).rejects.toMatchObject({ code: 'unsupported' });
  });

  it('loads a system only once, and none before it is needed', async () => {
    let loads = 0;
    const [kaizen] = foreignSystems;
    const entry = { id: 'kaizen', label: 'Kaizen', load: async () => (loads++, (kaizen ?? tableSystem('x')).load()) };
    const registry = createRegistry([entry]);
    expect(loads).toBe(0);
    await registry.detect(fixture('plain'));
    await registry.open(fixture('plain'), options());
    expect(loads).toBe(1);
  });

  it('opens every store of a folder under its own name, though one fails', async () => {
    const folder = await temporaryFolder();
    await cp(fixture('plain'), folder, { recursive: true });
    database(join(folder, 'alpha.db'), 'CREATE TABLE t (x)');
    database(join(folder, 'beta.sqlite'), 'CREATE TABLE t (x)');
    const registry = createRegistry([...foreignSystems, tableSystem('alpha'), tableSystem('beta', true)]);
    expect((await registry.detect(folder)).map((match) => match.system)).toEqual(['kaizen', 'alpha', 'beta']);
    const failures: [string, string][] = [];
    const onFailure = (name: string, error: unknown) => void failures.push([name, String(error)]);
    const sources = await registry.open(folder, { ...options(), onFailure });
    expect(failures).toEqual([['beta.sqlite', 'Error: cannot open beta.sqlite']]);
    expect(sources.map(({ info }) => [info.id, info.label])).toEqual([
      ['given', 'given'],
      ['alpha-db', 'alpha.db'],
    ]);
    await expect(registry.open(join(folder, 'beta.sqlite'), options())).rejects.toThrow('cannot open given');
  });

  it('says what was looked for and what is there instead', async () => {
    const folder = await temporaryFolder();
    const registry = createRegistry(foreignSystems);
    const open = (name: string) => registry.open(join(folder, name), options());
    const error = (text: string) => ({ code: 'no_store', message: expect.stringContaining(text) });
    await expect(open('nothing')).rejects.toMatchObject(error('No such file or folder:'));
    await expect(open('.')).rejects.toMatchObject(error('contains no checkpoints: it is empty'));
    const lookedFor = foreignSystems.map(({ label }) => label);
    await expect(open('.')).rejects.toMatchObject({ data: { lookedFor } });
    await writeFile(join(folder, 'text.db'), 'hello, this is no database at all');
    await expect(open('text.db')).rejects.toMatchObject(error('neither a SQLite database'));
    await writeFile(join(folder, 'empty.db'), '');
    await expect(open('empty.db')).rejects.toMatchObject(error('is empty'));
    database(
      join(folder, 'other.db'),
      'CREATE TABLE notes (id INTEGER PRIMARY KEY, "the text" TEXT); CREATE TABLE tags (n)',
    );
    await expect(open('other.db')).rejects.toMatchObject(error('notes (id, the text), tags (n)'));
    await expect(open('.')).rejects.toMatchObject(error('notes (id, the text)'));
    database(join(folder, 'bare.db'), 'PRAGMA user_version = 1');
    await expect(open('bare.db')).rejects.toMatchObject(error('has no tables'));
  });

  it('discovers stores below a folder, each once and however deep', async () => {
    const root = await temporaryFolder();
    const put = (...parts: string[]) => cp(fixture('plain'), join(root, ...parts), { recursive: true });
    await put('app', '.kaizen', 'checkpoints');
    await put('loose');
    await put('.pristine', 'loose');
    await put('node_modules', 'x');
    await put('a', 'b', 'c', 'd', 'e');
    database(join(root, 'alpha.db'), 'CREATE TABLE t (x)');
    const registry = createRegistry([...foreignSystems, tableSystem('alpha')]);
    const unsearched: Unsearched[] = [];
    const found = await registry.discover(root, { onUnsearched: (rest) => unsearched.push(rest) });
    expect(found.map(({ path, match }) => [path.slice(root.length), match.system])).toEqual([
      ['/alpha.db', 'alpha'],
      ['/app', 'kaizen'],
      ['/loose', 'kaizen'],
      ['/a/b/c/d/e', 'kaizen'],
    ]);
    expect(unsearched).toEqual([]);
    expect(await registry.discover(join(root, 'none'))).toEqual([]);
  });

  it('discovers a store with several paths once, and tells of the others', async () => {
    const root = await temporaryFolder();
    await mkdir(join(root, 'backup'));
    const [first, second] = [join(root, 'agents.db'), join(root, 'backup', 'agents.db')];
    await cp(new URL('./langgraph/fixtures/js.sqlite', import.meta.url), first);
    await link(first, second);
    await symlink(first, join(root, 'backup', 'linked.db'));
    await symlink(join(root, 'backup'), join(root, 'again'));
    // Another file, though its content is the same.
    await cp(first, join(root, 'copy.db'));
    const seconds: unknown[] = [];
    const registry = createRegistry(foreignSystems);
    const found = await registry.discover(root, { onSecondPath: (one) => seconds.push(one) });
    expect(found.map(({ path }) => path)).toEqual([first, join(root, 'copy.db')]);
    expect(seconds).toEqual([{ path: second, of: first }]);
  });

  it('discovers a store once, though it is in a folder that is a store itself', async () => {
    const root = await temporaryFolder();
    await cp(fixture('plain'), join(root, '.kaizen', 'checkpoints'), { recursive: true });
    await mkdir(join(root, '.ctx-sys'));
    database(join(root, 'alpha.db'), 'CREATE TABLE t (x)');
    database(join(root, '.ctx-sys', 'alpha.db'), 'CREATE TABLE t (x)');
    const registry = createRegistry([...foreignSystems, tableSystem('alpha')]);
    const found = await registry.discover(root);
    expect(found.map(({ path }) => path)).toEqual([root]);
    const opened = await registry.open(root, options());
    expect(opened.map(({ info }) => info.label)).toEqual(['given', '.ctx-sys/alpha.db', 'alpha.db']);
  });

  it('discovers every store of a project once, whichever known folders they are in', async () => {
    const root = await temporaryFolder();
    const put = (from: string, ...to: string[]) =>
      cp(new URL(`./${from}`, import.meta.url), join(root, ...to), { recursive: true });
    await put('kaizen/fixtures/plain', '.kaizen', 'checkpoints');
    await put('agent-framework/fixtures/hitl', 'checkpoints');
    await put('rlm-act/fixtures/go/.rlm-act-checkpoints', '.rlm-act-checkpoints');
    await put('openai-agents/fixtures/runstates', 'runs', 'runstates');
    const found = await createRegistry(foreignSystems).discover(root);
    expect(found.map(({ path, match }) => [path.slice(root.length), match.system])).toEqual([
      ['', 'kaizen'],
      ['/.rlm-act-checkpoints', 'rlm-act'],
      ['/checkpoints', 'agent-framework'],
      ['/runs', 'openai-agents'],
    ]);
  });

  it.each([
    ['claude-code/fixtures/sessions', '.claude', 'claude-code'],
    ['gemini-cli/fixtures/five-turns', '.gemini', 'gemini-cli'],
  ])('discovers sessions in folders of folders as one store: %s', async (from, name, system) => {
    const root = await temporaryFolder();
    await cp(new URL(`./${from}/${name}`, import.meta.url), join(root, 'a', name), { recursive: true });
    // Beside the store, not in it.
    await cp(join(root, 'a', name), join(root, 'backup', name), { recursive: true });
    const registry = createRegistry(foreignSystems);
    const found = await registry.discover(root);
    expect(found.map(({ path, match }) => [path, match.system])).toEqual([
      [join(root, 'a', name), system],
      [join(root, 'backup', name), system],
    ]);
    expect(await registry.discover(join(root, 'a', name))).toHaveLength(1);
  });

  it.each([
    [{ maxFolders: 3 }, 'folders'],
    [{ timeLimitMs: 0 }, 'time'],
  ])('says what it did not search: %j', async (limits, because) => {
    const root = await temporaryFolder();
    for (const name of ['a', 'b', 'c', 'd']) await mkdir(join(root, name));
    await cp(fixture('plain'), join(root, 'd'), { recursive: true });
    const unsearched: Unsearched[] = [];
    const options = { ...limits, onUnsearched: (rest: Unsearched) => void unsearched.push(rest) };
    expect(await createRegistry(foreignSystems).discover(root, options)).toEqual([]);
    const searched = because === 'time' ? 1 : 3;
    const first = join(root, because === 'time' ? 'a' : 'c');
    expect(unsearched).toEqual([{ searched, left: 5 - searched, first, because }]);
  });

  it('names only some tables of a database that is not a store', async () => {
    const folder = await temporaryFolder();
    const tables = Array.from({ length: 36 }, (_, n) => `CREATE TABLE table_${n} (id, name, value, time);`);
    database(join(folder, 'shop.db'), tables.join('\n'));
    const error: unknown = await createRegistry(foreignSystems)
      .open(join(folder, 'shop.db'), options())
      .catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('and 30 more');
    expect(String(error).length).toBeLessThan(600);
  });
});

describe('the files of a LangGraph dev server', () => {
  const write = async (root: string, names: readonly string[]): Promise<string> => {
    const folder = join(root, '.langgraph_api');
    await mkdir(folder, { recursive: true });
    for (const name of names) await writeFile(join(folder, name), '{}');
    return folder;
  };
  it.each([
    ['js', '.langgraphjs_api.checkpointer.json', 4],
    ['py', '.langgraph_checkpoint.1.pckl', 15],
  ])('are opened from the project, the folder or a file, once: %s', async (server, main, threads) => {
    const root = await temporaryFolder();
    const folder = join(root, '.langgraph_api');
    await cp(new URL(`./langgraph-dev/fixtures/${server}/.langgraph_api`, import.meta.url), folder, {
      recursive: true,
    });
    const registry = createRegistry(foreignSystems);
    for (const path of [root, folder, join(folder, main)]) {
      const sources = await registry.open(path, options());
      expect(sources.map(({ info }) => [info.system, info.label])).toEqual([['langgraph', 'given']]);
      expect((await sources[0]?.tasks())?.items).toHaveLength(threads);
      await sources[0]?.close?.();
    }
    const found = await registry.discover(root);
    expect(found.map(({ path, match }) => [path, match.system])).toEqual([[folder, 'langgraph-dev']]);
  });

  it.each([
    ['langgraphjs dev', ['.langgraphjs_api.checkpointer.json', '.langgraphjs_ops.json']],
    ['langgraph dev', ['.langgraph_checkpoint.1.pckl', '.langgraph_ops.pckl']],
  ])('that were written long ago and are damaged give the reason: %s', async (_server, names) => {
    const root = await temporaryFolder();
    const folder = await write(root, names);
    const old = new Date('2026-01-01');
    for (const name of names) await utimes(join(folder, name), old, old);
    const opening = createRegistry(foreignSystems).open(root, options());
    await expect(opening).rejects.toMatchObject({ code: 'unreadable' });
  });

  it('that contain nothing yet are told from a folder without them', async () => {
    const root = await temporaryFolder();
    await write(root, []);
    const opening = createRegistry(foreignSystems).open(root, options());
    await expect(opening).rejects.toMatchObject({ message: expect.stringMatching(/\.langgraph_api.*no checkpoints/) });
    await expect(opening).rejects.toMatchObject({ message: expect.not.stringContaining('no .langgraph_api') });
  });
});

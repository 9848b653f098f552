import { bytesRead } from '@checkpoint-inspector/config/measure';
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { encodeCursor, InspectorError, MemoryStore, storeId } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { defaultRegistry } from './stores/registry.ts';
import type { StoreService } from './stores/types.ts';
import { createStoreService } from './stores/service.ts';
import { createSearch } from '@checkpoint-inspector/search';
import type { SearchOptions, SearchService } from '@checkpoint-inspector/search';
import { SEARCH_WORKER, bundleEntry } from './testing/bundle.ts';
import { vault } from './testing/vault.ts';

let folder: string;
const open: SearchService[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'search-'));
});
afterEach(async () => {
  for (const search of open.splice(0)) await search.close();
  rmSync(folder, { recursive: true, force: true });
});

function begin(options: Partial<SearchOptions> & { readonly stores?: StoreService } = {}) {
  const stores = options.stores ?? createStoreService({ registry: defaultRegistry() });
  const search = createSearch({ stores, folder: join(folder, 'state'), ...options });
  open.push(search);
  const ask = async (query: string) => {
    await search.settled(20_000);
    return (await search.search(query)).items;
  };
  return { stores, search, ask };
}

it('asks stores in the background: what a person asks comes first', async () => {
  const store = new MemoryStore({ id: storeId('m') });
  await store.save({ task: 'run', id: 'cp', text: '{"note":"weather"}' });
  const calls = [vi.spyOn(store, 'tasks'), vi.spyOn(store, 'checkpoints'), vi.spyOn(store, 'state')];
  const { stores, ask } = begin();
  stores.add(store);
  expect(await ask('weather')).toHaveLength(1);
  for (const { mock } of calls) {
    expect(mock.calls.length).toBeGreaterThan(0);
    for (const args of mock.calls) expect(args.at(-1)).toMatchObject({ background: true });
  }
});

it('reads states that are larger than their rows one at a time, and finds too large ones by their names', async () => {
  const store = new MemoryStore({ id: storeId('log') });
  const text = (n: number) => JSON.stringify({ n, said: 'a word '.repeat(100_000) });
  for (let n = 0; n < 8; n++) await store.save({ task: 'run', id: `${n}`, text: text(n), description: `turn ${n}` });
  const { checkpoints, state } = { checkpoints: store.checkpoints.bind(store), state: store.state.bind(store) };
  vi.spyOn(store, 'checkpoints').mockImplementation(async (...asked) => {
    const page = await checkpoints(...asked);
    return { ...page, items: page.items.map((meta) => ({ ...meta, sizeBytes: 10 })) };
  });
  const reading = { now: 0, most: 0 };
  vi.spyOn(store, 'state').mockImplementation(async (ref, options = {}) => {
    expect(options.mostCharacters).toBe(8_000_000);
    if (ref.id === '7') throw new InspectorError('too_large', 'It is too large.');
    reading.most = Math.max(reading.most, ++reading.now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    reading.now--;
    return state(ref);
  });
  const { stores, ask, search } = begin();
  stores.add(store);
  expect(await ask('"turn 7"')).toMatchObject([{ ref: { id: '7' } }]);
  expect(reading.most).toBe(1);
  expect(await search.coverage()).toMatchObject([{ of: 8, indexed: 8, unreadable: 0 }]);
});

let entry: URL;
beforeAll(async () => void (entry = await bundleEntry(SEARCH_WORKER, 'search-index')));
afterAll(() => rmSync(entry));

async function close(search: SearchService): Promise<void> {
  open.splice(open.indexOf(search), 1);
  await search.close();
}

async function seed(count: number): Promise<string> {
  const path = join(folder, 'run.db');
  await (await openSqliteStore({ path })).close();
  const db = openSqlite(path, { readOnly: false });
  const insert = db.prepare(
    "INSERT INTO checkpoints (task, id, text, state_hash, size_bytes, step_index, status, description, created_at) VALUES ('run', ?, ?, ?, ?, ?, 'completed', 'step', ?)",
  );
  db.transaction(() => {
    for (let n = 1; n <= count; n++) {
      const revenue = n === count - 7 ? '4200' : '4.2';
      const text = `{"context":{"revenue":{"CompanyA":5.1,"CompanyB":${revenue}}},"n":"step ${n}","messages":["hello ${n % 50}"]}`;
      insert.run(`c-${n}`, text, `hash of ${n}`, text.length, n, new Date(1_700_000_000_000 + n * 1000).toISOString());
    }
  });
  db.close();
  return path;
}

/** The index in this thread, and in one of its own. */
const HOSTS: readonly (readonly [string, () => Pick<SearchOptions, 'worker'>])[] = [
  ['in this thread', () => ({})],
  ['in a thread of its own', () => ({ worker: entry })],
];

describe('search', () => {
  it('finds CompanyB by 4200 among 3,000 checkpoints, and reads no state again', async () => {
    const path = await seed(3_000);
    const { stores, search } = begin();
    await stores.open(path);
    await search.settled(60_000);
    const states = vi.spyOn(stores.source(storeId('run-db')), 'state');
    for (const query of ['4200', '420', '4200 CompanyB', 'revenue.CompanyB:4200', '"hello 42"']) {
      const { items } = await search.search(query);
      if (query === '"hello 42"') continue;
      const company = items.find(({ path }) => path === '$.context.revenue.CompanyB');
      expect(company).toMatchObject({
        store: 'run-db',
        ref: { task: 'run', id: 'c-2993' },
        snippet: { text: '4200' },
        count: 1,
      });
      if (query !== '420') expect(items[0]).toEqual(company);
    }
    expect(states).not.toHaveBeenCalled();
  });

  it('S48 answers wholly on 5,000 checkpoints, or is cut when its time is over and reports it', async () => {
    const { stores, search } = begin({ timeLimitMs: 60_000 });
    await stores.open(await seed(5_000));
    await search.settled(120_000);
    const states = vi.spyOn(stores.source(storeId('run-db')), 'state');
    // What was written last lies in the log beside it until that is put into it.
    const index = ['cache.sqlite', 'cache.sqlite-wal'].map((name) => join(folder, 'state', name));
    const indexSize = (): number =>
      index.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
    for (const query of ['4200', 'hello', 'e', 'n:1', 'status:failed', 'messages hello 4', 'zzz']) {
      // Once at most: what it looks up is in the index, and that lies in memory by then.
      expect(await bytesRead(() => search.search(query))).toBeLessThan(indexSize());
    }
    expect(states).not.toHaveBeenCalled();
    const hurried = begin({ stores, timeLimitMs: 0, folder: join(folder, 'other') });
    await hurried.search.settled(120_000);
    expect(await hurried.search.search('e')).toMatchObject({ cut: true, atLeast: true });
  });

  it('follows saves, deletes and whole tasks that go', async () => {
    const store = new MemoryStore({ id: storeId('memory') });
    const { stores, ask } = begin();
    stores.add(store);
    await store.save({ task: 'a', id: '1', text: '{"word":"first"}' });
    stores.touch(storeId('memory'), 'a');
    expect(await ask('first')).toMatchObject([{ ref: { task: 'a', id: '1' } }]);
    await store.save({ task: 'a', id: '2', text: '{"word":"first"}' });
    await store.save({ task: 'b', id: '1', text: '{"word":"second"}' });
    stores.touch(storeId('memory'));
    expect(await ask('first')).toMatchObject([{ ref: { id: '2' }, firstSeen: { ref: { id: '1' } }, count: 2 }]);
    expect(await ask('second')).toMatchObject([{ ref: { task: 'b' } }]);
    await store.save({ task: 'a', id: '2', text: '{"word":"third"}' });
    stores.touch(storeId('memory'), 'a');
    expect(await ask('third')).toHaveLength(1);
    await store.remove({ task: 'a', id: '1' });
    stores.touch(storeId('memory'), 'a');
    expect(await ask('first')).toEqual([]);
    await store.remove({ task: 'b', id: '1' });
    stores.touch(storeId('memory'));
    expect(await ask('second')).toEqual([]);
    await stores.close(storeId('memory'));
    expect(await ask('third')).toEqual([]);
  });

  it.each(HOSTS)('%s says how much of each store is searched', async (_where, worker) => {
    const { stores, search } = begin(worker());
    stores.add(vault({ readable: 2, locked: 1, unreadable: 2, huge: 1 }));
    await search.settled(20_000);
    const { coverage } = await search.search('plain');
    expect(coverage).toEqual([
      { store: 'vault', of: 6, indexed: 3, partly: 1, locked: 1, unreadable: 2, isSettled: true },
    ]);
  });

  it.each(HOSTS)('%s keeps what a key opened in memory: nothing of it reaches the folder', async (_where, worker) => {
    const { stores, search, ask } = begin(worker());
    const source = vault({ readable: 1, locked: 2, unreadable: 0, huge: 0, location: folder });
    stores.add(source);
    expect(await ask('decrypted')).toEqual([]);
    expect(await ask('plain')).toHaveLength(1);
    await expect(stores.unlock(storeId('vault'), 'wrong')).rejects.toThrow(InspectorError);
    expect(await ask('plain')).toHaveLength(1);
    await stores.unlock(storeId('vault'), 'right');
    expect(await ask('decrypted')).toMatchObject([{ path: '$.text', count: 2 }]);
    expect(await ask('whispered')).toMatchObject([{ in: 'name' }]);
    await close(search);
    for (const name of readdirSync(join(folder, 'state')))
      expect(readFileSync(join(folder, 'state', name), 'latin1')).not.toMatch(/decrypted|whispered/);
    const again = begin({ stores, ...worker() });
    expect(await again.ask('decrypted')).toHaveLength(1);
  });

  it.each(HOSTS)('%s continues with the index that is there, and makes a spoilt one again', async (_where, worker) => {
    const path = await seed(50);
    const first = begin(worker());
    await first.stores.open(path);
    expect(await first.ask('4200')).toHaveLength(1);
    await close(first.search);
    const again = begin(worker());
    await again.stores.open(path);
    again.search.start();
    expect((await again.search.search('4200')).items).toHaveLength(1);
    await close(again.search);
    writeFileSync(join(folder, 'state', 'cache.sqlite'), 'spoilt '.repeat(2_000));
    const anew = begin(worker());
    await anew.stores.open(path);
    expect(await anew.ask('4200')).toHaveLength(1);
  });

  it('names what it cannot read, and the tokens it knows', async () => {
    const { search } = begin();
    await expect(search.search('statsu:failed')).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('did you mean "status:"'),
      data: { tokens: expect.arrayContaining(['status', 'agent']) },
    });
    for (const cursor of ['nonsense', encodeCursor([-1]), encodeCursor([1.5]), encodeCursor(['1'])])
      await expect(search.search('a', { cursor })).rejects.toMatchObject({ code: 'invalid_input' });
    expect(await search.search('  ')).toMatchObject({ items: [], total: 0, cut: false });
  });

  it.each(HOSTS)('%s narrows to stores and systems, and gives page after page', async (_where, worker) => {
    const { stores, search } = begin(worker());
    for (const id of ['one', 'two']) {
      const store = new MemoryStore({ id: storeId(id) });
      for (let n = 0; n < 30; n++) await store.save({ task: `run ${n % 3}`, id: `${n}`, text: `{"n":"word ${n}"}` });
      stores.add(store);
    }
    await search.settled(10_000);
    const names = async (query: string) => new Set((await search.search(query)).items.map(({ store }) => store));
    expect(await names('word store:one')).toEqual(new Set(['one']));
    expect(await names('word -store:one')).toEqual(new Set(['two']));
    expect(await names('word system:native')).toEqual(new Set(['one', 'two']));
    expect(await names('word system:kaizen')).toEqual(new Set());
    const seen: string[] = [];
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await search.search('word', { limit: 7, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.total).toBe(60);
      seen.push(...page.items.map(({ store, ref }) => `${store} ${ref.task} ${ref.id}`));
      cursor = page.cursor;
    }
    expect(new Set(seen).size).toBe(60);
    const groups = seen.map((one) => one.replace(/ \d+$/, ''));
    expect(groups.filter((group, at) => group !== groups[at - 1])).toHaveLength(6);
  });

  it('makes an index again that is damaged while it is open, in a thread of its own', async () => {
    const { stores, search, ask } = begin({ worker: entry });
    await stores.open(await seed(3_000));
    await search.settled(60_000);
    const file = join(folder, 'state', 'cache.sqlite');
    writeFileSync(file, Buffer.alloc(statSync(file).size, 'x'));
    writeFileSync(`${file}-wal`, '');
    const find = async () => (await ask('4200').catch(InspectorError.from)) as unknown;
    await expect.poll(find, { timeout: 30_000 }).toMatchObject([{ snippet: { text: '4200' } }]);
  });

  it('begins again after its thread stopped', async () => {
    const marker = join(folder, 'stopped');
    const stopsOnce = join(folder, 'stops-once.mjs');
    writeFileSync(
      stopsOnce,
      `import { existsSync, writeFileSync } from 'node:fs';
       if (existsSync(${JSON.stringify(marker)})) await import(${JSON.stringify(entry.href)});
       else { writeFileSync(${JSON.stringify(marker)}, ''); process.exit(1); }`,
    );
    const { stores, search } = begin({ worker: pathToFileURL(stopsOnce) });
    stores.add(new MemoryStore({ id: storeId('memory') }));
    await expect(search.search('word')).rejects.toMatchObject({ code: 'busy', message: /thread .* stopped/ });
    const store = stores.source(storeId('memory'));
    expect(store).toBeInstanceOf(MemoryStore);
    if (store instanceof MemoryStore) await store.save({ task: 'a', id: '1', text: '{"a":"word"}' });
    stores.touch(storeId('memory'), 'a');
    await search.settled(20_000);
    expect((await search.search('word')).items).toMatchObject([{ ref: { id: '1' } }]);
  });
});

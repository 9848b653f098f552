import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { refOfMeta, storeId, withOptions } from '@checkpoint-inspector/core';
import type { CheckpointSource, InspectorError, StoreId } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { bundleEntry } from '../testing/bundle.ts';
import { defaultRegistry } from '../stores/registry.ts';
import { createStoreService } from '../stores/service.ts';
import type { StoreService } from '../stores/types.ts';
import { createIsolation } from './isolated.ts';
import type { IsolationOptions } from './isolated.ts';
import { ReaderProcess } from './process.ts';
import { writeEndless } from './testing/endless.ts';

const FIXTURES = '../../../systems/src';
const ENDLESS_VIEW = `WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n)`;

let entry: URL;
let folder: string;
const services: StoreService[] = [];

beforeAll(async () => void (entry = await bundleEntry(new URL('./child.ts', import.meta.url), 'store-reader')));
afterAll(() => rmSync(entry));
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'reader-'))));
afterEach(async () => {
  for (const stores of services.splice(0)) await stores.closeAll();
  rmSync(folder, { recursive: true, force: true });
});

function service(isolation?: Partial<IsolationOptions>): StoreService {
  const isolate = isolation && createIsolation({ entry, ...isolation });
  const stores = createStoreService({ registry: defaultRegistry(isolate), timeLimitMs: 500 });
  services.push(stores);
  return stores;
}

function copied(fixture: string): string {
  const from = fileURLToPath(new URL(`${FIXTURES}/${fixture}`, import.meta.url));
  for (const side of ['', '-wal', '-shm'].filter((part) => existsSync(from + part)))
    cpSync(from + side, join(folder, basename(from) + side), { recursive: true });
  return join(folder, basename(from));
}

async function nativeStore(name: string): Promise<string> {
  const path = join(folder, name);
  const store = await openSqliteStore({ path });
  for (let n = 0; n < 5; n++) await store.save({ task: 'run', id: `cp-${n}`, text: `{"n": ${n}.0}` });
  await store.close();
  return path;
}

/** All that a source says of its first tasks. */
async function everything(source: CheckpointSource) {
  const { items } = await source.tasks({ limit: 5 });
  const tasks = await Promise.all(
    items.map(async ({ id }) => {
      const page = await source.checkpoints(id, { limit: 20 });
      const states = await Promise.all(
        page.items.map(async (meta) => {
          const ref = { task: id, id: meta.id, ...(meta.namespace === undefined ? {} : { namespace: meta.namespace }) };
          const failed = (error: { code: string; message: string }) => [error.code, error.message];
          return [
            await source.state(ref).catch(failed),
            await source.raw?.(ref).catch(failed),
            await source.beside?.(ref),
            await source.find(ref.id),
          ];
        }),
      );
      return {
        page,
        states,
        lineage: await listed(source.lineage(id)),
        facts: await listed(source.lineage(id, { facts: true })),
        values: await source.values?.(page.items.map(refOfMeta), '$').catch(({ code }: InspectorError) => code),
        parts: await partsOf(source, id),
        latest: await source.latest(id),
      };
    }),
  );
  return { info: source.info, items, tasks };
}

const partsOf = (source: CheckpointSource, task: string): Promise<unknown> | undefined =>
  source.lineageParts && listed(source.lineageParts(task));

async function listed<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const first = (stores: StoreService): StoreId => stores.list()[0]?.id ?? storeId('none');

/** Processes that this one has started and that run. */
function children(): string[] {
  const read = (task: string) => readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ');
  return readdirSync('/proc/self/task')
    .flatMap(read)
    .filter((pid) => pid !== '');
}

describe('a store that is read in a process of its own', () => {
  const LANGGRAPH_DEV = 'langgraph-dev/fixtures/py/.langgraph_api';
  it.each(['langgraph/fixtures/js.sqlite', 'ctx-sys/fixtures/demo-app.db', LANGGRAPH_DEV, 'native'])(
    '%s says the same',
    async (name) => {
      const path = name === 'native' ? await nativeStore('own.db') : copied(name);
      const [here, apart] = [service(), service({})];
      await Promise.all([here.open(path), apart.open(path)]);
      expect(apart.list()).toEqual(here.list());
      for (const { id } of here.list())
        expect(await everything(apart.source(id))).toEqual(await everything(here.source(id)));
    },
  );

  it('plans the same change, and its errors keep code, words and data', async () => {
    const path = await nativeStore('own.db');
    const [here, apart] = [service(), service({})];
    await Promise.all([here.open(path), apart.open(path)]);
    const plans = await Promise.all(
      [here, apart].map(async (stores) => {
        const source = stores.source(first(stores));
        if (!('plan' in source) || typeof source.plan !== 'function') throw new Error('It plans nothing.');
        const wrong = { kind: 'restore', ref: { task: 'run', id: 'nothing' } };
        const right = { kind: 'delete', refs: [{ task: 'run', id: 'cp-1' }] };
        const error: unknown = await source.plan(wrong).catch((thrown: InspectorError) => thrown.toWire());
        const { view, job } = await source.plan(right);
        return { error, plan: { ...view, id: undefined }, job: { ...job } };
      }),
    );
    expect(plans[1]).toEqual(plans[0]);
    expect(plans[0]?.plan).toMatchObject({ removes: { items: [{ ref: { id: 'cp-1' } }] } });
  });

  it('tells of what an agent saves', async () => {
    const path = await nativeStore('own.db');
    const stores = service({});
    await stores.open(path);
    const told = new Promise((resolve) => stores.onEvent(resolve));
    const agent = await openSqliteStore({ path });
    await agent.save({ task: 'run', id: 'new', text: '{}' });
    await agent.close();
    expect(await told).toEqual({ kind: 'change', store: 'own-db' });
    expect((await stores.source(first(stores)).latest('run')).ref?.id).toBe('new');
  });

  it('never answers as of before a save', async () => {
    const path = await nativeStore('own.db');
    const stores = service({});
    await stores.open(path);
    const source = stores.source(first(stores));
    const agent = await openSqliteStore({ path });
    for (let n = 0; n < 10; n++) {
      // Every second time the answers before are kept: as if nobody had written for long.
      if (n % 2 === 0)
        for (const part of ['', '-wal']) utimesSync(path + part, new Date(), new Date(Date.now() - 60_000 - n));
      for (let again = 0; again < 2; again++)
        expect(await source.meta({ task: 'run', id: `new-${n}` })).toBeUndefined();
      await agent.save({ task: 'run', id: `new-${n}`, text: '{}' });
      expect((await source.latest('run')).ref?.id).toBe(`new-${n}`);
      expect((await source.meta({ task: 'run', id: `new-${n}` }))?.isLatest).toBe(true);
      expect((await source.checkpoints('run', { limit: 1 })).items[0]?.id).toBe(`new-${n}`);
    }
    await agent.close();
  });

  it('answers what somebody asks before more than one further question of background work, and that goes on', async () => {
    const stores = service({});
    await stores.open(await nativeStore('own.db'));
    const source = stores.source(first(stores));
    const beside = withOptions(source, { background: true });
    let answered = 0;
    const work = Array.from({ length: 40 }, async (_, n) => {
      if (n === 39) for await (const { id } of beside.lineage('run')) expect(id).toBeDefined();
      else await beside.state({ task: 'run', id: 'cp-1' });
      answered += 1;
    });
    for (let n = 0; n < 5; n++) {
      const before = answered;
      expect((await source.latest('run')).ref?.id).toBe('cp-4');
      expect(answered - before).toBeLessThanOrEqual(1);
    }
    await Promise.all(work);
    expect(answered).toBe(40);
  });

  it.skipIf(!existsSync('/proc/self/task'))(
    'is read again after its process died, and none is left when it is closed',
    async () => {
      const stores = service({});
      const before = children();
      await stores.open(await nativeStore('own.db'));
      const source = stores.source(first(stores));
      for (const pid of children().filter((child) => !before.includes(child))) process.kill(Number(pid), 'SIGKILL');
      await expect.poll(async () => (await source.latest('run').catch(() => undefined))?.ref?.id).toBe('cp-4');
      await stores.closeAll();
      await expect.poll(() => children().filter((child) => !before.includes(child)).length, { timeout: 8_000 }).toBe(0);
    },
  );
});

describe('a process that fails', () => {
  /** An entry of our own in place of the real one. */
  function fake(script: string): URL {
    const file = join(folder, 'fake.mjs');
    writeFileSync(file, script);
    return pathToFileURL(file);
  }
  const call = { call: 'latest' } as unknown as Parameters<ReaderProcess['ask']>[0];
  const setup = { call: 'open' } as unknown as typeof call;
  const options = { label: 'own.db', limitMs: 20_000, restMs: 100 };

  it('while it opens the store again is told to who asks, and is not started for ever', async () => {
    const starts = join(folder, 'starts');
    const entry = fake(`import { appendFileSync } from 'node:fs';
      appendFileSync(${JSON.stringify(starts)}, 'x');
      process.on('message', () => process.exit(1));`);
    const reader = new ReaderProcess({ ...options, entry, setup: () => setup });
    await expect(reader.ask(call)).rejects.toMatchObject({ code: 'busy' });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(readFileSync(starts, 'utf8')).toBe('x');
    reader.close();
  });

  it('rests twice as long each time, though it opens the store well', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    // It tells of the call that it has, and never answers it.
    const entry = fake(
      `process.on('message', ({ id, call }) =>
        process.send(call.call === 'open' ? { id, output: [] } : { source: 0, changed: {} }));`,
    );
    const rests: number[] = [];
    const onEnd = (waitMs: number) => void rests.push(waitMs);
    let hasCall: () => void = () => undefined;
    const reader = new ReaderProcess({ ...options, entry, setup: () => setup, onEnd, onChange: () => hasCall() });
    for (let n = 0; n < 3; n++) {
      const asked = new Promise<void>((resolve) => (hasCall = resolve));
      const answer = expect(reader.ask(call)).rejects.toThrow(
        "own.db is slow: it didn't answer within 20 s and was stopped.",
      );
      await asked;
      vi.advanceTimersByTime(options.limitMs);
      await answer;
      vi.advanceTimersByTime(rests.at(-1) ?? 0);
    }
    expect(rests).toEqual([100, 200, 400]);
    reader.close();
  });

  it('does not end with Ctrl+C, which reaches the whole group, but with its channel', async () => {
    const stores = service({});
    await stores.open(await nativeStore('own.db'));
    const source = stores.source(first(stores));
    for (const pid of existsSync('/proc/self/task') ? children() : []) process.kill(Number(pid), 'SIGINT');
    expect((await source.latest('run')).ref?.id).toBe('cp-4');
  });
});

describe('a hostile database', () => {
  it('that never ends is named as slow, and other stores answer meanwhile', async () => {
    writeEndless(join(folder, 'endless.db'));
    const stores = service({ limitMs: 1_500, restMs: 60_000 });
    await stores.open(join(folder, 'endless.db'));
    await stores.open(await nativeStore('own.db'));
    const list = await stores.tasks();
    expect(list.items.map(({ id }) => id)).toEqual(['run']);
    expect(list.failures).toMatchObject([{ store: 'endless-db', error: { code: 'busy' } }]);
    await expect(stores.source(storeId('endless-db')).tasks()).rejects.toMatchObject({
      code: 'busy',
      message: "endless.db is slow: it didn't answer within 1.5 s and was stopped.",
    });
    // It is left alone for a while: the answer comes at once.
    await expect(stores.source(storeId('endless-db')).tasks()).rejects.toMatchObject({ code: 'busy' });
    expect((await stores.source(storeId('own-db')).latest('run')).ref?.id).toBe('cp-4');
  });

  it.each([
    [
      'LangGraph',
      'checkpoints',
      `SELECT a AS thread_id, '' AS checkpoint_ns, a AS checkpoint_id, a AS parent_checkpoint_id, 'json' AS type, a AS checkpoint, a AS metadata FROM n`,
    ],
    [
      'ctx-sys',
      'p_x_checkpoints',
      `SELECT a AS id, a AS session_id, a AS step_number, a AS created_at, a AS state_json, a AS description, a AS trigger_type, a AS duration_ms, a AS token_usage FROM n`,
    ],
    ['native', 'store_meta', `SELECT a AS k, a AS v FROM n`],
  ])('with an endless view in place of a table of %s is not taken for a store', async (_system, name, columns) => {
    const path = join(folder, 'hostile.db');
    const db = openSqlite(path, { readOnly: false, create: true });
    db.exec(`CREATE VIEW ${name} AS ${ENDLESS_VIEW} ${columns}`);
    if (name === 'checkpoints')
      db.exec('CREATE TABLE writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)');
    db.close();
    await expect(service().open(path)).rejects.toMatchObject({ code: 'no_store' });
    await expect(service({}).open(path)).rejects.toMatchObject({ code: 'no_store' });
  });
});

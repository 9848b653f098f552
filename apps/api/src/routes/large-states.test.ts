import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isChangeable, storeId, type Job } from '@checkpoint-inspector/core';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { diffAnswerSchema, foundSchema, partSchema } from '../wire/index.ts';
import { createStoreService, defaultRegistry, createLargeStates } from '@checkpoint-inspector/inspector';
import { writeDocument } from '../testing/document.ts';
import { jsonBody, testApp } from '../testing/app.ts';
import { STATE_WORKER, bundleEntry } from '@checkpoint-inspector/inspector/testing/bundle';
import { largeText } from '../testing/text.ts';
import type { LargeStates } from '@checkpoint-inspector/inspector';

const SIZE = 18_000_000;
const before = largeText(SIZE);
const after = largeText(SIZE, 'Compare again');
const small = '{"a": [1.0, 12345678901234567890, {"b": "x"}]}';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

let folder: string;
let worker: URL;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-big-'));
  worker = await bundleEntry(STATE_WORKER, 'state-worker');
  const store = await openSqliteStore({ path: join(folder, 'agents.db') });
  await store.save({ task: 'run', id: 'small', text: small });
  await store.save({ task: 'small', id: 'only', text: small });
  await store.save({ task: 'run', id: 'a', text: before });
  await store.save({ task: 'run', id: 'b', text: after, parent: { task: 'run', id: 'a' } });
  await store.save({ task: 'shifted', id: 's-a', text: before });
  const shifted = before.replace('"messages":[', '"messages":["first",');
  await store.save({ task: 'shifted', id: 's-b', text: shifted, parent: { task: 'shifted', id: 's-a' } });
  for (const [nth, price] of [12, 12, 12_000, 12_000].entries()) {
    const text = largeText(1_200_000).replace('{', `{"step":${nth},"price":${price},`);
    const parent = nth === 0 ? {} : { parent: { task: 'priced', id: `p-${nth - 1}` } };
    const failed = nth === 3 ? { status: 'failed' as const, description: 'the price is too high' } : {};
    await store.save({ task: 'priced', id: `p-${nth}`, text, ...parent, ...failed });
  }
  await store.close();
  await writeDocuments(join(folder, 'documents'));
}, 60_000);
/** A folder of documents of 1.2 MB: in the third, a message costs a thousand times as much. */
async function writeDocuments(path: string): Promise<void> {
  await mkdir(path);
  for (let n = 0; n < 4; n++) {
    const { messages } = JSON.parse(largeText(1_200_000)) as { messages: { tokens: number }[] };
    const [, , , changed] = messages;
    if (changed && n > 1) changed.tokens *= 1_000;
    const failed = n === 3 ? { status: 'failed', metadata: { error: 'the tokens of a message are too many' } } : {};
    await writeDocument(path, n, messages, failed);
  }
}

afterAll(async () => {
  await rm(folder, { recursive: true });
  await rm(worker);
});

/** The real app over the real store, with the thread or without it. */
async function opened(options: { worker?: URL; idleMs?: number; timeLimitMs?: number }) {
  const stores = createStoreService({ registry: defaultRegistry() });
  await stores.open(join(folder, 'agents.db'));
  await stores.open(join(folder, 'documents'));
  const largeStates = createLargeStates({ stores, ...options });
  const { ask, inspector } = await testApp({ stores, largeStates });
  const close = async () => {
    await largeStates.close();
    await stores.closeAll();
  };
  return {
    ask: (path: string, init?: RequestInit) => ask(`/api/stores/agents-db/checkpoints/${path}`, init),
    all: ask,
    inspector,
    stores,
    largeStates,
    close,
  };
}

/** The longest time that other requests had to wait while `work` ran, in ms. */
async function stallOf(work: () => Promise<unknown>): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  await new Promise((resolve) => setTimeout(resolve, 50));
  delay.reset();
  // The first tick after a reset only begins the count.
  await new Promise((resolve) => setTimeout(resolve, 30));
  await work();
  await new Promise((resolve) => setTimeout(resolve, 20));
  delay.disable();
  return delay.max / 1e6;
}

describe.each([
  ['in a thread of its own', true],
  ['without a thread', false],
])('a large state %s', (_name, threaded) => {
  let app: Awaited<ReturnType<typeof opened>>;
  beforeAll(async () => void (app = await opened(threaded ? { worker } : {})));
  afterAll(() => app.close());

  it('comes as stored, and is not sent again to who has it', async () => {
    const answer = await app.ask('a/state');
    expect(answer.headers.get('etag')).toBe(`"${hashOf(before)}"`);
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(before)));
    expect(hashOf(await answer.text())).toBe(hashOf(before));
    const again = await app.ask('a/state', { headers: { 'if-none-match': `"${hashOf(before)}"` } });
    expect(again.status).toBe(304);
  });

  it('is planned for an edit or a copy as its store plans it', async () => {
    const source = app.stores.source(storeId('agents-db'));
    const planning = app.largeStates.planning(source);
    if (!isChangeable(source) || !isChangeable(planning)) throw new Error('The store can be changed.');
    const ref = { task: 'run', id: 'a' };
    for (const request of [
      { kind: 'edit', ref, text: after, reason: 'why' },
      { kind: 'restore', ref },
    ] as const) {
      const [own, elsewhere] = [await source.plan(request), await planning.plan(request)];
      expect(elsewhere.view).toEqual(own.view);
      // All but the moment of planning.
      const told = ({ engine, place, steps }: Job) =>
        JSON.stringify({ engine, place, steps }).replaceAll(/"created_at":"[^"]*"/g, '');
      expect(hashOf(told(elsewhere.job))).toBe(hashOf(told(own.job)));
    }
    await expect(planning.plan({ kind: 'edit', ref, text: `${after}}` })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('is read in parts', async () => {
    const root = partSchema.parse(await (await app.ask('a/state?path=$')).json());
    expect(root).toMatchObject({ kind: 'object', count: 3, hash: hashOf(before) });
    expect(root.children?.map(({ step }) => step)).toEqual(['goal', 'messages', 'end']);
    const last = (root.children?.[1]?.count ?? 0) - 1;
    const page = partSchema.parse(
      await (await app.ask(`a/state?path=$.messages&offset=${last - 1}&hash=${root.hash}`)).json(),
    );
    expect(page.children?.map(({ step }) => step)).toEqual([last - 1, last]);
    const one = partSchema.parse(await (await app.ask(`a/state?path=$.messages[${last}].tokens&depth=0`)).json());
    expect(one).toMatchObject({ kind: 'number', text: String(last % 977) });
    expect(one.trail.map(({ place }) => place)).toEqual([1, last, 3]);
    expect((await app.ask('a/state?path=$.nothing')).status).toBe(404);
    expect((await app.ask('a/state?path=messages')).status).toBe(400);
    expect((await app.ask('a/state?limit=0')).status).toBe(400);
    expect((await app.ask('a/state?path=$&hash=of-another-one')).status).toBe(412);
  });

  it('is searched, and says where to go on', async () => {
    const found = foundSchema.parse(await (await app.ask('a/state/find?text=M-1500&limit=3')).json());
    expect(found.items.map(({ path }) => path)).toEqual([
      '$.messages[1500].id',
      '$.messages[15000].id',
      '$.messages[15001].id',
    ]);
    expect(found.next).toBeLessThan(before.length);
    const rest = foundSchema.parse(
      await (await app.ask(`a/state/find?text=M-1500&limit=100&from=${found.next}`)).json(),
    );
    expect(rest.items[0]?.path).toBe('$.messages[15002].id');
    expect(rest.next).toBeUndefined();
  });

  it('gives one value exactly, and its stored bytes by range', async () => {
    const value = await app.ask('a/state/value?path=$.messages[7]');
    expect(JSON.parse(await value.text())).toMatchObject({ id: 'm-7' });
    expect((await app.ask('a/state/value?path=$.messages[7].content&as=bytes')).status).toBe(422);
    const head = await app.ask('a/raw', { headers: { range: 'bytes=0-99' } });
    expect(head.status).toBe(206);
    expect(head.headers.get('content-range')).toBe(`bytes 0-99/${before.length}`);
    expect(await head.text()).toBe(before.slice(0, 100));
    expect(hashOf(await (await app.ask('a/raw')).text())).toBe(hashOf(before));
  });

  it('is compared', async () => {
    const answer = await app.all('/api/diff?a=agents-db/run/a&b=agents-db/run/b');
    const diff = diffAnswerSchema.parse(await answer.json());
    expect(diff.items).toEqual([{ path: '$.goal', kind: 'changed', before: '"Compare"', after: '"Compare again"' }]);
    const steps = await app.all('/api/diff/steps?a=agents-db/run/a&b=agents-db/run/b');
    expect(await steps.json()).toMatchObject({ items: [{ path: '$.goal', at: [0] }], steps: [{ ref: { id: 'b' } }] });
  });

  it('leaves small states as they are', async () => {
    expect(await (await app.ask('small/state')).text()).toBe(small);
    const part = partSchema.parse(await (await app.ask('small/state?path=$.a&limit=2')).json());
    expect(part.children?.map(({ text }) => text)).toEqual(['1.0', '12345678901234567890']);
    const value = await app.ask('small/state/value?path=$.a[2]');
    expect(await value.text()).toBe('{"b": "x"}');
  });
});

describe('the thread', () => {
  it('lets other requests through while a state of 18 MB is read', async () => {
    const work = async ({ ask, all }: Awaited<ReturnType<typeof opened>>) => {
      const answers = [
        () => ask('b/state?path=$'),
        () => ask('b/state/find?text=nowhere-to-be-found'),
        () => all('/api/diff?a=agents-db/run/a&b=agents-db/run/b'),
        () => all('/api/diff/steps?a=agents-db/run/a&b=agents-db/run/b'),
      ];
      for (const answer of answers) expect((await answer()).status).toBe(200);
    };
    const [inThread, here] = [await opened({ worker }), await opened({})];
    const reads = vi.spyOn(inThread.stores.source(storeId('agents-db')), 'state');
    const stalls = { inThread: await stallOf(() => work(inThread)), here: await stallOf(() => work(here)) };
    console.log(
      `measured: longest stall for 18 MB: ${stalls.here.toFixed(0)} ms without the thread, ${stalls.inThread.toFixed(0)} ms with it`,
    );
    // How long a stall is depends on what else the machine does; that nothing is read here does not.
    expect(reads).not.toHaveBeenCalled();
    await Promise.all([inThread.close(), here.close()]);
  });

  it('compares states that are large only together', async () => {
    const app = await opened({ worker });
    const source = app.stores.source(storeId('agents-db'));
    const reads = [vi.spyOn(source, 'state'), vi.spyOn(source, 'diff')];
    const compare = (sizeBytes: number) => {
      const sized = (id: string) => ({ at: { store: source.info.id, ref: { task: 'run', id } }, sizeBytes });
      return app.largeStates.diff(sized('a'), sized('b'), []);
    };
    const apart = await compare(600_000);
    for (const read of reads) expect(read).not.toHaveBeenCalled();
    expect(Buffer.from(await compare(400_000))).toEqual(Buffer.from(apart));
    expect(reads.some((read) => read.mock.calls.length > 0)).toBe(true);
    await app.close();
  });

  it('ends when it is idle and starts again', async () => {
    const app = await opened({ worker, idleMs: 50 });
    const read = async () => partSchema.parse(await (await app.ask('a/state?path=$.end')).json()).text;
    expect(await read()).toBe('true');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await read()).toBe('true');
    await app.close();
  });

  it('gives up a question that takes too long, and answers the next one', async () => {
    const app = await opened({ worker, timeLimitMs: 5 });
    const answer = await app.ask('a/state?path=$');
    expect(answer.status).toBe(413);
    await app.close();
    const again = await opened({ worker });
    expect((await again.ask('a/state?path=$')).status).toBe(200);
    await again.close();
  });

  it('forgets a store that is closed', async () => {
    const app = await opened({ worker });
    const at = { store: storeId('agents-db'), ref: { task: 'run', id: 'a' }, hash: hashOf(before) };
    const part = (states: LargeStates) =>
      states.ask('part', { ...at, query: { path: [], limit: 1, depth: 0, preview: 10 } }, SIZE);
    expect((await part(app.largeStates)).hash).toBe(at.hash);
    await app.stores.close(at.store);
    await expect(part(app.largeStates)).rejects.toThrow(expect.objectContaining({ code: 'not_found' }));
    await app.close();
  });

  it('stops a question nobody waits for', async () => {
    const app = await opened({ worker });
    const stop = new AbortController();
    const at = { store: storeId('agents-db'), ref: { task: 'run', id: 'a' } };
    const query = { words: 'nowhere', limit: 10 };
    const running = app.largeStates.ask('find', { ...at, query }, SIZE, stop.signal);
    stop.abort();
    await expect(running).rejects.toThrow(expect.objectContaining({ code: 'busy' }));
    expect((await app.largeStates.ask('find', { ...at, query: { words: 'm-7"', limit: 1 } }, SIZE)).items).toHaveLength(
      1,
    );
    await app.close();
  });
});

describe('a failure among large states', () => {
  it.each(['native', 'kaizen'])('is told by another thread as it is here: %s', async (system) => {
    const [aside, here] = [await opened({ worker }), await opened({})];
    const [sent, compared] = [vi.spyOn(aside.largeStates, 'explanation'), vi.spyOn(aside.largeStates, 'change')];
    const tasks = { native: ['agents-db', 'priced'], kaizen: ['documents', 'agent'] }[system] ?? [];
    const [store, task] = tasks;
    const told = async ({ all }: typeof here): Promise<string> =>
      (await all(`/api/stores/${store}/tasks/${task}/explain`)).text();
    const report = async ({ all }: typeof here): Promise<string> => {
      const answer = await all('/api/export', jsonBody({ store, task, format: 'html' }));
      return (await answer.text()).replaceAll(/Made [^.]*\./g, '');
    };
    const explanation = await told(aside);
    expect(explanation).toContain('"outcome":"failed"');
    // What changes in the documents is a message.
    expect(explanation).toMatch(system === 'native' ? /"writes":\[.*"path":"[^"]*price/ : /"note":"[^"]*conversation/);
    expect(explanation).toEqual(await told(here));
    expect(await report(aside)).toEqual(await report(here));
    expect(sent.mock.results.every(({ value }) => value !== undefined)).toBe(true);
    // Our own store knows what differs without its texts.
    expect(compared.mock.calls.length > 0).toBe(system === 'kaizen');
    await Promise.all([aside.close(), here.close()]);
  });

  it('ends with the reason of the caller who cancelled it', async () => {
    const { inspector, largeStates, close } = await opened({ worker });
    const sent = vi.spyOn(largeStates, 'explanation');
    const left = new AbortController();
    const answer = inspector.explanations.of(storeId('documents'), { task: 'agent' }, { signal: left.signal });
    await vi.waitFor(() => expect(sent).toHaveBeenCalled());
    left.abort(new Error('left'));
    await expect(answer).rejects.toThrow('left');
    await close();
  });

  it('is looked for here where states are small', async () => {
    const { all, largeStates, close } = await opened({ worker });
    const sent = vi.spyOn(largeStates, 'explanation');
    await all('/api/stores/agents-db/tasks/small/explain');
    expect(sent).not.toHaveBeenCalled();
    await close();
  });
});

describe('the history of a value', () => {
  const lines = async ({ all }: Awaited<ReturnType<typeof opened>>, path: string): Promise<unknown[]> => {
    const answer = await all(`/api/stores/agents-db/tasks/shifted/history?path=${encodeURIComponent(path)}`);
    const told = (await answer.text())
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    return told.filter((line) => !JSON.stringify(line).includes('"kind":"progress"'));
  };

  it.each([
    ['$.messages[1].id', { kind: 'moved', before: '"m-1"', after: '"m-0"', to: '$.messages[2].id' }],
    ['$.goal', { kind: 'set', after: '"Compare"' }],
  ])('in states that other threads read is what reading them here tells: %s', async (path, row) => {
    const [aside, here] = [await opened({ worker }), await opened({})];
    const read = vi.spyOn(aside.largeStates, 'place');
    const told = await lines(aside, path);
    expect(told[0]).toMatchObject(row);
    expect(told).toEqual(await lines(here, path));
    if (row.kind === 'moved') expect(await read.mock.results[0]?.value).toEqual(['messages', 2, 'id']);
    await Promise.all([aside.close(), here.close()]);
  });

  it('is asked of those threads only where a state is large', async () => {
    const { largeStates, stores, close } = await opened({ worker });
    const source = stores.source(storeId('agents-db'));
    const [large, little] = [
      await source.meta({ task: 'run', id: 'a' }),
      await source.meta({ task: 'run', id: 'small' }),
    ];
    if (!large || !little) throw new Error('Both were saved.');
    expect(largeStates.value(little, ['a', 0])).toBeUndefined();
    expect(largeStates.place(little, little, ['a', 0])).toBeUndefined();
    expect(await largeStates.value(large, ['goal'])).toEqual({ value: '"Compare"', revision: large.revision });
    expect(await largeStates.value(large, ['nothing'])).toEqual({ revision: large.revision });
    await close();
  });
});

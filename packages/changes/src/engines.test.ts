import { MemoryStore, storeId, type CheckpointSource, type SystemRequest } from '@checkpoint-inspector/core';
import { createExecutors, ENGINES } from '@checkpoint-inspector/io';
import { slowEngine, slowJob, slowPlaces, type SlowStepName } from '@checkpoint-inspector/io/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createChangeService } from './service.ts';
import { activeIntents } from './run.ts';
import { makeBench, ref, remove, restore, START, type Bench } from './testing/bench.ts';
import { STORE, TASK, TestStore, type Item, type Write } from './testing/stores.ts';

const FAR = storeId('far-away');

/** Checkpoints in values that are far away. */
class FarStore extends TestStore {
  constructor() {
    super('far', 3, FAR);
  }

  async items(): Promise<Item[]> {
    const values = [...(slowPlaces.get(this.path) ?? [])].toSorted();
    return values.map(([id, text]) => ({ ref: { task: TASK, id }, bytes: new TextEncoder().encode(text), where: id }));
  }

  async job(writes: Write[], removes: Item[]) {
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return slowJob(
      this.path,
      ...writes.map(({ from, to, bytes = from.bytes }) => ({ name: to, value: text(bytes) })),
      ...removes.map(({ ref: { id }, bytes }) => ({ name: id, expect: text(bytes) })),
    );
  }
}

let bench: Bench;
let far: FarStore;
let failAt: SlowStepName | undefined;
let pause: (at: SlowStepName) => Promise<void>;

const BEFORE = { c1: '{"n":1}', c2: '{"n":2}', c3: '{"n":3}' };
const AFTER = { c2: '{"n":2}', c3: '{"n":3}', c4: '{"n":2}' };
const values = () => Object.fromEntries(slowPlaces.get('far') ?? []);

beforeEach(async () => {
  bench = await makeBench();
  slowPlaces.set('far', new Map(Object.entries(BEFORE)));
  far = new FarStore();
  failAt = undefined;
  pause = async () => undefined;
});
afterEach(() => bench.close());

function serve() {
  const slow = slowEngine({ failAt: () => failAt, pause: (at) => pause(at) });
  const executors = createExecutors([slow, ENGINES.get('files')]);
  const sources = (id: string): CheckpointSource => (id === FAR ? far : bench.store);
  return createChangeService({ journal: bench.journal, sources, readOnly: false, executors });
}

describe('a store behind a slow engine', () => {
  it('is changed, proven and undone like any other', async () => {
    const service = serve();
    const plan = await service.preview(FAR, restore('c2'));
    const receipt = await service.apply(plan.id);
    expect(receipt).toMatchObject({ proof: 'same', done: ['set c4', 'set c1'], removed: [ref('c1')], undoable: true });
    expect(values()).toEqual(AFTER);
    expect((await service.undo(receipt.id)).proof).toBe('same');
    expect(values()).toEqual(BEFORE);
  });

  it('holds up no other store, and the next change of its own waits for it', async () => {
    const service = serve();
    const plan = await service.preview(FAR, restore('c2'));
    const next = await service.preview(FAR, remove('c3'));
    let open = () => {};
    const gate = new Promise<void>((resolve) => (open = resolve));
    pause = () => gate;
    const order: string[] = [];
    const slow = service.apply(plan.id).then(() => order.push('slow'));
    const after = service.apply(next.id).then(() => order.push('after'));
    const other = await service.preview(STORE, remove('c1'));
    await service.apply(other.id);
    order.push('other');
    open();
    await Promise.all([slow, after]);
    expect(order).toEqual(['other', 'slow', 'after']);
  });

  it.each([0, 1])('is as before when the connection breaks at step %i, and the refusal says why', async (at) => {
    const service = serve();
    const plan = await service.preview(FAR, restore('c2'));
    failAt = at;
    await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'busy' });
    expect(values()).toEqual(BEFORE);
    expect(bench.journal.openIntents()).toEqual([]);
    failAt = undefined;
    expect((await service.apply(plan.id)).proof).toBe('same');
  });

  it('has its receipt when all was done and only the answer is missing', async () => {
    const service = serve();
    const plan = await service.preview(FAR, restore('c2'));
    failAt = 'end';
    expect(await service.apply(plan.id)).toMatchObject({ proof: 'same', done: ['set c4', 'set c1'] });
  });

  it.each([
    [0, 'rolled-back', BEFORE],
    [1, 'rolled-back', BEFORE],
    ['end', 'completed', AFTER],
  ] as const)('is whole at the next start, when the program ended before step %s', async (at, outcome, content) => {
    const service = serve();
    const plan = await service.preview(FAR, restore('c2'));
    const reached = new Promise<void>((resolve) => {
      pause = async (step) => {
        if (step !== at) return;
        resolve();
        await new Promise(() => undefined);
      };
    });
    void service.apply(plan.id);
    await reached;
    activeIntents.clear(); // the process is gone
    pause = async () => undefined;
    const [recovered] = await serve().recover();
    expect(recovered?.outcome).toBe(outcome);
    expect(values()).toEqual(content);
    expect(bench.journal.openIntents()).toEqual([]);
  });
});

it('a page of receipts looks at each place once, however many receipts it has', async () => {
  const files = ENGINES.get('files');
  const compare = vi.fn(files.compare);
  const executors = createExecutors([{ ...files, compare }]);
  const service = createChangeService({
    journal: bench.journal,
    sources: () => bench.store,
    readOnly: false,
    executors,
  });
  for (const id of ['c1', 'c2']) await service.apply((await service.preview(STORE, remove(id))).id);
  compare.mockClear();
  expect((await service.receipts()).items.map(({ undoable }) => undoable)).toEqual([true, true]);
  expect((await service.trash()).items).toHaveLength(2);
  expect(compare).toHaveBeenCalledTimes(2);
  expect(Object.keys(await bench.content())).toEqual(Object.keys(START).slice(2));
});

describe('a store that has no bytes to look at', () => {
  it('is changed all the same: its rows say their revisions', async () => {
    const memory = new MemoryStore({ id: STORE });
    for (const n of [1, 2, 3]) await memory.save({ id: `c${n}`, task: TASK, text: `{"n":${n}}` });
    const store = new Proxy(memory, {
      get(target, name) {
        const value: unknown = name === 'raw' ? undefined : Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const service = createChangeService({ journal: bench.journal, sources: () => store, readOnly: false });
    const apply = async (request: SystemRequest) => service.apply((await service.preview(STORE, request)).id);
    const stale = await service.preview(STORE, restore('c2'));
    await memory.save({ id: 'c2', task: TASK, text: '{"n":"again"}' });
    await expect(service.apply(stale.id)).rejects.toMatchObject({
      code: 'changed',
      message: '"c2" was saved again after the preview.',
    });
    const copied = await apply(restore('c2'));
    expect(copied).toMatchObject({ proof: 'same', written: [ref('c2-restored-1')] });
    const removed = await apply(remove('c1', 'c3'));
    expect(removed.removed).toEqual([ref('c1'), ref('c3')]);
    expect((await service.undo(removed.id)).proof).toBe('same');
    expect(await memory.find('c1')).toEqual([ref('c1')]);
  });
});

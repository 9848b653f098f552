import { InspectorError, type ChangeRequest, type CheckpointSource } from '@checkpoint-inspector/core';
import { createExecutors, ENGINES, type Executor } from '@checkpoint-inspector/io';
import type { Journal } from './journal/types.ts';
import { rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createChangeService } from './service.ts';
import { makeBench, ref, remove, restore, START, type Bench } from './testing/bench.ts';
import { STORE, TASK } from './testing/stores.ts';
import type { ChangeDeps, ChangeEvent, ChangeService } from './types.ts';

let bench: Bench;
let folder: string;
let journal: Journal;
let store: CheckpointSource;
let service: ChangeService;

beforeEach(async () => {
  bench = await makeBench();
  ({ folder, journal, store } = bench);
  service = serve();
});
afterEach(() => bench.close());

function serve(more: Partial<ChangeDeps> = {}): ChangeService {
  return createChangeService({ journal, sources: () => store, readOnly: false, ...more });
}

async function apply(request: ChangeRequest) {
  return service.apply((await service.preview(STORE, request)).id);
}

describe('recover', () => {
  /** A journal that cannot keep one receipt. */
  function failing(): Journal {
    let once = true;
    const finish: Journal['finish'] = (id, end) => {
      if (!once) return journal.finish(id, end);
      once = false;
      throw new InspectorError('disk_full', 'no space');
    };
    return { ...journal, finish };
  }

  /** An engine that meets a full disk when all its steps are done. */
  function failsAtTheEnd(more: Partial<Executor> = {}): Partial<ChangeDeps> {
    const files = ENGINES.get('files');
    const apply: Executor['apply'] = async (job, hooks) => {
      await files.apply(job, hooks);
      throw new InspectorError('disk_full', 'no space');
    };
    return { executors: createExecutors([{ ...files, apply, ...more }]) };
  }

  it('says that a change was made where its engine failed at the end and no receipt could be kept', async () => {
    service = serve({ journal: failing(), ...failsAtTheEnd() });
    const message: unknown = expect.stringContaining('The change was made');
    await expect(apply(restore('c2'))).rejects.toMatchObject({ code: 'disk_full', message });
    expect(await service.recover()).toMatchObject([{ outcome: 'completed' }]);
  });

  it('says that a change was interrupted where neither it nor its end was possible', async () => {
    const settle = vi.fn<Executor['settle']>(ENGINES.get('files').settle);
    settle.mockRejectedValueOnce(new InspectorError('disk_full', 'no space'));
    service = serve(failsAtTheEnd({ settle }));
    const message: unknown = expect.stringContaining('The change was interrupted');
    await expect(apply(restore('c2'))).rejects.toMatchObject({ code: 'disk_full', message });
    expect(await service.recover()).toMatchObject([{ outcome: 'completed' }]);
  });

  it('writes the receipt that could not be kept, and tells about it', async () => {
    service = serve({ journal: failing() });
    await expect(apply(restore('c2'))).rejects.toMatchObject({
      code: 'disk_full',
      message: expect.stringContaining('The change was made'),
    });
    expect(Object.keys(await bench.content())).toEqual(['c2.json', 'c3.json', 'c4.json']);
    const events: ChangeEvent[] = [];
    service.onChange((event) => events.push(event));
    const [recovered] = await service.recover();
    expect(recovered).toMatchObject({
      outcome: 'completed',
      task: TASK,
      receipt: { proof: 'same', written: [ref('c4')], removed: [ref('c1')] },
    });
    expect(events).toHaveLength(1);
    await service.undo(recovered?.id ?? '');
    expect(await bench.content()).toEqual(START);
  });

  it('happens before the next change of the store', async () => {
    service = serve({ journal: failing() });
    const plan = await service.preview(STORE, remove('c2'));
    await expect(apply(remove('c1'))).rejects.toMatchObject({ code: 'disk_full' });
    await service.apply(plan.id);
    expect((await service.receipts()).items.map(({ removed }) => removed)).toEqual([[ref('c2')], [ref('c1')]]);
  });

  it('waits while the store is away or nothing may be written', async () => {
    service = serve({ journal: failing() });
    await expect(apply(remove('c1'))).rejects.toMatchObject({ code: 'disk_full' });
    expect(await serve({ readOnly: true }).recover()).toMatchObject([
      { outcome: 'waiting', note: expect.stringContaining('--read-only') },
    ]);
    await rename(folder, `${folder}-away`);
    expect(await service.recover()).toMatchObject([
      { outcome: 'waiting', note: expect.stringContaining('There is no folder') },
    ]);
    await rename(`${folder}-away`, folder);
    expect(await service.recover()).toMatchObject([{ outcome: 'completed' }]);
  });

  it('leaves the change of a store that is not open alone, and names it', async () => {
    service = serve({ journal: failing() });
    await expect(apply(restore('c2'))).rejects.toMatchObject({ code: 'disk_full' });
    const sources = () => {
      throw new InspectorError('not_found', 'no such store');
    };
    const before = await bench.content();
    for (const elsewhere of [serve({ sources }), serve({ open: () => [] })]) {
      expect(await elsewhere.recover()).toEqual([]);
      const [left, ...others] = await elsewhere.interrupted();
      expect(left).toMatchObject({ store: STORE, task: TASK, request: { kind: 'restore' } });
      expect([others, left?.progress]).toEqual([[], undefined]);
    }
    expect(await bench.content()).toEqual(before);
    expect(journal.openIntents()).toHaveLength(1);
    expect(await service.recover()).toMatchObject([{ outcome: 'completed', receipt: { proof: 'same' } }]);
    expect(await service.interrupted()).toEqual([]);
  });

  it('leaves the change of a running process alone', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const other = serve();
    const plan = await service.preview(STORE, restore('c2'));
    const second = await other.preview(STORE, remove('c2'));
    const latest = store.latest.bind(store);
    let reads = 0;
    vi.spyOn(store, 'latest').mockImplementation(async (task) => {
      if (++reads === 3) await held; // the proof between write and removal
      return latest(task);
    });
    const running = service.apply(plan.id);
    await vi.waitFor(() => expect(reads).toBe(3), 20_000);
    expect(journal.openIntents()).toHaveLength(1);
    expect(await other.recover()).toEqual([]);
    await expect(other.apply(second.id)).rejects.toMatchObject({ code: 'busy' });
    release();
    expect((await running).proof).toBe('same');
  });
});

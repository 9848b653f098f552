import {
  InspectorError,
  MemoryStore,
  type ChangeRequest,
  type CheckpointSource,
  type Plan,
} from '@checkpoint-inspector/core';
import { filesJob, openSqlite } from '@checkpoint-inspector/io';
import type { Journal } from './journal/types.ts';
import { chmod, mkdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createChangeService } from './service.ts';
import { placeOf } from './store.ts';
import { makeBench, ref, remove, restore, START, type Bench } from './testing/bench.ts';
import { dumpDatabase, FolderStore, makeDatabase, DatabaseStore, STORE, TASK } from './testing/stores.ts';
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

describe('preview', () => {
  it('shows the plan without its ops and writes nothing', async () => {
    const plan = await service.preview(STORE, restore('c2'));
    expect(plan).toMatchObject({
      latestAfter: ref('c4'),
      evicts: { count: 1, items: [{ ref: ref('c1'), when: 'now' }] },
    });
    expect(Object.keys(plan)).not.toEqual(expect.arrayContaining(['ops']));
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
    expect(plan.id).toMatch(/^[\w-]{24}$/);
    expect(await bench.content()).toEqual(START);
    expect(journal.receipts().items).toEqual([]);
  });

  it('says why a store cannot be changed', async () => {
    const fork = { kind: 'fork', ref: ref('c1') } as const;
    await expect(service.preview(STORE, fork)).rejects.toMatchObject({ code: 'unsupported' });
    await expect(service.preview(STORE, { ...fork, history: true })).rejects.toThrow('leaves no choice');
    const { info } = store;
    store = { info } as unknown as CheckpointSource;
    await expect(service.preview(STORE, restore('c1'))).rejects.toMatchObject({
      code: 'unsupported',
      message: 'test is open read-only.',
    });
  });
});

describe('apply', () => {
  it('restores, proves it, tells everybody, and keeps the edge', async () => {
    const events: ChangeEvent[] = [];
    service.onChange((event) => events.push(event));
    const receipt = await apply(restore('c2'));
    expect(receipt).toMatchObject({
      proof: 'same',
      undoable: true,
      written: [ref('c4')],
      removed: [ref('c1')],
      latestNow: { ref: ref('c4') },
      done: ['added c4.json (7 bytes)', 'removed c1.json (7 bytes)'],
      failed: [],
      next: 'run it',
    });
    expect(await bench.content()).toEqual({ 'c2.json': '{"n":2}', 'c3.json': '{"n":3}', 'c4.json': '{"n":2}' });
    expect(events).toMatchObject([{ store: STORE, task: TASK, receipt: { id: receipt.id } }]);
    expect(journal.sidecar(placeOf(store), STORE)).toEqual([{ child: ref('c4'), parent: ref('c2') }]);
    expect((await service.receipt(receipt.id))?.undoable).toBe(true);
    expect((await service.trash()).items).toMatchObject([
      { receiptId: receipt.id, ref: ref('c1'), what: 'c1.json', restorable: true },
    ]);
  });

  it('does a plan once, and not after 15 minutes', async () => {
    const plan = await service.preview(STORE, restore('c2'));
    const both = await Promise.allSettled([service.apply(plan.id), service.apply(plan.id)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    let now = new Date();
    service = serve({ now: () => now });
    const late = await service.preview(STORE, restore('c2'));
    now = new Date(now.getTime() + 15 * 60_000);
    await expect(service.apply(late.id)).rejects.toMatchObject({ code: 'plan_expired' });
    await expect(service.apply('guess')).rejects.toMatchObject({ code: 'plan_expired' });
  });

  it('refuses when the head moved', async () => {
    const plan = await service.preview(STORE, restore('c2'));
    await writeFile(join(folder, 'c4.json'), '{}');
    await expect(service.apply(plan.id)).rejects.toMatchObject({
      code: 'head_moved',
      data: { planned: ref('c3'), now: ref('c4') },
    });
    expect(await bench.content()).toEqual({ ...START, 'c4.json': '{}' });
    expect(journal.openIntents()).toEqual([]);
  });

  it('refuses a restore when its source changed, with both hashes', async () => {
    const plan = await service.preview(STORE, restore('c2'));
    await writeFile(join(folder, 'c2.json'), '{"n":2.0}');
    const error = await service.apply(plan.id).catch((reason: unknown) => InspectorError.from(reason));
    expect(error).toMatchObject({
      code: 'changed',
      data: { planned: expect.stringMatching(/^\w{64}$/), now: expect.stringMatching(/^\w{64}$/) },
    });
  });

  it('deletes what is still as shown and reports the rest', async () => {
    const plan = await service.preview(STORE, remove('c1', 'c2', 'c3'));
    await writeFile(join(folder, 'c2.json'), 'newer');
    await unlink(join(folder, 'c1.json'));
    await writeFile(join(folder, 'c9.json'), 'saved meanwhile');
    const receipt = await service.apply(plan.id);
    expect(receipt.failed.map((item) => [item.ref?.id, item.reason])).toEqual([
      ['c1', '"c1" no longer exists.'],
      ['c2', '"c2" was saved again after the preview.'],
    ]);
    expect(receipt.removed).toEqual([ref('c3')]);
    expect(await bench.content()).toEqual({ 'c2.json': 'newer', 'c9.json': 'saved meanwhile' });
  });

  it('refuses a delete of which nothing is left, and leaves no intent', async () => {
    const plan = await service.preview(STORE, remove('c1'));
    await writeFile(join(folder, 'c1.json'), 'newer');
    await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'changed' });
    expect(journal.openIntents()).toEqual([]);
    expect((await service.receipts()).items).toEqual([]);
  });

  it('does not widen a delete when it is planned again', async () => {
    const plan = await service.preview(STORE, remove('c1', 'c2'));
    await unlink(join(folder, 'c1.json'));
    const first = store as FolderStore;
    const wide = await first.plan(remove('c2', 'c3'));
    vi.spyOn(first, 'plan').mockResolvedValueOnce(wide);
    await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'changed' });
    expect(Object.keys(await bench.content())).toEqual(['c2.json', 'c3.json']);
  });

  it('does not continue with steps that were not shown', async () => {
    const plan = await service.preview(STORE, remove('c1', 'c2'));
    await unlink(join(folder, 'c1.json'));
    const first = store as FolderStore;
    const other = await first.plan(remove('c2'));
    vi.spyOn(first, 'plan').mockResolvedValueOnce({
      ...other,
      job: filesJob(folder).trash('c2.json', 'another').trash('c3.json', 'another'),
    });
    await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'changed', message: /^Nothing was deleted/ });
    expect(Object.keys(await bench.content())).toEqual(['c2.json', 'c3.json']);
  });

  it('reports a read-only file and removes the others; undo puts those back', async () => {
    await chmod(join(folder, 'c2.json'), 0o444);
    const receipt = await apply(remove('c1', 'c2', 'c3'));
    expect(receipt.failed).toMatchObject([
      { ref: ref('c2'), what: 'c2.json', reason: expect.stringContaining('read-only') },
    ]);
    expect(receipt.removed).toEqual([ref('c1'), ref('c3')]);
    expect(receipt.done).toEqual(['removed c1.json (7 bytes)', 'removed c3.json (7 bytes)']);
    await service.undo(receipt.id);
    expect(await bench.content()).toEqual(START);
  });

  it('removes nothing when the written one does not read back as planned', async () => {
    const first = store as FolderStore;
    const plan: Plan = await first.plan(restore('c2'));
    vi.spyOn(first, 'plan').mockResolvedValueOnce({ ...plan, view: { ...plan.view, proofHash: 'f'.repeat(64) } });
    const receipt = await apply(restore('c2'));
    expect(receipt).toMatchObject({
      proof: 'different',
      done: ['added c4.json (7 bytes)'],
      removed: [],
      failed: [{ ref: ref('c1'), what: 'c1.json' }],
    });
    await service.undo(receipt.id);
    expect(await bench.content()).toEqual(START);
  });

  it('a failure in the executor leaves the store as it was and the plan usable', async () => {
    let broken = true;
    const onStep = (step: string) => {
      if (broken && step === 'write:0:temp') throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    };
    service = serve({ onStep });
    const plan = await service.preview(STORE, restore('c2'));
    await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'disk_full' });
    expect(await bench.content()).toEqual(START);
    expect(journal.openIntents()).toEqual([]);
    broken = false;
    expect((await service.apply(plan.id)).proof).toBe('same');
  });

  it('a failure after all is written is completed and has its receipt', async () => {
    const onStep = (step: string) => {
      if (step === 'written') throw new Error('late');
    };
    service = serve({ onStep });
    expect(await apply(restore('c2'))).toMatchObject({ proof: 'same', removed: [ref('c1')], failed: [] });
    expect(Object.keys(await bench.content())).toEqual(['c2.json', 'c3.json', 'c4.json']);
    expect(journal.openIntents()).toEqual([]);
  });

  it('refuses everything under --read-only', async () => {
    const receipt = await apply(restore('c2'));
    const guarded = serve({ readOnly: true });
    const plan = await guarded.preview(STORE, restore('c3'));
    await expect(guarded.apply(plan.id)).rejects.toMatchObject({ code: 'read_only' });
    await expect(guarded.undo(receipt.id)).rejects.toMatchObject({ code: 'read_only' });
    expect((await guarded.receipt(receipt.id))?.undoable).toContain('--read-only');
  });

  it('a listener that fails does not make the change look failed', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const stop = service.onChange(() => {
      throw new Error('listener');
    });
    expect((await apply(restore('c2'))).proof).toBe('same');
    expect(warned).toHaveBeenCalledOnce();
    stop();
    await apply(restore('c2'));
    expect(warned).toHaveBeenCalledOnce();
    warned.mockRestore();
  });
});

describe('undo', () => {
  it('puts all back, proves it, and can be undone itself', async () => {
    const receipt = await apply(restore('c2'));
    const done = await bench.content();
    const view = await service.preview(STORE, { kind: 'undo', receiptId: receipt.id });
    expect(view).toMatchObject({
      writes: { items: [{ ref: ref('c1') }] },
      removes: { items: [{ ref: ref('c4') }] },
      latestBefore: { ref: ref('c4') },
      latestAfter: ref('c3'),
    });
    const undone = await service.apply(view.id);
    expect(undone).toMatchObject({
      proof: 'same',
      written: [ref('c1')],
      removed: [ref('c4')],
      latestNow: { ref: ref('c3') },
      undoable: true,
    });
    expect(await bench.content()).toEqual(START);
    expect(await service.receipt(receipt.id)).toMatchObject({
      undoneBy: undone.id,
      undoable: expect.stringContaining(undone.id),
    });
    expect((await service.trash()).items).toEqual([]);
    await expect(service.undo(receipt.id)).rejects.toMatchObject({
      code: 'undo_conflict',
      data: { undoneBy: undone.id },
      remedy: expect.stringContaining('Undo that undo'),
    });
    const redone = await service.undo(undone.id);
    expect(await bench.content()).toEqual(done);
    await service.undo(redone.id);
    expect(await bench.content()).toEqual(START);
  });

  it('refuses with the newer refs once the head moved', async () => {
    const receipt = await apply(restore('c2'));
    await writeFile(join(folder, 'c5.json'), '{}');
    await writeFile(join(folder, 'c6.json'), '{}');
    const before = await bench.content();
    await expect(service.undo(receipt.id)).rejects.toMatchObject({
      code: 'undo_conflict',
      data: { newer: [ref('c6'), ref('c5')] },
    });
    expect(await bench.content()).toEqual(before);
    expect((await service.receipt(receipt.id))?.undoable).toContain('has changed since');
    expect((await service.trash()).items[0]?.restorable).toContain('has changed since');
  });

  it('refuses when nothing can be read any longer, and says how that may be', async () => {
    const receipt = await apply(restore('c2'));
    for (const name of Object.keys(await bench.content())) await unlink(join(folder, name));
    await expect(service.undo(receipt.id)).rejects.toMatchObject({
      code: 'undo_conflict',
      message: expect.stringContaining('unlock it first'),
    });
    expect(await bench.content()).toEqual({});
  });

  it('refuses when what was written was saved again, also after its preview', async () => {
    const receipt = await apply(restore('c2'));
    const view = await service.preview(STORE, { kind: 'undo', receiptId: receipt.id });
    await writeFile(join(folder, 'c4.json'), '{"n":4}');
    await expect(service.apply(view.id)).rejects.toMatchObject({
      code: 'undo_conflict',
      data: { changed: ['c4.json'] },
    });
    await expect(service.undo('nothing')).rejects.toMatchObject({ remedy: 'List them with `receipts`.' });
    expect((await bench.content())['c4.json']).toBe('{"n":4}');
  });

  it('refuses when another store has taken the name', async () => {
    const receipt = await apply(restore('c2'));
    const other = join(bench.base, 'other');
    await mkdir(other);
    store = new FolderStore(other, 3);
    await expect(service.undo(receipt.id)).rejects.toMatchObject({ code: 'no_store', data: { location: folder } });
  });
});

describe('a SQLite store', () => {
  const states = { c1: '{"big":12345678901234567890}', c2: '{"n": 2.0}', c3: '{}' };
  let path: string;

  beforeEach(() => {
    path = join(bench.base, 'store.sqlite');
    makeDatabase(path, states, 'wal');
    store = new DatabaseStore(path, 3);
  });

  it('is restored and put back with every rowid', async () => {
    const before = dumpDatabase(path);
    const receipt = await apply(restore('c1'));
    expect(receipt).toMatchObject({
      proof: 'same',
      done: [
        'added 1 row to checkpoints',
        'added 2 rows to writes',
        'removed 1 row from checkpoints',
        'removed 2 rows from writes',
      ],
    });
    const undone = await service.undo(receipt.id);
    expect(undone.proof).toBe('same');
    expect(dumpDatabase(path)).toBe(before);
  });

  it('a throw in the middle of the transaction changes nothing and ends the intent', async () => {
    const before = dumpDatabase(path);
    service = serve({
      onStep: (step) => {
        if (step === 'intent') throw new Error('stop');
      },
    });
    await expect(apply(restore('c1'))).rejects.toMatchObject({ code: 'internal', message: 'stop' });
    expect(dumpDatabase(path)).toBe(before);
    expect(journal.openIntents()).toEqual([]);
    expect(journal.receipts().items).toEqual([]);
  });

  it('undo turns a row changed meanwhile into a conflict', async () => {
    const receipt = await apply(remove('c1'));
    const db = openSqlite(path, { readOnly: false });
    db.prepare('INSERT INTO checkpoints VALUES (?, ?, ?)').run(TASK, 'c1', 'again');
    db.close();
    await expect(service.undo(receipt.id)).rejects.toMatchObject({
      code: 'undo_conflict',
      data: { changed: ['checkpoints'] },
    });
  });
});

describe('a store in memory', () => {
  it('takes the same changes, and its receipts know when it is gone', async () => {
    const memory = new MemoryStore({ id: STORE, maxPerTask: 3 });
    for (const n of [1, 2, 3]) await memory.save({ id: `c${n}`, task: TASK, text: `{"n":${n}}` });
    store = memory;
    const dump = async () =>
      Promise.all((await memory.checkpoints(TASK)).items.map(async (meta) => [meta, await memory.state(ref(meta.id))]));
    const before = await dump();
    const receipt = await apply(restore('c2'));
    expect(receipt).toMatchObject({ proof: 'same', removed: [ref('c1')] });
    await service.undo(receipt.id);
    expect(await dump()).toEqual(before);
    const deleted = await apply(remove('c1', 'c3'));
    expect(deleted.latestNow.ref).toEqual(ref('c2'));
    await service.undo(deleted.id);
    expect(await dump()).toEqual(before);
    const last = await apply(remove('c1'));
    expect((await serve().receipt(last.id))?.undoable).toBe(true);
    // As the journal of another process has it, written by an earlier version.
    const db = openSqlite(journal.path, { readOnly: false });
    db.exec(`UPDATE intents SET target = '{"kind":"memory"}', target_path = NULL`);
    db.close();
    expect((await serve().receipt(last.id))?.undoable).toBe('The store was in memory and no longer exists.');
  });
});

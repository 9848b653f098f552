import {
  InspectorError,
  MemoryStore,
  refKey,
  type ChangeRequest,
  type CheckpointSource,
  type RetentionPolicy,
} from '@checkpoint-inspector/core';
import type { Journal } from './journal/types.ts';
import { CheckpointManager } from '@checkpoint-inspector/apis/rlm-act';
import { rlmActSystem } from '@checkpoint-inspector/systems/rlm-act';
import { chmod, mkdir, readdir, readFile, stat, unlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createChangeService } from './service.ts';
import { placeOf } from './store.ts';
import { withSidecar } from './journal/sidecar.ts';
import { makeBench, ref, type Bench } from './testing/bench.ts';
import { FolderStore, STORE, TASK } from './testing/stores.ts';
import type { ChangeDeps, ChangeService } from './types.ts';

const NOW = new Date('2026-06-01T00:00:00Z');
let bench: Bench;
let journal: Journal;
let store: CheckpointSource;
let service: ChangeService;

beforeEach(async () => {
  bench = await makeBench();
  ({ journal, store } = bench);
  service = serve();
});
afterEach(() => bench.close());

function serve(more: Partial<ChangeDeps> = {}): ChangeService {
  return createChangeService({ journal, sources: () => store, readOnly: false, now: () => NOW, ...more });
}

const prune = (policy: RetentionPolicy, task = TASK): ChangeRequest => ({ kind: 'prune', task, policy });
const preview = (policy: RetentionPolicy, task = TASK) => service.preview(STORE, prune(policy, task));
const idsOf = (items: readonly { readonly ref: { readonly id: string } }[]) => items.map((item) => item.ref.id);

async function save(...ids: string[]): Promise<void> {
  for (const id of ids) await writeFile(join(bench.folder, `${id}.json`), `{"id":"${id}"}`);
}

describe('a prune', () => {
  it('is planned as a delete of exactly what the policy names, and writes nothing', async () => {
    const before = await bench.content();
    const plan = await preview({ beyondNewest: 1 });
    expect(plan).toMatchObject({
      request: { kind: 'prune', task: TASK, policy: { beyondNewest: 1 } },
      removes: { count: 2, items: [{ ref: ref('c2'), where: 'c2.json' }, { ref: ref('c1') }] },
      protected: { count: 1, items: [{ ref: ref('c3'), reason: 'latest: the task resumes from it' }] },
      leftOut: { skipped: 0, others: 0 },
      latestBefore: { ref: ref('c3') },
      bytesFreed: 14,
    });
    expect(await bench.content()).toEqual(before);
  });

  it('deletes what was shown, and nothing that was saved or came to match since', async () => {
    const plan = await preview({ beyondNewest: 1 });
    await save('c4', 'c5');
    const receipt = await service.apply(plan.id);
    expect(receipt).toMatchObject({
      request: plan.request,
      removed: [ref('c2'), ref('c1')],
      failed: [],
      undoable: true,
    });
    expect(Object.keys(await bench.content())).toEqual(['c3.json', 'c4.json', 'c5.json']);
    expect((await service.trash()).items.map(({ what, sizeBytes }) => [what, sizeBytes])).toEqual([
      ['c1.json', 7],
      ['c2.json', 7],
    ]);
  });

  it('leaves alone what is latest or bookmarked after the preview', async () => {
    const plan = await preview({ beyondNewest: 1 });
    journal.annotations.addLabel(bench.folder, ref('c1'), 'bookmark');
    await unlink(join(bench.folder, 'c3.json'));
    await save('c0');
    const apply = service.apply(plan.id);
    await expect(apply).rejects.toMatchObject({
      code: 'changed',
      message: expect.stringMatching(/Nothing was deleted.*latest.*bookmarked/s),
    });
    expect(Object.keys(await bench.content())).toEqual(['c0.json', 'c1.json', 'c2.json']);
  });

  it('keeps bookmarks, and names them', async () => {
    journal.annotations.addLabel(bench.folder, ref('c2'), 'bookmark');
    const plan = await preview({ beyondNewest: 0 });
    expect(plan.protected.items.at(-1)).toMatchObject({ ref: ref('c2'), reason: 'bookmarked' });
    expect(idsOf(plan.removes.items)).toEqual(['c1']);
  });

  it('leaves out what was saved again, and deletes the rest', async () => {
    const plan = await preview({ beyondNewest: 1 });
    await save('c1');
    const receipt = await service.apply(plan.id);
    expect(receipt.removed).toEqual([ref('c2')]);
    expect(receipt.failed).toEqual([{ ref: ref('c1'), what: 'c1', reason: '"c1" was saved again after the preview.' }]);
    expect((await service.trash()).items).toHaveLength(1);
  });

  it('that deletes nothing is shown with what stays, and is not applied', async () => {
    const plan = await preview({ status: ['failed'] });
    expect(plan).toMatchObject({ removes: { count: 0 }, protected: { count: 1 }, leftOut: { others: 2 } });
    expect(idsOf((await service.planItems(plan.id, 'protected')).items)).toEqual(['c3']);
    await expect(service.apply(plan.id)).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(preview({})).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('moves aside what the system will not delete alone, with its reason', async () => {
    const plain = new FolderStore(bench.folder, 3);
    const plan: FolderStore['plan'] = async (request) => {
      if (request.kind === 'delete' && request.refs.some(({ id }) => id === 'c1'))
        throw new InspectorError('unsupported', 'c1 is needed.', { data: { ...ref('c1') } });
      return FolderStore.prototype.plan.call(plain, request);
    };
    store = Object.assign(plain, { plan });
    const view = await preview({ beyondNewest: 1 });
    expect(idsOf(view.removes.items)).toEqual(['c2']);
    expect(view.protected.items.at(-1)).toMatchObject({ ref: ref('c1'), reason: 'c1 is needed.' });
  });

  it('protects what a fork in another task was made from', async () => {
    const memory = new MemoryStore({ id: STORE });
    for (const n of [1, 2, 3]) await memory.save({ task: TASK, id: `c${n}`, text: '{}' });
    await memory.save({ task: 'other', id: 'f1', text: '{}', parent: ref('c1') });
    store = memory;
    const plan = await preview({ beyondNewest: 1 });
    expect(idsOf(plan.removes.items)).toEqual(['c2']);
    expect(plan.protected.items.at(-1)).toMatchObject({ ref: ref('c1'), reason: 'a fork in "other" was made from it' });
  });

  it('of hundreds gives every item by pages, and each its place and size in the trash', async () => {
    const memory = new MemoryStore({ id: STORE });
    for (let n = 0; n < 251; n++) await memory.save({ task: TASK, id: `s${n}`, text: `{"n":${n}}` });
    store = memory;
    const plan = await preview({ beyondNewest: 0 });
    expect([plan.removes.count, plan.removes.items.length]).toEqual([250, 100]);
    const seen = new Set<string>();
    for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
      const page = await service.planItems(plan.id, 'removes', {
        limit: 90,
        ...(cursor === undefined ? {} : { cursor }),
      });
      for (const item of page.items) seen.add(refKey(item.ref));
      cursor = page.cursor;
    }
    expect(seen.size).toBe(250);
    const receipt = await service.apply(plan.id);
    expect(receipt.removed).toHaveLength(250);
    const { items } = await service.trash({ limit: 1000 });
    expect(items.every(({ sizeBytes }) => sizeBytes !== undefined)).toBe(true);
    await service.undo(receipt.id);
    expect((await store.checkpoints(TASK, { limit: 1000 })).items).toHaveLength(251);
  });
});

describe('undo of a prune or delete', () => {
  it('brings all back byte for byte, below what was saved since', async () => {
    const before = await bench.content();
    const receipt = await service.apply((await preview({ beyondNewest: 1 })).id);
    await save('c4');
    expect((await service.receipt(receipt.id))?.undoable).toBe(true);
    const plan = await service.preview(STORE, { kind: 'undo', receiptId: receipt.id });
    expect(plan).toMatchObject({ latestAfter: ref('c4'), warnings: [{ code: 'moved_on' }] });
    await save('c5');
    const undone = await service.apply(plan.id);
    expect(undone).toMatchObject({ proof: 'same', latestNow: { ref: ref('c5') } });
    expect(await bench.content()).toMatchObject(before);
    expect(Object.keys(await bench.content())).toHaveLength(5);
  });

  it('is refused when the latest of then is gone or was saved again', async () => {
    const receipt = await service.apply((await preview({ beyondNewest: 1 })).id);
    await save('c4', 'c3');
    await expect(service.undo(receipt.id)).rejects.toMatchObject({
      code: 'undo_conflict',
      data: { newer: [ref('c4')] },
    });
    await unlink(join(bench.folder, 'c3.json'));
    await expect(service.undo(receipt.id)).rejects.toMatchObject({ code: 'undo_conflict' });
    expect(Object.keys(await bench.content())).toEqual(['c4.json']);
  });

  it('is refused when the delete moved the latest and something was saved after it', async () => {
    const request: ChangeRequest = { kind: 'delete', refs: [ref('c3')] };
    const receipt = await service.apply((await service.preview(STORE, request)).id);
    await save('c4');
    await expect(service.undo(receipt.id)).rejects.toMatchObject({ code: 'undo_conflict' });
  });

  it('is refused when one of them was saved again', async () => {
    const receipt = await service.apply((await preview({ beyondNewest: 1 })).id);
    await save('c4', 'c1');
    await expect(service.undo(receipt.id)).rejects.toMatchObject({
      code: 'undo_conflict',
      data: { changed: ['c1.json'] },
    });
    expect((await bench.content())['c1.json']).toBe('{"id":"c1"}');
  });
});

describe('the trash', () => {
  it('is purged by plan: exactly what was shown, and its undo says why it is gone', async () => {
    const receipt = await service.apply((await preview({ beyondNewest: 1 })).id);
    const plan = service.bin.preview({});
    expect(plan).toMatchObject({ checkpoints: 2, bytes: 14, changes: [{ receiptId: receipt.id, checkpoints: 2 }] });
    await save('c0');
    await service.apply((await preview({ text: 'c0' })).id);
    expect(service.bin.purge(plan.id)).toEqual({ changes: 1, checkpoints: 2, bytes: 14, left: [] });
    expect(() => service.bin.purge(plan.id)).toThrow(expect.objectContaining({ code: 'plan_expired' }));
    expect(idsOf((await service.trash()).items)).toEqual(['c0']);
    await expect(service.undo(receipt.id)).rejects.toMatchObject({
      message: expect.stringContaining('was emptied on'),
    });
    expect((await service.receipt(receipt.id))?.undoable).toContain('was emptied on');
  });

  it('offers what is expired, and keeps it until somebody says so', async () => {
    const receipt = await service.apply((await preview({ beyondNewest: 1 })).id);
    service.bin.keepFor(7);
    expect((await service.trash()).items[0]?.expiresAt).toBe('2026-06-08T00:00:00.000Z');
    expect(service.bin.summary()).toMatchObject({ checkpoints: 2, expired: { checkpoints: 0 }, keepDays: 7 });
    const later = serve({ now: () => new Date('2026-06-08T00:00:01Z') });
    expect(later.bin.summary()).toMatchObject({ checkpoints: 2, expired: { changes: 1, checkpoints: 2, bytes: 14 } });
    expect(await later.recover()).toEqual([]);
    expect((await later.receipt(receipt.id))?.undoable).toBe(true);
    expect(later.bin.preview({ expired: true }).checkpoints).toBe(2);
    expect(service.bin.preview({ expired: true }).checkpoints).toBe(0);
  });

  it('is left alone with --read-only, and names what is not in it', async () => {
    const reading = serve({ readOnly: true });
    expect(() => reading.bin.purge('x')).toThrow(expect.objectContaining({ code: 'read_only' }));
    expect(() => reading.bin.keepFor(1)).toThrow(expect.objectContaining({ code: 'read_only' }));
    expect(() => service.bin.preview({ receiptIds: ['r'] })).toThrow(
      expect.objectContaining({ code: 'not_found', remedy: 'List what is in it with `trash`.' }),
    );
  });
});

describe('on a pipeline of rlm-act', () => {
  const OLD: RetentionPolicy = { olderThanDays: 30 };
  const MIGRATION = 'code-migration';
  const nth = (n: number) => ({ task: MIGRATION, id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` });
  let folder: string;
  let manager: CheckpointManager;

  /** 47 files older than 30 days, one of them torn, and five newer; three were restored from old ones, two marked. */
  beforeEach(async () => {
    const project = join(bench.base, MIGRATION);
    await mkdir(project);
    let [n, days] = [0, 0];
    const now = () => new Date(NOW.getTime() - days * 86_400_000);
    manager = new CheckpointManager(project, { now, newId: () => nth(++n).id });
    for (days = 79; days >= 24; days--) {
      if (days === 32) days = 28.9;
      await manager.writeCheckpoint({ project_path: 'p', autonomy_mode: 'batch', n }, 'research-complete');
    }
    days = 0;
    folder = manager.checkpointsDir;
    await writeFile(join(folder, `${nth(1).id}.json`), '{"id": "torn');
    const names = { label: 'x', location: folder, nameStore: () => STORE };
    const [source] = await rlmActSystem.open({ kind: 'path', path: project, is: 'folder' }, names);
    if (!source) throw new Error('no store');
    store = withSidecar(source, () => journal.sidecar(placeOf(source), STORE));
    journal.addSidecar(placeOf(source), [
      { child: nth(50), parent: nth(23) },
      { child: nth(51), parent: nth(38) },
      { child: nth(46), parent: nth(9) },
    ]);
    for (const marked of [46, 41]) journal.annotations.addLabel(folder, nth(marked), 'bookmark');
  });
  afterEach(() => store.close?.());

  /** Bytes, mode and time of every file. */
  const files = async (): Promise<Record<string, string>> => {
    const names = (await readdir(folder)).sort();
    const entries = names.map(async (name) => {
      const { mode, mtimeNs } = await stat(join(folder, name), { bigint: true });
      // Node sets times to the microsecond.
      return [name, `${mode} ${mtimeNs / 1000n} ${await readFile(join(folder, name), 'utf8')}`] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };

  it('"older than 30 days" lists 41 to delete and 6 protected with reasons; the torn file is skipped and counted in neither', async () => {
    const plan = await preview(OLD, MIGRATION);
    expect(plan.removes.count).toBe(41);
    expect(plan.protected.items.map(({ reason }) => reason).toSorted()).toEqual([
      'bookmarked',
      'bookmarked',
      ...[46, 50, 51].map((n) => `its copy is kept: ${nth(n).id}`),
      'latest: the task resumes from it',
    ]);
    expect(plan.leftOut).toEqual({ skipped: 1, others: 4 });
    expect(plan.warnings).toMatchObject([{ code: 'unreadable_skipped' }]);
    const skipped = (await service.planItems(plan.id, 'skipped')).items;
    expect(skipped).toMatchObject([{ reason: expect.stringContaining('skips this file') }]);
  });

  it('a read-only file yields 40 deleted, 1 failed; a save meanwhile stays; undo restores all 40 byte for byte', async () => {
    const plan = await preview(OLD, MIGRATION);
    const locked = plan.removes.items[17]?.where ?? '';
    await chmod(join(folder, locked), 0o444);
    const before = await files();
    const total = Object.keys(before).length;
    const saved = await manager.writeCheckpoint({ project_path: MIGRATION }, 'research-complete');
    const receipt = await service.apply(plan.id);
    expect([receipt.removed.length, receipt.failed.length]).toEqual([40, 1]);
    expect(receipt.failed[0]).toMatchObject({
      ref: plan.removes.items[17]?.ref,
      what: locked,
      reason: `"${locked}" is marked read-only, so it was not changed.`,
    });
    const left = Object.keys(await files());
    expect(left).toHaveLength(total - 40 + 1);
    expect(left).toContain(basename(saved));
    expect(left).toContain(locked);
    const undone = await service.undo(receipt.id);
    expect(undone).toMatchObject({ proof: 'same', failed: [] });
    const { [basename(saved)]: own, ...after } = await files();
    expect(own).toContain('research-complete');
    expect(after).toEqual(before);
  });
});

import { MemoryStore, type ChangeRequest, type CheckpointSource } from '@checkpoint-inspector/core';
import type { Journal } from './journal/types.ts';
import { AgentState, FilesystemStorage } from '@checkpoint-inspector/apis/kaizen';
import { KaizenSource } from '@checkpoint-inspector/systems/kaizen';
import { RlmActSource } from '@checkpoint-inspector/systems/rlm-act';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withSidecar } from './journal/sidecar.ts';
import { createChangeService } from './service.ts';
import { placeOf } from './store.ts';
import { makeBench, ref, START, type Bench } from './testing/bench.ts';
import { STORE } from './testing/stores.ts';
import type { ChangeService } from './types.ts';

const PASSPHRASE = 'a passphrase of more than thirty-two characters';

let bench: Bench;
let journal: Journal;
beforeEach(async () => {
  bench = await makeBench();
  ({ journal } = bench);
});
afterEach(() => bench.close());

function serve(source: CheckpointSource): ChangeService {
  return createChangeService({ journal, sources: () => source, readOnly: false });
}

async function apply(service: ChangeService, request: ChangeRequest) {
  return service.apply((await service.preview(STORE, request)).id);
}

/** Every byte of the journal's folder, as text. */
async function journalText(): Promise<string> {
  const folder = join(bench.base, 'state');
  const files = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'latin1')));
  return files.join('\n');
}

const edit: ChangeRequest = {
  kind: 'edit',
  ref: ref('c2'),
  text: '{"n":"a very particular value"}',
  reason: 'it was wrong',
  author: 'Ann',
};
const SHOWN = { kind: 'edit', ref: ref('c2'), reason: 'it was wrong', author: 'Ann', textBytes: 31 };

describe('an edit', () => {
  it('is planned, applied, proven and undone', async () => {
    const service = serve(bench.store);
    const plan = await service.preview(STORE, edit);
    expect(plan.request).toEqual({ ...SHOWN, textHash: plan.proofHash });
    expect(await bench.content()).toEqual(START);
    const receipt = await service.apply(plan.id);
    expect(receipt).toMatchObject({ proof: 'same', written: [ref('c4')], removed: [ref('c1')], undoable: true });
    expect(receipt.request).toEqual(plan.request);
    expect(journal.sidecar(placeOf(bench.store), STORE)).toEqual([{ child: ref('c4'), parent: ref('c2') }]);
    expect(await bench.content()).toEqual({
      'c2.json': START['c2.json'],
      'c3.json': START['c3.json'],
      'c4.json': '{"n":"a very particular value"}',
    });
    await service.undo(receipt.id);
    expect(await bench.content()).toEqual(START);
  });

  it('leaves its text in the store alone: lists and the journal have the hash and the size', async () => {
    const service = serve(bench.store);
    await apply(service, edit);
    const page = await service.receipts();
    expect(page.items[0]?.request).toMatchObject({
      kind: 'edit',
      author: 'Ann',
      reason: 'it was wrong',
      textBytes: 31,
    });
    expect(JSON.stringify(page)).not.toContain('a very particular value');
    const kept = await journalText();
    expect(kept).toContain('it was wrong');
    expect(kept).not.toContain('a very particular value');
  });

  it('is refused when the head or the original has changed after the preview; nothing is written then', async () => {
    const service = serve(bench.store);
    const moved = await service.preview(STORE, edit);
    await writeFile(join(bench.folder, 'c9.json'), '{"n":9}');
    await expect(service.apply(moved.id)).rejects.toMatchObject({ code: 'head_moved' });
    const changed = await service.preview(STORE, edit);
    await writeFile(join(bench.folder, 'c2.json'), '{"n":22}');
    const before = await bench.content();
    await expect(service.apply(changed.id)).rejects.toMatchObject({ code: 'changed' });
    expect(await bench.content()).toEqual(before);
  });

  it('in a second tab is refused with the newer head, and then is beside the first', async () => {
    const store = new MemoryStore({ id: STORE });
    await store.save({ task: 't', id: 'a', text: '{"n":1}' });
    const service = serve(store);
    const both = ['{"n":2}', '{"n":3}'].map((text): ChangeRequest => ({
      kind: 'edit',
      ref: { task: 't', id: 'a' },
      text,
    }));
    const plans = await Promise.all(both.map((request) => service.preview(STORE, request)));
    const first = await service.apply(plans[0]?.id ?? '');
    await expect(service.apply(plans[1]?.id ?? '')).rejects.toMatchObject({
      code: 'head_moved',
      data: { now: { task: 't', id: 'a-edit-1' } },
    });
    for (const request of both.slice(1)) await apply(service, request);
    const { items } = await store.checkpoints('t');
    expect(items.map(({ id, parentId }) => [id, parentId])).toEqual([
      ['a-edit-2', 'a'],
      ['a-edit-1', 'a'],
      ['a', undefined],
    ]);
    await expect(service.undo(first.id)).rejects.toMatchObject({ code: 'undo_conflict' });
  });

  it('of a store in memory is undone, rows and places', async () => {
    const store = new MemoryStore({ id: STORE, maxPerTask: 2 });
    for (const id of ['a', 'b']) await store.save({ task: 't', id, text: `"${id}"` });
    const before = await store.checkpoints('t');
    const service = serve(store);
    const receipt = await apply(service, { kind: 'edit', ref: { task: 't', id: 'a' }, text: '"x"' });
    expect(receipt).toMatchObject({ proof: 'same', removed: [{ task: 't', id: 'a' }] });
    await service.undo(receipt.id);
    expect(await store.checkpoints('t')).toEqual(before);
  });
});

describe('an edit of an unlocked store', () => {
  it('is encrypted with the same key, and no decrypted word reaches the journal', async () => {
    const folder = join(bench.base, 'kaizen');
    await mkdir(folder);
    const storage = new FilesystemStorage({ baseDir: folder, encrypt: true, encryptionKey: PASSPHRASE });
    const memory = { plan: 'a secret original value' };
    await storage.save(new AgentState({ checkpointId: 'ckpt_1', agentId: 'agent', memoryContents: memory }));
    const source = await KaizenSource.open({ folder, id: STORE, label: 'k', location: folder });
    await source.unlock(PASSPHRASE);
    const original = { task: 'agent', id: 'ckpt_1' };
    const text = (await source.state(original))?.text.replace('original value', 'edited value') ?? '';
    const service = serve(source);
    const receipt = await apply(service, { kind: 'edit', ref: original, text });
    expect(receipt.proof).toBe('same');
    const [written] = receipt.written;
    expect(written && (await source.state(written))?.text).toContain('a secret edited value');
    const names = await readdir(folder);
    expect(names.toSorted()).toEqual([`${written?.id}.enc.jsonl`, 'ckpt_1.enc.jsonl'].toSorted());
    const stored = await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')));
    for (const words of ['secret', 'memory_contents']) {
      expect(stored.join()).not.toContain(words);
      expect(await journalText()).not.toContain(words);
    }
    await service.undo(receipt.id);
    expect(await readdir(folder)).toEqual(['ckpt_1.enc.jsonl']);
    expect(await journalText()).not.toContain('secret');
  });
});

describe('an edit in a format without parents', () => {
  it('hangs under its original all the same: the edge is kept beside the store', async () => {
    const folder = join(bench.base, '.rlm-act-checkpoints');
    await mkdir(folder);
    const state = { project_path: '/p', autonomy_mode: 'batch', started_at: '2026-01-01T10:00:00' };
    for (const n of [1, 2]) {
      const document = {
        id: `c${n}`,
        phase: 'research-complete',
        timestamp: `2026-01-01T10:00:0${n}.000000Z`,
        state,
        errors: [],
        git_commit: '',
      };
      await writeFile(join(folder, `c${n}.json`), JSON.stringify(document));
    }
    const source = await RlmActSource.open({ folder, id: STORE, label: 'r', location: folder });
    const stored = withSidecar(source, () => journal.sidecar(placeOf(source), STORE));
    const [task] = (await source.tasks()).items;
    const original = { task: task?.id ?? '', id: 'c1' };
    const text = (await source.state(original))?.text.replace('"batch"', '"checkpoint"') ?? '';
    const receipt = await apply(serve(source), { kind: 'edit', ref: original, text });
    const child = receipt.written[0]?.id;
    const listed = (await stored.checkpoints(original.task)).items.find(({ id }) => id === child);
    expect(listed).toMatchObject({ parentId: 'c1', lineage: 'sidecar', isLatest: true });
  });
});

import { planList, storeId, type PlanView, type Receipt } from '@checkpoint-inspector/core';
import { openSqlite, type Image } from '@checkpoint-inspector/io';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openJournal } from './journal.ts';
import type { Journal } from './types.ts';

const STORE = storeId('s');
const AT = '2026-01-01T00:00:00.000Z';
const SECRET = 'only-in-the-trash';
let folder: string;
let journal: Journal;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-trash-'));
  journal = openJournal({ folder });
});
afterEach(async () => {
  journal.close();
  await rm(folder, { recursive: true });
});

/** Of the journal and its log. */
async function bytesOnDisk(): Promise<number> {
  const sizes = await Promise.all(['', '-wal'].map(async (side) => (await stat(journal.path + side)).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

const planOf = (request: PlanView['request']): PlanView => {
  const empty = planList<never>([]);
  const lists = { writes: empty, moves: empty, removes: empty, evicts: empty, protected: empty };
  const rest = { preconditions: [], warnings: [], latestBefore: { basis: 'none' as const }, bytesFreed: 0 };
  return { id: 'p', expiresAt: AT, request, store: STORE, task: 't', ...lists, ...rest };
};

function imageOf(name: string, size: number): Image {
  const bytes = Buffer.alloc(size, SECRET);
  const fileStat = { mode: 0o600, uid: 1, gid: 1, mtimeNs: '1' };
  return { mark: { kind: 'file', path: name, before: { sha256: 'aa', size, stat: fileStat } }, content: bytes };
}

/** A finished delete of files of these sizes. */
function deleted(id: string, sizes: readonly number[], skipped: readonly number[] = []): void {
  const refs = sizes.map((_, n) => ({ task: 't', id: `${id}-${n}` }));
  const request = { kind: 'delete', refs } as const;
  journal.begin(
    { id, store: STORE, plan: planOf(request), engine: 'files', place: `/x/${id}` },
    sizes.map((size, n) => imageOf(`${id}-${n}.json`, size)),
  );
  const receipt: Receipt = {
    id,
    planId: 'p',
    request,
    store: STORE,
    task: 't',
    appliedAt: AT,
    done: [],
    failed: [],
    written: [],
    removed: refs,
    latestNow: { basis: 'none' },
    proof: 'none',
    undoable: true,
  };
  const trash = refs.map((ref) => ({ ref, what: ref.id }));
  journal.finish(id, { receipt, skipped, trash, sidecar: [] });
}

describe('the trash', () => {
  it('says by change how much is kept', () => {
    deleted('a', [100, 50]);
    deleted('b', [7]);
    expect(journal.trashed()).toEqual([
      { receiptId: 'b', store: STORE, task: 't', deletedAt: AT, checkpoints: 1, bytes: 7 },
      { receiptId: 'a', store: STORE, task: 't', deletedAt: AT, checkpoints: 2, bytes: 150 },
    ]);
  });

  it('does not count what was not removed after all', () => {
    deleted('a', [100, 50], [1]);
    expect(journal.trashed()).toMatchObject([{ receiptId: 'a', bytes: 100 }]);
  });

  it('purges exactly the named changes, for good, and their receipts stay', async () => {
    deleted('a', [200_000]);
    deleted('b', [7]);
    const before = await bytesOnDisk();
    expect(journal.purge(['a', 'unknown']).map(({ receiptId }) => receiptId)).toEqual(['a']);
    expect(journal.trashed().map(({ receiptId }) => receiptId)).toEqual(['b']);
    expect(journal.trash().items.map(({ receiptId }) => receiptId)).toEqual(['b']);
    expect(journal.purgedAt('a')).toMatch(/^20\d\d-/);
    expect(journal.purgedAt('b')).toBeUndefined();
    expect(journal.receipt('a')?.removed).toHaveLength(1);
    expect(journal.images('a')).toEqual([{ mark: imageOf('a-0.json', 200_000).mark }]);
    expect(journal.images('b')[0]).toMatchObject({ content: Buffer.from(SECRET.slice(0, 7)) });
    expect(await bytesOnDisk()).toBeLessThan(before - 190_000);
    journal.purge(['b']);
    for (const name of ['journal.sqlite', 'journal.sqlite-wal'])
      expect((await readFile(join(folder, name)).catch(() => Buffer.alloc(0))).includes(SECRET), name).toBe(false);
  });

  it('purges while another process reads, and gives the space back later', () => {
    deleted('a', [100]);
    const other = openSqlite(journal.path, { readOnly: true });
    other.exec('BEGIN');
    other.prepare('SELECT * FROM receipts').all();
    expect(journal.purge(['a'])).toHaveLength(1);
    other.exec('COMMIT');
    other.close();
    expect(journal.trashed()).toEqual([]);
  });

  it('leaves alone what is being put back at this moment', () => {
    deleted('a', [100]);
    const plan = planOf({ kind: 'undo', receiptId: 'a' });
    journal.begin({ id: 'u', store: STORE, plan, engine: 'files', place: '/x/a' }, []);
    expect(journal.purge(['a'])).toEqual([]);
    expect(journal.images('a')[0]).toHaveProperty('content');
  });

  it('keeps how long it is meant to be kept', () => {
    expect(journal.trashDays()).toBe(30);
    journal.setTrashDays(7);
    const other = openJournal({ folder });
    expect(other.trashDays()).toBe(7);
    other.close();
    for (const days of [0, 1.5, Number.NaN, 1e9])
      expect(() => journal.setTrashDays(days)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
    expect(journal.trashDays()).toBe(7);
  });
});

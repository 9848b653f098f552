import { storeId, type CheckpointSource } from '@checkpoint-inspector/core';
import { openSqlite } from '@checkpoint-inspector/io';
import { openSqliteStore } from '@checkpoint-inspector/stores/sqlite';
import { RlmActSource } from '@checkpoint-inspector/systems/rlm-act';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openJournal } from './journal/journal.ts';
import type { Journal } from './journal/types.ts';
import { createChangeService } from './service.ts';

// What the first version wrote: a restore in a database with its receipt, and a delete in a folder that was cut off
// after its removal and before its receipt. Engines had no names then; a store had a kind.
const DELETED = '919fa658-85c6-439c-8c09-e644f3c36d2b';
const KEPT = '0863c82b-a8dd-4eef-a528-62c063f3b8fa';

let place: string;
let journal: Journal;
let sources: Map<string, CheckpointSource>;

function load(path: string, fixture: string): void {
  const sql = readFileSync(new URL(`fixtures/${fixture}`, import.meta.url), 'utf8').replaceAll('{place}', place);
  const db = openSqlite(path, { readOnly: false, create: true });
  db.pragma('foreign_keys = OFF');
  db.exec(sql);
  db.close();
}

beforeEach(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'old-journal-')));
  const folder = join(place, 'proj', '.rlm-act-checkpoints');
  mkdirSync(folder, { recursive: true });
  mkdirSync(join(place, 'state'));
  writeFileSync(
    join(folder, `${KEPT}.json`),
    `{"id": "${KEPT}", "phase": "research", "timestamp": "2026-11-21T13:29:41Z", "state": {}, "errors": [], "git_commit": ""}`,
  );
  load(join(place, 'native.db'), 'native-store.sql');
  load(join(place, 'state', 'journal.sqlite'), 'journal-of-format-1.sql');
  journal = openJournal({ folder: join(place, 'state') });
  const native = await openSqliteStore({
    path: join(place, 'native.db'),
    id: storeId('native-db'),
    location: join(place, 'native.db'),
  });
  const rlm = await RlmActSource.open({ folder, id: storeId('proj'), label: 'proj', location: join(place, 'proj') });
  sources = new Map<string, CheckpointSource>([
    ['native-db', native],
    ['proj', rlm],
  ]);
});
afterEach(async () => {
  for (const source of sources.values()) await source.close?.();
  journal.close();
  rmSync(place, { recursive: true });
});

function serve() {
  const open = (id: string): CheckpointSource => sources.get(id) ?? expect.fail(`no store ${id}`);
  return createChangeService({ journal, sources: open, readOnly: false });
}

it('a receipt of the first version can be read, and be undone', async () => {
  const service = serve();
  const [receipt] = (await service.receipts()).items;
  expect(receipt).toMatchObject({
    done: ['added 1 row in checkpoints', 'removed 1 row in checkpoints'],
    proof: 'same',
    undoable: true,
  });
  const undone = await service.undo(receipt?.id ?? '');
  expect(undone).toMatchObject({ proof: 'same', failed: [], removed: [{ id: 'c2-restored-1' }] });
  const { items } = await (sources.get('native-db') ?? expect.fail()).checkpoints('t');
  expect(items.map(({ id, seq }) => `${seq} ${id}`)).toEqual(['3 c3', '2 c2', '1 c1']);
});

it('a change that the first version left open is completed, and can be undone', async () => {
  const service = serve();
  const [recovered] = await service.recover();
  expect(recovered).toMatchObject({
    outcome: 'completed',
    receipt: { done: [`removed ${DELETED}.json (206 bytes)`], removed: [{ id: DELETED }], undoable: true },
  });
  await service.undo(recovered?.id ?? '');
  const names = readdirSync(join(place, 'proj', '.rlm-act-checkpoints')).toSorted();
  expect(names).toEqual([`${KEPT}.json`, `${DELETED}.json`]);
});

it('a row that is damaged, or written by a newer program, is named and keeps nothing else from working', async () => {
  const db = openSqlite(journal.path, { readOnly: false });
  db.exec(`UPDATE images SET mark = '{"kind":"row","table":"checkpoints","after":{"rowid":4}}' WHERE n = 0`);
  db.close();
  const service = serve();
  const [receipt] = (await service.receipts()).items;
  expect(receipt?.undoable).toMatch(/before-image in the journal is damaged/);
  const [recovered] = await service.recover();
  expect(recovered).toMatchObject({ outcome: 'waiting', note: expect.stringMatching(/is damaged/) });
});

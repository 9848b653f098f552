import { InspectorError } from '@checkpoint-inspector/core';
import { emptyLog, tableNames, type SqliteDatabase } from '@checkpoint-inspector/io';
import { openAgents, type AgentRecords } from './agents.ts';
import { openAnnotations, placesOf, refText } from './annotations.ts';
import { endIntent, insertIntent, selectImages, selectIntents, selectLocation, selectMarks } from './intents.ts';
import { decide, dropRequest, openProposals, reopen } from './proposals.ts';
import { insertReceipt, isUndone, selectReceipt, selectReceipts, selectTrash } from './receipts.ts';
import { openJournalFile } from './schema.ts';
import {
  purgeImages,
  selectPurgedAt,
  selectTrashDays,
  selectTrashed,
  storeTrashDays,
  DEFAULT_TRASH_DAYS,
} from './trash.ts';
import type { Journal, SidecarEdge, Annotations, ProposalRecords } from './types.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Opens the journal of changes, made when missing: folder 0700, file 0600, durable at every call.
 * @throws InspectorError unsupported_version (written by a newer program) | unreadable | busy | disk_full
 * @example const journal = openJournal({ folder: journalFolder() });
 */
export function openJournal(options: { readonly folder: string }): Journal {
  const db = openJournalFile(options.folder);
  return {
    path: db.path,
    begin: (intent, images) =>
      db.transaction(() => {
        insertIntent(db, intent, images);
        if (intent.proposal !== undefined) decide(db, intent.proposal, { outcome: 'applied', receipt: intent.id });
      }),
    finish: (id, { receipt, skipped, trash, sidecar }) =>
      db.transaction(() => {
        endIntent(db, id, 'finished', null);
        const skip = db.prepare('UPDATE images SET skipped = 1, content = NULL WHERE intent = ? AND n = ?');
        for (const n of skipped) skip.run(id, n);
        insertReceipt(db, receipt, trash);
        if (isUndone(receipt)) reopen(db, id);
        else dropRequest(db, 'receipt', id);
        if (sidecar.length > 0) insertEdges(db, selectLocation(db, id) ?? `store:${receipt.store}`, sidecar);
      }),
    abandon: (id, reason) =>
      db.transaction(() => {
        endIntent(db, id, 'abandoned', reason);
        db.prepare('DELETE FROM images WHERE intent = ?').run(id);
        reopen(db, id);
      }),
    openIntents: () => selectIntents(db, "state = 'open'"),
    intent: (id) => selectIntents(db, 'id = ?', id)[0],
    location: (id) => selectLocation(db, id),
    images: (id) => selectImages(db, id),
    marks: (id) => selectMarks(db, id),
    receipts: (query = {}) => selectReceipts(db, query),
    receipt: (id) => selectReceipt(db, id),
    trash: (query = {}) => selectTrash(db, query),
    trashed: () => selectTrashed(db),
    purge: (ids) => {
      const purged = db.transaction(() => purgeImages(db, ids, new Date().toISOString()));
      if (purged.length > 0) giveBack(db);
      return purged;
    },
    purgedAt: (id) => selectPurgedAt(db, id),
    trashDays: () => selectTrashDays(db),
    setTrashDays: (days) => db.transaction(() => storeTrashDays(db, days)),
    addSidecar: (place, edges) => db.transaction(() => insertEdges(db, placesOf(place)[0], edges)),
    sidecar: (place, name) => selectEdges(db, [...placesOf(place), name]),
    annotations: openAnnotations(db),
    proposals: openProposals(db),
    agents: openAgents(db),
    setting: (name) => selectSetting(db, name),
    setSetting: (name, value) => insertSetting(db, 'REPLACE', name, value),
    settingOnce: (name, make) => {
      const known = selectSetting(db, name);
      if (known !== undefined) return known;
      const made = make();
      insertSetting(db, 'IGNORE', name, made);
      return selectSetting(db, name) ?? made;
    },
    clear: () => clearJournal(db),
    close: () => db.close(),
  };
}

const selectSetting = (db: SqliteDatabase, name: string): string | undefined =>
  db.prepare<{ value: string }>('SELECT value FROM journal_meta WHERE name = ?').get(name)?.value;

function insertSetting(db: SqliteDatabase, or: 'REPLACE' | 'IGNORE', name: string, value: string): void {
  db.prepare(`INSERT OR ${or} INTO journal_meta (name, value) VALUES (?, ?)`).run(name, value);
}

/**
 * Gives freed space back to the disk. While another process reads, or the disk is full, it stays in the file, overwritten,
 * and is used again: what was purged is purged.
 */
function giveBack(db: SqliteDatabase): void {
  const wait = db.pragma('busy_timeout');
  db.pragma('busy_timeout = 100');
  try {
    db.exec('VACUUM');
  } catch (error) {
    if (!['busy', 'disk_full'].includes(InspectorError.from(error).code)) throw error;
  } finally {
    db.pragma(`busy_timeout = ${String(wait)}`);
  }
  emptyLog(db);
}

function insertEdges(db: SqliteDatabase, place: string, edges: readonly SidecarEdge[]): void {
  const insert = db.prepare('INSERT OR REPLACE INTO sidecar (store, child, parent, added_at) VALUES (?, ?, ?, ?)');
  const now = new Date().toISOString();
  for (const { child, parent } of edges) insert.run(place, refText(child), refText(parent), now);
}

function selectEdges(db: SqliteDatabase, keys: readonly string[]): SidecarEdge[] {
  const sql =
    'SELECT child, parent FROM sidecar WHERE store IN (SELECT value FROM json_each(?)) ORDER BY added_at, child';
  return db
    .prepare<{ child: string; parent: string }>(sql)
    .all(JSON.stringify(keys))
    .map(({ child, parent }) => ({
      child: JSON.parse(child) as SidecarEdge['child'],
      parent: JSON.parse(parent) as SidecarEdge['parent'],
    }));
}

/** What the journal knows of itself stays. */
const KEPT = new Set(['journal_meta']);

/** Forgets every change, label and note; only the demo asks for this. */
function clearJournal(db: SqliteDatabase): void {
  // Rows point at each other; all of them go, so the order does not matter.
  db.pragma('foreign_keys = OFF');
  db.transaction(() => {
    for (const table of tableNames(db)) {
      if (KEPT.has(table) || table.startsWith('sqlite_')) continue;
      db.exec(`DELETE FROM "${table.replaceAll('"', '""')}"`);
    }
  });
  db.pragma('foreign_keys = ON');
}

/** Every row that is shown asks for it; one that another process has just made is seen so much later. */
const ABSENT_MS = 100;

interface LazyJournalOptions {
  readonly folder: string;
  /**
   * Told once when there is a journal that cannot be opened and a view continues without it: without labels, notes and
   * kept parents. What needs the journal still throws.
   */
  readonly onUnavailable?: (error: InspectorError) => void;
}

/**
 * A journal that is opened by the first call that needs it, and made by the first one that keeps something: on a fresh
 * machine reading leaves nothing behind, and needs no SQLite.
 * @example const journal = openJournalWhenNeeded({ folder: journalFolder() });
 */
export function openJournalWhenNeeded({ folder, onUnavailable }: LazyJournalOptions): Journal {
  const path = join(folder, 'journal.sqlite');
  let opened: Journal | undefined;
  let isTold = false;
  const kept = (): Journal => (opened ??= openJournal({ folder }));
  let absentAt = Number.NEGATIVE_INFINITY;
  const isThere = (): boolean => {
    if (performance.now() - absentAt < ABSENT_MS) return false;
    const found = existsSync(path);
    if (!found) absentAt = performance.now();
    return found;
  };
  /** Absent while nothing was ever kept. */
  const known = (): Journal | undefined => opened ?? (isThere() ? kept() : undefined);
  const viewed = (): Journal | undefined => {
    try {
      return known();
    } catch (error) {
      // Another process may hold it just now: the next view tries again.
      if (!isTold) onUnavailable?.(InspectorError.from(error));
      isTold = true;
      return undefined;
    }
  };
  return {
    path,
    begin: (intent, images) => kept().begin(intent, images),
    finish: (id, end) => kept().finish(id, end),
    abandon: (id, reason) => kept().abandon(id, reason),
    openIntents: () => known()?.openIntents() ?? [],
    intent: (id) => known()?.intent(id),
    location: (id) => known()?.location(id),
    images: (id) => known()?.images(id) ?? [],
    marks: (id) => known()?.marks(id) ?? [],
    receipts: (query) => known()?.receipts(query) ?? { items: [] },
    receipt: (id) => known()?.receipt(id),
    trash: (query) => known()?.trash(query) ?? { items: [] },
    trashed: () => known()?.trashed() ?? [],
    purge: (ids) => known()?.purge(ids) ?? [],
    purgedAt: (id) => known()?.purgedAt(id),
    trashDays: () => known()?.trashDays() ?? DEFAULT_TRASH_DAYS,
    setTrashDays: (days) => kept().setTrashDays(days),
    addSidecar: (place, edges) => kept().addSidecar(place, edges),
    sidecar: (place, name) => viewed()?.sidecar(place, name) ?? [],
    annotations: lazyAnnotations(kept, viewed),
    proposals: lazyProposals(kept, known, viewed),
    agents: lazyAgents(kept, known),
    setting: (name) => viewed()?.setting(name),
    setSetting: (name, value) => kept().setSetting(name, value),
    settingOnce: (name, make) => kept().settingOnce(name, make),
    clear: () => known()?.clear(),
    close: () => {
      opened?.close();
      // What is printed after the end may still need the key of masked names.
      opened = undefined;
    },
  };
}

function lazyProposals(
  kept: () => Journal,
  known: () => Journal | undefined,
  viewed: () => Journal | undefined,
): ProposalRecords {
  return {
    add: (proposal) => kept().proposals.add(proposal),
    list: () => viewed()?.proposals.list() ?? [],
    get: (id) => known()?.proposals.get(id),
    ofReceipt: (receiptId) => known()?.proposals.ofReceipt(receiptId),
    request: (id) => known()?.proposals.request(id),
    dismiss: (id) => kept().proposals.dismiss(id),
    take: (id) => kept().proposals.take(id),
    done: (...given) => kept().proposals.done(...given),
    giveBack: (id) => kept().proposals.giveBack(id),
  };
}

function lazyAgents(kept: () => Journal, known: () => Journal | undefined): AgentRecords {
  return {
    ownerOf: (at) => known()?.agents.ownerOf(at),
    claim: (...given) => kept().agents.claim(...given),
    saved: (...given) => kept().agents.saved(...given),
    savesOf: (...given) => known()?.agents.savesOf(...given) ?? new Map(),
    trashed: (...given) => kept().agents.trashed(...given),
    trashedBy: (...given) => known()?.agents.trashedBy(...given) ?? 0,
    raise: (...given) => kept().agents.raise(...given),
    above: (receiptId) => known()?.agents.above(receiptId),
    give: (grant) => kept().agents.give(grant),
    grants: () => known()?.agents.grants() ?? [],
    end: (id) => kept().agents.end(id),
    did: (act) => kept().agents.did(act),
    activity: () => known()?.agents.activity() ?? [],
  };
}

function lazyAnnotations(kept: () => Journal, viewed: () => Journal | undefined): Annotations {
  return {
    ofTask: (place, task) => viewed()?.annotations.ofTask(place, task) ?? [],
    ofPlace: (place) => viewed()?.annotations.ofPlace(place) ?? [],
    hasLabels: (place) => viewed()?.annotations.hasLabels(place) ?? false,
    of: (place, ref) => viewed()?.annotations.of(place, ref) ?? { ref, labels: [] },
    addLabel: (place, ref, label) => kept().annotations.addLabel(place, ref, label),
    removeLabel: (place, ref, label) => kept().annotations.removeLabel(place, ref, label),
    setNote: (place, ref, note) => kept().annotations.setNote(place, ref, note),
  };
}

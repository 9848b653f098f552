import { InspectorError } from '@checkpoint-inspector/core';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal } from './journal.ts';
import { DEFAULT_TRASH_DAYS } from './trash.ts';
import type { Annotations, Journal } from './types.ts';

export interface LazyJournalOptions {
  readonly folder: string;
  /**
   * Told once when there is a journal that cannot be opened and a view goes on without it: without labels, notes and
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
  /** Absent while nothing was ever kept. */
  const known = (): Journal | undefined => opened ?? (existsSync(path) ? kept() : undefined);
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
    addSidecar: (store, edges) => kept().addSidecar(store, edges),
    sidecar: (store) => viewed()?.sidecar(store) ?? [],
    annotations: lazyAnnotations(kept, viewed),
    clear: () => known()?.clear(),
    close: () => opened?.close(),
  };
}

function lazyAnnotations(kept: () => Journal, viewed: () => Journal | undefined): Annotations {
  return {
    ofTask: (place, task) => viewed()?.annotations.ofTask(place, task) ?? [],
    ofPlace: (place) => viewed()?.annotations.ofPlace(place) ?? [],
    of: (place, ref) => viewed()?.annotations.of(place, ref) ?? { ref, labels: [] },
    addLabel: (place, ref, label) => kept().annotations.addLabel(place, ref, label),
    removeLabel: (place, ref, label) => kept().annotations.removeLabel(place, ref, label),
    setNote: (place, ref, note) => kept().annotations.setNote(place, ref, note),
  };
}

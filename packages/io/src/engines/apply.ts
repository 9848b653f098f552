import { InspectorError, type PlanTarget } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase } from '../sqlite/index.ts';
import { applyFiles } from './files.ts';
import { compareFiles, settleFiles } from './files-settle.ts';
import {
  isRowImage,
  type Applied,
  type ApplyHooks,
  type FileImage,
  type Image,
  type Job,
  type Mark,
} from './images.ts';
import { MemoryRows } from './memory-rows.ts';
import type { RowEngine } from './row-engine.ts';
import { applyRows, compareRows } from './rows.ts';
import type { Settled, Side } from './sides.ts';
import { SqliteRows } from './sqlite-rows.ts';

/**
 * Does exactly the ops of a plan or an undo. `hooks.prepared` gets the images while nothing is done yet, and must make
 * them durable; a throw from it stops the change. Rows are all or nothing, in one immediate transaction.
 * @throws InspectorError changed | head_moved | disk_full | busy | too_large | unsupported
 * @example await applyPlan(plan, { tag: id, prepared: (images) => journal.begin(intent, images) })
 */
export async function applyPlan(job: Job, hooks: ApplyHooks): Promise<Applied> {
  if (job.target.kind === 'folder') return applyFiles(job.target.path, job, hooks);
  const images = inTransaction(job.target, (engine) => {
    const changed = applyRows(engine, job);
    hooks.prepared(changed);
    hooks.onStep?.('intent');
    return changed;
  });
  hooks.onStep?.('written');
  return { images, skipped: [], failed: [] };
}

/** Which side of each change is stored now. Reads only. @throws InspectorError no_store | busy | unreadable */
export async function compareMarks(target: PlanTarget, marks: readonly Mark[]): Promise<Side[]> {
  if (target.kind === 'folder')
    return compareFiles(
      target.path,
      marks.filter((mark) => mark.kind === 'file'),
    );
  const rows = marks.filter((mark) => mark.kind === 'row');
  if (target.kind === 'memory') return target.tables.transaction((access) => compareRows(new MemoryRows(access), rows));
  const db = openSqlite(target.path, { readOnly: true });
  try {
    return compareRows(new SqliteRows(db), rows);
  } finally {
    db.close();
  }
}

/**
 * Ends a change that was cut off by the end of its process: files are completed or taken back, a transaction either
 * happened or did not. `images` are those that `prepared` got.
 */
export async function settleImages(
  target: PlanTarget,
  images: readonly Image[],
  hooks: Omit<ApplyHooks, 'prepared'>,
): Promise<Settled> {
  if (target.kind === 'folder') {
    return settleFiles(
      target.path,
      images.filter((image): image is FileImage => !isRowImage(image)),
      hooks,
    );
  }
  if (target.kind === 'sqlite') finishTransactions(target.path);
  const sides = await compareMarks(
    target,
    images.map(({ mark }) => mark),
  );
  const count = (side: Side) => sides.filter((one) => one === side).length;
  const completed = count('after') > 0 && count('after') >= count('before');
  const skipped = completed ? [] : images.map((_, index) => index);
  return { outcome: completed ? 'completed' : 'rolled-back', skipped, failed: [] };
}

/** The next writer after a crash rolls a torn transaction back; a reader may not. */
function finishTransactions(path: string): void {
  openForChange(path).close();
}

function inTransaction<T>(target: Exclude<PlanTarget, { kind: 'folder' }>, work: (engine: RowEngine) => T): T {
  if (target.kind === 'memory') return target.tables.transaction((access) => work(new MemoryRows(access)));
  const db = openForChange(target.path);
  try {
    return db.transaction(() => {
      // Until COMMIT: an undo may put a child back before its parent.
      db.pragma('defer_foreign_keys = ON');
      return work(new SqliteRows(db));
    });
  } finally {
    db.close();
  }
}

/** Durable at COMMIT, and with foreign keys on: what cascades is counted, and then refused. */
function openForChange(path: string): SqliteDatabase {
  const db = openSqlite(path, { readOnly: false });
  try {
    if (db.snapshot !== undefined) throw new InspectorError('busy', db.snapshot);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

import { InspectorError } from '@checkpoint-inspector/core';
import { hasNodes, readTogether } from '../../nodes/index.ts';
import { emptyLog, openSqlite, type SqliteDatabase } from '../../sqlite/index.ts';
import { assertSamePlace, type Executor } from '../executor.ts';
import { changeRows, compareRows, settledRows } from '../rows/apply.ts';
import { isRowSteps, RowsJob } from '../rows/job.ts';
import { isRowMark } from '../rows/mark.ts';
import { NodeTables } from '../rows/nodes.ts';
import { changeInParts, settleParts, type Transactions } from '../rows/parts.ts';
import type { Tables } from '../rows/tables.ts';
import { doNow } from '../rows/work.ts';
import { imagesOf, marksOf, stepsOf } from '../shape.ts';
import { collectAfter, nodeTablesIn } from './native.ts';
import { SqliteRows } from './rows.ts';

/** Rows of a SQLite file, in one immediate transaction. Its place is the file's path. */
export const sqliteEngine: Executor = {
  engine: 'sqlite',
  async apply(job, hooks) {
    const steps = stepsOf('sqlite', isRowSteps, job.steps);
    const db = openForChange(job.place);
    try {
      assertSamePlace(job.place, hooks.identity);
      const applied = steps.slices
        ? await changeInParts(transactionsOf(db), steps, hooks)
        : await changeRows((work) => inTransaction(db, work), steps, hooks);
      // People copy and mail the file: what was removed is no longer in it, and what was added is.
      emptyLog(db);
      return applied;
    } finally {
      db.close();
    }
  },
  async compare(path, marks) {
    const db = openSqlite(path, { readOnly: true });
    try {
      return readTogether(db, () => doNow(compareRows(tablesOf(db), marksOf(isRowMark, marks))));
    } finally {
      db.close();
    }
  },
  async settle(path, images, hooks) {
    // The next writer after a crash rolls a torn transaction back; a reader may not.
    const db = openForChange(path);
    try {
      const known = imagesOf(isRowMark, images);
      const marks = known.map(({ mark }) => mark);
      const sides = readTogether(db, () => doNow(compareRows(tablesOf(db), marks)));
      const isInParts = marks.some(({ part }) => part !== undefined);
      const settled = isInParts
        ? await settleParts(transactionsOf(db), known, sides, hooks)
        : settledRows(known, sides);
      emptyLog(db);
      return settled;
    } finally {
      db.close();
    }
  },
  undo: async (path, images) => new RowsJob('sqlite', path).undo(imagesOf(isRowMark, images)),
};

function inTransaction<T>(db: SqliteDatabase, work: (tables: Tables) => T): T {
  return db.transaction(() => {
    // Until COMMIT: an undo may put a child back before its parent.
    db.pragma('defer_foreign_keys = ON');
    const tables = tablesOf(db);
    const result = work(tables);
    if (tables instanceof NodeTables) collectAfter(db, tables);
    return result;
  });
}

const transactionsOf = (db: SqliteDatabase): Transactions => ({
  read: async (work) => readTogether(db, () => doNow(work(tablesOf(db)))),
  write: async (work) => inTransaction(db, (tables) => doNow(work(tables))),
});

const tablesOf = (db: SqliteDatabase): NodeTables | SqliteRows =>
  hasNodes(db) ? nodeTablesIn(db) : new SqliteRows(db);

/** Durable at COMMIT; what is removed is overwritten; with foreign keys on, what cascades is counted and then refused. */
function openForChange(path: string): SqliteDatabase {
  const db = openSqlite(path, { readOnly: false });
  try {
    if (db.snapshot !== undefined) throw new InspectorError('busy', db.snapshot);
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('secure_delete = ON');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

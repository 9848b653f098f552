import { InspectorError } from '@checkpoint-inspector/core';
import { hasNodes, readTogether } from '../../nodes/index.ts';
import { openSqlite, type SqliteDatabase } from '../../sqlite/index.ts';
import type { Executor } from '../executor.ts';
import { changeRows, compareRows, settledRows } from '../rows/apply.ts';
import { isRowSteps, RowsJob } from '../rows/job.ts';
import { isRowMark } from '../rows/mark.ts';
import { NodeTables } from '../rows/nodes.ts';
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
      return await changeRows((work) => inTransaction(db, work), steps, hooks);
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
  async settle(path, images) {
    // The next writer after a crash rolls a torn transaction back; a reader may not.
    openForChange(path).close();
    const marks = images.map(({ mark }) => mark);
    return settledRows(imagesOf(isRowMark, images), await sqliteEngine.compare(path, marks));
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

const tablesOf = (db: SqliteDatabase): NodeTables | SqliteRows =>
  hasNodes(db) ? nodeTablesIn(db) : new SqliteRows(db);

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

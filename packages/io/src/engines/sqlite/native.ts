/** Where a SQLite file of our own keeps its states. */
import type { SharedState } from '@checkpoint-inspector/core';
import {
  collectAfterRemoval,
  readShared,
  readText,
  shareText,
  type SharedText,
  type StateRow,
} from '../../nodes/index.ts';
import type { SqliteDatabase } from '../../sqlite/index.ts';
import { NodeTables, type Nodes } from '../rows/nodes.ts';
import { doNow } from '../rows/work.ts';
import { SqliteRows } from './rows.ts';

/** They keep the counts of each task. What any other trigger changes is not ours to hide. */
const OWN_TRIGGERS: readonly string[] = ['count_inserted', 'count_deleted', 'count_updated'];

class SqliteNodes implements Nodes {
  unplanned = 0;
  readonly #db: SqliteDatabase;
  readonly #rows: SqliteRows;
  readonly #hasOtherTriggers: boolean;
  #start = 0;

  constructor(db: SqliteDatabase, rows: SqliteRows) {
    this.#db = db;
    this.#rows = rows;
    const triggers = db.prepare<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
    this.#hasOtherTriggers = triggers.some(({ name }) => !OWN_TRIGGERS.includes(name));
  }

  text(state: StateRow): string {
    return readText(this.#db, state);
  }

  read(root: number): SharedState {
    return readShared(this.#db, root);
  }

  write(text: string, before: SharedState | undefined): SharedText {
    const start = this.#rows.changes();
    const written = shareText(this.#db, text, before);
    this.unplanned += this.#rows.changes() - start;
    return written;
  }

  begin(): void {
    this.#start = this.#rows.changes();
  }

  end(rows: number): void {
    if (!this.#hasOtherTriggers) this.unplanned += this.#rows.changes() - this.#start - rows;
  }
}

/** The rows of a file of our own. */
export function nodeTablesIn(db: SqliteDatabase): NodeTables {
  const rows = new SqliteRows(db);
  return new NodeTables(rows, new SqliteNodes(db, rows), doNow);
}

/** Up to so many checkpoints, what nothing refers to goes at once: looking takes about a tenth of a second. */
const COLLECTED_AT_ONCE = 5_000;

/** At the end of a transaction: what nothing refers to any more goes. */
export function collectAfter(db: SqliteDatabase, { removed }: NodeTables): void {
  if (removed > 0) collectAfterRemoval(db, removed, COLLECTED_AT_ONCE);
}

/** Rows of checkpoints as SQL gives them, by the format of the file. */
import type { NativeRow, NativeValue, TableRow } from '@checkpoint-inspector/core';
import {
  metaNumber,
  NODES_FORMAT,
  prepared,
  type SqliteDatabase,
  type SqliteParameter,
} from '@checkpoint-inspector/io';
import { META_COLUMNS, SIGNS, TABLE } from './schema.ts';

/** What is read of a row: all but its state and what is beside it, or what a tree is made of. */
type Part = 'meta' | 'lineage';

const LINEAGE_COLUMNS =
  'seq, task, namespace, id, parent_task, parent_id, parent_namespace, step_index, status, description, created_at, agent_id, size_bytes, state_hash';
const SIGN_NAMES = ['framed', 'failed', 'asked'];
const NAMES: Readonly<Record<Part, readonly string[]>> = {
  meta: [...META_COLUMNS.split(', '), ...SIGN_NAMES],
  lineage: [...LINEAGE_COLUMNS.split(', '), ...SIGN_NAMES],
};

const emptyRow = (part: Part): NativeRow => Object.fromEntries(NAMES[part].map((name) => [name, null]));
const EMPTY: Readonly<Record<Part, NativeRow>> = { meta: emptyRow('meta'), lineage: emptyRow('lineage') };

/** A `SELECT` whose `WHERE` comes from a few constants: each is put together once. */
class Select {
  readonly #rows: string;
  readonly #made = new Map<string, string>();

  constructor(rows: string) {
    this.#rows = rows;
  }

  where(where: string): string {
    const known = this.#made.get(where);
    if (known !== undefined) return known;
    const made = `${this.#rows} ${where}`;
    this.#made.set(where, made);
    return made;
  }
}

/** How rows are read, by format. */
interface Reading extends Readonly<Record<Part, Select>> {
  readonly latest: string;
}

const NODES: Reading = {
  meta: new Select(`SELECT ${META_COLUMNS}, ${SIGNS} FROM ${TABLE} AS c`),
  lineage: new Select(`SELECT ${LINEAGE_COLUMNS}, ${SIGNS} FROM ${TABLE} AS c`),
  // Of the two indexes the one by order: rows of other namespaces are few and near.
  latest: `SELECT seq FROM ${TABLE} WHERE task = ? AND seq < ? AND +namespace = '' ORDER BY seq DESC LIMIT 1`,
};
/** The first format has no namespaces. */
export const PLAIN = `(SELECT *, '' AS namespace, NULL AS parent_namespace FROM ${TABLE})`;
const FIRST: Reading = {
  meta: new Select(`SELECT ${META_COLUMNS}, 0, 0, 0 FROM ${PLAIN}`),
  lineage: new Select(`SELECT ${LINEAGE_COLUMNS}, 0, 0, 0 FROM ${PLAIN}`),
  latest: `SELECT max(seq) AS seq FROM ${TABLE} WHERE task = ? AND seq < ?`,
};

const converted = new WeakSet<SqliteDatabase>();

/** True where the store counts its tasks' rows, shares nodes and keeps writes: once and for all. */
export function isCounted(db: SqliteDatabase): boolean {
  if (converted.has(db)) return true;
  if (metaNumber(db, 'format') !== NODES_FORMAT) return false;
  converted.add(db);
  return true;
}

const readingOf = (db: SqliteDatabase): Reading => (isCounted(db) ? NODES : FIRST);

/** Rows with what `where` says. They come as arrays, which the driver makes three times faster than objects. */
export function rowsWhere(
  db: SqliteDatabase,
  part: Part,
  where: string,
  ...parameters: readonly SqliteParameter[]
): NativeRow[] {
  const names = NAMES[part];
  const empty = EMPTY[part];
  const statement = prepared<readonly NativeValue[]>(db, readingOf(db)[part].where(where), true);
  return statement.all(...parameters).map((values) => {
    const row: Record<string, NativeValue> = { ...empty };
    for (let at = 0; at < names.length; at++) {
      const value = values[at] ?? null;
      if (value !== null) row[names[at] ?? ''] = value;
    }
    return row;
  });
}

/** The one saved last of the root namespace, of all or of those before. */
export const latestOf = (db: SqliteDatabase, task: string, before = Number.MAX_SAFE_INTEGER): number | undefined =>
  prepared<{ seq: number | null }>(db, readingOf(db).latest).get(task, before)?.seq ?? undefined;

/** A row as the rules of all native stores know it. */
export function stored(row: NativeRow): TableRow {
  return { rowid: BigInt(Number(row['seq'] ?? 0)), row };
}

export const seqIn = (row: NativeRow): number => Number(row['seq']);

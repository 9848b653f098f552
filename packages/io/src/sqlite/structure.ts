/** What a database is made of, without a value of any row. */
import { compact } from '@checkpoint-inspector/core';
import { tableNames } from './columns.ts';
import type { SqliteDatabase } from './open.ts';

export interface ColumnStructure {
  readonly name: string;
  /** As declared; SQLite keeps values of any type in most columns. */
  readonly type: string;
  readonly isKey: boolean;
}

export interface TableStructure {
  readonly name: string;
  readonly columns: readonly ColumnStructure[];
  readonly rows: number;
  /** There are that many rows or more. */
  readonly isCut?: true;
  readonly indexes: number;
}

export interface DatabaseStructure {
  readonly pageBytes: number;
  readonly pages: number;
  readonly freePages: number;
  readonly journalMode: string;
  readonly userVersion: number;
  readonly applicationId: number;
  readonly encoding: string;
  /** Ordinary tables. A view or virtual table may run a query that never ends. */
  readonly tables: readonly TableStructure[];
  /** Views, virtual tables and triggers, which are not looked into. */
  readonly others: number;
}

const MOST_COUNTED = 1_000_000;

/** Reads schema, header and counts. @example lookInto(path, databaseStructure)?.tables.length // 3 */
export function databaseStructure(database: SqliteDatabase): DatabaseStructure {
  const number = (name: string): number => Number(database.pragma(name));
  const text = (name: string): string => String(database.pragma(name));
  const tables = tableNames(database).map((name) => tableStructure(database, name));
  const all = database.prepare<{ n: number }>("SELECT count(*) AS n FROM sqlite_schema WHERE type <> 'index'").get();
  return {
    pageBytes: number('page_size'),
    pages: number('page_count'),
    freePages: number('freelist_count'),
    journalMode: text('journal_mode'),
    userVersion: number('user_version'),
    applicationId: number('application_id'),
    encoding: text('encoding'),
    tables,
    others: Math.max(0, (all?.n ?? 0) - tables.length),
  };
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function tableStructure(database: SqliteDatabase, name: string): TableStructure {
  const columns = database
    .prepare<{ name: string; type: string; pk: number }>(
      'SELECT name, type, pk FROM pragma_table_info(@name) ORDER BY cid',
    )
    .all({ name });
  const rows = database
    .prepare<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM ${quoted(name)} LIMIT ${MOST_COUNTED})`)
    .get();
  const indexes = database.prepare<{ n: number }>('SELECT count(*) AS n FROM pragma_index_list(@name)').get({ name });
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, type: column.type, isKey: column.pk > 0 })),
    rows: rows?.n ?? 0,
    ...compact({ isCut: rows?.n === MOST_COUNTED ? (true as const) : undefined }),
    indexes: indexes?.n ?? 0,
  };
}

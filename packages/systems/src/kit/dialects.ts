/** SQLite and PostgreSQL, as far as a table of checkpoints is asked differently. */
import type { PostgresReader, SqliteDatabase } from '@checkpoint-inspector/io';
import type { Dialect, Sql } from './rows.ts';

const SQLITE: Dialect = {
  text: (column) => `CAST(${column} AS TEXT)`,
  bytes: (column) => `length(CAST(${column} AS BLOB))`,
  isJson: (column) => `CAST(json_valid(CAST(${column} AS TEXT)) AS TEXT)`,
  order: ['rowid'],
};

/** The row ids of a table that has none of its own are its primary key. */
const SQLITE_WITHOUT_ROWID: Dialect = { ...SQLITE, order: [] };

export function sqliteSql(database: SqliteDatabase, hasRowid: boolean): Sql {
  return {
    dialect: hasRowid ? SQLITE : SQLITE_WITHOUT_ROWID,
    all: async (sql, values) =>
      database
        .prepare<Record<string, string | Uint8Array | null>>(sql.replaceAll(/\$(\d+)/g, '@p$1'))
        .all(Object.fromEntries(values.map((value, at) => [`p${at + 1}`, value]))),
  };
}

/** Since then the server tells whether a text is JSON. */
const TELLS_JSON = 160_000;

/** @param isJson whether the column of the state is of a JSON type */
export function postgresSql(reader: PostgresReader, version: number, isJson: boolean): Sql {
  const told = isJson ? "'1'" : 'NULL::text';
  return {
    dialect: {
      text: (column) => `(${column})::text`,
      bytes: (column) => `octet_length((${column})::text)`,
      isJson: (column) =>
        isJson || version < TELLS_JSON
          ? told
          : `(CASE WHEN pg_input_is_valid((${column})::text, 'json') THEN '1' ELSE '0' END)`,
      order: [],
    },
    all: (sql, values) => reader.query<Record<string, string | Uint8Array | null>>(sql, values),
  };
}

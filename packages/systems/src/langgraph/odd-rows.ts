/** Rows of a SQLite file whose thread, namespace or id isn't text: LangGraph writes none, and nothing can name them. */
import type { SqliteStatement } from '@checkpoint-inspector/io';

/** Of one thread, the rows that have a name. Not as bounds: those would take the place of others in an index. */
export const NAMED = "typeof(checkpoint_ns) = 'text' AND typeof(checkpoint_id) = 'text'";
/** What isn't text is before all texts or behind them. */
export const UP_TO_TEXTS = "thread_id < x''";
export const TEXTS = `thread_id >= '' AND ${UP_TO_TEXTS}`;
const TABLES = ['checkpoints', 'writes'] as const;
const KEY_COLUMNS = ['thread_id', 'checkpoint_ns', 'checkpoint_id'] as const;
const VALUE = { checkpoints: 'checkpoint', writes: 'value' } as const;
const SIZES = {
  checkpoints: 'coalesce(octet_length(checkpoint), 0) + coalesce(octet_length(metadata), 0)',
  writes: 'coalesce(octet_length(value), 0)',
} as const;
const ODD = `(typeof(thread_id) <> 'text' OR NOT (${NAMED}))`;
export interface OddRow {
  readonly table: (typeof TABLES)[number];
  readonly rowid: number;
  /** The first of its columns that isn't text. */
  readonly column: string;
  /** Absent where that isn't text. */
  readonly thread?: string;
  readonly sizeBytes: number;
}

interface Stored {
  readonly rowid: number;
  readonly thread: unknown;
  readonly ns: string;
  readonly id: string;
  readonly size: number;
}

/** The rows of one connection that are odd; gone through once for each commit that may have made others so. */
export class OddRows {
  readonly #prepared: <Row>(sql: string) => SqliteStatement<Row>;
  readonly #versionNow: () => unknown;
  #version: unknown;
  #rows: readonly OddRow[] | undefined;
  #last = new Map<string, number>();

  /** @param version another value than before once something was committed */
  constructor(prepared: <Row>(sql: string) => SqliteStatement<Row>, version: () => unknown) {
    this.#prepared = prepared;
    this.#versionNow = version;
  }

  /** Oldest row id first, checkpoints before writes. */
  rows(): readonly OddRow[] {
    const version = this.#versionNow();
    if (this.#rows !== undefined && version === this.#version) return this.#rows;
    const known = this.#rows;
    this.#version = version;
    const ends = TABLES.map((table) => [table, this.#lastOf(table)] as const);
    const isGrown = ends.some(([table, last]) => last > (this.#last.get(table) ?? 0));
    // A commit without new rows has changed or removed some.
    this.#rows =
      known !== undefined && isGrown ? this.#withNew(known) : TABLES.flatMap((table) => this.#find(table, ODD));
    this.#last = new Map(ends);
    return this.#rows;
  }

  /** The stored value; `undefined` where the row is gone. */
  bytes({ table, rowid }: OddRow): Uint8Array | undefined {
    const sql = `SELECT CAST(${VALUE[table]} AS BLOB) AS value FROM ${table} WHERE rowid = ?`;
    const row = this.#prepared<{ value: Uint8Array | null }>(sql).get(rowid);
    return row && (row.value ?? new Uint8Array());
  }

  #withNew(known: readonly OddRow[]): OddRow[] {
    return TABLES.flatMap((table) => [
      ...known
        .filter((row) => row.table === table)
        .flatMap(({ rowid }) => this.#find(table, `${ODD} AND rowid = ?`, rowid)),
      ...this.#find(table, `${ODD} AND rowid > ?`, this.#last.get(table) ?? 0),
    ]);
  }

  #lastOf(table: OddRow['table']): number {
    return this.#prepared<{ last: number | null }>(`SELECT max(rowid) AS last FROM ${table}`).get()?.last ?? 0;
  }

  #find(table: OddRow['table'], where: string, ...bound: readonly (string | number)[]): OddRow[] {
    // Inside, the index alone is gone through.
    const sql = `SELECT rowid, thread_id AS thread, typeof(checkpoint_ns) AS ns, typeof(checkpoint_id) AS id, ${SIZES[table]} AS size
      FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${where}) ORDER BY rowid`;
    return this.#prepared<Stored>(sql)
      .all(...bound)
      .map((stored) => oddRow(table, stored));
  }
}

function oddRow(table: OddRow['table'], { rowid, thread, ns, size, ...rest }: Stored): OddRow {
  const isText = [typeof thread === 'string', ns === 'text', rest.id === 'text'];
  const column = KEY_COLUMNS[isText.indexOf(false)] ?? KEY_COLUMNS[0];
  return { table, rowid, column, sizeBytes: size, ...(typeof thread === 'string' ? { thread } : {}) };
}

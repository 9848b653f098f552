import type { SqlValue } from '../../sqlite/values.ts';
import { isRawText, type Cell, type Cells } from '../rows/cells.ts';
import { quoted, type TableInfo } from './table-info.ts';

export type RawRow = Readonly<Record<string, SqlValue>>;

/** Type and value of each expression as `t0, v0, t1, v1…`: integers as text, text as bytes, so that nothing is rounded. */
export function exactColumns(expressions: readonly string[]): string {
  return expressions
    .map((e, i) => {
      const value = `CASE typeof(${e}) WHEN 'integer' THEN CAST(${e} AS TEXT) WHEN 'text' THEN CAST(${e} AS BLOB) ELSE ${e} END`;
      return `typeof(${e}) AS t${i}, ${value} AS v${i}`;
    })
    .join(', ');
}

/** One value read by `exactColumns`. `encoding` is the database's. */
export function readCell(row: RawRow, index: number, encoding: string): Cell {
  const type = row[`t${index}`];
  const value = row[`v${index}`] ?? null;
  if (type === 'integer') return BigInt(String(value));
  if (type !== 'text') return value;
  return readText(value instanceof Uint8Array ? value : new Uint8Array(), encoding);
}

function readText(bytes: Uint8Array, encoding: string): Cell {
  if (encoding === 'UTF-16be') return { text: bytes };
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { text: bytes };
  }
}

/** A bound value; text that is not well-formed goes in as bytes. */
export function placeholder(cell: Cell): string {
  return cell !== null && isRawText(cell) ? 'CAST(? AS TEXT)' : '?';
}

export function bound(cell: Cell): SqlValue {
  return cell !== null && isRawText(cell) ? cell.text : cell;
}

/** `WHERE` over these columns; every row where there are none. */
export function whereAll(cells: Cells): { sql: string; values: SqlValue[] } {
  if (cells.size === 0) return { sql: '', values: [] };
  const parts = [...cells].map(
    ([name, cell]) => `${quoted(name)} ${cell === null ? 'IS NULL' : `= ${placeholder(cell)}`}`,
  );
  const values = [...cells.values()].filter((cell) => cell !== null).map(bound);
  return { sql: ` WHERE ${parts.join(' AND ')}`, values };
}

/** The order of rows that a copy and an image keep. */
export function orderOf(info: TableInfo): string {
  return info.rowid === undefined ? info.keys.map(quoted).join(', ') : quoted(info.rowid);
}

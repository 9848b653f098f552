import { InspectorError } from '@checkpoint-inspector/core';
import { sha256 } from '../../files/text.ts';
import type { SqlRow, SqlValue } from '../../sqlite/values.ts';
import { isCount, isText } from '../shape.ts';

/** integer = bigint, real = number, text = string, blob = bytes; text that is not well-formed is kept as its bytes. */
export type Cell = SqlValue | { readonly text: Uint8Array };

/** A row's columns by name. A Map: a column may be called `__proto__`. */
export type Cells = ReadonlyMap<string, Cell>;

export function isRawText(cell: Cell): cell is { readonly text: Uint8Array } {
  return cell !== null && typeof cell === 'object' && !(cell instanceof Uint8Array);
}

/** A row op's values; whole numbers are meant as integers, as in SQL literals. */
export function cellsOf(row: SqlRow): Cells {
  return new Map(
    Object.entries(row).map(([name, value]) => [name, Number.isSafeInteger(value) ? BigInt(Number(value)) : value]),
  );
}

/** The columns as one run of bytes: a JSON header [name, type, length], then the values. Column order does not matter. */
export function encodeCells(cells: Cells): Uint8Array {
  const packed = [...cells].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, cell]) => ({ name, ...pack(cell) }));
  const header = Buffer.from(JSON.stringify(packed.map(({ name, type, bytes }) => [name, type, bytes.length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(header.length);
  return Buffer.concat([length, header, ...packed.map(({ bytes }) => bytes)]);
}

/** @throws InspectorError unreadable */
export function decodeCells(bytes: Uint8Array): Cells {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerEnd = data.length < 4 ? 0 : 4 + data.readUInt32LE(0);
  if (headerEnd === 0 || headerEnd > data.length) throw damaged();
  const cells = new Map<string, Cell>();
  let at = headerEnd;
  for (const [name, type, length] of headerOf(data.toString('utf8', 4, headerEnd))) {
    cells.set(name, unpack(type, data.subarray(at, at + length)));
    at += length;
  }
  if (at > data.length) throw damaged();
  return cells;
}

function headerOf(text: string): readonly (readonly [name: string, type: string, length: number])[] {
  const header: unknown = JSON.parse(text);
  if (!Array.isArray(header)) throw damaged();
  return header.map((column: unknown) => {
    const [name, type, length]: unknown[] = Array.isArray(column) ? column : [];
    if (isText(name) && isText(type) && isCount(length)) return [name, type, length] as const;
    throw damaged();
  });
}

export function hashCells(cells: Cells): string {
  return sha256(encodeCells(cells));
}

function pack(cell: Cell): { type: string; bytes: Uint8Array } {
  if (cell === null) return { type: 'null', bytes: Buffer.alloc(0) };
  if (typeof cell === 'bigint') return { type: 'integer', bytes: Buffer.from(String(cell)) };
  if (typeof cell === 'number') return { type: 'real', bytes: Buffer.from(new Float64Array([cell]).buffer) };
  if (cell instanceof Uint8Array) return { type: 'blob', bytes: cell };
  if (typeof cell !== 'string') return { type: 'raw', bytes: cell.text };
  if (cell.isWellFormed()) return { type: 'text', bytes: Buffer.from(cell) };
  return { type: 'utf16', bytes: Buffer.from(cell, 'utf16le') };
}

function unpack(type: string, bytes: Buffer): Cell {
  if (type === 'null') return null;
  if (type === 'integer') return BigInt(bytes.toString());
  if (type === 'real') return bytes.readDoubleLE(0);
  if (type === 'blob') return bytes;
  if (type === 'raw') return { text: bytes };
  if (type === 'text') return bytes.toString();
  if (type === 'utf16') return bytes.toString('utf16le');
  throw damaged();
}

function damaged(): InspectorError {
  return new InspectorError('unreadable', 'A before-image in the journal is damaged.');
}

/** Equal as a system means it: numbers by value, text by code units, blobs by bytes. */
export function sameValue(cell: Cell | undefined, wanted: SqlValue): boolean {
  if (cell === undefined || (cell !== null && isRawText(cell))) return false;
  if (cell instanceof Uint8Array || wanted instanceof Uint8Array) {
    return cell instanceof Uint8Array && wanted instanceof Uint8Array && Buffer.compare(cell, wanted) === 0;
  }
  const numeric = (value: SqlValue) => typeof value === 'number' || typeof value === 'bigint';
  // eslint-disable-next-line eqeqeq -- the only comparison that is exact between bigint and number
  return numeric(cell) && numeric(wanted) ? cell == wanted : cell === wanted;
}

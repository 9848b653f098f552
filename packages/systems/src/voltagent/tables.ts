import { InspectorError, parseJson, quoteJson, sourceOf, stringOf } from '@checkpoint-inspector/core';
import { tableShapes, type SqliteDatabase, type SqlRow } from '@checkpoint-inspector/io';
import { defined, problemOf } from '../folder/document.ts';
import { compare } from '../folder/rows.ts';
import type { RunHead } from '../run-row/contract.ts';
import { objectText, type Member } from '../run-row/json.ts';
import { isoOf } from '../run-row/time.ts';

/** What VoltAgent calls a column of a row, and whether it holds JSON. Times are the row's, not the state's. */
const FIELDS = [
  ['id', 'id', 'text'],
  ['workflowId', 'workflow_id', 'text'],
  ['workflowName', 'workflow_name', 'text'],
  ['status', 'status', 'text'],
  ['input', 'input', 'json'],
  ['context', 'context', 'json'],
  ['workflowState', 'workflow_state', 'json'],
  ['suspension', 'suspension', 'json'],
  ['events', 'events', 'json'],
  ['output', 'output', 'json'],
  ['cancellation', 'cancellation', 'json'],
  ['userId', 'user_id', 'text'],
  ['conversationId', 'conversation_id', 'text'],
  ['metadata', 'metadata', 'json'],
] as const;

/** The keys of a state, in their order. */
export const KEYS: readonly string[] = FIELDS.map(([key]) => key);

/** What is of every version; later ones may lack others. */
const NEEDED = ['id', 'workflow_id', 'workflow_name', 'status', 'suspension', 'events', 'metadata', 'updated_at'];
const MAX_BYTES = 256 * 1024 * 1024;

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A table of executions; its name begins with a prefix that the program chooses. */
export interface ExecutionTable {
  readonly name: string;
  readonly prefix: string;
  readonly columns: ReadonlySet<string>;
}

/** By name, so that they always open in the same order. */
export function executionTables(database: SqliteDatabase): readonly ExecutionTable[] {
  const shapes = [...tableShapes(database)].toSorted(([a], [b]) => compare(a, b));
  return shapes.flatMap(([name, columns]) => {
    const prefix = /^(.*)_workflow_states$/s.exec(name)?.[1];
    return prefix !== undefined && NEEDED.every((column) => columns.has(column)) ? [{ name, prefix, columns }] : [];
  });
}

interface StoredHead {
  readonly r: bigint;
  readonly id: unknown;
  readonly name: unknown;
  readonly createdAt: unknown;
  readonly updatedAt: unknown;
  readonly size: bigint | null;
}

/** Every row, without its state. */
export function readHeads(database: SqliteDatabase, table: ExecutionTable): readonly RunHead[] {
  const sizes = fieldsIn(table).map(([, column]) => `coalesce(octet_length(${column}), 0)`);
  const created = table.columns.has('created_at') ? 'created_at' : 'NULL';
  const sql = `SELECT rowid AS r, id, workflow_name AS name, ${created} AS createdAt, updated_at AS updatedAt,
    ${sizes.join(' + ')} AS size FROM ${quoted(table.name)}`;
  return database
    .prepare<StoredHead>(sql, { safeIntegers: true })
    .all()
    .map(({ r: rowid, id, name, createdAt, updatedAt, size }) =>
      defined({
        rowid,
        run: typeof id === 'string' ? id : `rowid ${rowid}`,
        name: typeof name === 'string' ? name : '',
        oddKey: typeof id === 'string' ? undefined : 'id',
        createdAt: isoOf(createdAt),
        updatedAt: isoOf(updatedAt),
        sizeBytes: Number(size ?? 0n),
      }),
    );
}

const fieldsIn = ({ columns }: ExecutionTable) => FIELDS.filter(([, column]) => columns.has(column));

/** The columns of a state as stored; `undefined` where the row is gone. */
export function storedColumns(database: SqliteDatabase, table: ExecutionTable, { rowid }: RunHead): SqlRow | undefined {
  const names = fieldsIn(table).map(([, column]) => column);
  return database.prepare<SqlRow>(`SELECT ${names.join(', ')} FROM ${quoted(table.name)} WHERE rowid = ?`).get(rowid);
}

/** The row as VoltAgent reads it: columns that are NULL are left out. @throws InspectorError unreadable | too_large */
export function stateText(database: SqliteDatabase, table: ExecutionTable, head: RunHead): string | undefined {
  if (head.sizeBytes > MAX_BYTES)
    throw new InspectorError('too_large', `The row is ${head.sizeBytes} bytes; up to ${MAX_BYTES} are read.`);
  const row = storedColumns(database, table, head);
  return row && objectText(fieldsIn(table).flatMap((field) => memberIn(row, field)));
}

function memberIn(row: SqlRow, [key, column, kind]: (typeof FIELDS)[number]): readonly Member[] {
  const cell = row[column] ?? null;
  if (cell === null) return [];
  if (typeof cell !== 'string') throw new InspectorError('unreadable', `The column ${column} isn't text.`);
  if (kind === 'text') return [[key, quoteJson(cell)]];
  try {
    parseJson(cell);
  } catch (error) {
    const { message, offset } = problemOf(error);
    throw new InspectorError('unreadable', `The column ${column} isn't JSON. ${message}`, { data: { offset } });
  }
  return [[key, cell.trim()]];
}

/** The columns that hold a state. @throws InspectorError invalid_input: it isn't an execution's */
export function columnsOf(table: ExecutionTable, text: string): SqlRow {
  const root = parseJson(text);
  const fields = fieldsIn(table);
  if (root.kind !== 'object')
    throw new InspectorError('invalid_input', "The state of an execution is a JSON object, and this one isn't.");
  const row = new Map<string, string | null>(fields.map(([, column]) => [column, null]));
  for (const { key, value } of root.members) {
    const field = fields.find(([name]) => name === key);
    if (!field)
      throw new InspectorError('invalid_input', `An execution has no "${key}".`, {
        remedy: `It has ${fields.map(([name]) => name).join(', ')}.`,
      });
    const [, column, kind] = field;
    if (kind === 'text' && value.kind !== 'string')
      throw new InspectorError('invalid_input', `"${key}" must be a text.`);
    row.set(column, kind === 'text' ? stringOf(text, value) : sourceOf(text, value));
  }
  return Object.fromEntries(row);
}

/** A state as it reads once the columns hold it. */
export function asStored(table: ExecutionTable, text: string): string {
  const row = columnsOf(table, text);
  return objectText(fieldsIn(table).flatMap((field) => memberIn(row, field)));
}

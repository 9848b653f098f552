/** A table with a row for each checkpoint, in SQLite or PostgreSQL: a system doesn't know which it is read from. */
import {
  InspectorError,
  sourceOf,
  valueAt,
  type CheckpointRef,
  type Problem,
  type Task,
} from '@checkpoint-inspector/core';
import { decodeUtf8, quotedName } from '@checkpoint-inspector/io';
import { defined, problemOf } from '../folder/document.ts';
import type { Description, Values } from './description.ts';
import type { ListedRow, ListedTask } from './listed.ts';
import {
  COLLECTED,
  collected,
  columnPlace,
  inOneLine,
  readJson,
  statusOf,
  stepOf,
  timesOf,
  valueIn,
  type ColumnPlace,
} from './values.ts';

/** A cell: all but bytes comes as text. */
type Cell = string | Uint8Array | null;

/** Questions to one database. `$1` and so on are the values. */
export interface Sql {
  readonly dialect: Dialect;
  all(sql: string, values: readonly string[]): Promise<readonly Readonly<Record<string, Cell>>[]>;
}

/** What the two databases write differently. */
export interface Dialect {
  readonly text: (column: string) => string;
  readonly bytes: (column: string) => string;
  /** Whether the column holds JSON: '1', '0', or null where only reading it tells. */
  readonly isJson: (column: string) => string;
  /** Columns in which rows are in the order of their saves, where nobody says more. */
  readonly order: readonly string[];
}

export type TableDescription = Description & { readonly table: string };

type Role = keyof Values;
const ROLES: readonly Role[] = ['id', 'task', 'state', 'time', 'parent', 'step', 'name', 'status', 'error'];

/** Columns that a description reads of its table. */
export function columnsOf({ values, order }: Description): readonly string[] {
  const places = ROLES.flatMap((role) => (values[role] === undefined ? [] : [columnPlace(values[role]).column]));
  return [...new Set([...places, ...order])].filter((column) => column !== 'rowid');
}

export interface TableRow extends ListedRow {
  /** How often its id came before in the task: ids of steps that ran again. */
  readonly again: number;
  /** Its place in the task, from 0. */
  readonly at: number;
}

/** One table, as it is asked. */
export class Table {
  readonly description: TableDescription;
  readonly #sql: Sql;
  readonly #places: ReadonlyMap<Role, ColumnPlace>;

  constructor(sql: Sql, description: TableDescription) {
    this.description = description;
    this.#sql = sql;
    const named = ROLES.flatMap((role) => {
      const where = description.values[role];
      return where === undefined ? [] : [[role, columnPlace(where)] as const];
    });
    this.#places = new Map(named);
  }

  /** Whether rows are in the order in which they were inserted. */
  get isInserted(): boolean {
    return this.#sql.dialect.order.length > 0;
  }

  #column(role: Role): string {
    const place = this.#places.get(role);
    if (place === undefined) return quotedName('rowid');
    return quotedName(place.column);
  }

  get #table(): string {
    return quotedName(this.description.table);
  }

  get #order(): string {
    const { order } = this.description;
    const time = this.#places.has('time') ? [columnPlace(this.description.values.time ?? '').column] : [];
    const columns = order.length > 0 ? order : this.#sql.dialect.order.length > 0 ? this.#sql.dialect.order : time;
    return [...columns.map(quotedName), this.#column('id')].join(', ');
  }

  /** The task of a row that has none is called ''. */
  #ofTask(task: string): { readonly where: string; readonly values: readonly string[] } {
    const column = this.#column('task');
    return task === ''
      ? { where: `(${column} IS NULL OR ${this.#sql.dialect.text(column)} = '')`, values: [] }
      : { where: `${column} = $1`, values: [task] };
  }

  /** Counted by the database: reading every row takes a second for each 40,000. */
  async tasks(): Promise<readonly ListedTask[]> {
    const { text, bytes, isJson } = this.#sql.dialect;
    const [state, time] = [this.#column('state'), this.#places.get('time')];
    const newestOf = time && time.path === undefined ? text(`max(${quotedName(time.column)})`) : 'NULL';
    const isBad = `${state} IS NULL OR coalesce(${isJson(state)}, '1') = '0'`;
    const sql = `SELECT coalesce(${text(this.#column('task'))}, '') AS id, ${newestOf} AS time, ${text('count(*)')} AS rows,
      ${text(`count(DISTINCT ${this.#column('id')})`)} AS ids, ${text(`sum(${bytes(state)})`)} AS size,
      ${text(`sum(CASE WHEN ${isBad} THEN 1 ELSE 0 END)`)} AS bad FROM ${this.#table} GROUP BY 1`;
    const newest = await this.#newest(isBad);
    return (await this.#sql.all(sql, [])).map((row): ListedTask => {
      const id = textOf(row['id']) ?? '';
      const { createdAt } = timesOf(textOf(row['time']), this.description.utc);
      // An id that comes twice is told apart by its place, which only the rows tell.
      const isPlain = row['rows'] === row['ids'];
      return defined({
        id,
        title: id || 'Rows without a task',
        updatedAt: createdAt,
        kind: id ? undefined : ('unassigned' as const),
        ...(newest && isPlain ? { ...countsOf(row), ...newest.get(id) } : {}),
      });
    });
  }

  /** The newest readable row of each task; `undefined` where what it says is inside its state. */
  async #newest(isBad: string): Promise<ReadonlyMap<string, Partial<Task>> | undefined> {
    const roles = (['id', 'status', 'error'] as const).filter((role) => role === 'id' || this.#places.has(role));
    if (roles.some((role) => this.#places.get(role)?.path !== undefined)) return undefined;
    const { text } = this.#sql.dialect;
    const asked = roles.map((role) => `${text(this.#column(role))} AS ${quotedName(role)}`).join(', ');
    const task = `coalesce(${text(this.#column('task'))}, '')`;
    const backwards = this.#order
      .split(', ')
      .map((column) => `${column} DESC`)
      .join(', ');
    const sql = `SELECT * FROM (SELECT ${task} AS task, ${asked}, row_number() OVER (PARTITION BY ${task} ORDER BY ${backwards}) AS nth
      FROM ${this.#table} WHERE NOT (${isBad})) AS readable WHERE nth = 1`;
    const found = await this.#sql.all(sql, []);
    return new Map(
      found.map((row) => {
        const error = inOneLine(textOf(row['error']));
        const status = error === undefined ? statusOf(textOf(row['status']), this.description.statuses) : 'failed';
        return [textOf(row['task']) ?? '', defined({ latestId: textOf(row['id']), status, lastError: error })];
      }),
    );
  }

  async rows(task: string): Promise<readonly TableRow[]> {
    const { dialect } = this.#sql;
    const { where, values } = this.#ofTask(task);
    const asked = ROLES.flatMap((role) => {
      const place = this.#places.get(role);
      // The state is read by itself; other values in it are looked for in its text.
      if ((place === undefined && role !== 'id') || (role === 'state' && place?.path === undefined)) return [];
      return [`${dialect.text(this.#column(role))} AS ${quotedName(role)}`];
    });
    const state = this.#column('state');
    const sql = `SELECT ${asked.join(', ')}, ${dialect.text(dialect.bytes(state))} AS size, ${dialect.isJson(state)} AS valid
      FROM ${this.#table} WHERE ${where} ORDER BY ${this.#order}`;
    const ids = new Map<string, number>();
    return (await this.#sql.all(sql, values)).map((row, at) => {
      const own = textOf(row['id']) ?? '';
      const again = ids.get(own) ?? 0;
      ids.set(own, again + 1);
      return this.#row(task, row, again === 0 ? own : `${own}#${again + 1}`, { again, at });
    });
  }

  #row(task: string, row: Readonly<Record<string, Cell>>, id: string, place: Pick<TableRow, 'again' | 'at'>): TableRow {
    const { statuses, utc } = this.description;
    const valueOf = (role: Role): string | undefined => {
      const path = this.#places.get(role)?.path;
      const cell = textOf(row[role]);
      return path === undefined || cell === undefined ? cell : inJson(cell, path);
    };
    const [parent, error] = [valueOf('parent'), inOneLine(valueOf('error'))];
    const problem: Problem | undefined =
      row['valid'] === '0' || row['size'] === null
        ? { code: 'unreadable', message: "Its state isn't JSON." }
        : undefined;
    const status = error === undefined ? statusOf(valueOf('status'), statuses) : 'failed';
    return defined({
      id,
      ...place,
      parent: this.#places.has('parent') ? (parent ? { task, id: parent } : ('none' as const)) : undefined,
      ...timesOf(valueOf('time'), utc),
      stepIndex: stepOf(valueOf('step')),
      description: error ?? inOneLine(valueOf('name')),
      status: problem ? ('unknown' as const) : status,
      sizeBytes: Number(row['size'] ?? 0),
      problem,
    });
  }

  async row(ref: CheckpointRef): Promise<TableRow | undefined> {
    return ref.namespace ? undefined : (await this.rows(ref.task)).find(({ id }) => id === ref.id);
  }

  /** The id as the table has it. */
  idOf = ({ id, again }: TableRow): string => (again === 0 ? id : id.slice(0, id.lastIndexOf('#')));

  /** What the column of the state holds. */
  async stored(ref: CheckpointRef): Promise<Cell | undefined> {
    if (ref.namespace) return undefined;
    const [, own = '', nth = '1'] = /^(.*)#(\d{1,9})$/s.exec(ref.id) ?? [];
    // A program may call a row `a#2` itself.
    const cell = await this.#nth(ref.task, ref.id, 1);
    return cell !== undefined || Number(nth) < 2 ? cell : this.#nth(ref.task, own, Number(nth));
  }

  async #nth(task: string, id: string, nth: number): Promise<Cell | undefined> {
    const { where, values } = this.#ofTask(task);
    const sql = `SELECT ${this.#column('state')} AS state FROM ${this.#table}
      WHERE ${where} AND ${this.#sql.dialect.text(this.#column('id'))} = $${values.length + 1}
      ORDER BY ${this.#order} LIMIT 1 OFFSET ${nth - 1}`;
    return (await this.#sql.all(sql, [...values, id]))[0]?.['state'];
  }

  /** Of ids that are numbers. @throws InspectorError unsupported */
  async greatestId(): Promise<bigint> {
    const { text } = this.#sql.dialect;
    const [row] = await this.#sql.all(`SELECT ${text(`max(${this.#column('id')})`)} AS id FROM ${this.#table}`, []);
    const id = textOf(row?.['id']);
    if (id !== undefined && /^\d{1,18}$/.test(id)) return BigInt(id);
    throw new InspectorError('unsupported', "The ids of this table aren't whole numbers, so there is no next one.");
  }

  /** @throws InspectorError unreadable */
  async state(ref: CheckpointRef): Promise<Stored | undefined> {
    const { collect } = this.description;
    if (collect === undefined) return this.#own(ref, await this.stored(ref));
    const row = await this.row(ref);
    if (row === undefined) return undefined;
    const state = await this.#own(ref, await this.stored(ref));
    if (state === undefined) return undefined;
    const { where, values } = this.#ofTask(ref.task);
    const sql = `SELECT ${this.#column('state')} AS state FROM ${this.#table}
      WHERE ${where} ORDER BY ${this.#order} LIMIT ${row.at + 1}`;
    const texts: string[] = [];
    for (const { state: cell } of await this.#sql.all(sql, values)) {
      const one = await this.#own(ref, cell).catch(() => undefined);
      if (one) texts.push(one.text);
    }
    return { text: collected(collect, texts), derived: COLLECTED };
  }

  async #own(ref: CheckpointRef, cell: Cell | undefined): Promise<Stored | undefined> {
    if (cell === undefined) return undefined;
    const text = cell === null ? '' : typeof cell === 'string' ? cell : decodeUtf8(cell);
    try {
      const { root } = readJson(text);
      const path = this.#places.get('state')?.path;
      const node = path === undefined ? root : valueAt(text, root, path);
      if (node === undefined)
        throw new InspectorError('unreadable', `The row has nothing at ${this.description.values.state}.`);
      return { text: path === undefined ? text : sourceOf(text, node) };
    } catch (cause) {
      const { code, message, offset } = problemOf(cause);
      throw new InspectorError(code, message, { cause, data: defined({ ...ref, offset }) });
    }
  }

  async find(id: string): Promise<readonly CheckpointRef[]> {
    const { text } = this.#sql.dialect;
    const sql = `SELECT DISTINCT ${text(this.#column('task'))} AS task FROM ${this.#table} WHERE ${text(this.#column('id'))} = $1`;
    const found: CheckpointRef[] = [];
    for (const row of await this.#sql.all(sql, [id.replace(/#\d+$/, '')])) {
      const ref = { task: textOf(row['task']) ?? '', id };
      if (await this.row(ref)) found.push(ref);
    }
    return found;
  }
}

const countsOf = (row: Readonly<Record<string, Cell>>): Partial<Task> => ({
  checkpointCount: Number(row['rows']),
  unreadable: Number(row['bad']),
  sizeBytes: Number(row['size'] ?? 0),
});

interface Stored {
  readonly text: string;
  readonly derived?: string;
}

const textOf = (cell: Cell | undefined): string | undefined =>
  cell === null || cell === undefined ? undefined : typeof cell === 'string' ? cell : Buffer.from(cell).toString();

/** A state that can't be read is told by its row; what it is called doesn't matter then. */
function inJson(text: string, path: NonNullable<ColumnPlace['path']>): string | undefined {
  try {
    return valueIn(readJson(text), path);
  } catch {
    return undefined;
  }
}

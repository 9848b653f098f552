/** The rows of our own store whose states are shared nodes, as the rows that have their state's text. */
import { InspectorError, type SharedState } from '@checkpoint-inspector/core';
import type { SharedText, StateRow } from '../../nodes/index.ts';
import type { SqlRow } from '../../sqlite/values.ts';
import { cellsOf, type Cell, type Cells } from './cells.ts';
import type { Step } from './ledger.ts';
import type { RowPlace, RowState } from './mark.ts';
import { only, type Tables } from './tables.ts';
import { got, type May, type Work } from './work.ts';

const TABLE = 'checkpoints';

/** Columns that the first format doesn't have, as they are in a row of its kind: there nothing is known of them. */
const LATER: ReadonlyMap<string, Cell> = new Map<string, Cell>([
  ['namespace', ''],
  ['parent_namespace', null],
  ['beside', null],
]);

/** Where an engine keeps the states of such rows, inside its transaction. */
export interface Nodes {
  /** @throws InspectorError unreadable */
  text(state: StateRow): May<string>;
  /** A stored state as the next one is compared with it. @throws InspectorError unreadable */
  read(root: number): May<SharedState>;
  /** Writes what the text has more than the state before it. */
  write(text: string, before: SharedState | undefined): May<SharedText>;
  /** Rows changed so far that nobody planned: nodes, texts, and what the store's own triggers count. */
  readonly unplanned?: number;
  /** Around a change to so many checkpoints, where its triggers can't be told from others'. */
  begin?(): void;
  end?(rows: number): void;
}

/** Does the work of its engine, at once or waiting. */
type Run = <T>(work: Work<T>) => May<T>;

/**
 * What a plan, an image and a receipt know of a checkpoint is the row of format 1: its columns with `text`. Here the
 * text is put together from nodes, or shared into them.
 */
export class NodeTables implements Tables {
  readonly #rows: Tables;
  readonly #nodes: Nodes;
  readonly #run: Run;
  /** What was written last: rows that are put back one after the other are alike. */
  #written: SharedText | undefined;
  #removed = 0;

  constructor(rows: Tables, nodes: Nodes, run: Run) {
    this.#rows = rows;
    this.#nodes = nodes;
    this.#run = run;
  }

  /** Checkpoints that are gone or replaced: some of their nodes may have no use any more. */
  get removed(): number {
    return this.#removed;
  }

  select(table: string, key: SqlRow): May<RowState[]> {
    return this.#run(this.#read(table, this.#rows.select(table, key)));
  }

  find(table: string, place: RowPlace): May<RowState | undefined> {
    return this.#run(this.#find(table, place));
  }

  max(table: string, key: SqlRow, column: string): May<Cell> {
    return this.#rows.max(table, key, column);
  }

  insert(table: string, row: SqlRow): May<RowState> {
    return this.put(table, { key: new Map(), cells: cellsOf(row) }, false);
  }

  /** Without a text of its own a copy has the root of its source, and no node is written. */
  copy(table: string, key: SqlRow, set: SqlRow): May<RowState[]> {
    return this.#run(this.#setting(table, key, set, (stored) => this.#rows.copy(table, key, stored)));
  }

  update(table: string, key: SqlRow, set: SqlRow): May<RowState[]> {
    if (table === TABLE && 'text' in set) this.#removed++;
    return this.#run(this.#setting(table, key, set, (stored) => this.#rows.update(table, key, stored)));
  }

  delete(table: string, key: SqlRow): May<RowState[]> {
    return this.#run(this.#delete(table, key));
  }

  put(table: string, state: RowState, keepRowid: boolean): May<RowState> {
    return this.#run(this.#put(table, state, keepRowid));
  }

  overwrite(table: string, place: RowPlace, cells: Cells): May<RowState> {
    return this.#run(this.#overwrite(table, place, cells));
  }

  drop(table: string, place: RowPlace): May<void> {
    return this.#run(this.#drop(table, place));
  }

  count(table: string, key: SqlRow): May<number> {
    return this.#rows.count(table, key);
  }

  write(steps: readonly Step[]): May<void> {
    return this.#run(this.#write(steps));
  }

  rowidTaken(table: string, rowid: bigint): May<boolean> {
    return this.#rows.rowidTaken(table, rowid);
  }

  changes(): May<number> {
    return this.#run(this.#counted());
  }

  *#counted(): Work<number> {
    return (yield* got(this.#rows.changes())) - (this.#nodes.unplanned ?? 0);
  }

  *#find(table: string, place: RowPlace): Work<RowState | undefined> {
    const row = yield* got(this.#rows.find(table, place));
    return row && (yield* this.#read(table, [row]))[0];
  }

  *#setting(table: string, key: SqlRow, set: SqlRow, change: (stored: SqlRow) => May<RowState[]>): Work<RowState[]> {
    const { text, ...rest } = set;
    if (table !== TABLE || text === undefined) return yield* this.#changed(table, () => change(set));
    const [source] = yield* got(this.#rows.select(table, key));
    const { root, whole } = yield* this.#share(text, rootOf(source));
    return yield* this.#changed(table, () => change({ ...rest, root, whole }));
  }

  *#delete(table: string, key: SqlRow): Work<RowState[]> {
    const gone = yield* this.#changed(table, () => this.#rows.delete(table, key));
    if (table === TABLE) this.#removed += gone.length;
    return gone;
  }

  *#put(table: string, state: RowState, keepRowid: boolean): Work<RowState> {
    const near = table === TABLE ? (this.#written?.root ?? (yield* this.#latest(state.cells.get('task')))) : undefined;
    const cells = yield* this.#stored(table, state.cells, near);
    return only(yield* this.#changed(table, () => this.#rows.put(table, { ...state, cells }, keepRowid)), table);
  }

  *#overwrite(table: string, place: RowPlace, cells: Cells): Work<RowState> {
    const near = table === TABLE ? rootOf(yield* got(this.#rows.find(table, place))) : undefined;
    if (table === TABLE) this.#removed++;
    const stored = yield* this.#stored(table, table === TABLE ? new Map([...LATER, ...cells]) : cells, near);
    return only(yield* this.#changed(table, () => this.#rows.overwrite(table, place, stored)), table);
  }

  /** Of a row that goes, every column but its text is compared; `state_hash` speaks for that. */
  *#write(steps: readonly Step[]): Work<void> {
    const plain = (state: RowState): RowState => ({
      ...state,
      cells: new Map([...state.cells].filter(([name]) => name !== 'text')),
    });
    for (const step of steps) {
      const { table, before, after } = step;
      if (table !== TABLE) {
        yield* got(this.#rows.write([step]));
        continue;
      }
      const near =
        after && !before ? (this.#written?.root ?? (yield* this.#latest(after.cells.get('task')))) : undefined;
      const stored =
        after && (before ? plain(after) : { ...after, cells: yield* this.#stored(table, after.cells, near) });
      this.#nodes.begin?.();
      const known = { table, ...(before ? { before: plain(before) } : {}), ...(stored ? { after: stored } : {}) };
      yield* got(this.#rows.write([known]));
      this.#nodes.end?.(1);
      if (before && !after) this.#removed++;
    }
  }

  *#drop(table: string, place: RowPlace): Work<void> {
    if (table !== TABLE) return yield* got(this.#rows.drop(table, place));
    this.#nodes.begin?.();
    yield* got(this.#rows.drop(table, place));
    this.#nodes.end?.(1);
    this.#removed++;
  }

  /** Rows that were changed, as they are known outside. */
  *#changed(table: string, change: () => May<RowState | RowState[]>): Work<RowState[]> {
    if (table === TABLE) this.#nodes.begin?.();
    const rows = [yield* got(change())].flat();
    if (table === TABLE) this.#nodes.end?.(rows.length);
    return yield* this.#read(table, rows);
  }

  *#read(table: string, stored: May<RowState[]>): Work<RowState[]> {
    const rows = yield* got(stored);
    if (table !== TABLE) return rows;
    const known: RowState[] = [];
    for (const { cells, ...place } of rows) {
      const { root, whole, ...logical } = Object.fromEntries(cells);
      const size = Number(logical['size_bytes']);
      const state = { root: Number(root), whole: whole === null ? null : Number(whole), size_bytes: size };
      const text = yield* got(this.#nodes.text(state));
      const kept = Object.entries(logical).filter(([name, cell]) => !LATER.has(name) || LATER.get(name) !== cell);
      known.push({ ...place, cells: new Map<string, Cell>([...kept, ['text', text]]) });
    }
    return known;
  }

  *#stored(table: string, cells: Cells, near: number | undefined): Work<Cells> {
    const text = cells.get('text');
    if (table !== TABLE || text === undefined) return cells;
    const { root, whole } = yield* this.#share(text, near);
    const rest = [...cells].filter(([name]) => name !== 'text');
    return new Map<string, Cell>([...rest, ['root', BigInt(root)], ['whole', whole === null ? null : BigInt(whole)]]);
  }

  *#share(text: Cell, near: number | undefined): Work<SharedText> {
    if (typeof text !== 'string') throw new InspectorError('unsupported', 'A state can only be put back as text.');
    const before = near === undefined ? undefined : yield* this.#known(near);
    this.#written = yield* got(this.#nodes.write(text, before));
    return this.#written;
  }

  /** A damaged state is nothing to compare with, and no reason not to write another one. */
  *#known(root: number): Work<SharedState | undefined> {
    if (this.#written?.root === root) return this.#written.state;
    try {
      return yield* got(this.#nodes.read(root));
    } catch (error) {
      if (InspectorError.is(error) && error.code === 'unreadable') return undefined;
      throw error;
    }
  }

  *#latest(task: Cell | undefined): Work<number | undefined> {
    const key: SqlRow = typeof task === 'string' ? { task } : {};
    const seq = yield* got(this.#rows.max(TABLE, key, 'seq'));
    return typeof seq === 'bigint' ? rootOf((yield* got(this.#rows.select(TABLE, { seq })))[0]) : undefined;
  }
}

function rootOf(row: RowState | undefined): number | undefined {
  const root = row?.cells.get('root');
  return typeof root === 'bigint' ? Number(root) : undefined;
}

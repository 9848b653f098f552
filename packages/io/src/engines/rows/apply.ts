import { InspectorError } from '@checkpoint-inspector/core';
import { nothingDone, sideOf, type Applied, type ApplyHooks, type Settled, type Side } from '../executor.ts';
import { decodeCells, encodeCells, sameValue } from './cells.ts';
import type { RowCheck, RowStep, RowSteps } from './job.ts';
import {
  doneLines,
  placeOf,
  spotOf,
  type RowImage,
  type RowMark,
  type RowPlace,
  type RowSpot,
  type RowState,
} from './mark.ts';
import { holds, type Tables } from './tables.ts';

/** In the caller's transaction, which a throw rolls back. @throws InspectorError changed | head_moved | unsupported */
export function applyRows(tables: Tables, { checks, ops }: RowSteps): RowImage[] {
  for (const check of checks) runCheck(tables, check);
  const start = tables.changes();
  const ledger = new Ledger();
  let planned = 0;
  for (const op of ops) {
    const steps = runStep(tables, op);
    planned += steps.length;
    for (const step of steps) ledger.add(step);
  }
  const changed = tables.changes() - start;
  if (changed !== planned) {
    throw new InspectorError(
      'unsupported',
      `Triggers or cascades of the database would change ${changed - planned} more rows.`,
    );
  }
  return ledger.images();
}

/** Which side of each change is stored. Reads only. */
export function compareRows(tables: Tables, marks: readonly RowMark[]): Side[] {
  return marks.map(({ table, before, after }) => {
    const spot = after ?? before;
    const absent = spot !== undefined && tables.find(table, placeOf(spot)) === undefined;
    const is = sideOf(before ? holds(tables, table, before) : absent, after ? holds(tables, table, after) : absent);
    return { is, what: table };
  });
}

function runStep(tables: Tables, op: RowStep): Step[] {
  if (op.op === 'undo') return undoRows(tables, op.images);
  const { table } = op;
  if (op.op === 'insert') return [{ table, after: tables.insert(table, op.row) }];
  const rows = tables.select(table, op.key);
  if (op.op === 'copy') {
    if (op.many !== true) expectRows(table, rows.length, 1);
    const copies = tables.copy(table, op.key, op.set);
    expectRows(table, copies.length, rows.length);
    return copies.map((after) => ({ table, after }));
  }
  if (op.op === 'delete') {
    expectRows(table, rows.length, op.expect ?? 1);
    expectRows(table, tables.delete(table, op.key), rows.length);
    return rows.map((before) => ({ table, before }));
  }
  expectRows(table, rows.length, 1);
  const [before] = rows;
  const [after] = tables.update(table, op.key, op.set);
  return [{ table, ...(before ? { before } : {}), ...(after ? { after } : {}) }];
}

function expectRows(table: string, found: number, expected: number): void {
  if (found === expected) return;
  throw new InspectorError('changed', `The plan expects ${expected} rows in "${table}", there are ${found}.`, {
    data: { table, expected, found },
  });
}

function runCheck(tables: Tables, check: RowCheck): void {
  const { table, key } = check;
  if (check.check === 'max') return checkMax(tables, check);
  const rows = tables.select(table, key);
  if (check.check === 'absent') return expectRows(table, rows.length, 0);
  expectRows(table, rows.length, 1);
  const cells = rows[0]?.cells;
  const other = Object.entries(check.equals).find(([name, value]) => !sameValue(cells?.get(name), value));
  if (!other) return;
  throw new InspectorError('changed', `Column "${other[0]}" of the row in "${table}" has changed.`, {
    data: { table, column: other[0] },
  });
}

function checkMax(tables: Tables, check: Extract<RowCheck, { check: 'max' }>): void {
  const now = tables.max(check.table, check.key, check.column);
  if (sameValue(now, check.value ?? null)) return;
  throw new InspectorError('head_moved', 'A checkpoint was saved since the preview.', {
    data: { planned: show(check.value ?? null), now: show(now) },
  });
}

function show(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? String(value) : 'bytes';
}

/** A transaction either happened or did not. */
export function settledRows(images: readonly RowImage[], sides: readonly Side[]): Settled {
  const count = (is: Side['is']) => sides.filter((side) => side.is === is).length;
  if (count('after') === 0 || count('after') < count('before')) return nothingDone(images);
  return { outcome: 'completed', skipped: [], failed: [], done: doneLines(images) };
}

/** One transaction; a throw rolls it back. */
export type Transact = <T>(work: (tables: Tables) => T) => T;

/** One transaction, never held open while images are made durable elsewhere: then the steps are rehearsed first. */
export async function changeRows(transact: Transact, steps: RowSteps, hooks: ApplyHooks): Promise<Applied> {
  const first = attempt(transact, (tables) => {
    const images = applyRows(tables, steps);
    const kept = hooks.prepared(images);
    if (!kept) hooks.onStep?.('intent');
    return { images, kept, isDone: !kept };
  });
  await first.kept;
  if (!first.isDone) {
    hooks.onStep?.('intent');
    transact((tables) => assertSame(applyRows(tables, steps), first.images));
  }
  hooks.onStep?.('written');
  return { images: first.images, skipped: [], failed: [], done: doneLines(first.images) };
}

/** Rolls back what is not done. */
function attempt<T extends { readonly isDone: boolean }>(transact: Transact, work: (tables: Tables) => T): T {
  let result: T | undefined;
  try {
    return transact((tables) => {
      result = work(tables);
      if (result.isDone) return result;
      throw new Error('rehearsed');
    });
  } catch (error) {
    if (result && !result.isDone) return result;
    throw error;
  }
}

function assertSame(now: readonly RowImage[], rehearsed: readonly RowImage[]): void {
  const marks = (images: readonly RowImage[]) => JSON.stringify(images.map(({ mark }) => mark));
  if (marks(now) === marks(rehearsed)) return;
  throw new InspectorError('changed', 'The store was changed while the change was being recorded.');
}

/** Added rows go, changed ones change back, removed ones return in their order. @throws InspectorError changed */
export function undoRows(tables: Tables, images: readonly RowImage[]): Step[] {
  for (const { mark } of images) verify(tables, mark);
  const { added, altered, removed } = sort(images);
  return [
    ...added.flatMap((image) => drop(tables, image)),
    ...altered.flatMap((image) => changeBack(tables, image)),
    ...putBack(tables, removed),
  ];
}

/** A row that was deleted and saved anew under another rowid goes and comes back, so that it keeps its place. */
function sort(images: readonly RowImage[]) {
  const stays = ({ mark: { before, after } }: RowImage) => before && after && before.rowid === after.rowid;
  return {
    added: images.filter((image) => image.mark.after && !stays(image)),
    altered: images.filter(stays),
    removed: images.filter((image) => image.mark.before && !stays(image)),
  };
}

function verify(tables: Tables, { table, before, after }: RowImage['mark']): void {
  if (after && holds(tables, table, after)) return;
  // A row without primary key is told from others by its rowid alone, which may be given out again.
  if (!after && before && (placeOf(before).key.size === 0 || find(tables, table, before) === undefined)) return;
  throw new InspectorError('changed', `A row of "${table}" was changed after that change.`, { data: { table } });
}

function find(tables: Tables, table: string, spot: RowSpot | undefined): RowState | undefined {
  return spot && tables.find(table, placeOf(spot));
}

function drop(tables: Tables, { mark }: RowImage): Step[] {
  const before = find(tables, mark.table, mark.after);
  if (!before) return [];
  tables.drop(mark.table, before);
  return [{ table: mark.table, before }];
}

function changeBack(tables: Tables, { mark, content }: RowImage): Step[] {
  const before = find(tables, mark.table, mark.after);
  if (!before || !content) return [];
  return [{ table: mark.table, before, after: tables.overwrite(mark.table, before, decodeCells(content)) }];
}

/** If one of the rowids was given out meanwhile, all rows of that table get new ones: their order counts. */
function putBack(tables: Tables, images: readonly RowImage[]): Step[] {
  const names = new Set(images.map(({ mark }) => mark.table));
  return [...names].flatMap((table) => {
    const rows = images.filter(({ mark }) => mark.table === table);
    const states = rows.flatMap(stateBefore).sort((a, b) => Number((a.rowid ?? 0n) - (b.rowid ?? 0n)));
    const keep = states.every(({ rowid }) => rowid === undefined || !tables.rowidTaken(table, rowid));
    return states.map((state) => ({ table, after: tables.put(table, state, keep) }));
  });
}

function stateBefore({ mark, content }: RowImage): RowState[] {
  if (!mark.before || !content) return [];
  return [{ ...placeOf(mark.before), cells: decodeCells(content) }];
}

/** One row before and after one op. */
export interface Step {
  readonly table: string;
  readonly before?: RowState;
  readonly after?: RowState;
}

/** Collects the steps of one transaction: a row touched twice has one image, from its first state to its last. */
export class Ledger {
  readonly #steps: Step[] = [];
  /** Place of a row now, or of one that went, to the index of its step. */
  readonly #places = new Map<string, number>();

  add(step: Step): void {
    const from = step.before ?? step.after;
    if (!from) return;
    const known = this.#places.get(placeId(step.table, from));
    const earlier = known === undefined ? undefined : this.#steps[known];
    const index = known ?? this.#steps.length;
    const before = earlier ? earlier.before : step.before;
    this.#steps[index] = {
      table: step.table,
      ...(before ? { before } : {}),
      ...(step.after ? { after: step.after } : {}),
    };
    this.#places.delete(placeId(step.table, from));
    this.#places.set(placeId(step.table, step.after ?? from), index);
  }

  images(): RowImage[] {
    return this.#steps.filter(({ before, after }) => before ?? after).map(toImage);
  }
}

function toImage({ table, before, after }: Step): RowImage {
  return {
    mark: {
      kind: 'row',
      table,
      ...(before ? { before: spotOf(before) } : {}),
      ...(after ? { after: spotOf(after) } : {}),
    },
    ...(before ? { content: encodeCells(before.cells) } : {}),
  };
}

function placeId(table: string, { rowid, key }: RowPlace): string {
  const place = key.size > 0 ? Buffer.from(encodeCells(key)).toString('base64') : String(rowid);
  return JSON.stringify([table, place]);
}

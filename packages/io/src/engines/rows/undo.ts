import { InspectorError } from '@checkpoint-inspector/core';
import { decodeCells, hashCells } from './cells.ts';
import type { Step } from './ledger.ts';
import { placeOf, type RowImage, type RowSpot, type RowState } from './mark.ts';
import type { Tables } from './tables.ts';
import { got, type Work } from './work.ts';

/**
 * Added rows go, changed ones change back, removed ones return in their order. Last first: where rows belong to others
 * these were there before them. @throws InspectorError changed
 */
export function* undoRows(tables: Tables, images: readonly RowImage[]): Work<Step[]> {
  for (const { mark } of images) yield* verify(tables, mark);
  const { added, altered, removed } = sort(images.toReversed());
  const steps: Step[] = [];
  for (const image of added) steps.push(...(yield* drop(tables, image)));
  for (const image of altered) steps.push(...(yield* changeBack(tables, image)));
  steps.push(...(yield* putBack(tables, removed)));
  return steps;
}

/** The same by reading alone, row by row. @throws InspectorError changed */
export function* foreseeUndo(tables: Tables, images: readonly RowImage[]): Work<Step[]> {
  const steps: Step[] = [];
  for (const image of images) {
    const { table } = image.mark;
    const before = yield* verify(tables, image.mark);
    const after = stateBefore(image);
    steps.push({ table, ...(before ? { before } : {}), ...(after ? { after } : {}) });
  }
  return steps;
}

/** A row that was deleted and saved again under another rowid goes and comes back, so that it keeps its place. */
function sort(images: readonly RowImage[]) {
  const stays = ({ mark: { before, after } }: RowImage) => before && after && before.rowid === after.rowid;
  return {
    added: images.filter((image) => image.mark.after && !stays(image)),
    altered: images.filter(stays),
    removed: images.filter((image) => image.mark.before && !stays(image)),
  };
}

/** The row as the change left it; `undefined` where it took the row away. */
function* verify(tables: Tables, { table, before, after }: RowImage['mark']): Work<RowState | undefined> {
  const now = yield* find(tables, table, after);
  if (after && now && hashCells(now.cells) === after.sha256) return now;
  // A row without primary key is told from others by its rowid alone, which may be given out again.
  if (!after && before && (placeOf(before).key.size === 0 || (yield* find(tables, table, before)) === undefined))
    return undefined;
  throw new InspectorError('changed', `A row in "${table}" was changed after that change.`, { data: { table } });
}

function* find(tables: Tables, table: string, spot: RowSpot | undefined): Work<RowState | undefined> {
  return spot && (yield* got(tables.find(table, placeOf(spot))));
}

function* drop(tables: Tables, { mark }: RowImage): Work<Step[]> {
  const before = yield* find(tables, mark.table, mark.after);
  if (!before) return [];
  yield* got(tables.drop(mark.table, before));
  return [{ table: mark.table, before }];
}

function* changeBack(tables: Tables, { mark, content }: RowImage): Work<Step[]> {
  const before = yield* find(tables, mark.table, mark.after);
  if (!before || !content) return [];
  const after = yield* got(tables.overwrite(mark.table, before, decodeCells(content)));
  return [{ table: mark.table, before, after }];
}

/** If one of the rowids was given out meanwhile, all rows of that table get new ones: their order counts. */
function* putBack(tables: Tables, images: readonly RowImage[]): Work<Step[]> {
  const steps: Step[] = [];
  for (const table of new Set(images.map(({ mark }) => mark.table))) {
    const rows = images.filter(({ mark }) => mark.table === table);
    const states = rows
      .flatMap((row) => stateBefore(row) ?? [])
      .sort((a, b) => Number((a.rowid ?? 0n) - (b.rowid ?? 0n)));
    const keep = !(yield* anyTaken(tables, table, states));
    for (const state of states) steps.push({ table, after: yield* got(tables.put(table, state, keep)) });
  }
  return steps;
}

function* anyTaken(tables: Tables, table: string, states: readonly RowState[]): Work<boolean> {
  for (const { rowid } of states) {
    if (rowid !== undefined && (yield* got(tables.rowidTaken(table, rowid)))) return true;
  }
  return false;
}

/** `undefined` for a row that the change added. */
export function stateBefore({ mark, content }: RowImage): RowState | undefined {
  return mark.before && content && { ...placeOf(mark.before), cells: decodeCells(content) };
}

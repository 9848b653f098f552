import { InspectorError } from '@checkpoint-inspector/core';
import { decodeCells } from './cells.ts';
import type { Step } from './ledger.ts';
import { placeOf, type RowImage, type RowSpot, type RowState } from './mark.ts';
import { holds, type Tables } from './tables.ts';

/**
 * Puts the rows of the images back inside the caller's transaction: added rows go, changed rows change back, removed
 * rows return under their rowids, in their order.
 * @throws InspectorError changed if a row is no longer as the images left it
 */
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

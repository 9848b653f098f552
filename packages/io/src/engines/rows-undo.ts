import { InspectorError } from '@checkpoint-inspector/core';
import type { RowImage } from './images.ts';
import type { Step } from './ledger.ts';
import { holds, type RowEngine, type RowState } from './row-engine.ts';

/**
 * Puts the rows of the images back inside the caller's transaction: added rows go, changed rows change back, removed
 * rows return under their rowids, in their order.
 * @throws InspectorError changed if a row is no longer as the images left it
 */
export function undoRows(engine: RowEngine, images: readonly RowImage[]): Step[] {
  for (const { mark } of images) verify(engine, mark);
  const { added, altered, removed } = sort(images);
  return [
    ...added.flatMap((image) => drop(engine, image)),
    ...altered.flatMap((image) => changeBack(engine, image)),
    ...putBack(engine, removed),
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

function verify(engine: RowEngine, { table, before, after }: RowImage['mark']): void {
  if (after && holds(engine, table, after)) return;
  // A row without primary key is told from others by its rowid alone, which may be given out again.
  if (!after && before && (before.key.size === 0 || engine.find(table, before) === undefined)) return;
  throw new InspectorError('changed', `A row of "${table}" was changed after that change.`, { data: { table } });
}

function drop(engine: RowEngine, { mark }: RowImage): Step[] {
  const before = mark.after && engine.find(mark.table, mark.after);
  if (!before) return [];
  engine.drop(mark.table, before);
  return [{ table: mark.table, before }];
}

function changeBack(engine: RowEngine, { mark, cells }: RowImage): Step[] {
  const before = mark.after && engine.find(mark.table, mark.after);
  if (!before || !cells) return [];
  return [{ table: mark.table, before, after: engine.overwrite(mark.table, before, cells) }];
}

/** If one of the rowids was given out meanwhile, all rows of that table get new ones: their order counts. */
function putBack(engine: RowEngine, images: readonly RowImage[]): Step[] {
  const tables = new Set(images.map(({ mark }) => mark.table));
  return [...tables].flatMap((table) => {
    const rows = images.filter(({ mark }) => mark.table === table);
    const states = rows.flatMap(stateBefore).sort((a, b) => Number((a.rowid ?? 0n) - (b.rowid ?? 0n)));
    const keep = states.every(({ rowid }) => rowid === undefined || !engine.rowidTaken(table, rowid));
    return states.map((state) => ({ table, after: engine.put(table, state, keep) }));
  });
}

function stateBefore({ mark, cells }: RowImage): RowState[] {
  const spot = mark.before;
  if (!spot || !cells) return [];
  return [{ ...(spot.rowid === undefined ? {} : { rowid: spot.rowid }), key: spot.key, cells }];
}

/** Opening and closing many containers of a state at once. */
import { pathId, type Opened, type StateRow } from './rows.ts';

/** More than this at once would make a list that nobody reads and that takes long to draw. */
const AT_ONCE = 2000;

const isContainer = (row: StateRow): boolean => row.open !== undefined;

function withAll(opened: Opened, rows: readonly StateRow[], open: boolean): Opened {
  const next = new Map(opened);
  for (const row of rows.slice(0, AT_ONCE)) next.set(row.id, open);
  return next;
}

/** One level more everywhere: every container in view is opened. */
export const openLevel = (rows: readonly StateRow[], opened: Opened): Opened =>
  withAll(
    opened,
    rows.filter((row) => row.open === false),
    true,
  );

/** One level less everywhere: the deepest open containers are closed. The root stays open. */
export function closeLevel(rows: readonly StateRow[], opened: Opened): Opened {
  const open = rows.filter((row) => row.open === true && row.depth > 0);
  const deepest = open.reduce((most, row) => Math.max(most, row.depth), 0);
  return withAll(
    opened,
    open.filter((row) => row.depth === deepest),
    false,
  );
}

/** Everything beside the active row, under the same parent. */
export function openSiblings(rows: readonly StateRow[], active: number, opened: Opened): Opened {
  const row = rows[active];
  if (row?.kind !== 'value' || row.path.length === 0) return opened;
  const parent = pathId(row.path.slice(0, -1));
  const beside = rows.filter(
    (one) => one.kind === 'value' && one.path.length === row.path.length && pathId(one.path.slice(0, -1)) === parent,
  );
  return withAll(opened, beside.filter(isContainer), true);
}

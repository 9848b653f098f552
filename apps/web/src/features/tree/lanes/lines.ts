/** Where the lines of the lanes run: per row what begins, passes and ends there. Columns, not pixels. */
import type { LaneTableRow } from './rows.ts';

export interface RowLines {
  /** Columns in which a line of other rows passes. */
  readonly through: readonly number[];
  /** The row's own line comes from above in this column. */
  readonly from?: number;
  /** Columns of this row in which lines to rows below begin. */
  readonly down: readonly number[];
  /** The same for the way to the selection. */
  readonly pathThrough: readonly number[];
  readonly pathDown?: number;
  /** Column up to which the way to the selection follows the row. */
  readonly pathTo?: number;
}

interface Draft {
  through: Set<number>;
  from?: number;
  down: Set<number>;
  pathThrough: Set<number>;
  pathDown?: number;
  pathTo?: number;
}

/** @param selected the column of the selection in its own row */
export function rowLines(rows: readonly LaneTableRow[], active: number, selected: number | undefined): RowLines[] {
  const drafts = rows.map((): Draft => ({ through: new Set(), down: new Set(), pathThrough: new Set() }));
  // From below: a line that passes a row for one child passes it for those above, too.
  const reached = new Map<string, number>();
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    const draft = drafts[at];
    if (!row || !draft || row.parent < 0) continue;
    draft.from = row.from;
    drafts[row.parent]?.down.add(row.from);
    const line = `${row.parent} ${row.from}`;
    const to = reached.get(line);
    if (to !== undefined) continue;
    reached.set(line, at);
    for (let between = row.parent + 1; between < at; between++) drafts[between]?.through.add(row.from);
  }
  markPath(rows, drafts, active, selected);
  return drafts.map(({ through, down, pathThrough, ...rest }) => ({
    ...rest,
    through: [...through],
    down: [...down],
    pathThrough: [...pathThrough],
  }));
}

/** From the selection's row up to the root. */
function markPath(rows: readonly LaneTableRow[], drafts: Draft[], active: number, selected: number | undefined): void {
  let column = selected;
  for (let at = active; at >= 0; at = rows[at]?.parent ?? -1) {
    const row = rows[at];
    const draft = drafts[at];
    if (!row || !draft) return;
    draft.pathTo = Math.min(row.end, Math.max(row.start, column ?? row.end));
    if (row.parent < 0) return;
    const above = drafts[row.parent];
    if (above) above.pathDown = row.from;
    for (let between = row.parent + 1; between < at; between++) drafts[between]?.pathThrough.add(row.from);
    column = row.from;
  }
}

/** Lanes as rows: children under their parent, equal ones folded, and grouped by what differs where there are many. */
import { forksOfLane } from '@checkpoint-inspector/core';
import { bundles, type Bundle, couldShare } from './bundles.ts';
import { compareLanes, type LaneBook, type LaneInfo, type LaneOrder, lanePath } from './book.ts';

interface Placed {
  /** Stays the same while the lane or the bundle does. */
  readonly key: string;
  /** 1 for main. */
  readonly level: number;
  /** The row that its line comes from, -1 for none; and the column where it leaves that row. */
  readonly parent: number;
  readonly from: number;
  readonly start: number;
  readonly end: number;
  /** Absent: nothing hangs below it. */
  readonly open?: boolean;
  /** The way to the selection leads through it. */
  readonly onPath: boolean;
}

export interface LaneLine extends Placed {
  readonly kind: 'lane';
  readonly info: LaneInfo;
  /** Values that the groups around it have said already. */
  readonly said: readonly string[];
}

/** Several lanes in one row. */
export interface BundleLine extends Placed {
  readonly kind: 'bundle';
  readonly bundle: Bundle;
}

export type LaneTableRow = LaneLine | BundleLine;

/** More lanes than this are grouped by what differs. */
export const GROUPED_ABOVE = 60;
/** Fewer lanes are all shown: folding would hide what there is room for. */
const FOLDED_ABOVE = 24;

export interface RowOptions {
  readonly order: LaneOrder;
  /** What the reader opened and closed, by key. */
  readonly open: ReadonlyMap<string, boolean>;
  readonly selected: number | undefined;
}

interface Siblings {
  readonly lanes: readonly LaneInfo[];
  readonly level: number;
  readonly parent: number;
  readonly from: number;
  readonly key: string;
  readonly said: readonly string[];
}

type Todo =
  | { readonly kind: 'siblings'; readonly siblings: Siblings }
  | { readonly kind: 'row'; readonly row: () => void };

export interface RowsSoFar {
  readonly rows: readonly LaneTableRow[];
  /** Lanes from one checkpoint that the next rows depend on and that are not all compared yet; empty: these are all rows. */
  readonly waitsFor: readonly LaneInfo[];
}

/** Rows in reading order, all of them. */
export const laneRows = (book: LaneBook, options: RowOptions): readonly LaneTableRow[] =>
  rowsSoFar({ ...book, isComparing: false }, options).rows;

/**
 * Rows in reading order, up to the first whose place is not known yet: those that are told never move. No recursion,
 * because lanes may hang on lanes for as long as the task is.
 */
export function rowsSoFar(book: LaneBook, options: RowOptions): RowsSoFar {
  const grouped = book.lanes.length > GROUPED_ABOVE;
  const folded = book.lanes.length > FOLDED_ABOVE;
  const path = new Set(lanePath(book, options.selected));
  const compare = compareLanes(options.order);
  const rows: LaneTableRow[] = [];
  const stack: Todo[] = [];
  const later = (todo: readonly Todo[]): void => void stack.push(...todo.toReversed());

  const addLane = (info: LaneInfo, { level, parent, from, said }: Siblings): void => {
    const { lane, children } = info;
    const key = `lane ${lane.ordinal}`;
    const onPath = path.has(lane.ordinal);
    // A large tree opens with the way to the selection; main is its trunk.
    const open = options.open.get(key) ?? (!grouped || onPath || lane.parent === undefined);
    const place = grouped
      ? { start: level - 1, end: level - 1 }
      : { start: lane.depth, end: lane.depth + lane.nodes.length - 1 };
    const row = rows.length;
    rows.push({
      kind: 'lane',
      key,
      info,
      level,
      parent,
      from,
      said,
      onPath,
      ...place,
      ...(children.length > 0 ? { open } : {}),
    });
    if (!open) return;
    later(
      forksOf(book, info).map(({ fork, lanes }): Todo => {
        const column = grouped ? level - 1 : (lanes[0]?.lane.depth ?? 1) - 1;
        const siblings = { lanes, level: level + 1, parent: row, from: column, key: `fork ${fork}`, said: [] };
        return { kind: 'siblings', siblings };
      }),
    );
  };
  const addBundle = (bundle: Bundle, siblings: Siblings): void => {
    const { level, parent, from, said } = siblings;
    const key = `${siblings.key} ${bundle.key}`;
    const onPath = bundle.lanes.some(({ lane }) => path.has(lane.ordinal));
    const open = options.open.get(key) ?? onPath;
    const row = rows.length;
    const at = grouped ? level - 1 : from + 1;
    rows.push({ kind: 'bundle', key, bundle, level, parent, from, start: at, end: at, open, onPath });
    if (!open) return;
    const below = grouped ? { parent: row, from: at } : { parent, from };
    const next = {
      ...below,
      lanes: bundle.lanes,
      level: level + 1,
      key,
      said: [...said, ...(bundle.path ? [bundle.path] : [])],
    };
    if (bundle.path) later([{ kind: 'siblings', siblings: next }]);
    else later(bundle.lanes.map((info): Todo => ({ kind: 'row', row: () => addLane(info, next) })));
  };
  const addSiblings = (siblings: Siblings): void => {
    const sorted = siblings.lanes.toSorted(compare);
    const shown = bundles(sorted, { grouped, folded, said: siblings.said, tree: book.tree, keep: path });
    later(
      shown.map((one): Todo => ({
        kind: 'row',
        row: () => ('lanes' in one ? addBundle(one, siblings) : addLane(one, siblings)),
      })),
    );
  };

  const roots = book.lanes.filter(({ lane }) => lane.parent === undefined);
  later(roots.map((info): Todo => ({ kind: 'row', row: () => addLane(info, ROOT) })));
  const waitsFor = runAll(stack, addSiblings, ({ lanes }) => {
    return book.isComparing && couldShare(lanes, { folded }) && lanes.some(({ compared }) => !compared);
  });
  return { rows, waitsFor };
}

/** Until there is nothing left to do, or to the first siblings that have to wait. */
function runAll(
  stack: Todo[],
  addSiblings: (siblings: Siblings) => void,
  mustWait: (siblings: Siblings) => boolean,
): readonly LaneInfo[] {
  for (let todo = stack.pop(); todo !== undefined; todo = stack.pop()) {
    if (todo.kind === 'row') todo.row();
    else if (mustWait(todo.siblings)) return todo.siblings.lanes;
    else addSiblings(todo.siblings);
  }
  return [];
}

const ROOT: Siblings = { lanes: [], level: 1, parent: -1, from: 0, key: '', said: [] };

function forksOf({ lanes }: LaneBook, { lane, children }: LaneInfo): { fork: number; lanes: LaneInfo[] }[] {
  const forkAt = (ordinal: number): number | undefined => lanes[ordinal]?.lane.fork;
  return forksOfLane(lane, children, forkAt).map((one) => ({
    fork: one.fork,
    lanes: one.lanes.flatMap((ordinal) => lanes[ordinal] ?? []),
  }));
}

/** The row of a lane, else of the bundle that hides it. */
export function rowOfLane(rows: readonly LaneTableRow[], ordinal: number | undefined): number {
  if (ordinal === undefined) return -1;
  const own = rows.findIndex((row) => row.kind === 'lane' && row.info.lane.ordinal === ordinal);
  if (own >= 0) return own;
  return rows.findIndex(
    (row) => row.kind === 'bundle' && row.bundle.lanes.some(({ lane }) => lane.ordinal === ordinal),
  );
}

/** Main and the rows that the active one comes from, the nearest first to stay where there is little room. */
export function pinnedRows(rows: readonly LaneTableRow[], active: number, room: number): readonly number[] {
  if (rows.length === 0) return [];
  const pinned: number[] = [];
  for (let at = rows[active]?.parent ?? -1; at > 0 && pinned.length < room - 1; at = rows[at]?.parent ?? -1) {
    pinned.push(at);
  }
  return [0, ...pinned.toReversed()];
}

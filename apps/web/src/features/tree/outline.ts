/** The same items as rows of a treegrid: branches hang one level below the checkpoint they fork from. */
import { childrenOf, type TreeView } from './view-tree.ts';

export interface OutlineRow {
  readonly item: number;
  /** 1 for the main lane. */
  readonly level: number;
  /** Branches hang below it: `open` tells whether they are shown. */
  readonly open?: boolean;
}

/** Rows in reading order; branches of items in `closed` are left out. No recursion: a tree may be very deep. */
export function outlineRows(view: TreeView, closed: ReadonlySet<string>): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  const stack: { item: number; level: number }[] = [];
  for (let item = view.items.length - 1; item >= 0; item--) {
    if ((view.parentOf[item] ?? -1) < 0) stack.push({ item, level: 1 });
  }
  stack.sort((a, b) => (view.items[b.item]?.lane ?? 0) - (view.items[a.item]?.lane ?? 0));
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { item, level } = at;
    const here = view.items[item];
    const children = childrenOf(view, item);
    const onward = children.find((child) => view.items[child]?.lane === here?.lane);
    const forks = children.filter((child) => child !== onward);
    const open = here !== undefined && !closed.has(here.id);
    rows.push({ item, level, ...(forks.length > 0 ? { open } : {}) });
    if (onward !== undefined) stack.push({ item: onward, level });
    if (open) for (const fork of forks.reverse()) stack.push({ item: fork, level: level + 1 });
  }
  return rows;
}

/** The row of the checkpoint that a row's branch forks from. */
export function rowAbove(rows: readonly OutlineRow[], index: number): number {
  const level = rows[index]?.level ?? 1;
  for (let at = index - 1; at >= 0; at--) {
    if ((rows[at]?.level ?? 1) < level) return at;
  }
  return index;
}

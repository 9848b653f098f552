/** Which checkpoints of a task with many lanes are listed, and which of its lanes share a row. */
import type { ForkTree, Lane, lanesOf, TreeNode } from '@checkpoint-inspector/core';

/** Up to so many lanes each has a column of its own, so none is folded. */
export const UNFOLDED_LANES = 6;

export interface LaneFold {
  readonly kind: 'lane' | 'group';
  readonly key: string;
  /** Newest first; one where `kind` is `lane`. */
  readonly lanes: readonly Lane[];
  /** The listed checkpoint that all of them fork from; absent where they have none in common. */
  readonly from?: TreeNode;
  /** Of a group: its lanes follow, a row each. */
  readonly open: boolean;
  /** It is one of an open group. */
  readonly within: boolean;
}

export type Entry = { readonly kind: 'node'; readonly node: TreeNode } | LaneFold;

interface FoldOptions extends ReturnType<typeof lanesOf> {
  readonly tree: ForkTree;
  /** Ordinals of the lanes that are listed step by step. */
  readonly listed: ReadonlySet<number>;
  /** Keys of the lanes that the reader took out of a group. */
  readonly opened: ReadonlySet<string>;
  /** So many rows are enough, once this checkpoint is among them; what follows is worked out when it is scrolled to. */
  readonly most?: number;
  readonly until?: number | undefined;
}

/** Forks at more places than this share a row; fewer have one for each place, with its line. */
const MOST_PLACES = 3;

/** Newest first: listed checkpoints, and between them one row for the other lanes that end there. */
export function foldLanes(options: FoldOptions): Entry[] {
  const { tree, lanes, laneOf, listed, opened, most = Number.POSITIVE_INFINITY, until = tree.nodes.length } = options;
  const entries: Entry[] = [];
  const seen = new Set<number>();
  const anchorOf = anchors(lanes, listed);
  let run: Lane[] = [];
  const flush = (): void => {
    if (run.length > 0) entries.push(...foldsOf(run, { tree, anchorOf, opened }));
    run = [];
  };
  for (let index = tree.nodes.length - 1; index >= 0; index--) {
    const node = tree.nodes[index];
    const ordinal = laneOf[index] ?? -1;
    const lane = lanes[ordinal];
    if (node?.row === undefined || !lane) continue;
    if (listed.has(ordinal)) {
      flush();
      entries.push({ kind: 'node', node });
      if (entries.length >= most && index <= until) return entries;
    } else if (!seen.has(ordinal)) {
      seen.add(ordinal);
      run.push(lane);
    }
  }
  flush();
  return entries;
}

type Anchor = (lane: Lane) => number;

/** The nearest listed checkpoint above a lane, -1 for none; each lane is gone up from once. */
function anchors(lanes: readonly Lane[], listed: ReadonlySet<number>): Anchor {
  const known = new Map<number, number>();
  return (lane) => {
    const way: number[] = [];
    let at: Lane | undefined = lane;
    let found = -1;
    while (at !== undefined) {
      const before = known.get(at.ordinal);
      if (before !== undefined) {
        found = before;
        break;
      }
      way.push(at.ordinal);
      if (at.parent !== undefined && listed.has(at.parent)) {
        found = at.fork ?? -1;
        break;
      }
      at = at.parent === undefined ? undefined : lanes[at.parent];
    }
    for (const ordinal of way) known.set(ordinal, found);
    return found;
  };
}

interface GroupOptions extends Pick<FoldOptions, 'tree' | 'opened'> {
  readonly anchorOf: Anchor;
}

function foldsOf(run: readonly Lane[], { tree, anchorOf, opened }: GroupOptions): Entry[] {
  const places = new Map<number, Lane[]>();
  for (const lane of run) {
    const place = anchorOf(lane);
    const others = places.get(place);
    if (others) others.push(lane);
    else places.set(place, [lane]);
  }
  const groups: readonly (readonly [number, readonly Lane[]])[] = places.size > MOST_PLACES ? [[-1, run]] : [...places];
  return groups.flatMap(([place, lanes]) => {
    const from = tree.nodes[place];
    const single = (lane: Lane, within: boolean): LaneFold => ({
      kind: 'lane',
      key: laneKey(tree, lane),
      lanes: [lane],
      open: false,
      within,
      ...(from && lane.fork === place ? { from } : {}),
    });
    const [first] = lanes;
    if (lanes.length === 1 && first) return [single(first, false)];
    const open = lanes.some((lane) => opened.has(laneKey(tree, lane)));
    const key = `group ${place} ${first ? laneKey(tree, first) : ''}`;
    const group: LaneFold = { kind: 'group', key, lanes, open, within: false, ...(from ? { from } : {}) };
    return open ? [group, ...lanes.map((lane) => single(lane, true))] : [group];
  });
}

/** Of a lane, for as long as its first checkpoint is there. */
export function laneKey(tree: ForkTree, { nodes: [head = -1] }: Lane): string {
  const ref = tree.nodes[head]?.ref;
  return `lane ${ref?.namespace ?? ''}\n${ref?.id ?? ''}`;
}

/** The lane of a node and those that it hangs on. */
export function laneAndAbove({ lanes, laneOf }: ReturnType<typeof lanesOf>, node: number | undefined): number[] {
  const path: number[] = [];
  let at = node === undefined ? undefined : laneOf[node];
  for (; at !== undefined && at >= 0; at = lanes[at]?.parent) path.push(at);
  return path;
}

/** The lanes of a task with what is known of each, and the orders in which they can be listed. */
import { centsFor } from '../../../lib/format.ts';
import {
  type CheckpointRef,
  type CheckpointStatus,
  compact,
  type ForkTree,
  type Lane,
  type LaneDifference,
  nameLengths,
} from '@checkpoint-inspector/core';
import type { LaneFacts } from '../../../lib/api.ts';
import { lanesIn } from '../../../lib/forks.ts';
import { nodeNumber } from '../node-facts.ts';

export interface LaneInfo {
  readonly lane: Lane;
  /** Most telling first; empty where none is known. */
  readonly differences: readonly LaneDifference[];
  /** False: what differs isn't known yet. */
  readonly compared: boolean;
  /** So many of them are its name; 0: it has none. */
  readonly nameLength: number;
  /** Of one that failed: the first line of the message. */
  readonly error?: string;
  readonly cost?: number;
  readonly time?: number;
  /** Ordinals of the lanes that fork from it. */
  readonly children: readonly number[];
  /** Itself and all that hang on it. */
  readonly count: number;
}

export interface LaneBook {
  readonly tree: ForkTree;
  readonly lanes: readonly LaneInfo[];
  /** The lane of each node. */
  readonly laneOf: Int32Array;
  /** Step number by column. */
  readonly axis: readonly string[];
  /** Decimals of the costs. */
  readonly cents: number;
  readonly hasCost: boolean;
  readonly hasTime: boolean;
  /** The difference that most lanes forked from main begin with. */
  readonly against?: LaneDifference;
  /** Lanes that have not been compared will be: what depends on their values waits. */
  readonly isComparing: boolean;
  /** Cost and time of all lanes are known, as far as the store reports them. */
  readonly isCounted: boolean;
  /** To be called with lanes that are on the screen: they are compared next. */
  readonly show: (ordinals: readonly number[]) => void;
}

/** How far the reading of the facts is; without it they are all there. */
export interface Progress extends Pick<LaneBook, 'isComparing' | 'isCounted' | 'show'> {
  /** Checkpoints that are read already report them: their columns are there from the start. */
  readonly reports: { readonly cost: boolean; readonly time: boolean };
}

const ALL_READ: Progress = {
  isComparing: false,
  isCounted: true,
  show: () => undefined,
  reports: { cost: false, time: false },
};

/** A lane, whatever tree it was read of: facts may be of a moment before or after the one on the screen. */
export const laneKey = (label: string, first: CheckpointRef | undefined): string =>
  `${label}\n${first?.namespace ?? ''}\n${first?.id ?? ''}`;

export function laneBook(tree: ForkTree, facts: readonly LaneFacts[], progress: Progress = ALL_READ): LaneBook {
  const { lanes, laneOf } = lanesIn(tree);
  const known = new Map(facts.map((one) => [laneKey(one.lane, one.first), one]));
  const factOf = (lane: Lane) => known.get(laneKey(lane.label, tree.nodes[lane.nodes[0] ?? -1]?.ref));
  const lengths = nameLengths(lanes, new Map(lanes.map((lane) => [lane.ordinal, factOf(lane)?.differences ?? []])));
  const children: number[][] = lanes.map(() => []);
  for (const { ordinal, parent } of lanes) if (parent !== undefined) children[parent]?.push(ordinal);
  const counts = countsOf(lanes, children);
  const axis: string[] = [];
  const infos = lanes.map((lane, at): LaneInfo => {
    lane.nodes.forEach((node, place) => (axis[lane.depth + place] ??= nodeNumber(tree.nodes[node])));
    const fact = factOf(lane);
    return {
      lane,
      differences: fact?.differences ?? [],
      compared: fact?.differences !== undefined,
      nameLength: lengths.get(lane.ordinal) ?? 0,
      ...(fact?.error === undefined ? {} : { error: fact.error }),
      ...(fact?.costUsd === undefined ? {} : { cost: Number(fact.costUsd) }),
      ...(fact?.durationMs === undefined ? {} : { time: Number(fact.durationMs) }),
      children: children[at] ?? [],
      count: counts[at] ?? 1,
    };
  });
  const costs = infos.flatMap(({ cost }) => cost ?? []);
  const { reports, ...rest } = progress;
  const isUnread = !progress.isCounted;
  return {
    tree,
    lanes: infos,
    laneOf,
    axis,
    cents: centsFor(costs),
    hasCost: costs.length > 0 || (isUnread && reports.cost),
    hasTime: infos.some(({ time }) => time !== undefined) || (isUnread && reports.time),
    ...rest,
    ...compact({ against: againstMain(infos) }),
  };
}

/** Once all of them are known: what most of some have would change while the reader looks at it. */
function againstMain(infos: readonly LaneInfo[]): LaneDifference | undefined {
  if (infos.some(({ lane, compared }) => lane.parent === 0 && !compared)) return undefined;
  const firsts = infos.flatMap(({ lane, differences: [first] }) => (lane.parent === 0 && first ? [first] : []));
  const path = mostCommon(firsts.map((first) => first.path));
  return firsts.find((first) => first.path === path);
}

/** From the leaves up, without recursion: lanes may hang on lanes for as long as the task is. */
function countsOf(lanes: readonly Lane[], children: readonly (readonly number[])[]): Int32Array {
  const counts = new Int32Array(lanes.length).fill(1);
  const order = lanes.flatMap(({ ordinal, parent }) => (parent === undefined ? [ordinal] : []));
  for (const at of order) order.push(...(children[at] ?? []));
  for (const at of order.toReversed()) {
    const up = lanes[at]?.parent;
    if (up !== undefined) counts[up] = (counts[up] ?? 0) + (counts[at] ?? 0);
  }
  return counts;
}

/** The lane of a node and those that it hangs on, root first. */
export function lanePath(book: LaneBook, node: number | undefined): readonly number[] {
  const path: number[] = [];
  let at = node === undefined ? undefined : book.laneOf[node];
  for (; at !== undefined && at >= 0; at = book.lanes[at]?.lane.parent) path.push(at);
  return path.reverse();
}

export interface Ways {
  readonly path: string;
  /** The lane of the node itself, then those that fork from it. Absent values are left out. */
  readonly lanes: readonly { readonly info: LaneInfo; readonly value?: string }[];
}

/** What the ways that part at a node have for the value that tells most of them apart. */
export function waysFrom({ lanes, laneOf }: LaneBook, node: number): Ways | undefined {
  const own = lanes[laneOf[node] ?? -1];
  const forks = lanes.filter(({ lane }) => lane.fork === node);
  const path = mostCommon(forks.flatMap(({ differences: [first] }) => first?.path ?? []));
  if (own === undefined || path === undefined) return undefined;
  const found = forks.map((info) => ({ info, one: info.differences.find((one) => one.path === path) }));
  const before = found.find(({ one }) => one !== undefined)?.one?.before;
  const others = found.map(({ info, one }) => ({ info, ...compact({ value: one ? one.value : before }) }));
  return { path, lanes: [{ info: own, ...compact({ value: before }) }, ...others] };
}

function mostCommon(paths: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(path, (counts.get(path) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

export const LANE_ORDERS = ['outcome', 'cost', 'time', 'steps'] as const;
export type LaneOrder = (typeof LANE_ORDERS)[number];

const OUTCOMES: Readonly<Record<CheckpointStatus, number>> = {
  completed: 0,
  running: 1,
  pending: 2,
  interrupted: 3,
  unknown: 4,
  failed: 5,
};

/** Failed lanes come last in every order; equals keep the order in which they began. */
export function compareLanes(order: LaneOrder): (a: LaneInfo, b: LaneInfo) => number {
  const failed = ({ lane }: LaneInfo): number => Number(lane.status === 'failed');
  return (a, b) => failed(a) - failed(b) || BY[order](a, b) || a.lane.ordinal - b.lane.ordinal;
}

const least = (a: number | undefined, b: number | undefined): number =>
  a === b ? 0 : (a ?? Number.MAX_VALUE) - (b ?? Number.MAX_VALUE);

const BY: Readonly<Record<LaneOrder, (a: LaneInfo, b: LaneInfo) => number>> = {
  outcome: (a, b) => OUTCOMES[a.lane.status] - OUTCOMES[b.lane.status],
  cost: (a, b) => least(a.cost, b.cost),
  time: (a, b) => least(a.time, b.time),
  steps: (a, b) => b.lane.steps - a.lane.steps,
};

import type { Lane } from './lane-list.ts';

/**
 * The forks of one lane, the last one first: below each other in this order their lines cross none.
 * @param children ordinals of the lanes that fork from it
 */
export function forksOfLane(
  lane: Lane,
  children: readonly number[],
  forkAt: (ordinal: number) => number | undefined,
): { readonly fork: number; readonly lanes: readonly number[] }[] {
  const forks = new Map<number, number[]>();
  for (const child of children) {
    const fork = forkAt(child);
    if (fork !== undefined) forks.set(fork, [...(forks.get(fork) ?? []), child]);
  }
  const place = new Map(lane.nodes.map((node, at) => [node, at]));
  return [...forks]
    .map(([fork, members]) => ({ fork, lanes: members }))
    .sort((a, b) => (place.get(b.fork) ?? 0) - (place.get(a.fork) ?? 0));
}

/** Ordinals in reading order: each lane, then those that fork from it. No recursion: lanes may hang on lanes for long. */
export function lanesInOrder(lanes: readonly Lane[]): readonly number[] {
  const children = new Map<number, number[]>();
  for (const { ordinal, parent } of lanes)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), ordinal]);
  const order: number[] = [];
  const stack = lanes.flatMap(({ ordinal, parent }) => (parent === undefined ? [ordinal] : [])).reverse();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const lane = lanes[at];
    if (!lane) continue;
    order.push(at);
    const below = forksOfLane(lane, children.get(at) ?? [], (child) => lanes[child]?.fork).flatMap(
      (fork) => fork.lanes,
    );
    stack.push(...below.reverse());
  }
  return order;
}

interface Spot {
  readonly x: number;
  readonly y: number;
}

/** The line of an edge as SVG path data: down (or up) from the parent, then on to the child. */
export function elbow(from: Spot, to: Spot, bend: number): string {
  if (from.y === to.y) return `M${from.x} ${from.y}H${to.x}`;
  const down = to.y > from.y ? 1 : -1;
  return `M${from.x} ${from.y}V${to.y - bend * down}Q${from.x} ${to.y} ${from.x + bend} ${to.y}H${to.x}`;
}

import type { Lane } from '@checkpoint-inspector/core';
import { groupBy } from './bundles.ts';

/** One answer takes a moment: what comes into view meanwhile waits for it. */
const AT_ONCE = 256;
/** So many are compared before anybody looks at them; of larger trees the others are once they are on the screen. */
const AHEAD = 2_000;
/** Lanes from one checkpoint are compared together, because their names depend on each other. */
const TOGETHER = 6;

/**
 * Which lanes to compare next.
 * @param open lanes that have not been compared
 * @param of all lanes of the tree
 * @param onScreen ordinals, most urgent first
 */
export function nextLanes(open: readonly Lane[], of: number, onScreen: readonly number[]): readonly Lane[] {
  const byOrdinal = new Map(open.map((lane) => [lane.ordinal, lane]));
  const wanted = onScreen.flatMap((ordinal) => byOrdinal.get(ordinal) ?? []);
  const isAhead = wanted.length === 0 && of - open.length < AHEAD;
  const forks = groupBy(open, ({ fork }) => `${fork}`);
  const next = new Set<Lane>();
  for (const lane of isAhead ? open : wanted) {
    if (next.size >= AT_ONCE) break;
    const siblings = forks.get(`${lane.fork}`) ?? [];
    for (const one of siblings.length <= TOGETHER ? siblings : [lane]) next.add(one);
  }
  return [...next];
}

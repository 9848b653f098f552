import { bench, describe } from 'vitest';
import { lineageRow } from '../src/testing/builders.ts';
import { collapseChains, forkTree, layoutLanes } from '../src/tree/index.ts';

const SIZE = 100_000;
const shapes: Record<string, (at: number) => number> = {
  'one chain': (at) => at - 1,
  'chains of hundreds': (at) => (at % 300 === 0 ? Math.floor(at * 0.7) : at - 1),
  bushy: (at) => Math.floor((at - 1) / 3),
};

// The budget of the layout is 50 ms for 100,000 nodes at any depth.
describe.each(Object.entries(shapes))('100,000 nodes, %s', (_, parentOf) => {
  const rows = Array.from({ length: SIZE }, (_unused, at) =>
    lineageRow('t', `n${at}`, at + 1, at === 0 ? undefined : `n${parentOf(at)}`, { isLatest: at === SIZE - 1 }),
  );
  const tree = forkTree('t', rows);
  const layout = layoutLanes(tree);

  bench('forkTree', () => void forkTree('t', rows));
  bench('layoutLanes', () => void layoutLanes(tree));
  bench('collapseChains', () => void collapseChains(tree, layout));
});

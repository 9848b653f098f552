import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineageRow } from '../testing/builders.ts';
import { collapseChains, type ForkTree, forkTree, type LaneLayout, layoutLanes } from './index.ts';

/** A tree from parent places; -1 is a root. */
function treeOf(parents: readonly number[], latest = -1): ForkTree {
  const rows = parents.map((parent, at) =>
    lineageRow('t', `n${at}`, at + 1, parent < 0 ? undefined : `n${parent}`, { isLatest: at === latest }),
  );
  return forkTree('t', rows);
}

const anyParents = fc
  .array(fc.nat(), { maxLength: 60 })
  .map((numbers) => numbers.map((n, at) => (at === 0 || n % 9 === 0 ? -1 : n % at)));

describe('layoutLanes', () => {
  test('a chain is one lane', () => {
    const { depth, lane, lanes, depths } = layoutLanes(treeOf([-1, 0, 1]));
    expect([[...depth], [...lane], lanes, depths]).toEqual([[0, 1, 2], [0, 0, 0], 1, 3]);
  });

  test('the way that began first keeps the lane, however short', () => {
    expect([...layoutLanes(treeOf([-1, 0, 0, 2])).lane]).toEqual([0, 0, 1, 1]);
  });

  test('main stays main when a newer lane has the latest', () => {
    expect([...layoutLanes(treeOf([-1, 0, 1, 0], 3)).lane]).toEqual([0, 0, 0, 1]);
  });

  test('no lane gives its place to another when more is saved', () => {
    fc.assert(
      fc.property(anyParents, fc.nat(), (parents, more) => {
        const grown = treeOf([...parents, more % Math.max(1, parents.length)], parents.length);
        const before = continued(treeOf(parents));
        const after = continued(grown).filter((child) => child !== parents.length);
        expect(after).toEqual(before);
      }),
    );
  });

  test('a lane is used again where there is room', () => {
    const { lane, lanes } = layoutLanes(treeOf([-1, 0, 1, 2, 3, 4, 5, 0, 4]));
    expect([lane[7], lane[8], lanes]).toEqual([1, 1, 2]);
  });

  test('an older branch lies below a younger one that it would cross', () => {
    const { lane } = layoutLanes(treeOf([-1, 0, 1, 2, 3, 0, 5, 6, 2]));
    expect([lane[5], lane[6], lane[7], lane[8]]).toEqual([2, 2, 2, 1]);
  });

  test('the oldest tree is on top', () => {
    expect([...layoutLanes(treeOf([-1, 0, -1], 2)).lane]).toEqual([0, 0, 1]);
  });

  test('nothing is laid out for nothing', () => {
    expect(layoutLanes(treeOf([]))).toMatchObject({ lanes: 0, depths: 0 });
  });

  test('no two nodes share a place, no child is left of its parent, no edge runs through a node', () => {
    fc.assert(
      fc.property(anyParents, fc.nat(59), (parents, latest) => {
        const tree = treeOf(parents, latest);
        expectTidy(tree, layoutLanes(tree));
      }),
    );
  });

  test.each([
    ['one chain', (at: number) => at - 1],
    ['a fork at each step', (at: number) => (at < 3 ? at - 1 : at - 1 - (at % 2))],
    ['a bush', (at: number) => Math.floor((at - 1) / 3)],
    ['one fork point', (at: number) => (at === 0 ? -1 : 0)],
    ['only roots', () => -1],
  ])('100,000 nodes as %s', (_, parentOf) => {
    const tree = treeOf(
      Array.from({ length: 100_000 }, (_unused, at) => (at === 0 ? -1 : parentOf(at))),
      99_999,
    );
    const layout = layoutLanes(tree);
    expectTidy(tree, layout);
    expect(collapseChains(tree, layout).items.reduce((sum, item) => sum + item.nodes.length, 0)).toBe(100_000);
  });
});

/** Nodes that go on in the lane of their parent. */
function continued(tree: ForkTree): number[] {
  const { lane } = layoutLanes(tree);
  return tree.nodes.flatMap(({ index, parent }) =>
    parent !== undefined && lane[parent] === lane[index] ? [index] : [],
  );
}

/** Lanes in which an edge turns at its parent's column and runs on to its child. */
function expectTidy(tree: ForkTree, layout: LaneLayout): void {
  const places = new Set<number>();
  const place = (column: number, lane: number) => column * 1_000_003 + lane;
  for (const { index } of tree.nodes) places.add(place(layout.depth[index] ?? -1, layout.lane[index] ?? -1));
  expect(places.size).toBe(tree.nodes.length);
  const bad = tree.nodes.filter(({ index, parent }) => {
    if (parent === undefined) return layout.depth[index] !== 0;
    const [column = 0, lane = 0, from = 0] = [layout.depth[parent], layout.lane[index], layout.lane[parent]];
    return layout.depth[index] !== column + 1 || lane < from || (lane > from && places.has(place(column, lane)));
  });
  expect(bad).toEqual([]);
}

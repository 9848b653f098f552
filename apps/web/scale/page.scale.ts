import { milliseconds } from '@checkpoint-inspector/config/measure';
import { forkTree, layoutLanes, type LineageRow } from '@checkpoint-inspector/core';
import { expect, it } from 'vitest';
import { openedTo, type OpenNodes, rowsOf } from '../src/features/value/rows.ts';
import { timelineModel } from '../src/features/timeline/model.ts';
import { forest } from '../src/features/tree/testing/rows.ts';
import { MOST_BOXES } from '../src/features/tree/camera.ts';
import { itemsIn } from '../src/features/tree/windowing.ts';
import { treeBase, treeView } from '../src/features/tree/view-tree.ts';

it('100,000 rows are laid out within 8 s, and a window of them is found within 5 ms', async () => {
  const list = forest(100_000);
  let tree = treeView(treeBase('t', forest(1)), new Set(), new Set());
  const laidOut = await milliseconds(() => (tree = treeView(treeBase('t', list), new Set(), new Set())));
  const looked = await milliseconds(() => {
    for (let at = 0; at < 100; at++)
      itemsIn(tree.window, tree.items, { fromColumn: at, toColumn: at + 9, fromLane: 0, toLane: 9 }, MOST_BOXES);
  });
  expect(tree.itemOfNode.length).toBe(100_000);
  expect(laidOut).toBeLessThan(8_000);
  expect(looked / 100).toBeLessThan(5);
});

it('the timeline of 50,000 checkpoints with 2,000 forks is made within 200 ms', async () => {
  const rows = Array.from({ length: 50_000 }, (_, at): LineageRow => {
    const parent = at % 25 === 24 ? Math.max(0, at - 40) : at - 1;
    const status = at % 1000 === 500 ? 'failed' : 'completed';
    const base = { id: `c${at}`, seq: at + 1, status, isLatest: at === 49_999 } as const;
    return at === 0
      ? { ...base, kind: 'none' }
      : { ...base, kind: 'recorded', parent: { task: 't', id: `c${parent}` } };
  });
  const tree = forkTree('t', rows);
  const layout = layoutLanes(tree);
  const facts = new Map(Array.from({ length: 100 }, (_, at) => [49_900 + at, { changes: at, broken: false }]));
  expect(await milliseconds(() => timelineModel({ tree, layout: () => layout }, facts, 220))).toBeLessThan(200);
});

it('the rows of 100,000 children are made within 1 s', async () => {
  const root: OpenNodes = new Map([['$', { path: [], count: 3, place: 0 }]]);
  const trail = [
    { count: 3, place: 1 },
    { count: 100_000, place: 99_999 },
  ];
  const many = openedTo(root, ['list', 99_999], trail);
  const took = await milliseconds(() => expect(rowsOf(many, new Set())).toHaveLength(100_004));
  expect(took).toBeLessThan(1_000);
});

import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { describe, expect, it } from 'vitest';
import { drawnWindow, lookOf, MOST_BOXES } from './camera.ts';
import { itemsIn } from './windowing.ts';
import { SMALL } from './geometry.ts';
import { openChainOf } from './TreePanel.tsx';
import { findNodes, neighbour, nextOf } from './navigation.ts';
import { outlineRows, rowAbove } from './Outline.tsx';
import {
  childrenOf,
  focusKey,
  itemAtCell,
  listView,
  nodeOfFocus,
  shortestChain,
  treeBase,
  type TreeView,
  treeView,
} from './view-tree.ts';
import { chain, forest, rows } from './testing/rows.ts';

const view = (list: ReturnType<typeof rows>, expanded: string[] = []): TreeView =>
  treeView(treeBase('t', list), new Set(expanded), new Set());
const itemOf = (tree: TreeView, id: string): number =>
  tree.itemOfNode[tree.tree.nodes.findIndex((node) => node.ref.id === id)] ?? -1;

const forked = rows(
  ['a'],
  ['b', 'a'],
  ['c', 'b', { isLatest: true }],
  ['x', 'b'],
  ['y', 'x', { status: 'failed' }],
  ['z', 'x'],
);

describe('treeView', () => {
  it('folds a long chain and says how much is in it', () => {
    const tree = view(chain(40));
    expect(tree.items.map((item) => item.kind)).toEqual(['node', 'chain', 'node']);
    expect(tree.folded).toEqual({ chains: 1, checkpoints: 38 });
    const opened = view(chain(40), [tree.items[1]?.id ?? '']);
    expect(opened.items).toHaveLength(40);
  });

  it('keeps the first step of an opened chain in the column of the folded one', () => {
    const folded = view(chain(40));
    const pill = folded.items[1];
    const opened = view(chain(40), [pill?.id ?? '']);
    expect(opened.items[itemOf(opened, 'c2')]).toMatchObject({ column: pill?.column, lane: pill?.lane });
    expect(openChainOf(opened, 20, new Set([pill?.id ?? '']))).toBe(pill?.id);
    expect(openChainOf(opened, 20, new Set())).toBeUndefined();
  });

  it('names the lanes in the order in which they began', () => {
    const tree = view(forked);
    expect(tree.branches.map(({ name, steps, status }) => [name, steps, status])).toEqual([
      ['main', 3, 'completed'],
      ['f1', 2, 'failed'],
      ['f2', 1, 'completed'],
    ]);
  });

  it('lists every checkpoint by itself where nothing is drawn, with the same lanes', () => {
    const list = [...forked, ...rows(['d', 'c'], ['e', 'd'], ['f', 'e'], ['g', 'f'])];
    const base = treeBase('t', list);
    const [drawn, listed] = [treeView(base, new Set(), new Set()), listView(base)];
    expect(listed.items.map(({ nodes }) => nodes)).toEqual(base.tree.nodes.map(({ index }) => [index]));
    expect(listed.branches.map(({ name, steps, status }) => [name, steps, status])).toEqual(
      drawn.branches.map(({ name, steps, status }) => [name, steps, status]),
    );
    const laneAt = (view: TreeView, node: number): string | undefined =>
      view.branches[view.branchOf[view.itemOfNode[node] ?? -1] ?? -1]?.name;
    for (const { index } of base.tree.nodes) expect(laneAt(listed, index)).toBe(laneAt(drawn, index));
  });

  it('links every item to its parent and back', () => {
    const tree = view(forked);
    expect(childrenOf(tree, itemOf(tree, 'b'))).toEqual([itemOf(tree, 'c'), itemOf(tree, 'x')]);
    expect(tree.parentOf[itemOf(tree, 'y')]).toBe(itemOf(tree, 'x'));
    for (const [at, item] of tree.items.entries()) expect(itemAtCell(tree, item.column, item.lane)).toBe(at);
  });

  it('shows ghosts, cycles and duplicates instead of dropping them', () => {
    const odd = view(rows(['a', { task: 'other', id: 'p' }], ['b', 'gone'], ['c', 'd'], ['d', 'c'], ['a']));
    expect(odd.items).toHaveLength(7);
    expect(odd.problems.map((node) => odd.tree.nodes[node]?.ghost ?? odd.tree.nodes[node]?.problem)).toEqual([
      'cycle',
      'cycle',
      'duplicate',
      'other-task',
      'missing',
    ]);
  });
});

describe('the shortest chain', () => {
  it('is shorter where a small tree would be too wide, and the same whatever is opened', () => {
    const base = treeBase('t', [...chain(5), ...rows(['fork', 'c1'])]);
    expect(shortestChain(base, 5)).toBe(4);
    expect(shortestChain(base, 3)).toBe(3);
    const few = treeView(base, new Set(), new Set(), 3);
    expect(few.items.map(({ kind, nodes }) => [kind, nodes.length])).toEqual([
      ['node', 1],
      ['node', 1],
      ['chain', 3],
      ['node', 1],
    ]);
  });

  it('is longer than a short line, whose steps are what there is to see', () => {
    const line = treeBase('t', chain(12));
    expect(treeView(line, new Set(), new Set(), shortestChain(line, 5)).items).toHaveLength(12);
    expect(shortestChain(treeBase('t', chain(2000)), 1)).toBe(4);
  });
});

describe('the window', () => {
  it('never draws more boxes than can be read, at any zoom', () => {
    const tree = { ...view(forest(2000, 7, 200)), grid: SMALL };
    const pane = { width: 1140, height: 812 };
    for (const zoom of [1.5, 1, 0.5, 0.2, 0.05, 0.002]) {
      const drawn = drawnWindow(tree, lookOf(SMALL, { x: -400 * zoom, y: -100 * zoom, zoom }, pane));
      expect(drawn.boxes.length).toBeLessThanOrEqual(MOST_BOXES);
      expect(drawn.boxes.length + drawn.marks.length).toBeGreaterThan(0);
    }
  });

  it('lays out 100,000 rows in linear work, and looks at a few of them for a window', () => {
    const list = forest(100_000);
    const tree = view(list);
    expect(tree.itemOfNode.length).toBe(100_000);
    let looks = 0;
    const counted = new Proxy(tree.items, {
      get: (items, name) => {
        looks += 1;
        return Reflect.get(items, name) as unknown;
      },
    });
    for (let at = 0; at < 100; at++)
      itemsIn(tree.window, counted, { fromColumn: at, toColumn: at + 9, fromLane: 0, toLane: 9 }, MOST_BOXES);
    expect(looks / 100).toBeLessThan(10 * MOST_BOXES);
    const lists = new Map([1_000, 16_000].map((count) => [count, forest(count)]));
    expect(growth((count) => view(lists.get(count) ?? []), 16_000)).toBeLessThan(LINEAR);
  });
});

describe('ways through the tree', () => {
  const tree = view(forked);
  const go = (id: string, direction: Parameters<typeof neighbour>[2]): string | undefined => {
    const item = tree.items[neighbour(tree, itemOf(tree, id), direction)];
    return tree.tree.nodes[item?.nodes[0] ?? -1]?.ref.id;
  };

  it('follows the edges with left and right, the lanes with up and down', () => {
    expect(go('b', 'right')).toBe('c');
    expect(go('x', 'left')).toBe('b');
    expect(go('c', 'down')).toBe('x');
    expect(go('x', 'up')).toBe('c');
    expect(go('a', 'left')).toBe('a');
    expect(go('c', 'right')).toBe('c');
  });

  it('goes from error to error and begins again at the end', () => {
    expect(nextOf([3, 9], undefined, 1)).toBe(3);
    expect(nextOf([3, 9], 3, 1)).toBe(9);
    expect(nextOf([3, 9], 9, 1)).toBe(3);
    expect(nextOf([3, 9], 3, -1)).toBe(9);
    expect(nextOf([], 3, 1)).toBeUndefined();
  });

  it('finds steps by number, id and status', () => {
    const label = (node: number): string => `#0${node + 1}`;
    expect(findNodes(tree, '#03', label)).toEqual([2]);
    expect(findNodes(tree, 'FAILED', label)).toEqual([4]);
    expect(findNodes(tree, '  ', label)).toEqual([]);
  });

  it('finds what an address names, also with a namespace or odd characters', () => {
    const odd = treeBase('t', rows(['a/b', undefined, { namespace: 'n 1' }], ['a/b'], ['100%']));
    expect(nodeOfFocus(odd, focusKey({ id: 'a/b', namespace: 'n 1' }))).toBe(0);
    expect(nodeOfFocus(odd, '100%')).toBe(2);
    expect(nodeOfFocus(odd, focusKey({ id: '100%' }))).toBe(2);
    expect(nodeOfFocus(odd, 'nothing')).toBeUndefined();
    expect(nodeOfFocus(odd, undefined)).toBe(2);
  });
});

describe('the outline', () => {
  const ids = (tree: TreeView, list: ReturnType<typeof outlineRows>) =>
    list.map((row) => `${row.level}${tree.tree.nodes[tree.items[row.item]?.nodes[0] ?? -1]?.ref.id}`);

  it('holds every item once, branches below the checkpoint they fork from', () => {
    const tree = view(forked);
    const list = outlineRows(tree, new Set());
    expect(ids(tree, list)).toEqual(['1a', '1b', '2x', '3z', '2y', '1c']);
    expect(list[rowAbove(list, 3)]?.item).toBe(itemOf(tree, 'x'));
  });

  it('leaves out the branches of a closed row', () => {
    const tree = view(forked);
    const list = outlineRows(tree, new Set([tree.items[itemOf(tree, 'b')]?.id ?? '']));
    expect(ids(tree, list)).toEqual(['1a', '1b', '1c']);
    expect(list[1]?.open).toBe(false);
  });

  it('takes a very deep tree', () => {
    const tree = view(forest(30_000));
    expect(outlineRows(tree, new Set())).toHaveLength(tree.items.length);
  });
});

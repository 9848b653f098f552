import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LineageRow } from '../model.ts';
import { lineageRow } from '../testing/builders.ts';
import { collapseChains, type CollapseOptions, forkTree, layoutLanes } from './index.ts';

/** n0 to n9 in a row and a branch on n6; n9 is the latest. */
function rowsOf(more: Record<string, Partial<LineageRow>> = {}): LineageRow[] {
  const chain = Array.from({ length: 10 }, (_, at) =>
    lineageRow('t', `n${at}`, at + 1, at === 0 ? undefined : `n${at - 1}`, { isLatest: at === 9, ...more[`n${at}`] }),
  );
  return [...chain, lineageRow('t', 'side', 11, 'n6')];
}

function collapse(rows: LineageRow[], options?: CollapseOptions) {
  const tree = forkTree('t', rows);
  return collapseChains(tree, layoutLanes(tree), options);
}

const nodesOf = (rows: LineageRow[], options?: CollapseOptions) =>
  collapse(rows, options).items.map((item) => item.nodes);

describe('collapseChains', () => {
  test('folds the run between the root and the fork point', () => {
    const { items, edges, columns, lanes } = collapse(rowsOf());
    expect(items.map((item) => [item.kind, item.nodes, item.column, item.lane])).toEqual([
      ['node', [0], 0, 0],
      ['chain', [1, 2, 3, 4, 5], 1, 0],
      ['node', [6], 2, 0],
      ['node', [7], 3, 0],
      ['node', [8], 4, 0],
      ['node', [9], 5, 0],
      ['node', [10], 3, 1],
    ]);
    expect([columns, lanes]).toEqual([6, 2]);
    expect(edges.map((edge) => [edge.fromNode, edge.toNode])).toEqual([
      [0, 1],
      [5, 6],
      [6, 7],
      [7, 8],
      [8, 9],
      [6, 10],
    ]);
    expect(edges[1]).toMatchObject({ from: items[1]?.id, to: items[2]?.id, kind: 'recorded' });
  });

  test('shorter runs stay open, unless asked', () => {
    expect(nodesOf(rowsOf(), { minimum: 6 })).toHaveLength(11);
    expect(nodesOf(rowsOf(), { minimum: 2 })).toContainEqual([7, 8]);
  });

  test('failed, latest and kept nodes stay visible', () => {
    expect(nodesOf(rowsOf({ n1: { status: 'failed' } }))).toContainEqual([2, 3, 4, 5]);
    expect(nodesOf(rowsOf({ n5: { isLatest: true } }))).toContainEqual([1, 2, 3, 4]);
    expect(nodesOf(rowsOf(), { keep: new Set([1]) }).slice(1, 3)).toEqual([[1], [2, 3, 4, 5]]);
  });

  test('an expanded chain stays open, also when a node in it is selected', () => {
    const id = collapse(rowsOf()).items[1]?.id ?? '';
    expect(nodesOf(rowsOf(), { expanded: new Set([id]) })).toHaveLength(11);
    expect(nodesOf(rowsOf(), { expanded: new Set([id]), keep: new Set([1]) })).toHaveLength(11);
  });

  test('the id of a chain stays while it grows at its end', () => {
    const chainOf = (rows: LineageRow[]) => collapse(rows).items.find((item) => item.kind === 'chain')?.id;
    expect(chainOf(rowsOf().slice(0, 8))).toBe(chainOf(rowsOf()));
  });

  test('ids are unique, also where a ref is stored twice', () => {
    const { items } = collapse([...rowsOf(), lineageRow('t', 'n3', 12, 'n2')], { minimum: 1 });
    expect(new Set(items.map((item) => item.id)).size).toBe(items.length);
  });

  test('every node is in one item; items and their edges keep to the right and share no place', () => {
    const parents = fc.array(fc.nat(), { maxLength: 60 });
    fc.assert(
      fc.property(parents, fc.nat(5), fc.nat(59), (numbers, minimum, kept) => {
        const rows = numbers.map((n, at) =>
          lineageRow(
            't',
            `n${at}`,
            at,
            n % 7 === 0 || at === 0 ? undefined : `n${at - 1 - (n % 2 === 0 ? n % at : 0)}`,
          ),
        );
        const { items, edges } = collapse(rows, { minimum: minimum + 1, keep: new Set([kept]) });
        expect(items.flatMap((item) => item.nodes).sort((a, b) => a - b)).toEqual(rows.map((_, at) => at));
        expect(new Set(items.map((item) => `${item.column}/${item.lane}`)).size).toBe(items.length);
        const columnOf = new Map(items.map((item) => [item.id, item.column]));
        for (const edge of edges) expect(columnOf.get(edge.to)).toBe((columnOf.get(edge.from) ?? NaN) + 1);
      }),
    );
  });
});

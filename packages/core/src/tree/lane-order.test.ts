import { expect, it } from 'vitest';
import type { LineageRow } from '../model.ts';
import { forkTree } from './fork-tree.ts';
import { lanesOf } from './lane-list.ts';
import { elbow, lanesInOrder } from './lane-order.ts';

const rows = (...sketch: readonly (readonly [id: string, parent?: string])[]): LineageRow[] =>
  sketch.map(([id, parent], at) => ({
    id,
    seq: at + 1,
    status: 'completed',
    kind: parent === undefined ? 'none' : 'recorded',
    isLatest: false,
    ...(parent === undefined ? {} : { parent: { task: 't', id: parent } }),
  }));

it('lists each lane before those that fork from it, and later forks first', () => {
  const { lanes } = lanesOf(
    forkTree(
      't',
      rows(['m1'], ['m2', 'm1'], ['m3', 'm2'], ['early', 'm1'], ['late', 'm2'], ['late2', 'late'], ['deep', 'late']),
    ),
  );
  const first = lanesInOrder(lanes).map((at) => lanes[at]?.nodes[0]);
  expect(first).toEqual([0, 4, 6, 3]);
});

it('lists every lane once, however deep they hang', () => {
  const sketch: (readonly [string, string?])[] = [['n0'], ['s0', 'n0']];
  for (let at = 1; at < 3_000; at++) sketch.push([`n${at}`, `n${at - 1}`], [`s${at}`, `n${at}`]);
  const { lanes } = lanesOf(forkTree('t', rows(...sketch)));
  expect(lanesInOrder(lanes).toSorted((a, b) => a - b)).toEqual(lanes.map(({ ordinal }) => ordinal));
});

it('draws an edge straight within a lane, and by one bend to another', () => {
  expect(elbow({ x: 1, y: 5 }, { x: 9, y: 5 }, 2)).toBe('M1 5H9');
  expect(elbow({ x: 1, y: 5 }, { x: 9, y: 20 }, 2)).toBe('M1 5V18Q1 20 3 20H9');
  expect(elbow({ x: 1, y: 20 }, { x: 9, y: 5 }, 2)).toBe('M1 20V7Q1 5 3 5H9');
});

import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { forkTree, layoutLanes, type LineageRow } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { barShare, indexAt, LANES_DRAWN, slotOf, timelineModel } from './model.ts';

type Sketch = readonly [id: string, parent?: string, status?: LineageRow['status']];

function forks(sketch: readonly Sketch[]) {
  const rows = sketch.map(([id, parent, status = 'completed'], at): LineageRow => ({
    id,
    seq: at + 1,
    status,
    isLatest: at === sketch.length - 1,
    kind: parent === undefined ? 'none' : 'recorded',
    ...(parent === undefined ? {} : { parent: { task: 't', id: parent } }),
  }));
  const tree = forkTree('t', rows);
  const layout = layoutLanes(tree);
  return { tree, layout: () => layout };
}

const chain = (length: number): Sketch[] =>
  Array.from({ length }, (_, at): Sketch => (at === 0 ? ['c0'] : [`c${at}`, `c${at - 1}`]));

/** Every 25th one begins a fork, every 1,000th has failed. */
const manyForks = (count: number): Sketch[] =>
  chain(count).map(([id, parent], at): Sketch => {
    if (at % 25 === 24) return [id, `c${Math.max(0, at - 40)}`];
    return parent === undefined ? [id] : [id, parent, at % 1000 === 500 ? 'failed' : 'completed'];
  });

describe('timeline', () => {
  it('tells no change from a count that is unknown', () => {
    const facts = new Map([
      [1, { changes: 0, broken: false }],
      [2, { changes: 7, broken: false }],
    ]);
    const model = timelineModel(forks(chain(4)), facts, 100);
    expect(model.slots.map((slot) => slot.changes)).toEqual([undefined, 0, 7, undefined]);
    expect(model.most).toBe(7);
  });

  it('draws a chain as one run, a fork as a bend, and what failed, runs and cannot be read as marks', () => {
    const model = timelineModel(
      forks([['a'], ['b', 'a', 'failed'], ['f', 'a', 'running'], ['c', 'b']]),
      new Map([[3, { broken: true }]]),
      100,
    );
    expect(model.lanes).toBe(2);
    expect(model.runs).toEqual([{ lane: 0, from: 0, to: 3 }]);
    expect(model.bends).toEqual([{ fromLane: 0, from: 0, lane: 1, to: 2 }]);
    expect(model.marks.map(({ slot, kind }) => [slot, kind])).toEqual([
      [0, 'fork'],
      [1, 'failed'],
      [2, 'running'],
      [3, 'broken'],
    ]);
    expect(model.slots.map((slot) => slot.running)).toEqual([false, false, true, false]);
  });

  it('leaves out ghosts: a parent that is gone has no place', () => {
    const model = timelineModel(
      forks([
        ['b', 'evicted'],
        ['c', 'b'],
      ]),
      new Map(),
      100,
    );
    expect([model.count, model.slots.length, model.runs]).toEqual([2, 2, [{ lane: 0, from: 0, to: 1 }]]);
  });

  it('puts 50,000 checkpoints with 2,000 forks into few parts, in linear work, and loses no failure', () => {
    const many = manyForks(50_000);
    const all = forks(many);
    const facts = new Map(Array.from({ length: 100 }, (_, at) => [49_900 + at, { changes: at, broken: false }]));
    const model = timelineModel(all, facts, 220);
    const less = forks(manyForks(3_125));
    expect(growth((count) => timelineModel(count === 50_000 ? all : less, facts, 220), 50_000)).toBeLessThan(LINEAR);
    expect(model.slots).toHaveLength(220);
    expect(model.marks.length).toBeLessThanOrEqual(220 * LANES_DRAWN * 3);
    expect(model.runs.length).toBeLessThanOrEqual(220 * LANES_DRAWN);
    const failed = new Set(many.flatMap(([, , status], at) => (status === 'failed' ? [slotOf(at, 50_000, 220)] : [])));
    expect(new Set(model.marks.flatMap((mark) => (mark.kind === 'failed' ? [mark.slot] : [])))).toEqual(failed);
    expect(model.most).toBe(99);
  });

  it('finds the checkpoint of a place, and the place of a checkpoint', () => {
    expect([0, 0.49, 0.5, 1, 2, -1].map((at) => indexAt(at, 4))).toEqual([0, 1, 2, 3, 3, 0]);
    expect([0, 1, 2, 3].map((index) => slotOf(index, 4, 10))).toEqual([0, 1, 2, 3]);
    expect([0, 999, 1999].map((index) => slotOf(index, 2000, 100))).toEqual([0, 49, 99]);
  });

  it('keeps a small bar in sight beside a large one', () => {
    expect([0, 1, 100].map((changes) => barShare(changes, 100))).toEqual([0, 0.1, 1]);
    expect(barShare(0, 0)).toBe(0);
  });
});

import { type LineageRow, storeId } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { forksOf } from '../../lib/forks.ts';
import type { CheckpointRow } from '../../lib/api.ts';
import { laneRows, LANES_SHOWN, lanesUsed } from './lanes.ts';

type Sketch = readonly [id: string, parent?: string];

/** Oldest first, as they were saved; the list is newest first. */
function build(sketch: readonly Sketch[], listed = sketch.length) {
  const last = sketch.at(-1)?.[0];
  const lineage = sketch.map(([id, parent], index): LineageRow => ({
    id,
    seq: index + 1,
    status: 'completed',
    isLatest: id === last,
    kind: parent === undefined ? 'none' : 'recorded',
    ...(parent === undefined ? {} : { parent: { task: 't', id: parent } }),
  }));
  const rows = lineage
    .toReversed()
    .slice(0, listed)
    .map((row): CheckpointRow => ({
      store: storeId('s'),
      id: row.id,
      taskId: 't',
      lineage: row.kind,
      seq: row.seq,
      timeBasis: 'none',
      status: row.status,
      labels: [],
      sizeBytes: 1,
      isLatest: row.isLatest,
    }));
  return { rows, lanes: laneRows(rows, forksOf('t', lineage)) };
}

const parts = (row: { lines: readonly { lane: number; part: string }[] } | undefined): string[] =>
  (row?.lines ?? []).map((line) => `${line.lane} ${line.part}`).sort();

describe('lane rows', () => {
  it('draw a chain as one line', () => {
    const { lanes } = build([['a'], ['b', 'a'], ['c', 'b']]);
    expect(lanes.map((row) => parts(row))).toEqual([['0 below'], ['0 above', '0 below'], ['0 above']]);
    expect(lanesUsed(lanes)).toBe(1);
  });
  it('bend a fork into its parent and pass the rows between', () => {
    const { lanes } = build([['a'], ['b', 'a'], ['f', 'a'], ['c', 'b']]);
    const [c, f, b, a] = lanes;
    expect([c?.lane, f?.lane, b?.lane, a?.lane]).toEqual([0, 1, 0, 0]);
    expect(parts(f)).toEqual(['0 through', '1 below']);
    expect(parts(b)).toEqual(['0 above', '0 below', '1 through']);
    expect(a?.bends).toEqual([{ lane: 1, from: 'above' }]);
    expect(a?.fork).toBe(true);
  });
  it('go on to the end where the parent is not loaded yet', () => {
    const { lanes } = build([['a'], ['b', 'a'], ['c', 'b']], 1);
    expect(lanes[0]).toMatchObject({ parent: 'further', lines: [{ lane: 0, part: 'below' }] });
  });
  it('say that a parent is missing, and draw no line to it', () => {
    const { lanes } = build([
      ['b', 'evicted'],
      ['c', 'b'],
    ]);
    expect(lanes[1]).toMatchObject({ parent: 'missing', lines: [{ lane: 0, part: 'above' }] });
  });
  it('stay within the column for any number of forks', () => {
    const forks = Array.from({ length: 40 }, (_, index): Sketch => [`f${index}`, 'a']);
    const { lanes } = build([['a'], ...forks]);
    expect(lanesUsed(lanes)).toBeLessThanOrEqual(LANES_SHOWN);
    expect(Math.max(...lanes.map((row) => row.lines.length))).toBeLessThanOrEqual(LANES_SHOWN * 2);
  });
});

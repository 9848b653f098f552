import { type LineageRow, storeId } from '@checkpoint-inspector/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refOf } from '../../lib/address.ts';
import { forksOf } from '../../lib/forks.ts';
import type { CheckpointRow } from '../../lib/api.ts';
import { type LaneRow, laneRows, LANES_SHOWN, lanesUsed } from './lanes.ts';

type Sketch = readonly [id: string, parent?: string];

/** Oldest first, as they were saved; the list is newest first. A parent `task/id` is in that task. */
function build(sketch: readonly Sketch[], listed = sketch.length) {
  const last = sketch.at(-1)?.[0];
  const lineage = sketch.map(([id, parent], index): LineageRow => ({
    id,
    seq: index + 1,
    status: 'completed',
    isLatest: id === last,
    kind: parent === undefined ? 'none' : 'recorded',
    ...(parent === undefined ? {} : { parent: parentOf(parent) }),
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
  const forks = forksOf('t', lineage);
  const places = rows.map((row) => ({ node: forks.nodeOf(refOf(row)), kind: row.lineage }));
  return { rows, lanes: laneRows(places, forks) };
}

function parentOf(text: string): { task: string; id: string } {
  const [id = text, task = 't'] = text.split('/').toReversed();
  return { task, id };
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
  it('name a parent in another task, which is not missing', () => {
    const { lanes } = build([
      ['b', 'other/a'],
      ['c', 'b'],
    ]);
    expect(lanes[1]).toMatchObject({ parent: 'other-task', from: { ref: { task: 'other', id: 'a' } } });
  });
  it('stay within the columns for any number of forks, and join one line to their parent', () => {
    const forks = Array.from({ length: 40 }, (_, index): Sketch => [`f${index}`, 'a']);
    const { lanes } = build([['a'], ...forks]);
    expect(lanesUsed(lanes)).toBe(3);
    expect(lanes.at(-1)?.bends).toEqual([{ lane: 1, from: 'above' }]);
  });
  it('never draw one line for forks of different parents', () => {
    const sketch: Sketch[] = [['m0'], ...Array.from({ length: 31 }, (_, at): Sketch => [`m${at + 1}`, `m${at}`])];
    for (let at = 0; at < 31; at++) sketch.push([`f${at}`, `m${at}`], [`g${at}`, `f${at}`]);
    const { rows, lanes } = build(sketch);
    expect(lanesUsed(lanes)).toBeLessThanOrEqual(LANES_SHOWN);
    const parentOf = new Map(sketch.map(([id, parent]) => [id, parent]));
    const drawn = linesFrom(rows, lanes);
    expect(drawn.length).toBeGreaterThan(31);
    for (const [child, end] of drawn) expect(end).toBe(parentOf.get(child));
    const apart = lanes.filter((row) => row.parent === 'apart');
    expect(apart.length).toBeGreaterThan(0);
    expect(apart.every((row) => row.from?.row !== undefined)).toBe(true);
  });
  it('draw what any tree holds and nothing else', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { minLength: 1, maxLength: 60 }), (numbers) => {
        const sketch = numbers.map((n, at): Sketch => (at === 0 ? ['n0'] : [`n${at}`, `n${n % at}`]));
        const { rows, lanes } = build(sketch);
        const parentOf = new Map(sketch.map(([id, parent]) => [id, parent]));
        for (const [child, end] of linesFrom(rows, lanes)) expect(end).toBe(parentOf.get(child));
      }),
    );
  });
});

/** Follows each line down from its checkpoint to where it ends, as an eye would: newest first, parents lie below. */
function linesFrom(rows: readonly CheckpointRow[], lanes: readonly LaneRow[]): [child: string, end: string][] {
  return lanes.flatMap((row, start) => {
    const straight = row.lines.find((line) => line.lane === row.lane && line.part === 'below');
    const first = straight?.lane ?? row.bends.find((bend) => bend.from === 'below')?.lane;
    const end = first === undefined ? undefined : followDown(lanes, start, first);
    return end === undefined ? [] : [[rows[start]?.id ?? '', rows[end]?.id ?? '']];
  });
}

function followDown(lanes: readonly LaneRow[], start: number, column: number): number {
  for (let place = start + 1; place < lanes.length; place++) {
    const row = lanes[place];
    const arrives =
      row?.bends.some((bend) => bend.lane === column && bend.from === 'above') ||
      row?.lines.some((line) => line.lane === column && line.part === 'above');
    if (arrives) return place;
    if (!row?.lines.some((line) => line.lane === column && line.part === 'through')) return -1;
  }
  return -1;
}

import { forkTree, type LaneDifference } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { rows as lineage, type Sketch } from '../testing/rows.ts';
import { type LaneBook, laneBook, lanePath, waysFrom } from './book.ts';
import { rowLines } from './lines.ts';
import { GROUPED_ABOVE, laneRows, type LaneTableRow, pinnedRows, rowOfLane, rowsSoFar } from './rows.ts';

type Value = Readonly<Record<string, string>>;

/** A main lane of 4 steps, and forks from its second, each of two steps. */
function sweep(values: readonly Value[], failed: (at: number) => boolean = () => false): LaneBook {
  const sketch: Sketch[] = [['m1'], ['m2', 'm1'], ['m3', 'm2'], ['m4', 'm3', { isLatest: true }]];
  values.forEach((_, at) => {
    sketch.push([`a${at}`, 'm2'], [`b${at}`, `a${at}`, { status: failed(at) ? 'failed' : 'completed' }]);
  });
  const tree = forkTree('t', lineage(...sketch));
  const facts = values.map((value, at) => ({
    lane: `f${at + 1}`,
    parent: 'main',
    first: { task: 't', id: `a${at}` },
    tip: { task: 't', id: `b${at}` },
    steps: 2,
    status: 'completed' as const,
    differences: Object.entries(value).map(([key, text]): LaneDifference => ({
      path: `$.${key}`,
      key,
      value: text,
      before: '0',
    })),
    nameLength: 1,
    costUsd: String((at * 7) % 10),
  }));
  return laneBook(tree, facts);
}

const options = { order: 'outcome' as const, open: new Map<string, boolean>(), selected: undefined };
const lanesIn = (rows: readonly LaneTableRow[]): number[] =>
  rows.flatMap((row) =>
    row.kind === 'lane' ? [row.info.lane.ordinal] : row.bundle.lanes.map(({ lane }) => lane.ordinal),
  );
const seeds = (count: number): Value[] => Array.from({ length: count }, (_, at) => ({ seed: `${at}` }));
const grid: Value[] = Array.from({ length: 300 }, (_, at) => ({
  prompt: `p${at % 6}`,
  temperature: `0.${Math.floor(at / 6) % 5}`,
  seed: `${Math.floor(at / 30)}`,
}));

describe('lane rows', () => {
  it('list main first, then its forks, failed ones last', () => {
    const rows = laneRows(
      sweep(seeds(5), (at) => at === 1),
      options,
    );
    expect(lanesIn(rows)).toEqual([0, 1, 3, 4, 5, 2]);
    expect(rows.map((row) => row.level)).toEqual([1, 2, 2, 2, 2, 2]);
  });

  it('keep main and the nearest rows above the selection in view, as far as there is room', () => {
    const book = sweep(grid);
    const selected = book.tree.nodes.findIndex(({ ref }) => ref.id === 'b250');
    const rows = laneRows(book, { ...options, selected });
    const active = rowOfLane(rows, book.laneOf[selected]);
    const above: number[] = [];
    for (let at = rows[active]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1) above.unshift(at);
    expect(above.length).toBeGreaterThan(2);
    expect(pinnedRows(rows, active, 10)).toEqual(above);
    expect(pinnedRows(rows, active, 2)).toEqual([0, above.at(-1)]);
    expect(pinnedRows(rows, active, 0)).toEqual([0]);
    expect(pinnedRows(rows, 0, 10)).toEqual([0]);
    expect(pinnedRows(rows, -1, 10)).toEqual([0]);
    expect(pinnedRows([], -1, 10)).toEqual([]);
  });

  it('sort siblings by the chosen order', () => {
    const rows = laneRows(sweep(seeds(5)), { ...options, order: 'cost' });
    expect(lanesIn(rows)).toEqual([0, 1, 4, 3, 2, 5]);
  });

  it('fold lanes that are alike, and open them in place', () => {
    const book = sweep(seeds(30), (at) => at < 3);
    const rows = laneRows(book, options);
    const fold = rows.findIndex((row) => row.kind === 'bundle');
    expect(rows[fold]).toMatchObject({ open: false, bundle: { name: 'seed' } });
    expect(lanesIn(rows).sort((a, b) => a - b)).toEqual(Array.from({ length: 31 }, (_, at) => at));
    const opened = laneRows(book, { ...options, open: new Map([[rows[fold]?.key ?? '', true]]) });
    expect(opened.slice(0, fold).map(({ key }) => key)).toEqual(rows.slice(0, fold).map(({ key }) => key));
    expect(opened[fold]?.key).toBe(rows[fold]?.key);
    expect(opened.filter((row) => row.kind === 'lane')).toHaveLength(31);
  });

  it('never fold away the selected lane', () => {
    const book = sweep(seeds(30));
    const tip = book.lanes[30]?.lane.tip;
    const rows = laneRows(book, { ...options, selected: tip });
    expect(rows[rowOfLane(rows, 30)]).toMatchObject({ kind: 'lane', onPath: true });
    expect(rows.find((row) => row.kind === 'bundle')).toMatchObject({ open: false, onPath: false });
    expect(lanePath(book, tip)).toEqual([0, 30]);
  });

  it('group many lanes by the values that differ, level by level, each lane once', () => {
    const book = sweep(grid);
    expect(book.lanes.length).toBeGreaterThan(GROUPED_ABOVE);
    const rows = laneRows(book, options);
    expect(rows.length).toBeLessThan(12);
    const groups = rows.flatMap((row) => (row.kind === 'bundle' ? [row] : []));
    expect(groups.every(({ bundle }) => bundle.name === 'temperature' && bundle.lanes.length === 60)).toBe(true);
    const first = groups[0];
    const opened = laneRows(book, { ...options, open: new Map([[first?.key ?? '', true]]) });
    const inner = opened.flatMap((row) => (row.kind === 'bundle' && row.level === 3 ? [row.bundle] : []));
    expect(inner.map(({ name, lanes }) => [name, lanes.length])).toEqual(
      Array.from({ length: 6 }, () => ['prompt', 10]),
    );
    expect(lanesIn(rows).toSorted((a, b) => a - b)).toEqual(book.lanes.map(({ lane }) => lane.ordinal));
  });

  it('lead from the root to a selected lane through its groups', () => {
    const book = sweep(grid);
    const rows = laneRows(book, { ...options, selected: book.lanes[250]?.lane.tip });
    const row = rowOfLane(rows, 250);
    expect(rows[row]?.kind).toBe('lane');
    for (let at = row; at >= 0; at = rows[at]?.parent ?? -1) expect(rows[at]?.onPath).toBe(true);
  });

  it('hold for 2,000 lanes that hang on each other', () => {
    const tree = forkTree(
      't',
      lineage(
        ['n0'],
        ['m0', 'n0'],
        ...Array.from({ length: 2_000 }, (_, at): Sketch[] => [
          [`n${at + 1}`, `n${at}`],
          [`m${at + 1}`, `n${at + 1}`],
        ]).flat(),
      ),
    );
    const book = laneBook(tree, []);
    const open = new Map(book.lanes.map(({ lane }) => [`lane ${lane.ordinal}`, true]));
    expect(laneRows(book, { ...options, open })).toHaveLength(book.lanes.length);
  });
});

describe('lines of the rows', () => {
  it('join each row to the one it hangs on, and pass the rows between', () => {
    const rows = laneRows(sweep(seeds(3)), options);
    const lines = rowLines(rows, -1, undefined);
    expect(lines[0]).toMatchObject({ down: [1], through: [] });
    expect(lines.slice(1).map(({ from, through }) => [from, through])).toEqual([
      [1, [1]],
      [1, [1]],
      [1, []],
    ]);
  });

  it('lead the accent from the root to the selection and no further', () => {
    const book = sweep(seeds(3));
    const rows = laneRows(book, options);
    const lines = rowLines(rows, 2, 2);
    expect(lines[0]).toMatchObject({ pathTo: 1, pathDown: 1 });
    expect(lines[1]).toMatchObject({ pathThrough: [1] });
    expect(lines[1]?.pathTo).toBeUndefined();
    expect(lines[2]).toMatchObject({ pathTo: 2 });
    expect(lines[3]?.pathThrough).toEqual([]);
  });
});

describe('the ways from a fork', () => {
  it('are told by the value that tells most of them apart, the lane itself first', () => {
    const book = sweep([{ prompt: 'p1', seed: '3' }, { prompt: 'p2' }, { seed: '9' }]);
    const ways = waysFrom(book, 1);
    expect(ways?.path).toBe('$.prompt');
    expect(ways?.lanes.map(({ info, value }) => [info.lane.label, value])).toEqual([
      ['main', '0'],
      ['f1', 'p1'],
      ['f2', 'p2'],
      ['f3', '0'],
    ]);
    expect(waysFrom(book, 2)).toBeUndefined();
  });
});

describe('lane rows while lanes are compared', () => {
  const told = new Set(Array.from({ length: 40 }, (_, at) => at));
  const partly = (book: LaneBook, known: ReadonlySet<number>): LaneBook => ({
    ...book,
    isComparing: true,
    lanes: book.lanes.map((info) =>
      known.has(info.lane.ordinal) ? info : { ...info, compared: false, differences: [], nameLength: 0 },
    ),
  });

  it('end before the first that depends on a value, and those that are there never move', () => {
    const book = sweep(grid);
    const { rows, waitsFor } = rowsSoFar(partly(book, told), options);
    expect(rows.map(({ key }) => key)).toEqual(['lane 0']);
    expect(waitsFor).toHaveLength(300);
    const all = laneRows(book, options).map(({ key }) => key);
    expect(all.slice(0, rows.length)).toEqual(rows.map(({ key }) => key));
  });

  it('are all there at once where few lanes leave each checkpoint, however many there are', () => {
    const sketch: Sketch[] = [['m0']];
    for (let at = 1; at <= 90; at++) sketch.push([`m${at}`, `m${at - 1}`], [`f${at}`, `m${at - 1}`]);
    const book = laneBook(forkTree('t', lineage(...sketch)), []);
    expect(book.lanes.length).toBeGreaterThan(GROUPED_ABOVE);
    const waiting = rowsSoFar({ ...book, isComparing: true }, options);
    expect(waiting.waitsFor).toEqual([]);
    expect(waiting.rows).toHaveLength(book.lanes.length);
    const keys = (rows: readonly LaneTableRow[]): string[] => rows.map(({ key }) => key);
    const facts = book.lanes.slice(1).map(({ lane }) => ({
      lane: lane.label,
      first: { task: 't', id: book.tree.nodes[lane.nodes[0] ?? -1]?.ref.id ?? '' },
      tip: { task: 't', id: 'x' },
      steps: 1,
      status: 'completed' as const,
      differences: [{ path: '$.seed', key: 'seed', value: lane.label }],
      nameLength: 1,
    }));
    expect(keys(laneRows(laneBook(book.tree, facts), options))).toEqual(keys(waiting.rows));
  });
});

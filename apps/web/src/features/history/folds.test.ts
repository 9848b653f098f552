import { growth, LINEAR } from '@checkpoint-inspector/config/measure';
import { forkTree, lanesOf, type LineageRow } from '@checkpoint-inspector/core';
import { lineageRow } from '@checkpoint-inspector/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, foldLanes, laneAndAbove, laneKey } from './folds.ts';
import { laneRows } from './lanes.ts';
import { forksOf } from '../../lib/forks.ts';

/** Parents by place, -1 for none. */
const rowsOf = (parents: readonly number[]): LineageRow[] =>
  parents.map((parent, at) => lineageRow('t', `n${at}`, at + 1, parent < 0 ? undefined : `n${parent}`));

function folded(parents: readonly number[], selected: number, opened: readonly number[] = []) {
  const tree = forkTree('t', rowsOf(parents));
  const all = lanesOf(tree);
  const listed = new Set([0, ...laneAndAbove(all, selected)]);
  const single = opened.flatMap((ordinal) => {
    const lane = all.lanes[ordinal];
    return lane ? [laneKey(tree, lane)] : [];
  });
  return { tree, ...all, listed, entries: foldLanes({ ...all, tree, listed, opened: new Set(single) }) };
}

const words = (entries: readonly Entry[]): string[] =>
  entries.map((entry) =>
    entry.kind === 'node'
      ? entry.node.ref.id
      : `${entry.kind}${entry.open ? ' open' : ''} ${entry.lanes.map(({ label }) => label).join(' ')}${
          entry.from ? ` from ${entry.from.ref.id}` : ''
        }`,
  );

/** A trunk of four, then lanes of two from its second; the last one continues. */
const SWEEP = [-1, 0, 1, 2, 1, 4, 1, 6, 1, 8, 9];

describe('folded lanes', () => {
  it('leaves main and the way to the selection, and gives the others one row', () => {
    expect(words(folded(SWEEP, 10).entries)).toEqual([
      'n10',
      'n9',
      'n8',
      'group f2 f1 from n1',
      'n3',
      'n2',
      'n1',
      'n0',
    ]);
    expect(words(folded(SWEEP, 3).entries)).toEqual(['group f3 f2 f1 from n1', 'n3', 'n2', 'n1', 'n0']);
  });

  it('lists the lanes of an opened group below it, and one lane alone by itself', () => {
    expect(words(folded(SWEEP, 10, [1, 2]).entries).slice(3, 6)).toEqual([
      'group open f2 f1 from n1',
      'lane f2 from n1',
      'lane f1 from n1',
    ]);
    expect(words(folded(SWEEP, 5).entries).slice(0, 3)).toEqual(['group f3 f2 from n1', 'n5', 'n4']);
    expect(words(folded([-1, 0, 1, 1, 1], 3).entries)).toEqual(['lane f2 from n1', 'n3', 'n2', 'n1', 'n0']);
  });

  it('has a row for each of a few places that lanes fork from, and one without a line for many', () => {
    expect(words(folded([-1, 0, 1, 2, 0, 1], 3).entries)).toEqual([
      'lane f2 from n1',
      'lane f1 from n0',
      'n3',
      'n2',
      'n1',
      'n0',
    ]);
    expect(words(folded([-1, 0, 1, 2, 3, 0, 1, 2, 3], 4).entries)[0]).toBe('group f4 f3 f2 f1');
  });

  it('counts what forks from a folded lane with it, and draws no line from there', () => {
    const { entries } = folded([-1, 0, 1, 0, 3, 3], 2, [1, 2]);
    expect(words(entries).slice(0, 3)).toEqual(['group open f2 f1 from n0', 'lane f2', 'lane f1 from n0']);
  });

  it('works out as many rows as are asked for, and as far as the selection', () => {
    const { entries, ...all } = folded([...SWEEP, 10, 11, 12], 13);
    const some = (most: number, until: number): readonly Entry[] =>
      foldLanes({ ...all, opened: new Set(), most, until });
    expect(words(some(2, 13))).toEqual(['n13', 'n12']);
    expect(some(2, 3)).toEqual(entries.slice(0, words(entries).indexOf('n3') + 1));
    expect(some(99, 13)).toEqual(entries);
  });

  it('hides no listed lane, shows every other one once, and draws only edges that exist, in any tree', () => {
    const numbers = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(numbers, fc.nat(), (list, pick) => {
        const parents = list.map((n, at) => (at === 0 ? -1 : n % at));
        const { tree, lanes, laneOf, listed, entries } = folded(parents, pick % parents.length);
        const shown = entries.flatMap((entry) => (entry.kind === 'node' ? [entry.node.index] : []));
        expect(shown).toEqual(
          tree.nodes.flatMap(({ index }) => (listed.has(laneOf[index] ?? -1) ? [index] : [])).toReversed(),
        );
        const hidden = entries.flatMap((entry) => (entry.kind === 'node' ? [] : entry.lanes.map((one) => one.ordinal)));
        expect(hidden.sort((a, b) => a - b)).toEqual(
          lanes.flatMap(({ ordinal }) => (listed.has(ordinal) ? [] : [ordinal])),
        );
        const forks = forksOf('t', rowsOf(parents));
        const places = entries.map((entry) =>
          entry.kind === 'node'
            ? { node: forks.tree.nodes[entry.node.index], kind: entry.node.kind }
            : { kind: 'none' as const, from: entry.from },
        );
        expect(laneRows(places, forks).every(({ parent }) => parent !== 'further' && parent !== 'missing')).toBe(true);
      }),
    );
  });

  it('takes linear work for 50,000 checkpoints and 2,000 lanes', () => {
    const sizes = (count: number): ReturnType<typeof folded> => {
      const parents = Array.from({ length: count }, (_, at) => (at % 25 === 24 ? Math.max(0, at - 40) : at - 1));
      return folded(parents, count - 1);
    };
    const [all, less] = [sizes(50_000), sizes(3_125)];
    const work = ({ tree, lanes, laneOf, listed }: ReturnType<typeof folded>): unknown =>
      foldLanes({ tree, lanes, laneOf, listed, opened: new Set() });
    expect(growth((count) => work(count === 50_000 ? all : less), 50_000)).toBeLessThan(LINEAR);
  });
});

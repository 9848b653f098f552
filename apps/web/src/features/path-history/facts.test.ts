import { forkTree, type LineageRow, type SentHistoryRow } from '@checkpoint-inspector/core';
import { describe, expect, it } from 'vitest';
import { beside, firstSet, isAbove, lastWritten, seriesOf, tipOf, withLines } from './facts.ts';

const row = (position: number, parts: Partial<SentHistoryRow>): SentHistoryRow => ({
  kind: 'changed',
  ref: { task: 't', id: `c${position}` },
  position,
  ...parts,
});
const gap = (position: number, sides: 'same' | 'differ' | 'unknown', parts: Partial<SentHistoryRow> = {}) =>
  row(position, {
    kind: 'gap',
    gap: { count: 1, oldest: { task: 't', id: `c${position}` }, code: 'locked', message: 'Locked.', sides },
    ...parts,
  });

describe('what the rows tell', () => {
  const rows = [
    row(9, { kind: 'moved', before: '2', to: '$.b' }),
    row(4, { before: '1', after: '2' }),
    row(1, { kind: 'set', after: '1' }),
  ];

  it('names the one who wrote the value last, not the one who moved it away', () => {
    expect(lastWritten(rows)?.position).toBe(4);
    expect(lastWritten([gap(3, 'differ', { before: '1', after: '2' })])).toBeUndefined();
  });

  it('is certain of the first setting only where all before it could be read', () => {
    expect(firstSet(rows)).toMatchObject({ row: { position: 1 }, certain: true });
    expect(firstSet([...rows.slice(0, 2), gap(0, 'unknown', { after: '1' })])).toMatchObject({
      row: { position: 4 },
      certain: false,
    });
    expect(firstSet([])).toBeUndefined();
  });

  it('draws numbers as steps, with a hole where there was none or nobody knows', () => {
    expect(seriesOf(rows, 12)).toEqual({
      runs: [
        {
          points: [expect.objectContaining({ at: 1, value: 1 }), expect.objectContaining({ at: 4, value: 2 })],
          end: 9,
        },
      ],
      low: 1,
      high: 2,
    });
    const holed = seriesOf([gap(5, 'differ', { before: '1', after: '7' }), row(1, { kind: 'set', after: '1' })], 8);
    expect(holed?.runs.map(({ points, end }) => [points.map(({ at, value }) => [at, value]), end])).toEqual([
      [[[1, 1]], 5],
      [[[6, 7]], 7],
    ]);
    expect(seriesOf([row(1, { kind: 'set', after: '"1"' })], 2)).toBeUndefined();
    expect(seriesOf([row(1, { kind: 'set', after: 'NaN' })], 2)).toBeUndefined();
    expect(seriesOf([], 2)).toBeUndefined();
  });

  it('shortens a path beside another', () => {
    expect(beside('$.a.c.x', '$.a.b.x')).toBe('c.x');
    expect(beside('$.list[2]', '$.list[0]')).toBe('[2]');
    expect(beside('$.a', '$.a')).toBe('a');
  });
});

describe('the branch', () => {
  const lineage = (id: string, seq: number, parent?: string, isLatest = false): LineageRow => ({
    id,
    seq,
    isLatest,
    kind: 'recorded',
    status: 'running',
    ...(parent === undefined ? {} : { parent: { task: 't', id: parent } }),
  });
  const tree = forkTree('t', [lineage('a', 1), lineage('b', 2, 'a', true), lineage('c', 3, 'a'), lineage('d', 4, 'c')]);

  it('ends at the latest where that lies on it, else at its newest child', () => {
    const at = (id: string): number => tree.nodes.findIndex((node) => node.ref.id === id);
    expect(['a', 'b', 'c', 'd'].map((id) => tree.nodes[tipOf(tree, at(id))]?.ref.id)).toEqual(['b', 'b', 'd', 'd']);
    expect([isAbove(tree, at('a'), at('d')), isAbove(tree, at('b'), at('d'))]).toEqual([true, false]);
  });
});

it('joins lines as they come', () => {
  const one = withLines({ rows: [], examined: 0, of: 0 }, [row(3, {}), { kind: 'progress', examined: 3, of: 9 }]);
  const two = withLines(one, [row(1, {}), { kind: 'done', done: true, examined: 9, of: 9, readable: 8, rows: 2 }]);
  expect(two).toMatchObject({ rows: [{ position: 3 }, { position: 1 }], examined: 9, of: 9, readable: 8 });
  expect(() =>
    withLines(two, [{ kind: 'error', error: { code: 'busy', message: 'The store is busy.', remedy: 'Wait.' } }]),
  ).toThrow('The store is busy.');
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LineageRow } from '../model.ts';
import { decodeLineage } from './columns.ts';
import { encodeLineage } from './encode-columns.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const name = fc.constantFrom('a', 'b', 'c', '', '__proto__', 'é\0');
const refs = fc.record({ task: fc.constantFrom('run', 'other'), namespace: maybe(name), id: name });

const without = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;

const rows = fc.array(
  fc
    .record({
      id: name,
      namespace: maybe(name),
      parent: maybe(refs.map(without)),
      kind: fc.constantFrom('recorded', 'sidecar', 'inferred', 'none'),
      time: maybe(fc.constantFrom('2026-01-31T10:00:00.000Z', '2026-01-31T10:00:00Z', '2026-01-31T10:00:00.123456Z')),
      status: fc.constantFrom('running', 'failed', 'unknown'),
      seq: fc.integer({ min: 1, max: 9 }),
      stepIndex: maybe(fc.integer()),
      description: maybe(fc.constantFrom('search', 'read', '')),
      isLatest: fc.boolean(),
    })
    .map((row) => without(row) as unknown as LineageRow),
);

it('gives back every row field by field, through JSON', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const columns = JSON.parse(JSON.stringify(encodeLineage('run', given))) as ReturnType<typeof encodeLineage>;
      expect(decodeLineage(columns)).toEqual(given);
    }),
  );
});

it('names parents that come after their children by their place, and those that two rows share by their ref', () => {
  const row = (id: string, seq: number, parent?: string): LineageRow => ({
    id,
    ...(parent === undefined ? {} : { parent: { task: 'run', id: parent } }),
    kind: 'recorded',
    status: 'completed',
    seq,
    isLatest: false,
  });
  const columns = encodeLineage('run', [
    row('b', 1, 'a'),
    row('c', 2, 'd'),
    row('a', 3),
    row('d', 4, 'b'),
    row('d', 5),
  ]);
  expect(columns.parents).toEqual([2, null, null, 0, null]);
  expect(columns.elsewhere).toEqual([[1, { task: 'run', id: 'd' }]]);
});

it.each([
  ['2026-01-28T10:00:00.123Z', Date.UTC(2026, 0, 28, 10, 0, 0, 123)],
  ['2026-01-31T10:00:00.123Z', Date.UTC(2026, 0, 31, 10, 0, 0, 123)],
  ['2026-02-30T10:00:00.123Z', '2026-02-30T10:00:00.123Z'],
  ['2026-01-28T24:00:00.000Z', '2026-01-28T24:00:00.000Z'],
  ['2026-01-28T10:00:00Z', '2026-01-28T10:00:00Z'],
])('the time %s is a number only where that says it exactly', (time, at) => {
  const row: LineageRow = { id: 'a', time, kind: 'none', status: 'completed', seq: 1, isLatest: false };
  expect(encodeLineage('run', [row]).times).toEqual([at]);
});

it('leaves out what is the same for all rows', () => {
  const plain = Array.from({ length: 3 }, (_, at): LineageRow => {
    const parent = at === 0 ? {} : { parent: { task: 'run', id: `c${at - 1}` } };
    return { id: `c${at}`, ...parent, kind: 'recorded', status: 'completed', seq: at + 1, isLatest: at === 2 };
  });
  const columns = encodeLineage('run', plain);
  expect(columns).not.toHaveProperty('seqs');
  expect(columns).not.toHaveProperty('namespaces');
  expect(columns.parents).toEqual([null, 0, 1]);
  expect(columns.statuses).toEqual(['completed']);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LineagePart, LineageRow } from '../model.ts';
import { decodeLineage, type LineageColumns } from './columns.ts';
import { encodeLineage, LineageEncoder } from './encode-columns.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const name = fc.constantFrom('a', 'b', 'c', '', '__proto__', 'é\0');
const refs = fc.record({ task: fc.constantFrom('run', 'other'), namespace: maybe(name), id: name });

const without = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as T;

const columnsOf = (rows: readonly LineageRow[]): LineageColumns =>
  JSON.parse(encodeLineage('run', rows)) as LineageColumns;

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
      expect(decodeLineage(columnsOf(given))).toEqual(given);
    }),
  );
});

const saved = (id: string, seq: number, parent?: string): LineageRow => ({
  id,
  ...(parent === undefined ? {} : { parent: { task: 'run', id: parent } }),
  kind: parent === undefined ? 'none' : 'recorded',
  status: 'completed',
  seq,
  isLatest: false,
});

it('names only parents that are not the row before, by their row where they have one', () => {
  const rows = [saved('a', 1), saved('b', 2, 'a'), saved('c', 3, 'a'), saved('d', 4, 'gone'), saved('e', 5, 'd')];
  expect(columnsOf(rows).parents).toEqual([
    [2, 0],
    [3, { task: 'run', id: 'gone' }],
  ]);
});

it('says of numbers where they jump, and leaves out what no row has', () => {
  const columns = columnsOf([saved('a', 3), saved('b', 4, 'a'), saved('c', 9, 'b')]);
  expect(columns.seqs).toEqual([
    [0, 3],
    [2, 9],
  ]);
  expect(columns).not.toHaveProperty('namespaces');
  expect(columnsOf([saved('a', 1), saved('b', 2, 'a')])).not.toHaveProperty('seqs');
});

/** What a store that gives columns would say of rows of the root. */
function runOf(rows: readonly LineageRow[], isChain: boolean): LineagePart {
  const list = (of: (row: LineageRow) => unknown): string => JSON.stringify(rows.map((row) => of(row) ?? null));
  const latest = rows.findIndex((row) => row.isLatest);
  return {
    count: rows.length,
    ids: list(({ id }) => id),
    ...(isChain ? {} : { parents: list(({ kind, parent }) => (kind === 'recorded' ? parent?.id : undefined)) }),
    statuses: rows.map(({ status }) => status.charAt(0)).join(''),
    times: list(({ time }) => time),
    steps: list(({ stepIndex }) => stepIndex),
    descriptions: list(({ description }) => description),
    ...(latest < 0 ? {} : { latest }),
  };
}

it('a row that cannot be read keeps the reason', () => {
  const row = (seq: number): LineageRow => ({ id: `c${seq}`, kind: 'none', status: 'unknown', seq, isLatest: false });
  const rows: LineageRow[] = [row(1), { ...row(2), problem: 'unreadable' }, { ...row(3), problem: 'locked' }];
  expect(decodeLineage(JSON.parse(encodeLineage('run', rows)) as LineageColumns)).toEqual(rows);
});

it('rows of which a store gives columns are the same, wherever others come between', () => {
  const cut = fc.record({
    kind: fc.constantFrom('run', 'chain', 'rows', 'namespace'),
    parents: fc.array(fc.nat({ max: 9 }), { minLength: 0, maxLength: 5 }),
    failedAt: fc.nat({ max: 9 }),
  });
  fc.assert(
    fc.property(fc.array(cut, { maxLength: 6 }), (parts) => {
      const encoder = new LineageEncoder('run');
      const rows: LineageRow[] = [];
      for (const { kind, parents, failedAt } of parts) {
        const made = parents.map((back, at): LineageRow => {
          const seq = rows.length + at + 1;
          const id = `c${seq}`;
          const isRoot = kind !== 'namespace';
          const before = at > 0 || (rows.length > 0 && rows.at(-1)?.namespace === undefined);
          const wanted = kind === 'chain' ? (before ? seq - 1 : 0) : back === 9 ? (before ? -1 : 0) : back;
          const parent = wanted === 0 || !isRoot ? undefined : { task: 'run', id: `c${wanted < 0 ? seq - 1 : wanted}` };
          return {
            id,
            ...(isRoot ? {} : { namespace: 'sub' }),
            ...(parent === undefined ? {} : { parent }),
            kind: parent === undefined ? 'none' : kind !== 'chain' && wanted < 0 ? 'inferred' : 'recorded',
            status: at === failedAt ? 'failed' : 'completed',
            seq,
            stepIndex: at,
            isLatest: at === failedAt,
          };
        });
        // In a run, a row without a recorded parent has the row before.
        const isRun =
          kind === 'chain' ||
          (kind === 'run' && made.every((row, at) => row.parent !== undefined || (at === 0 && !hasRootLast(rows))));
        encoder.addPart(isRun ? runOf(made, kind === 'chain') : { rows: made });
        rows.push(...made);
      }
      expect(decodeLineage(JSON.parse(encoder.end()) as LineageColumns)).toEqual(rows);
    }),
  );
});

const hasRootLast = (rows: readonly LineageRow[]): boolean => rows.length > 0 && rows.at(-1)?.namespace === undefined;

import { openSqlite, type SqliteDatabase, type SqliteStatement } from '@checkpoint-inspector/io';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { langgraphRow } from './index.ts';
import { SqliteQueries } from './sqlite-queries.ts';
import { idAt, insert, openRows } from './test-store.ts';

const rowAt = (n: number, parent: number | string | Uint8Array | null, ns = '') => ({
  ...langgraphRow({
    thread: 't',
    id: idAt(n),
    namespace: ns,
    ts: '2026-01-01T00:00:00Z',
    source: 'loop',
    step: n,
    values: {},
  }),
  parent_checkpoint_id: typeof parent === 'number' ? idAt(parent) : parent,
});

async function setup() {
  const { path, database, close } = await openRows([]);
  onTestFinished(close);
  const reader = openSqlite(path, { readOnly: true });
  onTestFinished(() => reader.close());
  const looks: string[] = [];
  const noted = <Row>(statement: SqliteStatement<Row>, sql: string): SqliteStatement<Row> => ({
    ...statement,
    all: (...values) => (looks.push(sql), statement.all(...values)),
  });
  const prepare: SqliteDatabase['prepare'] = (sql, options) => noted(reader.prepare(sql, options), sql);
  return { database, queries: new SqliteQueries({ ...reader, prepare }), looks };
}

/** Every row is looked at: what the answers have to be. */
const plain = (database: SqliteDatabase, ns: string, id: string) =>
  database
    .prepare<{ id: string }>(
      `SELECT checkpoint_id AS id FROM checkpoints WHERE thread_id = 't' AND checkpoint_ns = ?
        AND parent_checkpoint_id = ? ORDER BY checkpoint_id`,
    )
    .all(ns, id)
    .map((row) => row.id);

it('finds the children that looking at every row finds, whoever forks, points anywhere and saves meanwhile', async () => {
  const { database, queries } = await setup();
  const parent = fc.oneof(
    { weight: 4, arbitrary: fc.constant('before' as const) },
    fc.nat({ max: 14 }),
    fc.constantFrom(null, '', 'none', Buffer.from(idAt(1))),
  );
  const rows = fc.uniqueArray(fc.record({ n: fc.nat({ max: 12 }), ns: fc.constantFrom('', 'sub:1'), parent }), {
    selector: ({ n, ns }) => `${ns} ${n}`,
    maxLength: 20,
  });
  fc.assert(
    fc.property(rows, fc.nat({ max: 20 }), (made, first) => {
      database.exec('DELETE FROM checkpoints');
      for (const some of [made.slice(0, first), made.slice(first)]) {
        for (const { n, ns, parent } of some)
          insert(database, 'checkpoints', rowAt(n, parent === 'before' ? n - 1 : parent, ns));
        // The first question of a commit is answered in another way than the rest.
        for (const ns of ['', 'sub:1'])
          for (const id of ['', 'none', ...Array.from({ length: 14 }, (_, n) => idAt(n))])
            expect(queries.children('t', [{ ns, id }])[0], `${ns} ${id}`).toEqual(plain(database, ns, id));
      }
    }),
    { numRuns: 150 },
  );
});

it('goes through a thread twice for each commit, however many checkpoints are asked about', async () => {
  const { database, queries, looks } = await setup();
  for (let n = 0; n < 40; n++) insert(database, 'checkpoints', rowAt(n, n % 7 === 3 ? 0 : n - 1));
  const askAll = (): void => {
    looks.length = 0;
    for (let n = 0; n < 40; n++) queries.children('t', [{ ns: '', id: idAt(n) }]);
    expect(looks).toHaveLength(2);
  };
  askAll();
  insert(database, 'checkpoints', rowAt(40, 39));
  askAll();
  expect(queries.children('t', [{ ns: '', id: idAt(39) }])[0]).toEqual([idAt(40)]);
  expect(looks).toHaveLength(2);
});

it('says that a thread counts the changes of delta channels once some checkpoint does', async () => {
  const { database, queries } = await setup();
  insert(database, 'checkpoints', rowAt(0, null));
  expect([queries.hasDeltas('t'), queries.hasDeltas('t')]).toEqual([false, false]);
  const metadata = Buffer.from('{"step":1,"counters_since_delta_snapshot":{"log":1}}');
  insert(database, 'checkpoints', { ...rowAt(1, 0), metadata });
  expect([queries.hasDeltas('t'), queries.hasDeltas('t')]).toEqual([true, true]);
});

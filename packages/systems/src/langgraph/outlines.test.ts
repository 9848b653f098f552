import { storeId } from '@checkpoint-inspector/core';
import { collect } from '@checkpoint-inspector/core/testing';
import { openSqlite } from '@checkpoint-inspector/io';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { langgraphRow } from './index.ts';
import { lineageOf, pageOfCheckpoints } from './listing.ts';
import { Describer, toLineage } from './meta.ts';
import { SqliteQueries } from './sqlite-queries.ts';
import { idAt, openFixture, openPython, openRows, type TestStore } from './test-store.ts';

let store: TestStore;
afterEach(() => store.close());

function queriesOf(path: string): SqliteQueries {
  const reader = openSqlite(path, { readOnly: true });
  onTestFinished(() => reader.close());
  return new SqliteQueries(reader);
}

const treeOf = (queries: SqliteQueries, thread: string, withFacts = false) =>
  collect(lineageOf(queries, thread, undefined, [], withFacts));

/** The tree of a thread, row by row. */
async function oneByOne(queries: SqliteQueries, thread: string) {
  const rows = [];
  for (const [at, key] of queries.keys(thread).entries()) {
    const [described] = await new Describer(queries, thread).describe([key]);
    if (described) rows.push(toLineage(described, at + 1, false));
  }
  return rows;
}

it.each([
  ['JavaScript', openFixture],
  ['Python', openPython],
])('one pass tells of %s what is told of each row', async (_name, open) => {
  store = await open();
  const queries = queriesOf(store.path);
  const threads = queries.threads();
  expect(threads.length).toBeGreaterThan(10);
  for (const { id } of threads) {
    expect(await treeOf(queries, id), id).toEqual(await oneByOne(queries, id));
  }
});

it.each([
  ['JavaScript', openFixture],
  ['Python', openPython],
])('rows of %s tell the sizes of the list where they are asked for', async (_name, open) => {
  store = await open();
  const queries = queriesOf(store.path);
  for (const { id } of queries.threads()) {
    const sizes = new Map((await treeOf(queries, id, true)).map((row) => [row.id, row.facts?.sizeBytes]));
    for (const { id: one, sizeBytes } of (
      await pageOfCheckpoints(storeId('s'), queries, id, undefined, { limit: 1000 })
    ).items)
      expect(sizes.get(one), `${id} ${one}`).toBe(sizeBytes);
  }
});

it('tells times and nodes where the ends are long, and more rows than are read at once', async () => {
  const versions = (n: number) => ({ [`node-${n % 7}`]: { ['long '.repeat(400)]: n } });
  store = await openRows(
    Array.from({ length: 1203 }, (_, n) =>
      langgraphRow({
        thread: 't',
        id: idAt(n),
        ...(n === 0 ? {} : { parent: idAt(n - 1) }),
        ts: n % 2 === 0 ? '2026-02-30T00:00:00.000Z' : '2026-02-03T01:00:00.5+01:00',
        source: 'loop',
        step: n,
        values: { n },
        seen: versions(n),
      }),
    ),
  );
  const queries = queriesOf(store.path);
  const rows = await treeOf(queries, 't');
  expect(rows).toHaveLength(1203);
  expect(rows[701]).toMatchObject({ time: '2026-02-03T00:00:00.500Z', description: 'node-1' });
  expect(rows).toEqual(await oneByOne(queries, 't'));
});

it('tells the nodes of rows that have seen much more than the newest one', async () => {
  const seen = (n: number): Record<string, Record<string, number>> => ({
    [`node-${n}`]: { ['long '.repeat(n === 4 ? 1 : 100)]: n },
  });
  const of = { thread: 't', ts: '2026-01-01T00:00:00.000Z', source: 'loop', values: {} } as const;
  store = await openRows(
    [1, 2, 3, 4].map((n) => langgraphRow({ ...of, id: idAt(n), step: n, seen: seen(n), parent: idAt(n - 1) })),
  );
  const queries = queriesOf(store.path);
  const rows = await treeOf(queries, 't');
  expect(rows.map((row) => row.description)).toEqual(['loop', 'node-2', 'node-3', 'node-4']);
  expect(rows).toEqual(await oneByOne(queries, 't'));
});

it.each([
  ['2026-11-21T13:17:03.070999+00:00', '2026-11-21T13:17:03.070Z'],
  ['2026-02-29T13:17:03.070999+00:00', new Date('2026-02-29T13:17:03.070999+00:00').toISOString()],
  ['2026-11-21T13:17:03.070999+01:00', '2026-11-21T12:17:03.070Z'],
  ['2026-11-21T13:17:03+00:00', '2026-11-21T13:17:03.000Z'],
])('the time %s, as Python writes it, is %s', async (ts, time) => {
  store = await openRows(
    [0, 1].map((n) => langgraphRow({ thread: 't', id: idAt(n), ts, source: 'loop', step: n, values: {} })),
  );
  expect((await treeOf(queriesOf(store.path), 't')).map((row) => row.time)).toEqual([time, time]);
});

it('an id longer than that of LangGraph still leaves room for the time behind it', async () => {
  const id = (n: number): string => `${'my id '.repeat(40)}${n}`;
  const ts = '2026-01-01T00:00:00.000Z';
  store = await openRows(
    [0, 1].map((n) => langgraphRow({ thread: 't', id: id(n), ts, source: 'loop', step: n, values: {} })),
  );
  expect((await treeOf(queriesOf(store.path), 't')).map((row) => row.time)).toEqual([ts, ts]);
});

it.each(['"versions_seen"', '\u00adversions_seen', '"versions_seen":{"x":{"a":1}}}'])(
  'a value that contains %s does not hide which node ran',
  async (text) => {
    const ts = '2026-01-01T00:00:00.000Z';
    const seen = { agent: { a: 1 } };
    store = await openRows(
      [0, 1].map((n) =>
        langgraphRow({ thread: 't', id: idAt(n), ts, source: 'loop', step: n, values: { text }, seen }),
      ),
    );
    const queries = queriesOf(store.path);
    expect((await treeOf(queries, 't')).map((row) => row.description)).toEqual(['agent', 'agent']);
    expect(await treeOf(queries, 't')).toEqual(await oneByOne(queries, 't'));
  },
);

it('reads of no row of a page a second time what had run before it', async () => {
  const rows = Array.from({ length: 40 }, (_, n) =>
    langgraphRow({
      thread: 't',
      id: idAt(n),
      ...(n === 0 ? {} : { parent: idAt(n - 1) }),
      ts: '2026-02-03T01:00:00.000Z',
      source: 'loop',
      step: n,
      values: { n },
      seen: { a: { b: n } },
    }),
  );
  store = await openRows(rows);
  const queries = queriesOf(store.path);
  const ends = vi.spyOn(queries, 'ends');
  const { items } = await pageOfCheckpoints(storeId('runs'), queries, 't', undefined, { limit: 30 });
  expect(items.map(({ id, description }) => [id, description])).toEqual(
    Array.from({ length: 30 }, (_, n) => [idAt(39 - n), 'a']),
  );
  // Only of the parent of the oldest, which is on the next page.
  expect(ends.mock.calls.map(([, keys]) => keys.length)).toEqual([1]);
});

import { decodeLineage, type LineageColumns, LineageEncoder } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase } from '@checkpoint-inspector/io';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { langgraphRow, langgraphWrite } from './index.ts';
import { lineageOf } from './listing.ts';
import type { Key, Packing, StoredOutline } from './queries.ts';
import { SqliteQueries } from './sqlite-queries.ts';
import { idAt, insert, openRows } from './test-store.ts';
import { TreeParts } from './tree-parts.ts';

/** The n-th checkpoint; its parent is the one before, or another. */
const rowAt = (n: number, { ns = '', parent = n - 1, node = 'a' } = {}) =>
  langgraphRow({
    thread: 't',
    id: idAt(n),
    namespace: ns,
    ...(parent < 0 ? {} : { parent: idAt(parent) }),
    ts: new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString(),
    source: 'loop',
    step: n,
    values: { n },
    seen: { [node]: { messages: n } },
  });

const failedAt = (n: number) =>
  langgraphWrite({ thread: 't', id: idAt(n), taskId: 'x', idx: 0, channel: '__error__', value: 'no' });

class Counted extends SqliteQueries {
  read = 0;
  runs = 0;
  override *outlines(thread: string, from?: Key): Iterable<StoredOutline> {
    for (const row of super.outlines(thread, from)) {
      this.read++;
      yield row;
    }
  }
  override packing(thread: string): Packing | undefined {
    const pack = super.packing(thread);
    return (
      pack &&
      ((after, until, count) => {
        const rows = pack(after, until, count);
        this.read += typeof rows === 'object' ? rows.count : 0;
        this.runs += typeof rows === 'object' ? 1 : 0;
        return rows;
      })
    );
  }
}

async function setup(count: number) {
  const { path, database, close } = await openRows(Array.from({ length: count }, (_, n) => rowAt(n)));
  onTestFinished(close);
  const reader = openSqlite(path, { readOnly: true });
  onTestFinished(() => reader.close());
  return { database, queries: new Counted(reader) };
}

function treeOf(trees: TreeParts, queries: SqliteQueries, head: Key | undefined) {
  const encoder = new LineageEncoder('t');
  for (const part of trees.of(queries, 't', head)) encoder.addPart(part);
  return decodeLineage(JSON.parse(encoder.end()) as LineageColumns);
}

/** The newest of the root, or an older one where that is damaged. */
const headOf = (queries: SqliteQueries, at = 0): Key | undefined => {
  const ids = [...queries.newestIds('t', '')];
  const id = ids[Math.min(at, ids.length - 1)];
  return id === undefined ? undefined : { ns: '', id };
};

it('reads the rows that are new, and a part at the most of those that are not', async () => {
  const { database, queries } = await setup(1_700);
  const trees = new TreeParts();
  expect(treeOf(trees, queries, headOf(queries))).toHaveLength(1_700);
  expect(queries.read).toBe(1_700);
  expect(queries.runs).toBe(6);
  insert(database, 'checkpoints', rowAt(1_700));
  queries.read = 0;
  expect(treeOf(trees, queries, headOf(queries))).toHaveLength(1_701);
  expect(queries.read).toBe(21);
});

type Change = (database: SqliteDatabase, n: number, at: number) => void;
/** What LangGraph and changes of ours do to a thread; `n` is a new checkpoint, `at` an old one. */
const CHANGES: Readonly<Record<string, Change>> = {
  saves: (database, n) => insert(database, 'checkpoints', rowAt(n)),
  forks: (database, n, at) => insert(database, 'checkpoints', rowAt(n, { parent: at })),
  'saves in a subgraph': (database, n) => insert(database, 'checkpoints', rowAt(n, { ns: 'sub:1', parent: n - 2 })),
  'saves again': (database, _n, at) => {
    database.prepare("DELETE FROM checkpoints WHERE checkpoint_id = ? AND checkpoint_ns = ''").run(idAt(at));
    insert(database, 'checkpoints', rowAt(at, { node: 'again' }));
  },
  deletes: (database, _n, at) => void database.prepare('DELETE FROM checkpoints WHERE checkpoint_id = ?').run(idAt(at)),
  'deletes the newest': (database) =>
    database.exec('DELETE FROM checkpoints WHERE checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints)'),
  fails: (database, _n, at) => {
    database.prepare('DELETE FROM writes WHERE checkpoint_id = ?').run(idAt(at));
    insert(database, 'writes', failedAt(at));
  },
  recovers: (database) => database.exec('DELETE FROM writes'),
};

type Row = ReturnType<typeof rowAt>;
const patched = (row: Row, column: 'checkpoint' | 'metadata', change: (text: string) => string): Row => ({
  ...row,
  [column]: Buffer.from(change(Buffer.from(row[column] as Uint8Array).toString())),
});
const seeing = (row: Row, seen: unknown): Row =>
  patched(
    row,
    'checkpoint',
    (text) => `${text.slice(0, text.indexOf('"versions_seen":'))}"versions_seen":${JSON.stringify(seen)}}`,
  );

/** Rows that other versions, other languages and other people write, and some that nobody should. */
const ODD: Readonly<Record<string, (row: Row) => Row>> = {
  'the 30th': (row) => patched(row, 'checkpoint', (text) => text.replace(/-\d\dT/, '-30T')),
  "Python's time": (row) => patched(row, 'checkpoint', (text) => text.replace('Z"', '000+00:00"')),
  'no time': (row) => patched(row, 'checkpoint', (text) => text.replace(/"ts":"[^"]*"/, '"ts":null')),
  'an escape in a time': (row) => patched(row, 'checkpoint', (text) => text.replace('Z"', '\\"')),
  'an older version': (row) => patched(row, 'checkpoint', (text) => text.replace('"v":4', '"v":1')),
  'another first member': (row) => patched(row, 'checkpoint', (text) => text.replace('"v":4', '"w":4')),
  spaces: (row) => patched(row, 'checkpoint', (text) => text.replaceAll('":', '": ')),
  lines: (row) => patched(row, 'checkpoint', (text) => JSON.stringify(JSON.parse(text), undefined, 1)),
  'cut short': (row) => patched(row, 'checkpoint', (text) => text.slice(0, -4)),
  'a member behind': (row) => patched(row, 'checkpoint', (text) => `${text.slice(0, -1)},"more":[1]}`),
  'a node twice': (row) =>
    patched(row, 'checkpoint', (text) => text.replace('_seen":{', '_seen":{"a":{"b":1},"a":{"b":2},')),
  'a node with a number': (row) => seeing(row, { b: { x: 1 }, 7: { x: 1 } }),
  'a node with that name': (row) => seeing(row, { a: { x: 1 }, versions_seen: { x: 1 } }),
  'a channel with that name': (row) => seeing(row, { a: { versions_seen: 5 } }),
  'an escape': (row) => seeing(row, { 'a"b': { x: 1 }, é: { y: 2 } }),
  'no versions': (row) => seeing(row, { a: null, b: [1], c: { x: 1.5 }, d: { x: { y: 1 } } }),
  'versions in another order': (row) => seeing(row, { a: { y: 1, messages: 2 }, __interrupt__: { z: 1 } }),
  'nothing seen': (row) => seeing(row, {}),
  'many nodes': (row) => seeing(row, Object.fromEntries(Array.from({ length: 90 }, (_none, n) => [`n${n}`, { x: 1 }]))),
  text: (row) => ({ ...row, checkpoint: Buffer.from(row['checkpoint'] as Uint8Array).toString() }),
  'no type': (row) => ({ ...row, type: null }),
  'another type': (row) => ({ ...row, type: 'msgpack' }),
  'no metadata': (row) => ({ ...row, metadata: null }),
  'metadata of a run': (row) => patched(row, 'metadata', (text) => `${text.slice(0, -1)},"user":"me"}`),
  'metadata on lines': (row) => patched(row, 'metadata', (text) => JSON.stringify(JSON.parse(text), undefined, 2)),
  "Python's metadata": (row) => patched(row, 'metadata', () => '{"source": "loop", "step": -1, "parents": {}}'),
  'a step with a zero': (row) => patched(row, 'metadata', (text) => text.replace('"step":', '"step":0')),
  'a long step': (row) => patched(row, 'metadata', (text) => text.replace('"step":', '"step":1234567890')),
  'an edit': (row) =>
    patched(row, 'metadata', () => '{"source":"update","step":1,"edited_from":"x","edit_reason":"a\\nb"}'),
  'large metadata': (row) => patched(row, 'metadata', (text) => `${text}${' '.repeat(5_000)}`),
};

it('says of rows that are not as LangGraph for JavaScript writes them what is told of each', async () => {
  const { database, queries } = await setup(0);
  const rows = fc.array(
    fc.record({
      odd: fc.option(fc.constantFrom(...Object.values(ODD)), { freq: 3 }),
      node: fc.constantFrom('a', 'b'),
      isFork: fc.nat({ max: 9 }),
    }),
    { minLength: 4, maxLength: 24 },
  );
  fc.assert(
    fc.property(rows, (made) => {
      database.exec('DELETE FROM checkpoints');
      for (const [n, { odd, node, isFork }] of made.entries()) {
        const row = rowAt(n, { node, parent: isFork === 0 ? Math.floor(n / 2) - 1 : n - 1 });
        insert(database, 'checkpoints', odd ? odd(row) : row);
      }
      const head = headOf(queries);
      expect(treeOf(new TreeParts([5, 3], 4), queries, head)).toEqual([...lineageOf(queries, 't', head)]);
    }),
    { numRuns: 150 },
  );
  expect(queries.runs).toBeGreaterThan(100);
});

it('says what one pass over all rows says, whatever happens to the thread between two looks', async () => {
  const { database, queries } = await setup(0);
  const changes = fc.array(fc.tuple(fc.constantFrom(...Object.values(CHANGES)), fc.nat({ max: 30 })), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(
    fc.property(changes, fc.nat({ max: 20 }), fc.nat({ max: 30 }), (made, count, damaged) => {
      database.exec('DELETE FROM checkpoints; DELETE FROM writes');
      const trees = new TreeParts([5, 3], 4);
      for (let n = 0; n < count; n++) insert(database, 'checkpoints', rowAt(n));
      for (const [turn, [change, place]] of made.entries()) {
        change(database, count + turn, count === 0 ? 0 : place % count);
        const head = headOf(queries, turn === damaged ? 2 : 0);
        expect(treeOf(trees, queries, head)).toEqual([...lineageOf(queries, 't', head)]);
      }
    }),
    { numRuns: 60 },
  );
});

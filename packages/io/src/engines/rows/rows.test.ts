import type { SqlRow } from '../../sqlite/index.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqlite } from '../../sqlite/index.ts';
import type { ApplyHooks, Image } from '../executor.ts';
import { sqliteEngine } from '../sqlite/index.ts';
import { marksOf } from '../shape.ts';
import type { RowCheck, RowStep } from './job.ts';
import { isRowMark } from './mark.ts';

let folder: string;
let path: string;

const SCHEMA = `
  CREATE TABLE checkpoints (thread TEXT NOT NULL, ns TEXT NOT NULL DEFAULT '', id TEXT NOT NULL, type TEXT, state BLOB, PRIMARY KEY (thread, ns, id));
  CREATE TABLE writes (thread TEXT, id TEXT, idx INTEGER, value BLOB, PRIMARY KEY (thread, id, idx));
  CREATE TABLE flat (thread TEXT, id TEXT, n, PRIMARY KEY (thread, id)) WITHOUT ROWID;
  CREATE TABLE seq (seq INTEGER PRIMARY KEY AUTOINCREMENT, "we""ird name" TEXT, size INTEGER GENERATED ALWAYS AS (length("we""ird name")) STORED);
  CREATE TABLE bare (a, b);
  INSERT INTO checkpoints VALUES ('t','','c1','json',x'00ff10'), ('t','','c2','json','{"n": 1.0}'), ('t','','c3',NULL,CAST(x'ff41' AS TEXT));
  INSERT INTO writes VALUES ('t','c1',-3,x'01'), ('t','c1',0,NULL), ('u','c1',0,''), ('t','c2',0,x'02');
  INSERT INTO flat VALUES ('t','c1',9223372036854775807), ('t','c2',1.0);
  INSERT INTO seq("we""ird name") VALUES ('a'), ('b'), ('c');
  INSERT INTO bare VALUES (1, 1), (1, 1), (NULL, 2);
`;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inspector-rows-'));
  path = join(folder, 'store.sqlite');
  run(SCHEMA);
});
afterEach(() => rm(folder, { recursive: true }));

function run(sql: string): void {
  const db = openSqlite(path, { readOnly: false, create: true });
  db.exec(sql);
  db.close();
}

/** Every row of every table, with rowids and storage classes. */
function dump(): string {
  const db = openSqlite(path, { readOnly: true });
  const lines = ['checkpoints', 'writes', 'flat', 'seq', 'bare'].flatMap((table) => {
    const names = db
      .prepare<{ name: string }>('SELECT name FROM pragma_table_xinfo(?)')
      .all(table)
      .map(({ name }) => `"${name.replaceAll('"', '""')}"`);
    const all = [...(table === 'flat' ? [] : ['rowid']), ...names]
      .map((name) => `typeof(${name}) || quote(${name})`)
      .join(" || ',' || ");
    return db
      .prepare<{ line: string }>(`SELECT ${all} AS line FROM ${table} ORDER BY 1`)
      .all()
      .map(({ line }) => `${table} ${line}`);
  });
  db.close();
  return lines.join('\n');
}

function apply(ops: readonly RowStep[], checks: readonly RowCheck[] = [], hooks: Partial<ApplyHooks> = {}) {
  const job = { engine: 'sqlite', place: path, steps: { checks: [...checks], ops: [...ops] } };
  return sqliteEngine.apply(job, { tag: 'test', prepared: () => undefined, ...hooks });
}

/** As they come back from a journal. */
function journalled(images: readonly Image[]): Image[] {
  return images.map(({ mark, content }) => ({ mark: JSON.parse(JSON.stringify(mark)), content }));
}

async function undo(images: readonly Image[]) {
  const job = await sqliteEngine.undo(path, journalled(images));
  return sqliteEngine.apply(job, { tag: 'undo', prepared: () => undefined });
}

async function sides(images: readonly Image[]) {
  const compared = await sqliteEngine.compare(
    path,
    images.map(({ mark }) => mark),
  );
  return new Set(compared.map(({ is }) => is));
}

const c = (id: string): SqlRow => ({ thread: 't', ns: '', id });

/** Every kind of op on every kind of table. */
const EVERYTHING: readonly RowStep[] = [
  { op: 'copy', table: 'checkpoints', key: c('c1'), set: { id: 'c4' } },
  { op: 'copy', table: 'checkpoints', key: c('c3'), set: { thread: 'copy', type: 'x' } },
  { op: 'copy', table: 'writes', key: { thread: 't' }, set: { thread: 'copy' }, many: true },
  { op: 'delete', table: 'writes', key: { thread: 't', id: 'c1' }, expect: 2 },
  { op: 'delete', table: 'checkpoints', key: c('c3') },
  { op: 'update', table: 'checkpoints', key: c('c2'), set: { id: 'c9', type: null } },
  { op: 'update', table: 'flat', key: { thread: 't', id: 'c1' }, set: { n: 7n } },
  { op: 'delete', table: 'flat', key: { thread: 't', id: 'c2' } },
  { op: 'insert', table: 'flat', row: { thread: 't', id: 'c3', n: 1 } },
  { op: 'copy', table: 'seq', key: { seq: 1 }, set: { seq: null } },
  { op: 'copy', table: 'seq', key: { seq: 2 }, set: { 'we"ird name': 'é' } },
  { op: 'delete', table: 'seq', key: { seq: 3 } },
  { op: 'delete', table: 'bare', key: { a: 1, b: 1 }, expect: 2 },
  { op: 'insert', table: 'bare', row: { a: 0.5, b: new Uint8Array([0, 1]) } },
  { op: 'update', table: 'bare', key: { a: null }, set: { b: 3 } },
];

describe('rows of a plan', () => {
  it('are done as they say, without rounding or parsing', async () => {
    await apply(EVERYTHING);
    const now = dump();
    expect(now).toContain("checkpoints integer4,text't',text'',text'c4',text'json',blobX'00FF10'");
    expect(now).toContain("text'copy',text'',text'c3',text'x',text");
    expect(now).toContain("text'c9',nullNULL,text'{\"n\": 1.0}'");
    expect(now).toContain("flat text't',text'c1',integer7");
    expect(now).toContain("flat text't',text'c3',integer1");
    expect(now).toContain("seq integer5,integer5,text'é',integer1");
    expect(now).toContain("bare integer4,real0.5,blobX'0001'");
    expect(now.match(/^writes/gm)).toHaveLength(5);
  });

  it('come back exactly with their rowids, go again, and come back again', async () => {
    const before = dump();
    const applied = await apply(EVERYTHING);
    const done = dump();
    expect(await sides(applied.images)).toEqual(new Set(['after']));
    const undone = await undo(applied.images);
    expect(dump()).toBe(before);
    expect(await sides(applied.images)).toEqual(new Set(['before']));
    const redone = await undo(undone.images);
    expect(dump()).toBe(done);
    await undo(redone.images);
    expect(dump()).toBe(before);
  });

  it('a copied blob keeps its bytes, and text that is not UTF-8 comes back as it was', async () => {
    const before = dump();
    const { images } = await apply([{ op: 'delete', table: 'checkpoints', key: { thread: 't' }, expect: 3 }]);
    expect(dump()).not.toContain('checkpoints');
    await undo(images);
    expect(dump()).toBe(before);
    const db = openSqlite(path, { readOnly: true });
    expect(db.prepare("SELECT hex(CAST(state AS BLOB)) AS h FROM checkpoints WHERE id = 'c3'").get()).toEqual({
      h: 'FF41',
    });
    db.close();
  });

  it('are rolled back when the images cannot be kept, and nothing is committed before', async () => {
    const before = dump();
    const prepared = () => {
      expect(dump()).toBe(before);
      throw new Error('journal is full');
    };
    await expect(apply(EVERYTHING, [], { prepared })).rejects.toThrow('journal is full');
    expect(dump()).toBe(before);
  });

  it.each<[string, RowStep]>([
    ['update of no row', { op: 'update', table: 'checkpoints', key: c('no'), set: { type: 'x' } }],
    ['update of many rows', { op: 'update', table: 'checkpoints', key: { thread: 't' }, set: { type: 'x' } }],
    ['delete of more rows', { op: 'delete', table: 'checkpoints', key: { thread: 't' }, expect: 2 }],
    ['delete of a glob', { op: 'delete', table: 'checkpoints', key: { ...c('c1'), id: '*' } }],
    ['copy of many rows', { op: 'copy', table: 'writes', key: { thread: 't' }, set: { thread: 'x' } }],
    ['insert over a row', { op: 'insert', table: 'checkpoints', row: c('c1') }],
    ['unknown table', { op: 'delete', table: 'no"; DROP TABLE bare; --', key: {} }],
    ['unknown column in a copy', { op: 'copy', table: 'flat', key: { id: 'c1' }, set: { 'x"y': 1, id: 'z' } }],
  ])('refuse the %s, with everything before it', async (_name, op) => {
    const before = dump();
    await expect(apply([...EVERYTHING.slice(0, 2), op])).rejects.toThrow();
    expect(dump()).toBe(before);
  });

  it('refuse what a trigger or a cascade would add', async () => {
    run('CREATE TRIGGER more AFTER DELETE ON checkpoints BEGIN DELETE FROM bare; END;');
    const before = dump();
    await expect(apply([{ op: 'delete', table: 'checkpoints', key: c('c1') }])).rejects.toMatchObject({
      code: 'unsupported',
    });
    expect(dump()).toBe(before);
    run(
      'DROP TRIGGER more; CREATE TABLE child (thread, ns, id, FOREIGN KEY (thread, ns, id) REFERENCES checkpoints ON DELETE CASCADE);',
    );
    run("INSERT INTO child VALUES ('t', '', 'c1')");
    await expect(apply([{ op: 'delete', table: 'checkpoints', key: c('c1') }])).rejects.toMatchObject({
      code: 'unsupported',
    });
    expect(dump()).toBe(before);
    const whole: RowStep[] = [
      { op: 'delete', table: 'child', key: { id: 'c1' } },
      { op: 'delete', table: 'checkpoints', key: c('c1') },
    ];
    await undo((await apply(whole)).images);
    expect(dump()).toBe(before);
  });

  it('check what they rest on inside the transaction', async () => {
    const insert: RowStep[] = [{ op: 'insert', table: 'bare', row: { a: 9 } }];
    const key = { thread: 't' };
    const good: RowCheck[] = [
      { check: 'row', table: 'flat', key: { id: 'c1' }, equals: { n: 9223372036854775807n, thread: 't' } },
      { check: 'row', table: 'checkpoints', key: c('c1'), equals: { state: new Uint8Array([0, 255, 16]) } },
      { check: 'absent', table: 'checkpoints', key: c('c4') },
      { check: 'max', table: 'checkpoints', key, column: 'id', value: 'c3' },
      { check: 'max', table: 'checkpoints', key: { thread: 'none' }, column: 'id', value: undefined },
      { check: 'max', table: 'seq', key: {}, column: 'seq', value: 3 },
    ];
    await apply(insert, good);
    const bad: readonly (readonly [RowCheck, string])[] = [
      [{ check: 'row', table: 'flat', key: { id: 'c1' }, equals: { n: 9223372036854775806n } }, 'changed'],
      [{ check: 'row', table: 'flat', key: { id: 'c2' }, equals: { nope: 1 } }, 'changed'],
      [{ check: 'row', table: 'flat', key, equals: {} }, 'changed'],
      [{ check: 'row', table: 'checkpoints', key: c('c3'), equals: { state: '\ufffdA' } }, 'changed'],
      [{ check: 'absent', table: 'checkpoints', key: c('c1') }, 'changed'],
      [{ check: 'max', table: 'checkpoints', key, column: 'id', value: 'c2' }, 'head_moved'],
      [{ check: 'max', table: 'checkpoints', key, column: 'id', value: undefined }, 'head_moved'],
    ];
    const before = dump();
    for (const [check, code] of bad) await expect(apply(insert, [check])).rejects.toMatchObject({ code });
    expect(dump()).toBe(before);
  });
});

describe('undo of rows', () => {
  it('refuses with nothing changed once a row is another', async () => {
    const { images } = await apply(EVERYTHING);
    run("UPDATE checkpoints SET state = 'new' WHERE id = 'c4'");
    const before = dump();
    await expect(undo(images)).rejects.toMatchObject({ code: 'changed' });
    expect(dump()).toBe(before);
  });

  it('refuses when a removed row was saved again', async () => {
    const { images } = await apply([{ op: 'delete', table: 'checkpoints', key: c('c1') }]);
    run("INSERT INTO checkpoints VALUES ('t', '', 'c1', 'json', 'again')");
    await expect(undo(images)).rejects.toMatchObject({ code: 'changed' });
  });

  it.each([
    ['in the order of the table', ['u', 't']],
    ['in another order', ['t', 'u']],
  ])('keeps the order of rows whose rowids were given out meanwhile, removed %s', async (_, threads) => {
    const ids: Record<string, string> = { u: 'c1', t: 'c2' };
    const { images } = await apply(
      threads.map((thread) => ({ op: 'delete', table: 'writes', key: { thread, id: ids[thread] ?? '' } })),
    );
    run("INSERT INTO writes VALUES ('new', 'c9', 0, NULL)");
    await undo(images);
    const db = openSqlite(path, { readOnly: true });
    const rows = db.prepare<{ thread: string }>('SELECT thread FROM writes ORDER BY rowid').all();
    db.close();
    expect(rows.map(({ thread }) => thread)).toEqual(['t', 't', 'new', 'u', 't']);
  });

  it('gives a row without primary key another rowid when its own was given out again', async () => {
    const { images } = await apply([{ op: 'delete', table: 'bare', key: { a: null } }]);
    run('INSERT INTO bare VALUES (5, 5)');
    await undo(images);
    const db = openSqlite(path, { readOnly: true });
    expect(db.prepare('SELECT a, b FROM bare ORDER BY rowid').all().slice(2)).toEqual([
      { a: 5, b: 5 },
      { a: null, b: 2 },
    ]);
    db.close();
  });

  it('keeps the images in the order of the table, not of an index', async () => {
    run("INSERT INTO writes VALUES ('t', 'c0', 0, NULL)");
    const { images } = await apply([{ op: 'delete', table: 'writes', key: { thread: 't' }, expect: 4 }]);
    const rowids = marksOf(
      isRowMark,
      images.map(({ mark }) => mark),
    ).map(({ before }) => before?.rowid);
    expect(rowids).toEqual(['1', '2', '4', '5']);
  });

  it('a row that takes the place of one that moved away is another row', async () => {
    const before = dump();
    const { images } = await apply([
      { op: 'insert', table: 'checkpoints', row: c('c5') },
      { op: 'update', table: 'checkpoints', key: c('c5'), set: { id: 'c9' } },
      { op: 'insert', table: 'checkpoints', row: { ...c('c5'), type: 'new' } },
    ]);
    expect(images).toHaveLength(2);
    await undo(images);
    expect(dump()).toBe(before);
  });

  it('one row touched by several ops has one image', async () => {
    const before = dump();
    const { images } = await apply([
      { op: 'insert', table: 'checkpoints', row: c('c5') },
      { op: 'update', table: 'checkpoints', key: c('c5'), set: { id: 'c6' } },
      { op: 'delete', table: 'checkpoints', key: c('c1') },
      { op: 'insert', table: 'checkpoints', row: { ...c('c1'), type: 'again' } },
      { op: 'insert', table: 'flat', row: { thread: 'x', id: 'x' } },
      { op: 'delete', table: 'flat', key: { thread: 'x', id: 'x' } },
    ]);
    const marks = marksOf(
      isRowMark,
      images.map(({ mark }) => mark),
    );
    expect(marks.map(({ before, after }) => [before !== undefined, after !== undefined])).toEqual([
      [false, true],
      [true, true],
    ]);
    await undo(images);
    expect(dump()).toBe(before);
  });
});

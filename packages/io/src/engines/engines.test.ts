import { MemoryTables, type TableRow } from '@checkpoint-inspector/core';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeExecutor, type ExecutorPlace } from '../testing/describe-executor.ts';
import { slowEngine, slowJob, slowPlaces } from '../testing/slow-engine.ts';
import { openSqlite } from '../sqlite/index.ts';
import { filesEngine } from './files/index.ts';
import { filesJob } from './files/job.ts';
import { memoryEngine } from './memory.ts';
import { sha256 } from '../files/text.ts';
import { RowsJob, sqliteJob } from './rows/job.ts';
import { sqliteEngine } from './sqlite/index.ts';
import type { Image } from './executor.ts';
import { describe, expect, it } from 'vitest';

const bytes = (text: string) => new TextEncoder().encode(text);
const hash = (text: string) => sha256(bytes(text));

const FILES = { log: 'one\n', old: 'gone soon', old2: 'gone too', whole: 'before' };

function folderAt(folder: string): ExecutorPlace {
  const job = (log = FILES.log) =>
    filesJob(folder)
      .create('new', bytes('added'), { like: 'old' })
      .append('log', bytes('two\n'), { expectSize: FILES.log.length, expectSha256: hash(log) })
      .replace('whole', bytes('after, and longer'), { expectSha256: hash(FILES.whole) })
      .trash('old', hash(FILES.old))
      .trash('old2', hash(FILES.old2));
  return {
    place: folder,
    job: job(),
    stale: job('another'),
    content: () =>
      readdirSync(folder)
        .toSorted()
        .map((name) => `${name} ${statSync(join(folder, name)).mode} ${readFileSync(join(folder, name), 'utf8')}`)
        .join('\n'),
    disturb: () => writeFileSync(join(folder, 'whole'), 'saved by an agent'),
    crash: () => {
      const copy = mkdtempSync(join(tmpdir(), 'inspector-crash-'));
      cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
      return folderAt(copy);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describeExecutor(filesEngine, {
  make: () => {
    const folder = mkdtempSync(join(tmpdir(), 'inspector-files-'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text, { mode: 0o640 });
    return folderAt(folder);
  },
});

function databaseIn(folder: string): ExecutorPlace {
  const path = join(folder, 'store.sqlite');
  const job = (newest: string) =>
    sqliteJob(path)
      .expectRow('rows', { id: 'a' }, { text: 'one' })
      .expectAbsent('rows', { id: 'd' })
      .expectMax('rows', {}, 'id', newest)
      .copy('rows', { id: 'a' }, { id: 'd' })
      .insert('rows', { id: 'e', text: new Uint8Array([0, 255]) })
      .update('rows', { id: 'b' }, { text: null })
      .delete('rows', { id: 'c' });
  const run = <T>(readOnly: boolean, sql: string): T[] => {
    const db = openSqlite(path, { readOnly });
    try {
      return db.prepare<T>(sql).all();
    } finally {
      db.close();
    }
  };
  return {
    place: path,
    job: job('c'),
    stale: job('b'),
    content: () =>
      run<{ line: string }>(true, "SELECT rowid || ' ' || id || ' ' || quote(text) AS line FROM rows ORDER BY rowid")
        .map(({ line }) => line)
        .join('\n'),
    disturb: () => void run(false, "UPDATE rows SET text = 'saved by an agent' WHERE id = 'd' RETURNING id"),
    crash: () => {
      const copy = mkdtempSync(join(tmpdir(), 'inspector-crash-'));
      cpSync(folder, copy, { recursive: true });
      return databaseIn(copy);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

for (const mode of ['delete', 'wal']) {
  describeExecutor(sqliteEngine, {
    make: () => {
      const folder = mkdtempSync(join(tmpdir(), `inspector-${mode}-`));
      const db = openSqlite(join(folder, 'store.sqlite'), { readOnly: false, create: true });
      db.pragma(`journal_mode = ${mode}`);
      db.exec(
        "CREATE TABLE rows (id TEXT PRIMARY KEY, text); INSERT INTO rows VALUES ('a', 'one'), ('b', 2), ('c', 3.5)",
      );
      db.close();
      return databaseIn(folder);
    },
  });
}

/** A change in parts: the table `notes` goes in slices. */
function inPartsIn(folder: string): ExecutorPlace {
  const path = join(folder, 'store.sqlite');
  const job = (newest: string) =>
    sqliteJob(path)
      .expectAbsent('rows', { task: 'u' })
      .expectAbsent('notes', { task: 'u' })
      .expectMax('rows', {}, 'id', newest)
      .copyAll('notes', { task: 't' }, { task: 'u' })
      .copyAll('rows', { task: 't' }, { task: 'u' })
      .update('rows', { task: 't', id: 'b' }, { state: null })
      .delete('rows', { task: 'old', id: 'c' })
      .delete('notes', { task: 'old' }, { expect: 2 })
      .inParts(['notes']);
  const lines = (table: string) => {
    const db = openSqlite(path, { readOnly: true });
    try {
      return db.prepare<object>(`SELECT rowid AS r, * FROM ${table} ORDER BY 1`).all();
    } finally {
      db.close();
    }
  };
  return {
    place: path,
    job: job('c'),
    stale: job('b'),
    content: () => JSON.stringify([lines('rows'), lines('notes')]),
    disturb: () => {
      const db = openSqlite(path, { readOnly: false });
      db.exec("UPDATE rows SET state = 'saved by an agent' WHERE task = 'u' AND id = 'a'");
      db.close();
    },
    crash: () => {
      const copy = mkdtempSync(join(tmpdir(), 'inspector-crash-'));
      cpSync(folder, copy, { recursive: true });
      return inPartsIn(copy);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe('a change in parts', () => {
  const make = () => {
    const folder = mkdtempSync(join(tmpdir(), 'inspector-parts-'));
    const db = openSqlite(join(folder, 'store.sqlite'), { readOnly: false, create: true });
    db.pragma('journal_mode = wal');
    db.exec(`CREATE TABLE rows (task TEXT, id TEXT, state BLOB, PRIMARY KEY (task, id));
      CREATE TABLE notes (task TEXT, n INTEGER, text, PRIMARY KEY (task, n));
      INSERT INTO rows VALUES ('t', 'a', x'00ff'), ('t', 'b', 'two'), ('old', 'c', NULL);
      INSERT INTO notes VALUES ('t', 1, 'one'), ('t', 2, 2.5), ('old', 1, CAST(x'ff41' AS TEXT)), ('old', 2, NULL)`);
    db.close();
    return inPartsIn(folder);
  };
  describeExecutor(sqliteEngine, { make });

  /** Tasks, with how many rows and notes each has. */
  const tasks = (place: ExecutorPlace) => {
    const db = openSqlite(place.place, { readOnly: true });
    const sql = `SELECT task, (SELECT count(*) FROM rows r WHERE r.task = t.task) AS r, (SELECT count(*) FROM notes n WHERE n.task = t.task) AS n
      FROM (SELECT task FROM rows UNION SELECT task FROM notes) t ORDER BY 1`;
    const found = db.prepare<unknown[]>(sql, { arrays: true }).all();
    db.close();
    return JSON.stringify(found);
  };

  it('adds first what no task is resumed from, and removes it last', async () => {
    const place = make();
    const states: string[] = [];
    const onStep = (step: string) => states.push(`${step} ${tasks(place)}`);
    const { images } = await sqliteEngine.apply(place.job, { tag: 'x', prepared: () => undefined, onStep });
    const back = await sqliteEngine.undo(place.place, images);
    await sqliteEngine.apply(back, { tag: 'y', prepared: () => undefined, onStep });
    await place.close();
    expect(states).toEqual([
      'intent [["old",1,2],["t",2,2]]',
      'slice [["old",1,2],["t",2,2],["u",0,2]]',
      'written [["old",0,2],["t",2,2],["u",2,2]]',
      'slice [["t",2,2],["u",2,2]]',
      'intent [["t",2,2],["u",2,2]]',
      'slice [["old",0,2],["t",2,2],["u",2,2]]',
      'written [["old",1,2],["t",2,2],["u",0,2]]',
      'slice [["old",1,2],["t",2,2]]',
    ]);
  });

  it('a row that was saved again after the images were kept stops it, and what the slices added goes', async () => {
    const place = make();
    const before = tasks(place);
    const db = openSqlite(place.place, { readOnly: false });
    let images: readonly Image[] = [];
    const prepared = (all: readonly Image[]) => {
      images = all;
      db.exec("UPDATE rows SET state = 'saved' WHERE id = 'c'");
    };
    await expect(sqliteEngine.apply(place.job, { tag: 'x', prepared })).rejects.toMatchObject({ code: 'changed' });
    const { outcome } = await sqliteEngine.settle(place.place, images, { tag: 'x' });
    expect([outcome, tasks(place)]).toEqual(['rolled-back', before]);
    expect(db.prepare("SELECT state FROM rows WHERE id = 'c'").get()).toEqual({ state: 'saved' });
    db.close();
    await place.close();
  });
});

function memoryAt(tables: MemoryTables): ExecutorPlace {
  const { place } = tables;
  const job = (newest: number) =>
    new RowsJob('memory', place)
      .expectMax('checkpoints', { task: 't' }, 'seq', newest)
      .expectAbsent('checkpoints', { task: 't', id: 'd' })
      .copy('checkpoints', { task: 't', id: 'a' }, { id: 'd', seq: null })
      .update('checkpoints', { task: 't', id: 'b' }, { description: 'changed' })
      .delete('checkpoints', { task: 't', id: 'c' });
  const rows = () => tables.transaction((access) => access.select('checkpoints', {}));
  const start = rows();
  /** What an open transaction has done is nowhere yet. */
  const committed = () => {
    try {
      return rows();
    } catch {
      return start;
    }
  };
  return {
    place,
    job: job(3),
    stale: job(2),
    content: () =>
      rows()
        .map(({ rowid, row }) => `${rowid} ${JSON.stringify(Object.entries(row).toSorted())}`)
        .join('\n'),
    disturb: () => {
      tables.transaction((access) => access.update('checkpoints', { task: 't', id: 'd' }, { text: 'by an agent' }));
    },
    crash: () => memoryAt(filled(committed())),
    close: () => undefined,
  };
}

function filled(rows: readonly TableRow[]): MemoryTables {
  const tables = new MemoryTables();
  tables.transaction((access) => {
    for (const { row, rowid } of rows) access.insert('checkpoints', row, rowid);
  });
  return tables;
}

describeExecutor(memoryEngine, {
  make: () =>
    memoryAt(
      filled(
        ['a', 'b', 'c'].map((id, at) => ({
          rowid: BigInt(at + 1),
          row: { task: 't', id, text: `"${id}"`, description: null },
        })),
      ),
    ),
});

function farAway(values: ReadonlyMap<string, string>): ExecutorPlace {
  const place = `slow-${slowPlaces.size}`;
  slowPlaces.set(place, new Map(values));
  const job = (old: string) =>
    slowJob(
      place,
      { name: 'new', value: 'added' },
      { name: 'old', expect: old },
      { name: 'kept', expect: '1', value: '2' },
    );
  return {
    place,
    job: job('gone soon'),
    stale: job('another'),
    content: () => JSON.stringify([...(slowPlaces.get(place) ?? [])].toSorted()),
    disturb: () => void slowPlaces.get(place)?.set('new', 'saved by an agent'),
    crash: () => farAway(slowPlaces.get(place) ?? new Map()),
    close: () => undefined,
  };
}

describeExecutor(slowEngine(), {
  make: () =>
    farAway(
      new Map([
        ['old', 'gone soon'],
        ['kept', '1'],
      ]),
    ),
});

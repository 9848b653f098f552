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

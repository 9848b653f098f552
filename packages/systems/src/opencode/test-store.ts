/** For tests: copies of the fixture, opened; and plans carried out. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeId } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase, type SqlRow } from '@checkpoint-inspector/io';
import facts from './fixtures/facts.json' with { type: 'json' };
import { openOpencode } from './read.ts';

export { facts };

export const FIXTURE = new URL('./fixtures/opencode.db', import.meta.url).pathname;

/** Sessions of the fixture by what they show. */
export const SESSIONS = Object.fromEntries(
  Object.entries(facts.made).flatMap(([name, made]) => ('id' in made ? [[name, made.id] as const] : [])),
);

export interface TestStore {
  readonly path: string;
  readonly source: ReturnType<typeof openOpencode>;
  /** A second connection that may write, as opencode has. */
  readonly database: SqliteDatabase;
  /** Every row of the tables that a plan may touch, with its rowid, as text. */
  readonly dump: () => string;
  /** The database and its log, without the lock file that every reader writes. */
  readonly bytes: () => string[];
  readonly close: () => Promise<void>;
}

/** The fixture, or some of its sessions. */
export function openFixture(only?: readonly string[], now?: () => Date): TestStore {
  const store = openCopy(now);
  if (only) keepOnly(store.database, only);
  return store;
}

const TABLES = [
  ['session', 'id'],
  ['message', 'session_id'],
  ['part', 'session_id'],
  ['event', 'aggregate_id'],
  ['event_sequence', 'aggregate_id'],
  ['todo', 'session_id'],
] as const;

function keepOnly(database: SqliteDatabase, sessions: readonly string[]): void {
  const marks = sessions.map(() => '?').join(', ');
  for (const [table, column] of TABLES.toReversed()) {
    database.prepare(`DELETE FROM ${table} WHERE ${column} NOT IN (${marks})`).run(...sessions);
  }
}

/** As an import leaves it: rows without a log. */
export function dropEvents(database: SqliteDatabase): void {
  database.exec('DELETE FROM event; DELETE FROM event_sequence');
}

function openCopy(now?: () => Date): TestStore {
  const folder = mkdtempSync(join(tmpdir(), 'opencode-test-'));
  const path = join(folder, 'opencode.db');
  copyFileSync(FIXTURE, path);
  const database = openSqlite(path, { readOnly: false });
  // The agent's connection: what it saves need not outlive a power failure.
  database.pragma('synchronous = OFF');
  const source = openOpencode({
    id: storeId('test'),
    label: 'test',
    location: path,
    path,
    ...(now ? { now } : {}),
  });
  return {
    path,
    source,
    database,
    dump: () =>
      TABLES.map(([table]) =>
        JSON.stringify(database.prepare(`SELECT rowid, * FROM ${table} ORDER BY rowid`).all()),
      ).join('\n'),
    bytes: () => [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file).toString('base64') : '')),
    close: async () => {
      await source.close?.();
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A row of an opencode table, with what is left out filled in. */
export function insert(database: SqliteDatabase, table: string, row: SqlRow): void {
  const names = Object.keys(row);
  const sql = `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  database.prepare(sql).run(...Object.values(row));
}

/** For tests: copies of a system's fixture, opened; and plans carried out. */
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeIdFrom, type Changeable, type CheckpointSource, type System } from '@checkpoint-inspector/core';
import { openSqlite, type SqliteDatabase, type SqlRow } from '@checkpoint-inspector/io';
import { executor } from '../test-executor.ts';

export interface TestStore extends ReturnType<typeof executor> {
  readonly path: string;
  readonly sources: readonly (CheckpointSource & Changeable)[];
  /** The first one. */
  readonly source: CheckpointSource & Changeable;
  /** A second connection that may write, as an agent has. */
  readonly database: SqliteDatabase;
  /** Every row of these tables with its rowid, as text. */
  readonly dump: () => string;
  readonly bytes: () => Promise<string[]>;
  readonly teardown: () => Promise<void>;
}

export interface Fixture {
  readonly system: System;
  readonly path: string;
  readonly tables: readonly string[];
}

/** A fresh copy of what the system wrote; `change` prepares it first. */
export async function openCopy(
  { system, path: fixture, tables }: Fixture,
  change?: (database: SqliteDatabase) => void,
): Promise<TestStore> {
  const folder = mkdtempSync(join(tmpdir(), `${system.id}-test-`));
  const path = join(folder, `${system.id}.db`);
  copyFileSync(fixture, path);
  const database = openSqlite(path, { readOnly: false });
  // The agent's connection: what it saves need not outlive a power failure.
  database.pragma('synchronous = OFF');
  change?.(database);
  const sources = await openAll(system, path);
  const [source] = sources;
  if (!source) throw new Error('The database has no source.');
  return {
    path,
    sources,
    source,
    database,
    ...executor(),
    dump: () => dumpOf(database, tables),
    bytes: async () =>
      ['', '-wal'].map((part) => (existsSync(path + part) ? readFileSync(path + part).toString('base64') : '')),
    teardown: async () => {
      for (const one of sources) await one.close?.();
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function openAll(system: System, path: string): Promise<readonly (CheckpointSource & Changeable)[]> {
  const taken = new Set<string>();
  const nameStore = (name: string) => {
    const id = storeIdFrom(name, (other) => taken.has(other));
    taken.add(id);
    return id;
  };
  const target = { kind: 'path', path, is: 'file' } as const;
  const sources = await system.open(target, { label: system.id, location: path, nameStore });
  return sources.filter((source): source is CheckpointSource & Changeable => 'plan' in source);
}

/** A row as it is given. */
export function insertRow(database: SqliteDatabase, table: string, row: SqlRow): void {
  const names = Object.keys(row);
  database
    .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
    .run(...Object.values(row));
}

function dumpOf(database: SqliteDatabase, tables: readonly string[]): string {
  const rows = tables.flatMap((table) => database.prepare(`SELECT rowid AS r, * FROM ${table} ORDER BY 1`).all());
  return JSON.stringify(rows, (_, value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : value));
}

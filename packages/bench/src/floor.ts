import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openSqlite, prepared, type SqliteDatabase } from '@checkpoint-inspector/io';
import { milliseconds } from './statistics.ts';

const SYNCED = Buffer.alloc(8_192, 'x');

/** What the disk and SQLite take for themselves in the same run: no save that is durable takes less. */
export class Floor {
  /** Appending 8 KB to a file and waiting for the disk. */
  readonly syncs: number[] = [];
  /** Inserting so many bytes as a row of SQLite, in WAL with synchronous FULL, and nothing else. */
  readonly inserts: number[] = [];
  readonly #file: number;
  readonly #db: SqliteDatabase;

  constructor(folder: string) {
    this.#file = openSync(join(folder, 'disk'), 'w');
    this.#db = openSqlite(join(folder, 'floor.db'), { readOnly: false, create: true });
    this.#db.pragma('page_size = 8192');
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.exec('CREATE TABLE new (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
  }

  /** @param bytes what is new in a step */
  async measure(bytes: number): Promise<void> {
    const text = 'x'.repeat(bytes);
    this.syncs.push(await milliseconds(async () => this.#sync()));
    this.inserts.push(
      await milliseconds(async () => prepared(this.#db, 'INSERT INTO new (text) VALUES (?)').run(text)),
    );
  }

  close(): void {
    closeSync(this.#file);
    this.#db.close();
  }

  #sync(): void {
    writeSync(this.#file, SYNCED);
    fdatasyncSync(this.#file);
  }
}

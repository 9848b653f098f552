import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';
import { InspectorError } from '@checkpoint-inspector/core';

const require = createRequire(import.meta.url);
const nodeMajor = Number(process.versions.node.split('.')[0]);

/** better-sqlite3 13 needs Node 22 and brings its binary along; 12 is the last one for Node 20. */
const [moduleName, install] =
  nodeMajor >= 22
    ? ['better-sqlite3-napi', 'npm install better-sqlite3-napi@npm:better-sqlite3@13.2.0']
    : ['better-sqlite3', 'npm install better-sqlite3@12.11.1'];

export type Driver = typeof BetterSqlite3;
export type DriverDatabase = BetterSqlite3.Database;

/** @throws InspectorError unsupported, naming the command that installs the driver */
export function loadDriver(load: (name: string) => unknown = require): Driver {
  try {
    return load(moduleName) as Driver;
  } catch (cause) {
    throw missingDriver(cause);
  }
}

export function missingDriver(cause: unknown): InspectorError {
  return new InspectorError(
    'unsupported',
    `The SQLite driver ${moduleName} is not installed for Node ${process.versions.node}.`,
    {
      cause,
      remedy: `Run: ${install}`,
    },
  );
}

/** The version of SQLite inside the driver. @throws InspectorError unsupported, when no driver loads */
export function sqliteVersion(): string {
  const Database = loadDriver();
  try {
    const database = new Database(':memory:');
    const version: unknown = database.prepare('SELECT sqlite_version()').pluck().get();
    database.close();
    return String(version);
  } catch (cause) {
    throw missingDriver(cause);
  }
}

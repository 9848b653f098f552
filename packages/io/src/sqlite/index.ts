export {
  openSqlite,
  type SqliteDatabase,
  type SqliteOptions,
  type SqliteParameter,
  type SqliteStatement,
} from './open.ts';
export { databaseStructure, type DatabaseStructure } from './structure.ts';
export { tableColumns, tableNames, tableShapes } from './columns.ts';
export { followSqlite } from './follow.ts';
export { loadDriver, sqliteVersion } from './driver.ts';
export { emptyLog, logBeside, lookInto } from './open.ts';
export { CommittedFiles, copyDatabase } from './snapshot.ts';
export {
  isWritable,
  readingSource,
  sqliteSource,
  type Readings,
  type SqliteRules,
  type SqliteSourceOptions,
} from './source.ts';
export { diskUse, reclaimSqlite, type DiskUse, type Reclaimed } from './reclaim.ts';
export { watchSqlite } from './watch.ts';
export { assertRowFits, MAX_ROW_BYTES, type SqlRow, type SqlValue } from './values.ts';

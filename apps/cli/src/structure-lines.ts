/** A store's structure as text, to be pasted into a report. */
import type { SourceStructure, StoreStructure } from '@checkpoint-inspector/inspector';
import { many, size } from './output.ts';

interface On {
  readonly version: string;
  readonly node: string;
  readonly sqlite: string;
  readonly platform: string;
}

export function structureLines({ version, node, sqlite, platform }: On, structure: StoreStructure): string[] {
  const { is, bytes, systems, database, folder, sources, failures } = structure;
  return [
    `checkpoint-inspector ${version}, Node ${node}, SQLite ${sqlite}, ${platform}`,
    `Store: ${is === 'address' ? 'an address' : `a ${is}`}${bytes === undefined ? '' : `, ${size(bytes)}`}`,
    '',
    'Systems:',
    ...systems.map(({ system, matches, because }) => `  ${matches ? 'yes' : 'no '} ${system}: ${because}`),
    ...sources.flatMap(sourceLines),
    ...(database ? databaseLines(database) : []),
    ...(folder ? folderLines(folder) : []),
    ...(failures.length === 0 ? [] : ['', `Failed: ${failures.join(', ')}`]),
    '',
    'Nothing that is saved in the store is in this report. Names of tables and columns are; read it before you share it.',
  ];
}

function sourceLines({ system, tasks, checkpoints, rows, can }: SourceStructure): string[] {
  const { examined, bytes, ...fields } = rows;
  const able = Object.entries(can).flatMap(([verb, isAble]) => (isAble ? [verb] : []));
  return [
    '',
    `Opened as ${system}: ${many(tasks, 'task')}, ${many(checkpoints)}, ${examined} examined`,
    `  states: ${size(bytes.least)} to ${size(bytes.most)}, median ${size(bytes.median)}`,
    ...Object.entries(fields).map(([field, counts]) => `  ${field}: ${countsText(counts)}`),
    `  can: ${able.join(', ') || 'only be read'}`,
  ];
}

const countsText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([word, count]) => `${word} ${count}`)
    .join(', ') || 'none';

function databaseLines(database: NonNullable<StoreStructure['database']>): string[] {
  const { pageBytes, pages, freePages, journalMode, userVersion, applicationId, encoding, tables, others } = database;
  return [
    '',
    `Database: ${pages} pages of ${size(pageBytes)}, ${freePages} free, journal ${journalMode}, ${encoding}, user_version ${userVersion}, application_id ${applicationId}`,
    ...tables.flatMap(({ name, rows, isCut, indexes, columns }) => [
      `  ${name}: ${rows}${isCut ? ' or more' : ''} rows, ${indexes} indexes`,
      ...columns.map((column) => `    ${column.name} ${column.type}${column.isKey ? ' (key)' : ''}`),
    ]),
    ...(others === 0 ? [] : [`  ${others} views, virtual tables and triggers`]),
  ];
}

function folderLines({ folders, kinds, isCut }: NonNullable<StoreStructure['folder']>): string[] {
  return [
    '',
    `Folder: ${many(folders, 'folder')} below it${isCut ? ', and more files than these' : ''}`,
    ...kinds.map(
      ({ ending, files, bytes, begin }) =>
        `  ${ending}: ${many(files, 'file')}, ${size(bytes.least)} to ${size(bytes.most)}, median ${size(bytes.median)}; begin with ${countsText(begin)}`,
    ),
  ];
}

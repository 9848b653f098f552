import { InspectorError, type Target } from '@checkpoint-inspector/core';
import { openSqlite, sqliteHeader, tableColumns, tableNames } from '@checkpoint-inspector/io';
import { databasesIn } from './registry-targets.ts';

const SHOWN_TABLES = 12;

/** Why nothing was found at a target: what was looked for, and what is there instead. */
export async function explainNothing(
  target: Target,
  systems: readonly { readonly label: string }[],
): Promise<InspectorError> {
  const lookedFor = systems.map((system) => system.label);
  const words = target.kind === 'folder' ? await folderWords(target.path) : await fileWords(target.path);
  return new InspectorError('no_store', `${words} Looked for: ${lookedFor.join(', ')}.`, {
    data: { path: target.path, lookedFor },
  });
}

async function folderWords(path: string): Promise<string> {
  const databases = await databasesIn(path);
  const none = `The folder "${path}" holds no checkpoints: no .kaizen/checkpoints, no checkpoint files of Kaizen`;
  if (databases.length === 0) return `${none}, no SQLite database, no .langgraph_api.`;
  const tables = databases.slice(0, 3).map(tableWords);
  return `${none}, and its databases have none either. ${tables.join(' ')}`;
}

async function fileWords(path: string): Promise<string> {
  const header = await sqliteHeader(path);
  if (header === 'empty') return `The file "${path}" is empty.`;
  if (header === 'other') return `The file "${path}" is neither a SQLite database nor a known checkpoint file.`;
  return `The database has no known checkpoint tables. ${tableWords(path)}`;
}

function tableWords(path: string): string {
  const database = openSqlite(path, { readOnly: true });
  try {
    const names = tableNames(database);
    if (names.length === 0) return `"${path}" has no tables.`;
    const shown = names.slice(0, SHOWN_TABLES).map((name) => `${name} (${tableColumns(database, name).join(', ')})`);
    const more = names.length > SHOWN_TABLES ? `, and ${names.length - SHOWN_TABLES} more` : '';
    return `"${path}" has the tables ${shown.join(', ')}${more}.`;
  } finally {
    database.close();
  }
}

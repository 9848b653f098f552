import { InspectorError, type Target } from '@checkpoint-inspector/core';
import { lookInto, tableColumns, tableNames } from '@checkpoint-inspector/io';
import { stat } from 'node:fs/promises';
import { explainDevServer } from './registry-dev-server.ts';
import { databasesIn } from './registry-targets.ts';

const SHOWN_TABLES = 12;

/** Why nothing was found at a target: what was looked for, and what is there instead. */
export async function explainNothing(
  target: Target,
  systems: readonly { readonly label: string }[],
): Promise<InspectorError> {
  const devServer = await explainDevServer(target.path);
  if (devServer) return devServer;
  const lookedFor = systems.map((system) => system.label);
  const words = target.kind === 'folder' ? await folderWords(target.path) : await fileWords(target.path);
  return new InspectorError('no_store', `${words} Looked for: ${lookedFor.join(', ')}.`, {
    data: { path: target.path, lookedFor },
  });
}

async function folderWords(path: string): Promise<string> {
  const tables = (await databasesIn(path)).flatMap((database) => tableWords(database) ?? []);
  const none = `The folder "${path}" holds no checkpoints: no .kaizen/checkpoints, no checkpoint files of Kaizen`;
  if (tables.length === 0) return `${none}, no SQLite database, no .langgraph_api.`;
  return `${none}, and its databases have none either. ${tables.slice(0, 3).join(' ')}`;
}

async function fileWords(path: string): Promise<string> {
  if ((await stat(path)).size === 0) return `The file "${path}" is empty.`;
  const tables = tableWords(path);
  if (tables === undefined) return `The file "${path}" is neither a SQLite database nor a known checkpoint file.`;
  return `The database has no known checkpoint tables. ${tables}`;
}

/** `undefined` when it isn't a database. */
function tableWords(path: string): string | undefined {
  return lookInto(path, (database) => {
    const names = tableNames(database);
    if (names.length === 0) return `"${path}" has no tables.`;
    const shown = names.slice(0, SHOWN_TABLES).map((name) => `${name} (${tableColumns(database, name).join(', ')})`);
    const more = names.length > SHOWN_TABLES ? `, and ${names.length - SHOWN_TABLES} more` : '';
    return `"${path}" has the tables ${shown.join(', ')}${more}.`;
  });
}

import { InspectorError, shownAddress, unknownAddress, type Target } from '@checkpoint-inspector/core';
import { isPostgresAddress, lookInto, tableColumns, tableNames } from '@checkpoint-inspector/io';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { databasesIn } from './registry-targets.ts';

const SHOWN_TABLES = 6;
/** Of more tables than these only the names are of use. */
const TABLES_WITH_COLUMNS = 3;
const SHOWN_COLUMNS = 8;

/** Why nothing was found at a target: what was looked for, and what is there instead. */
export async function explainNothing(
  target: Target,
  systems: readonly { readonly label: string }[],
): Promise<InspectorError> {
  const unset = target.kind === 'path' ? undefined : unsetName(target.url);
  if (unset !== undefined) return notSet(unset);
  if (target.kind !== 'path' && isPostgresAddress(target.url)) return explainPostgres(target.url);
  if (target.kind !== 'path') {
    return unknownAddress(
      target,
      systems.map((system) => system.label),
    );
  }
  const devServer = await explainDevServer(target.path);
  if (devServer) return devServer;
  const lookedFor = systems.map((system) => system.label);
  const words = target.is === 'folder' ? await folderWords(target.path) : await fileWords(target.path);
  return new InspectorError('no_store', `${words} Looked for: ${lookedFor.join(', ')}.`, {
    data: { path: target.path, lookedFor },
  });
}

/** The variable of an `env:NAME` that has no value. */
function unsetName(url: string): string | undefined {
  const name = /^env:(.+)$/.exec(url)?.[1];
  return name === undefined || process.env[name] ? undefined : name;
}

function notSet(name: string): InspectorError {
  return new InspectorError('invalid_input', `The environment variable ${name} is not set.`, {
    remedy: `Set it to an address, such as postgres://user:password@host:port/database, and export it.`,
    data: { name },
  });
}

/** Of a server that answers, and whose database no system knows. */
function explainPostgres(url: string): InspectorError {
  const address = shownAddress(url);
  const words = `${address}: no schema of the database has a store of this program, or LangGraph's tables checkpoints, checkpoint_blobs, checkpoint_writes.`;
  return new InspectorError('no_store', words, {
    remedy:
      'Name the database that is saved to, and the schema with ?schema=name. This user needs the right to read its tables.',
    data: { address },
  });
}

async function folderWords(path: string): Promise<string> {
  const tables = (await databasesIn(path)).flatMap((database) => tableWords(database) ?? []);
  const none = `The folder "${path}" contains no checkpoints: no .kaizen/checkpoints, no checkpoint files of Kaizen`;
  if (tables.length === 0) return `${none}, no SQLite database, no .langgraph_api.`;
  return `${none}, and none in its databases. ${tables.slice(0, 3).join(' ')}`;
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
    const columns = (name: string) => short(tableColumns(database, name), SHOWN_COLUMNS);
    const shown = names.map((name) => (names.length > TABLES_WITH_COLUMNS ? name : `${name} (${columns(name)})`));
    return `"${path}" has the tables ${short(shown, SHOWN_TABLES)}.`;
  });
}

/** @example short(['a', 'b', 'c'], 2) // 'a, b and 1 more' */
function short(names: readonly string[], most: number): string {
  const more = names.length - most;
  return names.slice(0, most).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

const FOLDER = '.langgraph_api';

/** What is said of the folder of a LangGraph dev server that has saved no checkpoints; `undefined` where there is none. */
export async function explainDevServer(path: string): Promise<InspectorError | undefined> {
  const folder = [path, dirname(path)].find((one) => basename(one) === FOLDER) ?? join(path, FOLDER);
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return undefined;
  return new InspectorError(
    'no_store',
    `"${folder}" is a LangGraph dev server's folder, and contains no checkpoints: neither .langgraphjs_api.checkpointer.json nor .langgraph_checkpoint.1.pckl.`,
    { data: { path }, remedy: 'Run the graph once. The server saves its threads every few seconds, and when it ends.' },
  );
}

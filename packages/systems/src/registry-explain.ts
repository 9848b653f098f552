import { InspectorError, unknownAddress, type Target } from '@checkpoint-inspector/core';
import { lookInto, tableColumns, tableNames } from '@checkpoint-inspector/io';
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

/** What the dev servers of LangGraph write: they keep all in memory and save it to these files. */
const SERVERS = [
  { server: 'langgraphjs dev', format: 'JSON', name: /^\.langgraphjs_api\.checkpointer\.json$/ },
  { server: 'langgraph dev', format: 'Python pickle', name: /^\.langgraph_checkpoint\.\d+\.pckl$/ },
] as const;

/** What is said of the files of a LangGraph dev server; `undefined` where the path holds none. */
export async function explainDevServer(path: string): Promise<InspectorError | undefined> {
  const folder = [path, dirname(path)].find((one) => basename(one) === FOLDER) ?? join(path, FOLDER);
  const names = await readdir(folder).catch(() => undefined);
  if (names === undefined) return undefined;
  const found = SERVERS.find(({ name }) => names.some((one) => name.test(one)));
  const words = found
    ? `"${folder}" holds the checkpoints of the dev server "${found.server}", as ${found.format}. This version can’t read them yet.`
    : `"${folder}" is where a LangGraph dev server keeps its checkpoints; it has none yet, and this version can’t read them yet.`;
  return new InspectorError('no_store', words, {
    data: { path },
    remedy: 'Give the graph a SqliteSaver as its checkpointer and open that SQLite file.',
  });
}

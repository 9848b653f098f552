import { InspectorError, shownAddress, unknownAddress, type Target } from '@checkpoint-inspector/core';
import {
  isPostgresAddress,
  lookInto,
  readBounded,
  readHead,
  tableColumns,
  tableNames,
  type SqliteDatabase,
} from '@checkpoint-inspector/io';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { textOfBytes } from './folder/document.ts';
import { isRecord } from './folder/view.ts';
import { databasesIn } from './registry-targets.ts';

const SHOWN_TABLES = 6;
/** Of more tables than these only the names are of use. */
const TABLES_WITH_COLUMNS = 3;
const SHOWN_COLUMNS = 8;
const MOST_BYTES = 32 * 1024 * 1024;

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
  const older = await olderForm(target);
  if (older !== undefined) {
    return new InspectorError('no_store', `"${target.path}" is of ${older}, which isn't read.`, {
      remedy: `Describe its format to open it: checkpoint-inspector map ${target.path}`,
      data: { path: target.path },
    });
  }
  const lookedFor = systems.map((system) => system.label);
  const words = target.is === 'folder' ? await folderWords(target.path) : await fileWords(target.path);
  return new InspectorError('no_store', `${words} Looked for: ${lookedFor.join(', ')}.`, {
    remedy: `Name a file or folder that contains checkpoints. A format of your own can be described: checkpoint-inspector map ${target.path}`,
    data: { path: target.path, lookedFor },
  });
}

/** Forms that programs wrote before the ones that are read. */
async function olderForm({ path, is }: Extract<Target, { readonly kind: 'path' }>): Promise<string | undefined> {
  if (is === 'file') return lookInto(path, olderTables) ?? olderDocument(path);
  for (const folder of [path, join(path, 'storage')]) {
    const names: readonly string[] = await readdir(folder).catch(() => []);
    if (['session', 'message', 'part'].every((name) => names.includes(name))) return 'opencode before 1.2';
  }
  for (const database of await databasesIn(path)) {
    const older = lookInto(database, olderTables);
    if (older !== undefined) return older;
  }
  return undefined;
}

function olderTables(database: SqliteDatabase): string | undefined {
  if (tableColumns(database, 'checkpoints').includes('thread_ts')) return 'LangGraph before 0.2';
  return tableNames(database).some((name) => name.endsWith('agent_history')) ? 'VoltAgent before 1.0' : undefined;
}

/** What Gemini CLI saves when it is told to, or before a tool changes a file. */
async function olderDocument(path: string): Promise<string | undefined> {
  if (!path.endsWith('.json')) return undefined;
  try {
    const value: unknown = JSON.parse(textOfBytes(await readBounded(path, { maxBytes: MOST_BYTES })));
    const isTurn = (one: unknown): boolean => isRecord(one) && Array.isArray(one['parts']) && 'role' in one;
    const history: unknown = isRecord(value) ? (value['clientHistory'] ?? value['history']) : value;
    if (!Array.isArray(history) || history.length === 0 || !history.every(isTurn)) return undefined;
    return "what Gemini CLI's /chat save and its file tools write";
  } catch {
    return undefined;
  }
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
  const none = `The folder "${path}" contains no checkpoints`;
  if (tables.length === 0) return `${none}: ${await contentWords(path)}`;
  return `${none}, and none in its databases. ${tables.slice(0, 3).join(' ')}`;
}

/** @example 'it has 12 files (10 .json, 2 .txt) and the folders src, test.' */
async function contentWords(path: string): Promise<string> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  if (entries.length === 0) return 'it is empty.';
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const endings = new Map<string, number>();
  for (const { name } of entries.filter((entry) => !entry.isDirectory()))
    endings.set(extname(name) || name, (endings.get(extname(name) || name) ?? 0) + 1);
  const counts = [...endings].toSorted(([, a], [, b]) => b - a).map(([ending, count]) => `${count} ${ending}`);
  const files = counts.length === 0 ? [] : [`the files ${short(counts, SHOWN_TABLES)}`];
  const inside = folders.length === 0 ? [] : [`the folders ${short(folders.toSorted(), SHOWN_TABLES)}`];
  return `it has ${[...files, ...inside].join(' and ')}.`;
}

async function fileWords(path: string): Promise<string> {
  if ((await stat(path)).size === 0) return `The file "${path}" is empty.`;
  const tables = tableWords(path);
  if (tables !== undefined) return `The database has no known checkpoint tables. ${tables}`;
  const [first, second] = await readHead(path, 2);
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isWide) return `The file "${path}" begins with a byte order mark of UTF-16: only UTF-8 is read.`;
  return `The file "${path}" is neither a SQLite database nor a known checkpoint file.`;
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

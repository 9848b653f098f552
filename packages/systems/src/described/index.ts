/** Formats that somebody described: in a file beside the store, or in one of the presets. */
import {
  InspectorError,
  isAddress,
  pathOf,
  type CheckpointSource,
  type Match,
  type OpenOptions,
  type System,
  type Target,
} from '@checkpoint-inspector/core';
import {
  isPostgresAddress,
  lookInto,
  openPostgres,
  postgresColumns,
  postgresSchemasOf,
  realPath,
  tableColumns,
} from '@checkpoint-inspector/io';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { hasColumns, openDocuments, openPostgresTable, openTable } from '../kit/described.ts';
import { parseDescriptions, type Description } from '../kit/description.ts';
import { Documents, type FilesDescription } from '../kit/documents.ts';
import { PRESETS } from '../kit/presets.ts';
import type { TableDescription } from '../kit/rows.ts';
import { lazily } from '../folder/rows.ts';
import { databasesIn } from '../registry-targets.ts';

export const DESCRIPTION_FILE = 'checkpoint-inspector.yaml';

/** One store that a description leads to. */
type Place =
  | { readonly is: 'table'; readonly path: string; readonly description: TableDescription }
  | { readonly is: 'files'; readonly root: string; readonly description: FilesDescription }
  | { readonly is: 'schema'; readonly url: string; readonly schema: string; readonly description: TableDescription };

interface Found {
  readonly places: readonly Place[];
  readonly because: string;
  readonly confidence: number;
}

/** Read once: every folder that a search comes by is held against them. */
const presets = lazily((): readonly Description[] => PRESETS.flatMap(({ text }) => parseDescriptions(text)));

const isTable = (one: Description): one is TableDescription => one.table !== undefined;
const isFiles = (one: Description): one is FilesDescription => one.files !== undefined;

async function find(target: Target): Promise<Found | undefined> {
  if (target.kind === 'address') return inSchemas(target.url, presets().filter(isTable), 'a preset');
  const { path, is } = target;
  if (is === 'file' && /\.ya?ml$/i.test(path)) return described(path, true);
  const beside = join(is === 'folder' ? path : dirname(path), DESCRIPTION_FILE);
  const own = await described(beside, false);
  // A database in the folder is a target by itself.
  if (is === 'folder') return elsewhere(own, await databasesIn(path)) ?? presetFiles(path);
  const real = realPath(path);
  const places = own?.places.filter((place) => place.is === 'table' && realPath(place.path) === real) ?? [];
  if (own && places.length > 0) return { ...own, places };
  const [table] = presets()
    .filter(isTable)
    .filter((one) => hasTable(path, one));
  if (table === undefined) return undefined;
  return { places: [{ is: 'table', path, description: table }], because: `its table ${table.table}`, confidence: 0.8 };
}

function elsewhere(found: Found | undefined, databases: readonly string[]): Found | undefined {
  const places = found?.places.filter((place) => place.is !== 'table' || !databases.includes(place.path)) ?? [];
  return found && places.length > 0 ? { ...found, places } : undefined;
}

const hasTable = (path: string, description: TableDescription): boolean =>
  lookInto(path, (database) => hasColumns(description, tableColumns(database, description.table))) ?? false;

/**
 * What a description leads to, opened as if it lay in the folder.
 * @throws InspectorError invalid_input | no_store
 * @example const [source] = await openDescription('table: steps\n…', '/agents', options);
 */
export async function openDescription(text: string, folder: string, options: OpenOptions): Promise<CheckpointSource[]> {
  const places: Place[] = [];
  for (const description of parseDescriptions(text)) places.push(...(await placesOf(folder, description, true)));
  return Promise.all(places.map((place) => openPlace(place, options, places.length === 1)));
}

/**
 * What a file of descriptions leads to; `undefined` where there is no such file. An address or another folder in it is
 * only followed where the person named the file.
 */
async function described(path: string, isNamed: boolean): Promise<Found | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const descriptions = parseDescriptions(text, path);
  const places: Place[] = [];
  for (const description of descriptions) places.push(...(await placesOf(dirname(path), description, isNamed)));
  if (places.length === 0 && !isNamed) return undefined;
  return { places, because: `described in ${basename(path)}`, confidence: 0.99 };
}

async function placesOf(folder: string, description: Description, isNamed: boolean): Promise<readonly Place[]> {
  const { store } = description;
  if (store !== undefined && isAddress(store)) {
    if (!isNamed || !isTable(description)) return [];
    return (await inSchemas(store, [description], DESCRIPTION_FILE))?.places ?? [];
  }
  const at = resolve(folder, store ?? '.');
  // One that was only found speaks of what lies in its folder, and of nothing else that this user may read.
  if (!isNamed && !isInside(realPath(folder), realPath(at))) return [];
  if (isFiles(description)) return [{ is: 'files', root: at, description }];
  if (!isTable(description)) return [];
  const isFile = await stat(at).then(
    (found) => found.isFile(),
    () => false,
  );
  const databases = isFile ? [at] : await databasesIn(at);
  return databases
    .filter((path) => hasTable(path, description))
    .map((path): Place => ({ is: 'table', path, description }));
}

const isInside = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

async function inSchemas(url: string, tables: readonly TableDescription[], by: string): Promise<Found | undefined> {
  if (!isPostgresAddress(url)) return undefined;
  const database = await openPostgres(url);
  try {
    const places: Place[] = [];
    for (const description of tables) {
      for (const schema of await postgresSchemasOf(database, url, [description.table])) {
        if (!hasColumns(description, await postgresColumns(database, schema, description.table))) continue;
        places.push({ is: 'schema', url, schema, description });
      }
    }
    const names = places.map(({ description }) => description.table).join(', ');
    return places.length === 0
      ? undefined
      : { places, because: `the table ${names}, as ${by} describes it`, confidence: 0.8 };
  } finally {
    await database.close();
  }
}

async function presetFiles(folder: string): Promise<Found | undefined> {
  for (const description of presets().filter(isFiles)) {
    const tasks = (await new Documents(folder, description).now()).tasks();
    if (!tasks.some(({ kind }) => kind === undefined)) continue;
    const place: Place = { is: 'files', root: folder, description };
    return { places: [place], because: `files ${description.files}`, confidence: 0.8 };
  }
  return undefined;
}

async function openPlace(place: Place, options: OpenOptions, isOnly: boolean): Promise<CheckpointSource> {
  const { description } = place;
  const label = isOnly ? options.label : `${options.label} ${description.table ?? description.name}`;
  const names = { id: options.nameStore(label), label, location: options.location };
  if (place.is === 'files') return openDocuments(place.root, names, place.description);
  if (place.is === 'table') return openTable({ ...names, path: place.path }, place.description);
  return openPostgresTable(place.url, place.schema, names, place.description);
}

/**
 * A system without code: what a user says of a table or of files, as data.
 * @example const [source] = await describedSystem.open({ kind: 'path', path: 'agent.db', is: 'file' }, options);
 */
export const describedSystem: System = {
  id: 'described',
  label: 'Your own format',
  async detect(target): Promise<Match | undefined> {
    const found = await find(target);
    if (found === undefined || found.places.length === 0) return undefined;
    const { because, confidence } = found;
    return { system: 'described', because, confidence };
  },
  async open(target, options) {
    const found = await find(target);
    if (found === undefined || found.places.length === 0) throw nothingDescribed(target);
    const sources: CheckpointSource[] = [];
    for (const place of found.places) sources.push(await openPlace(place, options, found.places.length === 1));
    return sources;
  },
};

function nothingDescribed(target: Target): InspectorError {
  const { path } = pathOf(target);
  return new InspectorError('no_store', `"${path}" leads to no table or file of its description.`, {
    data: { path },
    remedy: 'Check the names of the store, of the table and of its columns.',
  });
}

/** A description of an unknown store, proposed from what is in it: `checkpoint-inspector map`. */
import { InspectorError, type Target } from '@checkpoint-inspector/core';
import {
  isPostgresAddress,
  lookInto,
  openPostgres,
  postgresColumns,
  postgresTables,
  quotedName,
  readBounded,
  decodeUtf8,
  tableColumns,
  tableNames,
} from '@checkpoint-inspector/io';
import { parseJson, sourceOf, stringOf, type JsonNode } from '@checkpoint-inspector/core';
import { basename, dirname, extname, join, sep } from 'node:path';
import { filesLike } from '../kit/documents.ts';
import { rolesOf, type Column } from '../kit/roles.ts';
import type { Values } from '../kit/description.ts';

/** So many rows of a table, or documents, are looked at. */
const LOOKED_AT = 200;

export interface Proposal {
  /** As a file of its own: YAML. */
  readonly text: string;
  /** Where it belongs: beside what it describes. */
  readonly folder: string;
}

type Told = Readonly<Record<string, string>>;

/** @throws InspectorError no_store: what is there doesn't look like checkpoints, and why */
export async function propose(target: Target): Promise<Proposal> {
  if (target.kind === 'address') return fromPostgres(target.url);
  const { path, is } = target;
  if (is === 'folder') return fromFiles(path);
  return (await fromSqlite(path)) ?? fromFile(path);
}

function proposal(folder: string, told: Told, values: Values, copy = ''): Proposal {
  const keys = Object.entries({ system: 'own format', ...told, ...values });
  return { folder, text: keys.map(([key, value]) => `${key}: ${yamlText(value)}\n`).join('') + copy };
}

/** Quoted where it could be read as anything but this text. */
const yamlText = (value: string): string => (/^[A-Za-z$][\w $./-]*$/.test(value) ? value : JSON.stringify(value));

async function fromSqlite(path: string): Promise<Proposal | undefined> {
  const tables = lookInto(path, (database) =>
    tableNames(database).map((table): readonly [string, readonly Column[]] => {
      const names = tableColumns(database, table);
      const cells = names.map((name) => `CAST(${quotedName(name)} AS TEXT)`).join(', ');
      const rows = database
        .prepare<(string | null)[]>(`SELECT ${cells} FROM ${quotedName(table)} LIMIT ${LOOKED_AT}`, { arrays: true })
        .all();
      return [table, columnsOf(names, rows)];
    }),
  );
  if (tables === undefined) return undefined;
  const { table, values, copy } = bestTable(tables, path);
  return proposal(dirname(path), { store: basename(path), table }, values, copy);
}

const columnsOf = (names: readonly string[], rows: readonly (readonly (string | null)[])[]): readonly Column[] =>
  names.map((name, at) => ({ where: name, name, values: rows.map((row) => row[at] ?? undefined) }));

/** Of several tables with states, that with the most rows. */
function bestTable(
  tables: readonly (readonly [string, readonly Column[]])[],
  place: string,
): { readonly table: string; readonly values: Values; readonly copy: string } {
  const found = tables.flatMap(([table, columns]) => {
    const values = rolesOf(columns);
    return values === undefined
      ? []
      : [{ table, values, rows: columns[0]?.values.length ?? 0, copy: copyHint(columns, values) }];
  });
  const [most] = found.toSorted(
    (a, b) => Object.keys(b.values).length - Object.keys(a.values).length || b.rows - a.rows,
  );
  if (most) return most;
  const names = tables.map(([name]) => name).join(', ') || 'none';
  throw new InspectorError(
    'no_store',
    `No table of "${place}" has a column of JSON states and one that names their tasks. Tables: ${names}.`,
    {
      remedy: 'Write checkpoint-inspector.yaml by hand, with `table`, `task` and `state`.',
    },
  );
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A comment: only its owner knows whether an agent resumes from the newest row. */
function copyHint(columns: readonly Column[], { id }: Values): string {
  const ids = columns.find(({ where }) => where === id)?.values ?? [];
  const kind = ids.every((one) => one !== undefined && UUID.test(one)) ? 'uuid' : 'next';
  const isKnown = ids.length > 0 && (kind === 'uuid' || ids.every((one) => one !== undefined && /^\d+$/.test(one)));
  return isKnown ? `# Restore and fork, if your agent resumes from the newest row:\n# copy: ${kind}\n` : '';
}

async function fromPostgres(url: string): Promise<Proposal> {
  if (!isPostgresAddress(url)) throw new InspectorError('no_store', 'Only PostgreSQL can be described by its address.');
  const database = await openPostgres(url);
  try {
    const tables: (readonly [string, readonly Column[]])[] = [];
    for (const table of await postgresTables(database, database.schema)) {
      const names = await postgresColumns(database, database.schema, table);
      const cells = names.map((name, at) => `${quotedName(name)}::text AS c${at}`).join(', ');
      const rows = await database.query<Record<string, string | null>>(
        `SELECT ${cells} FROM ${quotedName(table)} LIMIT ${LOOKED_AT}`,
      );
      tables.push([
        table,
        columnsOf(
          names,
          rows.map((row) => names.map((_, at) => row[`c${at}`] ?? null)),
        ),
      ]);
    }
    const { table, values, copy } = bestTable(tables, database.address);
    // The address has a password: it is named by a variable.
    return proposal('.', { store: 'env:DATABASE_URL', table }, values, copy);
  } finally {
    await database.close();
  }
}

async function fromFile(path: string): Promise<Proposal> {
  const [folder, name] = [dirname(path), basename(path)];
  const isLines = /l$/i.test(extname(path));
  const text = decodeUtf8(await readBounded(path)).replace(/^\uFEFF/, '');
  if (isLines)
    return fromDocuments(
      folder,
      { files: name, each: 'line' },
      linesOf(text).map((line) => [name, line]),
    );
  const root = parseJson(text);
  const list = listIn(root);
  if (list === undefined) return fromFiles(folder);
  return fromDocuments(
    folder,
    { files: name, each: list.path },
    list.items.map((item) => [name, sourceOf(text, item)]),
  );
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, LOOKED_AT);

/** The longest list of objects: the document itself, or a member of it. */
function listIn(root: JsonNode): { readonly path: string; readonly items: readonly JsonNode[] } | undefined {
  const lists = root.kind === 'array' ? [{ path: '$', items: root.items }] : [];
  if (root.kind === 'object')
    for (const { key, value } of root.members)
      if (value.kind === 'array') lists.push({ path: `$.${key}`, items: value.items });
  const [most] = lists
    .filter(({ items }) => items.length > 1 && items.every(({ kind }) => kind === 'object'))
    .toSorted((a, b) => b.items.length - a.items.length);
  return most && { ...most, items: most.items.slice(0, LOOKED_AT) };
}

async function fromFiles(folder: string): Promise<Proposal> {
  for (const pattern of ['*.json', '*/*.json', '**/*.json', '*.jsonl', '**/*.jsonl']) {
    const paths = await filesLike(folder, pattern);
    if (paths.length === 0) continue;
    const documents: (readonly [string, string])[] = [];
    for (const path of paths.slice(0, LOOKED_AT)) {
      const text = decodeUtf8(await readBounded(join(folder, path))).replace(/^\uFEFF/, '');
      if (pattern.endsWith('l')) documents.push(...linesOf(text).map((line) => [path, line] as const));
      else documents.push([path, text]);
    }
    const [first] = documents;
    const each: Told = pattern.endsWith('l') ? { each: 'line' } : {};
    if (documents.length === 1 && first && !pattern.endsWith('l')) return fromFile(join(folder, first[0]));
    return fromDocuments(folder, { files: pattern, ...each }, documents);
  }
  throw new InspectorError('no_store', `"${folder}" has neither JSON files nor JSON lines.`, {
    remedy: 'Name the file or the folder that checkpoints are saved to.',
  });
}

function fromDocuments(
  folder: string,
  told: Told,
  documents: readonly (readonly [path: string, text: string])[],
): Proposal {
  const read = documents.flatMap(([path, text]) => {
    const values = membersOf(text);
    return values === undefined ? [] : [{ path, values }];
  });
  const names = [...new Set(read.flatMap(({ values }) => [...values.keys()]))];
  const columns = names.map((where): Column => {
    const name = where.slice(where.lastIndexOf('.') + 1);
    return { where, name, values: read.map(({ values }) => values.get(where)) };
  });
  const partOf = (where: string, part: (path: string) => string): Column => ({
    where,
    name: 'task',
    values: read.map(({ path }) => part(path)),
  });
  // One member that holds something is the state; of several, the whole document.
  const containers = columns.filter(({ where, values }) => !/\..*\./.test(where) && values.every(isContainer));
  const [state] = containers;
  const whole: Column = state && containers.length === 1 ? state : { ...partOf('$', () => '{}'), name: 'state' };
  const scalars = columns.filter(({ values }) => !values.some(isContainer));
  const folders = partOf('{folder}', (path) => dirname(path).split(sep).join('/'));
  const files = partOf('{file}', (path) => basename(path, extname(path)));
  const found = [[], [folders], [files]].map((more) => rolesOf([...scalars, whole, ...more])).find(Boolean);
  if (found !== undefined) return proposal(folder, told, found);
  throw new InspectorError('no_store', `The documents of "${folder}" name no task that several of them share.`, {
    remedy: 'Write checkpoint-inspector.yaml by hand, with `files`, `task` and `state`.',
  });
}

const isContainer = (value: string | undefined): boolean => value !== undefined && /^[{[]/.test(value);

/** Members of a document by their paths, one level below its own too. */
function membersOf(text: string): ReadonlyMap<string, string> | undefined {
  let root: JsonNode;
  try {
    root = parseJson(text);
  } catch {
    return undefined;
  }
  const found = new Map<string, string>();
  const add = (node: JsonNode, path: string, depth: number): void => {
    if (node.kind !== 'object') return;
    for (const { key, value } of node.members) {
      if (!/^[A-Za-z_$][\w$]*$/.test(key) || value.kind === 'null') continue;
      const where = `${path}.${key}`;
      found.set(where, value.kind === 'string' ? stringOf(text, value) : sourceOf(text, value));
      if (depth > 0) add(value, where, depth - 1);
    }
  };
  add(root, '$', 1);
  return found;
}

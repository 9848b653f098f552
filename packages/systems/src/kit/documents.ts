/** Files of JSON as checkpoints: a whole file, each line of it, or each element of a list in it. */
import {
  InspectorError,
  parsePath,
  sourceOf,
  valueAt,
  type CheckpointRef,
  type JsonNode,
  type Problem,
} from '@checkpoint-inspector/core';
import { decodeUtf8, fileEntries, fileStamp, readBounded, type FileEntry } from '@checkpoint-inspector/io';
import { readdir } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import { defined, problemOf } from '../folder/document.ts';
import { compare, groupBy } from '../folder/rows.ts';
import type { Description, Values } from './description.ts';
import type { ListedRow, ListedTask } from './listed.ts';
import {
  COLLECTED,
  collected,
  inOneLine,
  readJson,
  statusOf,
  stepOf,
  timesOf,
  valueIn,
  type ReadJson,
} from './values.ts';

export type FilesDescription = Description & { readonly files: string };

/** Folders of other programs, which a pattern with `**` would walk for nothing. */
const SKIPPED = new Set(['node_modules', '.git', '.venv', 'venv', '__pycache__']);

/** Files below a folder that a pattern names, in the order of their names. Links aren't followed. */
export async function filesLike(root: string, pattern: string): Promise<readonly string[]> {
  const steps = pattern.split('/').filter((step) => step !== '' && step !== '.');
  const found: string[] = [];
  const walk = async (folder: string, at: number): Promise<void> => {
    const step = steps[at];
    if (step === undefined) return;
    const isLast = at === steps.length - 1;
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => byNumbers(a.name, b.name))) {
      const path = join(folder, entry.name);
      if (step === '**') {
        if (entry.isDirectory() && !SKIPPED.has(entry.name)) await walk(path, at);
        continue;
      }
      if (!nameLike(step).test(entry.name)) continue;
      if (isLast && entry.isFile()) found.push(path);
      if (!isLast && entry.isDirectory()) await walk(path, at + 1);
    }
    if (step === '**') await walk(folder, at + 1);
  };
  await walk('', 0);
  return [...new Set(found)];
}

const byNumbers = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true }) || compare(a, b);

const nameLike = (step: string): RegExp =>
  new RegExp(
    `^${step
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
    's',
  );

export interface DocumentRow extends ListedRow {
  readonly task: string;
  readonly path: string;
  /** Of its text within the file's, in characters. */
  readonly range: readonly [start: number, end: number];
}

interface ReadFile {
  readonly stamp: string;
  readonly rows: readonly DocumentRow[];
}

/** The files of a description, read again where they changed. */
export class Documents {
  readonly description: FilesDescription;
  readonly root: string;
  readonly #read = new Map<string, ReadFile>();

  constructor(root: string, description: FilesDescription) {
    this.root = root;
    this.description = description;
  }

  async now(): Promise<DocumentSnapshot> {
    const paths = await filesLike(this.root, this.description.files);
    const entries = await fileEntries(this.root, [...paths]);
    const left = new Set(paths);
    for (const path of this.#read.keys()) if (!left.has(path)) this.#read.delete(path);
    const rows: DocumentRow[] = [];
    for (const entry of entries) rows.push(...(await this.#rowsOf(entry)));
    return new DocumentSnapshot(this.root, this.description, rows);
  }

  async #rowsOf(entry: FileEntry): Promise<readonly DocumentRow[]> {
    const stamp = fileStamp(entry);
    const known = this.#read.get(entry.name);
    if (known?.stamp === stamp) return known.rows;
    const rows = await this.#readFile(entry);
    this.#read.set(entry.name, { stamp, rows });
    return rows;
  }

  async #readFile(entry: FileEntry): Promise<readonly DocumentRow[]> {
    try {
      const text = await readText(join(this.root, entry.name));
      return partsOf(text, this.description.each).map((part, at) => this.#row(entry, text, part, at));
    } catch (cause) {
      return [brokenRow(entry, problemOf(cause), [0, entry.size], '')];
    }
  }

  #row(entry: FileEntry, text: string, [start, end]: Range, at: number): DocumentRow {
    const { values, statuses, utc, each } = this.description;
    const own = text.slice(start, end);
    const suffix = each === undefined ? '' : `:${at + 1}`;
    let json: ReadJson;
    try {
      json = readJson(own);
    } catch (cause) {
      return brokenRow(entry, problemOf(cause), [start, end], suffix);
    }
    const valueOf = (role: keyof Values): string | undefined => {
      const where = values[role];
      return where === undefined ? undefined : valueFrom(where, json, entry.name, at);
    };
    const task = valueOf('task');
    const id = valueOf('id') ?? `${nameOf(entry.name)}${suffix}`;
    const [parent, error] = [valueOf('parent'), inOneLine(valueOf('error'))];
    const state = stateIn(values.state, json);
    if (task === undefined || state === undefined) {
      const missing = task === undefined ? values.task : values.state;
      return brokenRow(entry, { code: 'unreadable', message: `It has nothing at ${missing}.` }, [start, end], suffix);
    }
    const times = timesOf(valueOf('time'), utc);
    return defined({
      id,
      task,
      path: entry.name,
      range: [start, end] as const,
      parent: values.parent === undefined ? undefined : parent ? { task, id: parent } : ('none' as const),
      ...(values.time === undefined
        ? { createdAt: new Date(entry.mtimeMs).toISOString(), timeBasis: 'file' as const }
        : times),
      stepIndex: stepOf(valueOf('step')),
      description: error ?? inOneLine(valueOf('name')),
      status: error === undefined ? statusOf(valueOf('status'), statuses) : ('failed' as const),
      sizeBytes: Buffer.byteLength(own),
    });
  }

  /** Those with files, for whoever watches them. */
  async folders(): Promise<readonly string[]> {
    const paths = await filesLike(this.root, this.description.files);
    return [...new Set([this.root, ...paths.map((path) => join(this.root, dirname(path)))])];
  }
}

/** What the files held at one look: each is looked at once for an answer, however many tasks are in it. */
export class DocumentSnapshot {
  readonly #root: string;
  readonly #description: FilesDescription;
  readonly #tasks: ReadonlyMap<string, readonly DocumentRow[]>;
  readonly #texts = new Map<string, Promise<string>>();

  constructor(root: string, description: FilesDescription, rows: readonly DocumentRow[]) {
    this.#root = root;
    this.#description = description;
    this.#tasks = new Map([...groupBy(rows, ({ task }) => task)].map(([task, own]) => [task, inOrder(own)]));
  }

  tasks(): readonly ListedTask[] {
    return [...this.#tasks].map(([id, rows]) =>
      defined({
        id,
        title: id || 'Files without a task',
        updatedAt: rows.map(({ createdAt = '' }) => createdAt).reduce((a, b) => (b > a ? b : a), '') || undefined,
        kind: id === '' ? ('unassigned' as const) : undefined,
      }),
    );
  }

  rows(task: string): readonly DocumentRow[] {
    return this.#tasks.get(task) ?? [];
  }

  find(id: string): readonly CheckpointRef[] {
    return [...this.#tasks].flatMap(([task, rows]) => (rows.some((row) => row.id === id) ? [{ task, id }] : []));
  }

  #at({ task, namespace, id }: CheckpointRef): number {
    return namespace ? -1 : this.rows(task).findIndex((row) => row.id === id);
  }

  /** Its part of the file. */
  async stored(ref: CheckpointRef): Promise<Uint8Array | undefined> {
    const row = this.rows(ref.task)[this.#at(ref)];
    if (row === undefined) return undefined;
    if (this.#description.each === undefined) return readBounded(join(this.#root, row.path));
    return new TextEncoder().encode((await this.#text(row)).slice(...row.range));
  }

  /** @throws InspectorError unreadable */
  async state(ref: CheckpointRef): Promise<{ readonly text: string; readonly derived?: string } | undefined> {
    const { collect } = this.#description;
    const [rows, at] = [this.rows(ref.task), this.#at(ref)];
    const row = rows[at];
    const own = row && (await this.#own(row));
    if (own === undefined) return undefined;
    if (collect === undefined) return { text: own };
    const texts: string[] = [];
    for (const one of rows.slice(0, at + 1)) if (!one.problem) texts.push((await this.#own(one)) ?? 'null');
    return { text: collected(collect, texts), derived: COLLECTED };
  }

  async #own(row: DocumentRow): Promise<string | undefined> {
    const { problem, task, id, range } = row;
    if (problem) throw new InspectorError(problem.code, problem.message, { data: { task, id } });
    return stateIn(this.#description.values.state, readJson((await this.#text(row)).slice(...range)));
  }

  #text({ path }: DocumentRow): Promise<string> {
    const text = this.#texts.get(path) ?? readText(join(this.#root, path));
    this.#texts.set(path, text);
    return text;
  }
}

/** Without a byte order mark: programs that write one don't mean it. */
const readText = async (path: string): Promise<string> => decodeUtf8(await readBounded(path)).replace(/^\uFEFF/, '');

/** By time where all have one, else by their files. An id that comes again is told apart by a number. */
function inOrder(rows: readonly DocumentRow[]): readonly DocumentRow[] {
  const timed = rows.every(({ createdAt, problem }) => createdAt !== undefined || problem);
  const sorted = timed ? rows.toSorted((a, b) => compare(a.createdAt ?? '', b.createdAt ?? '')) : rows;
  const ids = new Map<string, number>();
  return sorted.map((row) => {
    const nth = (ids.get(row.id) ?? 0) + 1;
    ids.set(row.id, nth);
    return nth === 1 ? row : { ...row, id: `${row.id}#${nth}` };
  });
}

type Range = readonly [start: number, end: number];

/** The texts of the checkpoints within a file's. @throws InspectorError unreadable */
function partsOf(text: string, each: string | undefined): readonly Range[] {
  if (each === undefined) return [[0, text.length]];
  if (each === 'line') return linesOf(text);
  const list = valueAt(text, readJson(text).root, parsePath(each));
  if (list?.kind !== 'array') throw new InspectorError('unreadable', `There is no list at ${each}.`);
  return list.items.map(({ start, end }: JsonNode): Range => [start, end]);
}

function linesOf(text: string): Range[] {
  const lines: Range[] = [];
  for (let start = 0; start < text.length;) {
    const found = text.indexOf('\n', start);
    const end = found === -1 ? text.length : found;
    if (text.slice(start, end).trim() !== '') lines.push([start, end]);
    start = end + 1;
  }
  return lines;
}

function stateIn(where: string | undefined, json: ReadJson): string | undefined {
  const node = valueAt(json.text, json.root, where === undefined ? [] : parsePath(where));
  return node && sourceOf(json.text, node);
}

/** A path in the document, or text with parts of the file's name. @example valueFrom('{folder}/{file}', json, 'a/b.json', 0) // 'a/b' */
function valueFrom(where: string, json: ReadJson, path: string, at: number): string | undefined {
  if (where.startsWith('$')) return valueIn(json, parsePath(where));
  const parts: Readonly<Record<string, string>> = {
    '{file}': nameOf(path),
    '{folder}': dirname(path).split(sep).join('/'),
    '{line}': String(at + 1),
  };
  const steps = path.split(sep);
  return where.replaceAll(
    /\{(?:file|folder|line|\d+)\}/g,
    (part) => parts[part] ?? steps[Number(part.slice(1, -1)) - 1] ?? part,
  );
}

const nameOf = (path: string): string => basename(path, extname(path));

function brokenRow(entry: FileEntry, problem: Problem, range: Range, suffix: string): DocumentRow {
  return {
    id: `${entry.name.split(sep).join('/')}${suffix}`,
    task: '',
    path: entry.name,
    range,
    createdAt: new Date(entry.mtimeMs).toISOString(),
    timeBasis: 'file',
    sizeBytes: suffix === '' ? entry.size : range[1] - range[0],
    status: 'unknown',
    problem,
  };
}

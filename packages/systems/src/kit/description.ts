/** A format that a user, or one of the presets, describes: what `checkpoint-inspector.yaml` may say. Nothing in it runs. */
import { InspectorError, type CheckpointStatus } from '@checkpoint-inspector/core';
import { parseAllDocuments } from 'yaml';
import { defined } from '../folder/document.ts';

/** Where each value of a checkpoint is: a column (`state`), a path in it (`state:$.node`), or for files `$.path`, `{file}`, `{folder}`, `{line}`, `{1}` for the first part of its path. */
export interface Values {
  readonly task: string;
  readonly id?: string;
  readonly state?: string;
  readonly time?: string;
  readonly parent?: string;
  readonly step?: string;
  readonly name?: string;
  readonly status?: string;
  readonly error?: string;
}

/** How a copy of a row goes in: its new id, and columns that are set to the same in every copy. */
export interface CopyRule {
  readonly id: 'next' | 'uuid';
}

export interface Description {
  /** The system, as the page calls it. */
  readonly name: string;
  /** A file, folder or address, relative to the description; without one it says how a store reads that is named itself. */
  readonly store?: string;
  /** A table of SQLite or PostgreSQL: a row a checkpoint. */
  readonly table?: string;
  /** A pattern of files in the store's folder, with `*` and `**`. */
  readonly files?: string;
  /** What is a checkpoint within a file: the whole (default), each `line`, or each element of the list at a path. */
  readonly each?: string;
  readonly values: Values;
  /** A checkpoint is only what was added: its state is the list, under this name, of all that was saved until then. */
  readonly collect?: string;
  /** Columns by which rows were saved, oldest first. */
  readonly order: readonly string[];
  /** Their words for our statuses. */
  readonly statuses: Readonly<Record<string, CheckpointStatus>>;
  /** Times without an offset are UTC. */
  readonly utc: boolean;
  /** Paths that change on every save. */
  readonly volatile: readonly string[];
  readonly copy?: CopyRule;
  /** What people should know of such a store. */
  readonly notes: readonly string[];
}

const VALUES = ['task', 'id', 'state', 'time', 'parent', 'step', 'name', 'status', 'error'] as const;
const TEXTS = ['system', 'store', 'table', 'files', 'each', 'collect', ...VALUES] as const;
const OTHERS = ['order', 'statuses', 'utc', 'volatile', 'copy', 'notes'] as const;
const STATUSES: readonly CheckpointStatus[] = ['running', 'completed', 'failed', 'interrupted', 'pending', 'unknown'];

/**
 * The descriptions in a file: one, or several behind `---`.
 * @throws InspectorError invalid_input, naming the key that is wrong
 * @example parseDescriptions('system: mine\ntable: steps\ntask: run_id\nid: id\nstate: state_json')
 */
export function parseDescriptions(text: string, from = 'The description'): readonly Description[] {
  const documents = parseAllDocuments(text.replace(/^\uFEFF/, ''), { schema: 'core' });
  return (Array.isArray(documents) ? documents : []).map((document) => {
    const [problem] = document.errors;
    if (problem)
      throw new InspectorError('invalid_input', `${from} isn't YAML: ${problem.message}`, { cause: problem });
    return descriptionOf(document.toJS({ maxAliasCount: 0 }), from);
  });
}

function descriptionOf(read: unknown, from: string): Description {
  const wrong = (message: string, remedy?: string) =>
    new InspectorError('invalid_input', `${from} ${message}`, { ...(remedy && { remedy }) });
  if (!isRecord(read)) throw wrong('must be a list of keys and values, such as `table: steps`.');
  const known: readonly string[] = [...TEXTS, ...OTHERS];
  const typo = Object.keys(read).find((key) => !known.includes(key));
  if (typo !== undefined) throw wrong(`has an unknown key "${typo}".`, `Known are ${known.join(', ')}.`);
  const textAt = (key: (typeof TEXTS)[number]): string | undefined => {
    const value = read[key];
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'string' && value !== '') return value;
    throw wrong(`has no text at "${key}".`);
  };
  const texts = Object.fromEntries(TEXTS.map((key) => [key, textAt(key)] as const).filter(([, text]) => text));
  const { system, store, table, files, each, collect, task, ...values }: Record<string, string | undefined> = texts;
  if ((table === undefined) === (files === undefined)) throw wrong('must name either a `table` or `files`.');
  if (task === undefined) throw wrong('must say where the `task` of a checkpoint is.');
  if (table !== undefined && values['state'] === undefined) throw wrong('must say which column has the `state`.');
  if (each !== undefined && table !== undefined) throw wrong('has `each`, which is for `files`.');
  const copy = copyOf(read['copy'], wrong);
  if (copy && (files !== undefined || values['id'] === undefined))
    throw wrong('says how a copy goes in, which takes a `table` with an `id`.');
  return {
    name: system ?? 'own format',
    ...defined({ store, table, files, each, collect, copy }),
    values: { task, ...values },
    order: textsAt(read['order'], () => wrong('has no list of columns at "order".')),
    statuses: statusesOf(read['statuses'], wrong),
    utc: flagOf(read['utc'], () => wrong('must say true or false at "utc".')),
    volatile: textsAt(read['volatile'], () => wrong('has no list of paths at "volatile".')),
    notes: textsAt(read['notes'], () => wrong('has no list of texts at "notes".')),
  };
}

type Wrong = (message: string, remedy?: string) => InspectorError;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function textsAt(value: unknown, wrong: () => InspectorError): readonly string[] {
  if (value === undefined || value === null) return [];
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (list.every((one): one is string => typeof one === 'string')) return list;
  throw wrong();
}

function flagOf(value: unknown, wrong: () => InspectorError): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw wrong();
}

function statusesOf(value: unknown, wrong: Wrong): Readonly<Record<string, CheckpointStatus>> {
  if (value === undefined || value === null) return {};
  if (!isRecord(value)) throw wrong('must list their words at "statuses", such as `crashed: failed`.');
  const pairs = Object.entries(value).map(([word, status]) => {
    const known = STATUSES.find((one) => one === status);
    if (known === undefined) throw wrong(`has no known status for "${word}".`, `Known are ${STATUSES.join(', ')}.`);
    return [word, known] as const;
  });
  return Object.fromEntries(pairs);
}

function copyOf(value: unknown, wrong: Wrong): CopyRule | undefined {
  if (value === undefined || value === null) return undefined;
  const id = isRecord(value) ? value['id'] : value;
  if (id === 'next' || id === 'uuid') return { id };
  throw wrong('must say at "copy" what id a copy gets: `next` (a number) or `uuid`.');
}

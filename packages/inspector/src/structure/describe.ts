/** A store's structure for a report: nothing of what is in it, and no name that somebody gave. */
import { stat } from 'node:fs/promises';
import { InspectorError, storeIdFrom } from '@checkpoint-inspector/core';
import type { CheckpointSource, ErrorCode, OpenOptions, Target } from '@checkpoint-inspector/core';
import { databaseStructure, lookInto, type DatabaseStructure } from '@checkpoint-inspector/io';
import { resolveTarget, type Registry, type Verdict } from '@checkpoint-inspector/systems/registry';
import { everyRow, everyTask } from '../stores/task-lists.ts';
import { folderStructure, spreadOf, type FolderStructure, type Spread } from './files.ts';

type Counts = Readonly<Record<string, number>>;

export interface SourceStructure {
  readonly system: string;
  readonly tasks: number;
  readonly checkpoints: number;
  /** Of the first rows, at most 20,000: how many have each value of these fields, all of them words of this program. */
  readonly rows: {
    readonly examined: number;
    readonly status: Counts;
    readonly trigger: Counts;
    readonly lineage: Counts;
    readonly time: Counts;
    readonly problem: Counts;
    readonly bytes: Spread;
  };
  readonly can: Readonly<Record<'restore' | 'fork' | 'edit' | 'delete', boolean>>;
}

export interface StoreStructure {
  readonly is: 'file' | 'folder' | 'address';
  readonly bytes?: number;
  readonly systems: readonly Verdict[];
  readonly database?: DatabaseStructure;
  readonly folder?: FolderStructure;
  /** What was opened; or why nothing was. */
  readonly sources: readonly SourceStructure[];
  readonly failures: readonly ErrorCode[];
}

const MOST_ROWS = 20_000;

/**
 * @throws InspectorError no_store when there is nothing at the path
 * @example (await describeStore(registry, './checkpoints.sqlite')).database?.tables.length // 3
 */
export async function describeStore(registry: Registry, path: string): Promise<StoreStructure> {
  const target = await resolveTarget(path);
  const failures: ErrorCode[] = [];
  const onFailure = (_name: string, error: unknown): void => void failures.push(InspectorError.from(error).code);
  const systems = await registry.verdicts(target);
  const sources: SourceStructure[] = [];
  for (const source of await openedAt(registry, path, onFailure)) {
    try {
      sources.push(await sourceStructure(source));
    } catch (error) {
      onFailure('', error);
    } finally {
      await source.close?.();
    }
  }
  return {
    is: target.kind === 'address' ? 'address' : target.is,
    ...(await placeOf(target, onFailure)),
    systems,
    sources,
    failures,
  };
}

async function openedAt(
  registry: Registry,
  path: string,
  onFailure: NonNullable<OpenOptions['onFailure']>,
): Promise<readonly CheckpointSource[]> {
  const names = new Set<string>();
  const nameStore: OpenOptions['nameStore'] = () => {
    const id = storeIdFrom('store', (taken) => names.has(taken));
    names.add(id);
    return id;
  };
  try {
    return await registry.open(path, { label: 'store', location: 'store', nameStore, onFailure });
  } catch (error) {
    onFailure('', error);
    return [];
  }
}

async function placeOf(
  target: Target,
  onFailure: NonNullable<OpenOptions['onFailure']>,
): Promise<Pick<StoreStructure, 'bytes' | 'database' | 'folder'>> {
  if (target.kind === 'address') return {};
  if (target.is === 'folder') return { folder: await folderStructure(target.path) };
  const { size: bytes } = await stat(target.path);
  try {
    const database = lookInto(target.path, databaseStructure);
    return { bytes, ...(database === undefined ? {} : { database: withoutNames(database) }) };
  } catch (error) {
    onFailure('', error);
    return { bytes };
  }
}

/** ctx-sys names tables after projects; a type may be any text, such as a comment. */
function withoutNames(database: DatabaseStructure): DatabaseStructure {
  return {
    ...database,
    tables: database.tables.map((table) => ({
      ...table,
      name: table.name.replace(/^p_.*_([a-z]+)$/is, 'p_*_$1'),
      columns: table.columns.map((column) => ({
        ...column,
        type: /^[a-z ]{0,30}(\([\d, ]+\))?$/i.test(column.type) ? column.type : '?',
      })),
    })),
  };
}

async function sourceStructure(source: CheckpointSource): Promise<SourceStructure> {
  const { system, capabilities } = source.info;
  const counted = { status: counter(), trigger: counter(), lineage: counter(), time: counter(), problem: counter() };
  const sizes: number[] = [];
  let tasks = 0;
  let checkpoints = 0;
  for await (const task of everyTask(source)) {
    tasks++;
    checkpoints += task.checkpointCount;
    if (sizes.length >= MOST_ROWS) continue;
    for await (const row of everyRow(source, task.id)) {
      sizes.push(row.sizeBytes);
      counted.status.add(row.status);
      counted.trigger.add(row.trigger ?? 'none');
      counted.lineage.add(row.lineage);
      counted.time.add(row.timeBasis);
      if (row.problem) counted.problem.add(row.problem.code);
      if (sizes.length >= MOST_ROWS) break;
    }
  }
  const { restore, fork, edit, delete: remove } = capabilities;
  return {
    system,
    tasks,
    checkpoints,
    rows: {
      examined: sizes.length,
      status: counted.status.counts,
      trigger: counted.trigger.counts,
      lineage: counted.lineage.counts,
      time: counted.time.counts,
      problem: counted.problem.counts,
      bytes: spreadOf(sizes),
    },
    can: { restore: restore === true, fork: fork === true, edit: edit === true, delete: remove === true },
  };
}

function counter() {
  const counts: Record<string, number> = {};
  return { counts, add: (word: string) => void (counts[word] = (counts[word] ?? 0) + 1) };
}

/** Plans over folders of documents: what all their systems share. */
import {
  emptyPlanLists,
  InspectorError,
  noCheckpoint,
  planList,
  refKey,
  type Latest,
  type Plan,
  type PlanWarning,
  type StoreId,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { filesJob, sha256 } from '@checkpoint-inspector/io';
import { readStored, findRow, type FolderRow, type FolderSnapshot } from './rows.ts';

/** What a plan is made from. */
export interface PlanBasis<S> {
  readonly store: StoreId;
  readonly folder: string;
  readonly snapshot: S;
  readonly now: Date;
}

export type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;
export type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;

/** How a system tells of a delete. */
export interface DeleteRules<R extends FolderRow> {
  /** Who resumes: "agent". */
  readonly resumer: string;
  /** The task's rules asked about the folder without these files. */
  readonly latestWithout: (removed: ReadonlySet<R['file']>, task: string) => Latest;
  /** Of rows whose recorded parent goes; absent where none is recorded. */
  readonly orphans?: (count: number, names: string) => string;
}

/** The parts that all plans share, with empty lists. */
export function frame({ store }: { readonly store: StoreId }, request: SystemRequest, task: string, latest: Latest) {
  return { request, store, task, latestBefore: latest, ...emptyPlanLists(), bytesFreed: 0 };
}

export function latestIn(snapshot: FolderSnapshot<FolderRow>, task: string): Latest {
  return snapshot.tasks.get(task)?.latest ?? { basis: 'none' };
}

/**
 * Each file goes to the trash as it is, encrypted and broken ones too.
 * @throws InspectorError not_found | invalid_input (none, or of several tasks) | unsupported (a file cannot be read)
 */
export async function planDelete<R extends FolderRow>(
  request: DeleteRequest,
  basis: PlanBasis<FolderSnapshot<R>>,
  rules: DeleteRules<R>,
): Promise<Plan> {
  const { snapshot, folder } = basis;
  const rows = chosenRows(request, snapshot);
  const task = oneTask(rows);
  const latest = latestIn(snapshot, task);
  const after = rules.latestWithout(new Set(rows.map((row) => row.file)), task);
  const stored: { readonly row: R; readonly hash: string }[] = [];
  for (const row of rows) stored.push({ row, hash: sha256(await bytesOf(folder, row)) });
  return {
    view: {
      ...frame(basis, request, task, latest),
      preconditions: stored.map(({ row, hash }) => ({ kind: 'revision', ref: row.ref, revision: hash })),
      removes: planList(
        rows.map(({ ref, file: { entry } }) => ({
          ref,
          reason: 'asked for',
          sizeBytes: entry.size,
          where: entry.name,
        })),
      ),
      warnings: [...headWarnings(latest, after, rules.resumer), ...orphanWarnings(snapshot, rows, rules)],
      ...(after.ref ? { latestAfter: after.ref } : {}),
      bytesFreed: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
    },
    job: stored.reduce((job, { row, hash }) => job.trash(row.file.entry.name, hash), filesJob(folder)),
  };
}

function chosenRows<R extends FolderRow>(request: DeleteRequest, snapshot: FolderSnapshot<R>): readonly R[] {
  const rows = new Map<string, R>();
  for (const ref of request.refs) {
    const row = findRow(snapshot, ref);
    if (!row) throw noCheckpoint(ref);
    rows.set(refKey(ref), row);
  }
  return [...rows.values()];
}

function oneTask(rows: readonly FolderRow[]): string {
  const [task, ...others] = new Set(rows.map((row) => row.ref.task));
  if (task === undefined) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  if (others.length === 0) return task;
  throw new InspectorError('invalid_input', 'One request deletes checkpoints of one task; make one per task.');
}

/** What cannot be read could not be put back, so it is not removed either. */
async function bytesOf(folder: string, row: FolderRow): Promise<Uint8Array> {
  try {
    return await readStored(folder, row.file);
  } catch (cause) {
    const { message } = InspectorError.from(cause);
    throw new InspectorError('unsupported', `"${row.file.entry.name}" cannot be kept in the trash: ${message}`, {
      cause,
      data: { ...row.ref },
    });
  }
}

function headWarnings({ ref: before }: Latest, { ref: next }: Latest, resumer: string): PlanWarning[] {
  if (!before || before.id === next?.id) return [];
  if (next) {
    const message = `The latest is deleted: the ${resumer} will resume from "${next.id}".`;
    return [{ code: 'latest_deleted', message }];
  }
  return [{ code: 'task_emptied', message: `Nothing is left to resume from: the ${resumer} will start afresh.` }];
}

function orphanWarnings<R extends FolderRow>(
  snapshot: FolderSnapshot<R>,
  removed: readonly R[],
  { orphans: words }: DeleteRules<R>,
): PlanWarning[] {
  const gone = new Set(removed.map((row) => refKey(row.ref)));
  const rows = [...snapshot.tasks.values()].flatMap((task) => task.rows);
  const orphans = rows.filter(({ ref, lineage, parent }) => {
    return lineage === 'recorded' && parent && gone.has(refKey(parent)) && !gone.has(refKey(ref));
  });
  if (!words || orphans.length === 0) return [];
  const names = orphans.slice(0, 5).map((row) => row.ref.id);
  return [{ code: 'parent_missing', message: words(orphans.length, names.join(', ')) }];
}

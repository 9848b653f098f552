import { InspectorError, planList, refKey, type Plan, type PlanWarning } from '@checkpoint-inspector/core';
import { filesJob } from '@checkpoint-inspector/io';
import { defined } from './document.ts';
import { readRaw, sha256 } from './files.ts';
import { frame, taskAfter, taskIn, type DeleteRequest, type PlanBasis } from './plan-parts.ts';
import { findRow, notFound, type PlacedRow, type Snapshot, type TaskRows } from './rows.ts';

/** Each file goes to the trash as it stands, legacy and broken ones too. */
export async function planDelete(request: DeleteRequest, basis: PlanBasis): Promise<Plan> {
  const { snapshot, folder } = basis;
  const rows = chosenRows(request, snapshot);
  const task = oneTask(rows);
  const before = taskIn(snapshot, task);
  const removed = new Set(rows.map((row) => row.file));
  const after = taskAfter(
    snapshot.files.filter((file) => !removed.has(file)),
    task,
  );
  const hashed = await Promise.all(rows.map(async (row) => ({ row, sha256: sha256(await bytesOf(folder, row)) })));
  return {
    view: {
      ...frame(basis, request, task, before.latest),
      preconditions: hashed.map(({ row, sha256 }) => ({ kind: 'revision', ref: row.ref, revision: sha256 })),
      removes: planList(
        rows.map(({ ref, file }) => ({ ref, reason: 'asked for', sizeBytes: file.entry.size, where: file.name })),
      ),
      warnings: [...headWarnings(before, after), ...orphanWarnings(snapshot, rows)],
      ...defined({ latestAfter: after.latest.ref }),
      bytesFreed: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
    },
    job: hashed.reduce((job, { row, sha256 }) => job.trash(row.file.name, sha256), filesJob(folder)),
  };
}

function chosenRows(request: DeleteRequest, snapshot: Snapshot): readonly PlacedRow[] {
  const rows = new Map<string, PlacedRow>();
  for (const ref of request.refs) {
    const row = findRow(snapshot, ref);
    if (!row) throw notFound(ref);
    rows.set(refKey(ref), row);
  }
  return [...rows.values()];
}

function oneTask(rows: readonly PlacedRow[]): string {
  const [task, ...others] = new Set(rows.map((row) => row.ref.task));
  if (task === undefined) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  if (others.length === 0) return task;
  throw new InspectorError('invalid_input', 'One request deletes checkpoints of one task; make one per task.');
}

/** What cannot be read could not be put back, so it is not removed either. */
async function bytesOf(folder: string, row: PlacedRow): Promise<Uint8Array> {
  try {
    return await readRaw(folder, row.file);
  } catch (cause) {
    const { message } = InspectorError.from(cause);
    throw new InspectorError('unsupported', `"${row.file.name}" cannot be kept in the trash: ${message}`, {
      cause,
      data: { ...row.ref },
    });
  }
}

function headWarnings({ latest }: TaskRows, after: TaskRows): PlanWarning[] {
  const before = latest.ref;
  const next = after.latest.ref;
  if (!before || before.id === next?.id) return [];
  if (!next) {
    return [{ code: 'task_emptied', message: 'Nothing is left to resume from: the workflow will start afresh.' }];
  }
  return [{ code: 'latest_deleted', message: `The latest is deleted: the workflow will resume from "${next.id}".` }];
}

function orphanWarnings(snapshot: Snapshot, removed: readonly PlacedRow[]): PlanWarning[] {
  const gone = new Set(removed.map((row) => refKey(row.ref)));
  const rows = [...snapshot.tasks.values()].flatMap((task) => task.rows);
  const orphans = rows.filter(({ ref, lineage, parent }) => {
    return lineage === 'recorded' && parent && gone.has(refKey(parent)) && !gone.has(refKey(ref));
  });
  if (orphans.length === 0) return [];
  const names = orphans.slice(0, 5).map((row) => row.ref.id);
  const which = `${orphans.length} (${names.join(', ')})`;
  const message = `The previous checkpoint of ${which} will be missing; that harms no resume.`;
  return [{ code: 'parent_missing', message }];
}

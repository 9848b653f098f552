import { InspectorError, planList, refKey, type Plan, type PlanWarning } from '@checkpoint-inspector/core';
import { filesJob } from '@checkpoint-inspector/io';
import { readRaw, sha256 } from './files.ts';
import {
  count,
  frame,
  latestIn,
  resumesFrom,
  taskAfter,
  type DeleteRequest,
  type PlanBasis,
  type TaskAfter,
} from './plan-parts.ts';
import { findRow, notFound, type PlacedRow, type Snapshot } from './rows.ts';

/** Each file goes to the trash as it stands, encrypted and broken ones too. */
export async function planDelete(request: DeleteRequest, basis: PlanBasis): Promise<Plan> {
  const { snapshot, folder } = basis;
  const rows = chosenRows(request, snapshot);
  const [first] = rows;
  if (!first) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  const { task } = first.ref;
  if (rows.some((row) => row.ref.task !== task)) {
    throw new InspectorError('invalid_input', 'One request deletes checkpoints of one task; make one per task.');
  }
  const stored: { readonly row: PlacedRow; readonly hash: string }[] = [];
  for (const row of rows) stored.push({ row, hash: sha256(await bytesOf(folder, row)) });
  const removed = new Set(rows.map((row) => row.file.name));
  const after = taskAfter(snapshot, task, { remove: removed });
  return {
    view: {
      ...frame(basis, request, task, latestIn(snapshot, task)),
      preconditions: stored.map(({ row, hash }) => ({ kind: 'revision', ref: row.ref, revision: hash })),
      removes: planList(
        rows.map((row) => ({
          ref: row.ref,
          reason: 'asked for',
          sizeBytes: row.file.entry.size,
          where: row.file.name,
        })),
      ),
      warnings: warningsOf(snapshot, task, after, removed),
      ...resumesFrom(after),
      bytesFreed: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
    },
    job: stored.reduce((job, { row, hash }) => job.trash(row.file.name, hash), filesJob(folder)),
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

/** What cannot be read could not be put back, so it is not removed either. */
async function bytesOf(folder: string, row: PlacedRow): Promise<Uint8Array> {
  try {
    return await readRaw(folder, row.file.name);
  } catch (cause) {
    const { message: reason } = InspectorError.from(cause);
    throw new InspectorError('unsupported', `"${row.file.name}" cannot be kept in the trash: ${reason}`, {
      cause,
      data: { ...row.ref },
    });
  }
}

function warningsOf(snapshot: Snapshot, task: string, after: TaskAfter, removed: ReadonlySet<string>): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const before = latestIn(snapshot, task).ref;
  const next = after.latest.ref;
  if (before && !next) {
    warnings.push({ code: 'task_emptied', message: 'Nothing is left to resume from: the agent will start afresh.' });
  } else if (before && next && next.id !== before.id) {
    warnings.push({
      code: 'latest_deleted',
      message: `The latest is deleted: the agent will resume from "${next.id}".`,
    });
  }
  const orphans = orphansOf(snapshot, removed);
  if (orphans.length > 0) {
    const names = orphans
      .slice(0, 5)
      .map((row) => row.ref.id)
      .join(', ');
    warnings.push({
      code: 'parent_missing',
      message: `The recorded parent of ${count(orphans.length)} (${names}) will be missing; Kaizen does not mind.`,
    });
  }
  return warnings;
}

function orphansOf(snapshot: Snapshot, removed: ReadonlySet<string>): PlacedRow[] {
  const rows = [...snapshot.tasks.values()].flatMap((task) => task.rows);
  const kept = rows.filter((row) => !removed.has(row.file.name));
  const parents = new Set(rows.filter((row) => removed.has(row.file.name)).map((row) => refKey(row.ref)));
  return kept.filter((row) => row.lineage === 'recorded' && row.parent && parents.has(refKey(row.parent)));
}

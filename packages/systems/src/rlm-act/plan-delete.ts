import { InspectorError, planList, type CheckpointRef, type Plan, type PlanWarning } from '@checkpoint-inspector/core';
import { filesJob } from '@checkpoint-inspector/io';
import { readRaw, sha256 } from './files.ts';
import { frame, type DeleteRequest, type PlanBasis } from './plan-parts.ts';
import { findRow, notFound, snapshotOf, type Row, type Snapshot } from './rows.ts';

/** Each file goes to the trash as it stands, broken ones too. */
export async function planDelete(request: DeleteRequest, basis: PlanBasis): Promise<Plan> {
  const { snapshot, folder } = basis;
  const rows = chosenRows(request, snapshot);
  const files: { readonly row: Row; readonly sha256: string }[] = [];
  for (const row of rows) files.push({ row, sha256: sha256(await bytesOf(folder, row)) });
  const removed = new Set(rows.map((row) => row.file));
  const after = snapshotOf(
    snapshot.task,
    snapshot.files.filter((file) => !removed.has(file)),
  ).latest.ref;
  return {
    view: {
      ...frame(basis, request),
      preconditions: files.map(({ row, sha256 }) => ({ kind: 'revision', ref: row.ref, revision: sha256 })),
      removes: planList(
        rows.map(({ ref, file }) => ({
          ref,
          reason: 'asked for',
          sizeBytes: file.entry.size,
          where: file.entry.name,
        })),
      ),
      warnings: warningsOf(snapshot.latest.ref, after),
      ...(after ? { latestAfter: after } : {}),
      bytesFreed: rows.reduce((sum, row) => sum + row.file.entry.size, 0),
    },
    job: files.reduce((job, { row, sha256 }) => job.trash(row.file.entry.name, sha256), filesJob(folder)),
  };
}

function chosenRows(request: DeleteRequest, snapshot: Snapshot): readonly Row[] {
  const rows = new Set<Row>();
  for (const ref of request.refs) {
    const row = findRow(snapshot, ref);
    if (!row) throw notFound(ref);
    rows.add(row);
  }
  if (rows.size === 0) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  return [...rows];
}

/** What cannot be read could not be put back, so it is not removed either. */
async function bytesOf(folder: string, row: Row): Promise<Uint8Array> {
  const { name } = row.file.entry;
  return readRaw(folder, name).catch((cause: unknown) => {
    const { message } = InspectorError.from(cause);
    throw new InspectorError('unsupported', `"${name}" cannot be kept in the trash: ${message}`, {
      cause,
      data: { ...row.ref },
    });
  });
}

function warningsOf(before: CheckpointRef | undefined, after: CheckpointRef | undefined): PlanWarning[] {
  if (!before || after?.id === before.id) return [];
  if (!after) {
    return [{ code: 'task_emptied', message: 'Nothing is left to resume from: the pipeline will start afresh.' }];
  }
  return [{ code: 'latest_deleted', message: `The latest is deleted: the pipeline will resume from "${after.id}".` }];
}

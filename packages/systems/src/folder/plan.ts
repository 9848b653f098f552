/** Plans over folders of documents: what all their systems share. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createPause,
  eachInSteps,
  emptyPlanLists,
  InspectorError,
  noCheckpoint,
  paced,
  planList,
  quoteJson,
  refKey,
  type CheckpointRef,
  type InSteps,
  type Latest,
  type Plan,
  type PlanWarning,
  type Precondition,
  type StoreId,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { filesJob, sha256 } from '@checkpoint-inspector/io';
import { findRow, readStored, type FolderRow, type FolderSnapshot, type StoredDocument } from './rows.ts';

const ACTIVE_MS = 60_000;

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
  readonly latestWithout: (removed: ReadonlySet<R['file']>, task: string) => Latest | Promise<Latest>;
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

/** A checkpoint to be written, and what it is made from. */
interface NewDocument {
  readonly ref: CheckpointRef;
  readonly file: string;
  readonly sizeBytes: number;
  readonly reason: string;
  /** What is stored of the source, which must be that still. */
  readonly source: { readonly ref: CheckpointRef; readonly stored: Uint8Array };
}

/** The parts that all plans of one new document share. */
export function writeFrame(basis: PlanBasis<unknown>, request: CopyRequest, head: Latest, document: NewDocument) {
  const { ref, file, sizeBytes, reason, source } = document;
  return {
    ...frame(basis, request, request.ref.task, head),
    ...(ref.task === request.ref.task ? {} : { targetTask: ref.task }),
    preconditions: [
      { kind: 'head', task: ref.task, ...(head.ref ? { ref: head.ref } : {}) },
      { kind: 'revision', ref: source.ref, revision: sha256(source.stored) },
      { kind: 'absent', ref },
    ] satisfies Precondition[],
    writes: planList([{ ref, reason, sizeBytes, where: file }]),
  };
}

/** Why a copy is written; `fork` ends the words about one. */
export function copyReason({ kind, ref }: CopyRequest, fork: string): string {
  if (kind === 'edit') return `the edited text as a child of "${ref.id}", with the newest time`;
  if (kind === 'fork') return `fork of "${ref.id}" with the same time, ${fork}`;
  return `copy of "${ref.id}" with the newest time, so it is what resumes`;
}

/** The id of a copy, which names its file too. @throws InspectorError invalid_input */
export function idOfCopy(
  request: CopyRequest,
  rules: {
    readonly make: () => string;
    readonly isSafe: (id: string) => boolean;
    readonly isTaken: (id: string) => boolean;
  },
): string {
  const given = request.kind === 'fork' ? request.id : undefined;
  const id = given ?? rules.make();
  if (given === undefined && rules.isTaken(id)) return idOfCopy(request, rules);
  if (!rules.isSafe(id)) {
    const words = `${quoteJson(id.slice(0, 80), { ascii: true })} can't be used as a file name.`;
    throw new InspectorError('invalid_input', words, {
      remedy: 'Use up to 120 letters, digits, "_", "-" and "." in the id.',
    });
  }
  if (!rules.isTaken(id)) return id;
  throw new InspectorError('invalid_input', `The id "${id}" is already used in this folder.`, { data: { id } });
}

/** An agent that saved so short a time ago may be running still. */
export function isJustSaved({ entry }: StoredDocument, now: Date): boolean {
  const age = now.getTime() - entry.mtimeMs;
  return age >= 0 && age < ACTIVE_MS;
}

/** An agent that saved this, or anything before it, isn't taken to be running. */
export function isLongSaved({ entry }: StoredDocument, now: Date): boolean {
  return now.getTime() - entry.mtimeMs >= ACTIVE_MS;
}

/** Files go to the trash as they are, broken too. @throws InspectorError not_found | invalid_input | unsupported */
export async function planDelete<R extends FolderRow>(
  request: DeleteRequest,
  basis: PlanBasis<FolderSnapshot<R>>,
  rules: DeleteRules<R>,
): Promise<Plan> {
  const { snapshot, folder } = basis;
  const pause = createPause();
  const rows = chosenRows(request, snapshot);
  await pause();
  const { task } = firstOfTask(rows, 'task').ref;
  const latest = latestIn(snapshot, task);
  const after = await rules.latestWithout(new Set(rows.map((row) => row.file)), task);
  const warnings = [
    ...headWarnings(latest, after, rules.resumer),
    ...(await orphanWarnings(snapshot, rows, rules)),
    ...(await readOnlyWarnings(folder, rows)),
  ];
  const stored: { readonly row: R; readonly hash: string }[] = [];
  for (const row of rows) stored.push({ row, hash: sha256(await bytesOf(folder, row)) });
  return {
    view: {
      ...frame(basis, request, task, latest),
      preconditions: stored.map(({ row, hash }) => ({ kind: 'revision', ref: row.ref, revision: hash })),
      removes: planList(
        rows.map(({ ref, file: { entry } }) => ({
          ref,
          reason: 'requested',
          sizeBytes: entry.size,
          where: entry.name,
        })),
      ),
      warnings,
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

/** The first of what is to be deleted, all of one task; `what` is a task in the system's words. @throws InspectorError invalid_input */
export function firstOfTask<T extends { readonly ref: CheckpointRef }>(all: readonly T[], what: string): T {
  const [first] = all;
  if (!first) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  if (all.every(({ ref }) => ref.task === first.ref.task)) return first;
  throw new InspectorError('invalid_input', `A request can delete checkpoints from one ${what}; make one per ${what}.`);
}

/** A name for a copy of a task that none has. */
export function freeName(task: string, isTaken: (name: string) => boolean): string {
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${task}-fork` : `${task}-fork-${n}`;
    if (!isTaken(name)) return name;
  }
}

/** What cannot be read could not be put back, so it is not removed either. */
async function bytesOf(folder: string, row: FolderRow): Promise<Uint8Array> {
  try {
    return await readStored(folder, row.file);
  } catch (cause) {
    const { message } = InspectorError.from(cause);
    throw new InspectorError('unsupported', `"${row.file.entry.name}" can't be moved to the trash: ${message}`, {
      cause,
      data: { ...row.ref },
    });
  }
}

function headWarnings({ ref: before }: Latest, { ref: next }: Latest, resumer: string): PlanWarning[] {
  if (!before || before.id === next?.id) return [];
  if (next) {
    const message = `This deletes the latest checkpoint. The ${resumer} will resume from "${next.id}".`;
    return [{ code: 'latest_deleted', message }];
  }
  return [{ code: 'task_emptied', message: `Nothing is left to resume from. The ${resumer} will start from scratch.` }];
}

async function orphanWarnings<R extends FolderRow>(
  snapshot: FolderSnapshot<R>,
  removed: readonly R[],
  { orphans: words }: DeleteRules<R>,
): Promise<PlanWarning[]> {
  if (!words) return [];
  const gone = new Set(removed.map((row) => refKey(row.ref)));
  const orphans = (await paced(forksInSteps(snapshot))).filter(({ ref, parent }) => {
    return parent && gone.has(refKey(parent)) && !gone.has(refKey(ref));
  });
  if (orphans.length === 0) return [];
  const names = orphans.slice(0, 5).map((row) => row.ref.id);
  return [{ code: 'parent_missing', message: words(orphans.length, names.join(', ')) }];
}

/** Applying leaves such a file where it is, and removes the others. */
async function readOnlyWarnings(folder: string, rows: readonly FolderRow[]): Promise<PlanWarning[]> {
  const marked: string[] = [];
  for (const { file } of rows) {
    const stats = await stat(join(folder, file.entry.name)).catch(() => undefined);
    if (stats && (stats.mode & 0o222) === 0) marked.push(file.entry.name);
  }
  if (marked.length === 0) return [];
  const names = marked.slice(0, 5).join(', ') + (marked.length > 5 ? ` and ${marked.length - 5} more` : '');
  const message =
    marked.length === 1
      ? `This file is marked read-only and will not be deleted: ${names}.`
      : `These files are marked read-only and will not be deleted: ${names}.`;
  return [{ code: 'read_only_file', message }];
}

const forks = new WeakMap<FolderSnapshot<FolderRow>, readonly FolderRow[]>();

/** Rows whose parent is recorded: few, and looked for once in a folder as it is. */
function* forksInSteps(snapshot: FolderSnapshot<FolderRow>): InSteps<readonly FolderRow[]> {
  const known = forks.get(snapshot);
  if (known) return known;
  const found: FolderRow[] = [];
  const rows = [...snapshot.tasks.values()].flatMap((task) => task.rows);
  yield* eachInSteps(rows, (row) => {
    if (row.lineage === 'recorded' && row.parent !== undefined) found.push(row);
  });
  forks.set(snapshot, found);
  return found;
}

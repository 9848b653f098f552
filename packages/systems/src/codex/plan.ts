/** Changes of Codex's threads: new files. What is there is never written to. */
import {
  editedDocument,
  editWarnings,
  emptyPlanLists,
  equalJson,
  InspectorError,
  parseJson,
  planList,
  refKey,
  shellWord,
  sourceOf,
  type CheckpointRef,
  type EditRequest,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type Precondition,
  type RowCapabilities,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { filesJob, readBounded, sha256 } from '@checkpoint-inspector/io';
import { dirname } from 'node:path';
import type { FoundMark, LogBasis, LogFile, Mark } from '../log/index.ts';
import { copiedFrom } from './facts.ts';
import { SESSIONS } from './names.ts';
import {
  copiedRollout,
  editedRollout,
  fileName,
  itemsIn,
  keptLines,
  ordinalBehind,
  readBack,
  referringRollout,
  replayed,
  threadId,
  type KeptLines,
} from './rollout.ts';

type CopyRequest = Exclude<SystemRequest, { kind: 'delete' }>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ACTIVE_MS = 60_000;
export const NO_STEP_DELETED =
  "A rollout's lines build on each other, so a single step can't be deleted: delete all checkpoints of the thread together.";

/** A thread goes as a whole. */
export const capabilityOf = (_mark: FoundMark, count: number): RowCapabilities =>
  count > 1 ? { delete: NO_STEP_DELETED } : {};

export function planCodex(request: SystemRequest, basis: LogBasis): Promise<Plan> {
  return request.kind === 'delete' ? planDelete(request.refs, request, basis) : planCopy(request, basis);
}

/** A file to be written, and what it will be. */
interface NewRollout {
  readonly bytes: Buffer;
  readonly marks: readonly Mark[];
  readonly proofHash: string;
  readonly reason: string;
  /** The store itself names the parent. */
  readonly isRecorded?: true;
  readonly warnings?: readonly PlanWarning[];
}

async function planCopy(request: CopyRequest, basis: LogBasis): Promise<Plan> {
  const source = await basis.mark(request.ref);
  const { problem } = source.mark;
  if (problem) throw new InspectorError('unsupported', `The checkpoint can't be read: ${problem.message}`);
  const files = await basis.files();
  const id = idFor(request, basis, new Set(files.map(({ facts }) => facts.session)));
  const folder = folderFor(
    source.file,
    files.map(({ file }) => file),
  );
  const made = await rolloutFor(request, basis, source, id);
  // The proof is of the first: that is what resumes.
  const refs = made.marks.map((mark): CheckpointRef => ({ task: id, id: mark.id })).toReversed();
  const latestAfter = refs[0] ?? { task: id, id };
  const name = fileName(id, basis.now);
  const isBeside = folder === dirname(source.file.path);
  const item = (ref: CheckpointRef, at: number): PlanItem => ({
    ref,
    reason: made.reason,
    where: name,
    ...(at === 0 ? { sizeBytes: made.bytes.length } : {}),
  });
  return {
    view: {
      request,
      store: basis.store,
      task: request.ref.task,
      targetTask: id,
      ...emptyPlanLists(),
      preconditions: [
        { kind: 'head', task: id },
        { kind: 'revision', ref: request.ref, revision: sha256(await basis.raw(source)) },
        { kind: 'absent', ref: latestAfter },
      ] satisfies Precondition[],
      writes: planList(refs.map(item)),
      warnings: [...(made.warnings ?? []), ...copyWarnings(basis, source)],
      latestBefore: { basis: 'none' },
      latestAfter,
      proofHash: made.proofHash,
      bytesFreed: 0,
      next: `codex resume ${shellWord(id)}`,
      ...(made.isRecorded ? {} : { sidecar: [{ child: latestAfter, parent: request.ref }] }),
    },
    job: filesJob(folder).create(name, made.bytes, isBeside ? { like: baseName(source.file) } : {}),
  };
}

async function rolloutFor(request: CopyRequest, basis: LogBasis, source: FoundMark, id: string): Promise<NewRollout> {
  if (request.kind === 'fork') {
    const fork = await referring(basis, source, id);
    if (fork) return fork;
  }
  const kept = await keptLines(basis, source);
  if (request.kind === 'edit') return edited(request, basis, source, kept, id);
  const bytes = copiedRollout(kept, id);
  const reason = `the lines up to "${request.ref.id}" as a new thread; the old one stays as it is`;
  return { bytes, ...readBack(bytes, source, id), reason };
}

/** One line that refers to the lines of the other file; `undefined` where Codex doesn't fork so. */
async function referring(basis: LogBasis, source: FoundMark, id: string): Promise<NewRollout | undefined> {
  const { file, facts, mark } = source;
  if (facts.key !== undefined || facts.kind === 'archived' || file.name.endsWith('.zst')) return undefined;
  const ordinal = await ordinalBehind(basis, source);
  if (ordinal === undefined) return undefined;
  const thread = facts.session;
  const head: string[] = [];
  await basis.lines({ file, start: 0, end: mark.end }, ({ bytes, at }) => {
    if (at === 0) head.push(bytes.toString('latin1'));
  });
  const [session] = head;
  if (session === undefined) return undefined;
  const bytes = referringRollout(session, id, { thread, ordinal, end: mark.end }, basis.now);
  const marks: Mark[] = [{ id, end: bytes.length, status: 'completed' }];
  const reason = `one line that refers to the ${mark.end} bytes of "${thread}" up to "${mark.id}"`;
  const warnings = [
    {
      code: 'fork_by_reference',
      message: `The fork needs the file of "${thread}": deleting that makes it unreadable.`,
    },
  ];
  return { bytes, marks, proofHash: await replayed(basis, source), reason, isRecorded: true, warnings };
}

async function edited(
  request: EditRequest,
  basis: LogBasis,
  source: FoundMark,
  kept: KeptLines,
  id: string,
): Promise<NewRollout> {
  const original = await basis.state(request.ref);
  const text = editedDocument(request.text, original, { strictFor: 'Codex' });
  const items = itemsIn(text);
  if (!items) throw new InspectorError('invalid_input', 'A state here needs the list "items".');
  const other = otherMembers(original, text);
  if (other !== undefined) {
    throw new InspectorError('invalid_input', `Only "items" can be edited: Codex takes "${other}" from elsewhere.`);
  }
  const bytes = editedRollout(kept, id, items, basis.now);
  const reason = `the edited items as the history of a new thread, made from "${request.ref.id}"`;
  return { bytes, ...readBack(bytes, source, id), reason, warnings: editWarnings(original, text) };
}

/** The first member besides the items that isn't as it was. */
function otherMembers(before: string, after: string): string | undefined {
  const [old, now] = [before, after].map((text) => {
    const root = parseJson(text);
    const members = root.kind === 'object' ? root.members : [];
    return new Map(members.map(({ key, value }) => [key, sourceOf(text, value)]));
  });
  const keys = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...keys].find((key) => {
    const [was, is] = [old?.get(key), now?.get(key)];
    return key !== 'items' && (was === undefined || is === undefined || !equalJson(was, is));
  });
}

function idFor(request: CopyRequest, { now }: LogBasis, taken: ReadonlySet<string>): string {
  const given = request.targetTask ?? (request.kind === 'fork' ? request.id : undefined);
  const id = given ?? threadId(now);
  if (!UUID.test(id)) {
    throw new InspectorError('invalid_input', `"${id}" can't name a thread: Codex takes UUIDs in small letters.`, {
      remedy: 'Leave the name out, and one is made.',
    });
  }
  if (taken.has(id)) throw new InspectorError('invalid_input', `There is a thread "${id}" already.`);
  return id;
}

/** Beside the source; of an archived thread with the newest of those that aren't. */
function folderFor(source: LogFile, files: readonly LogFile[]): string {
  const isActive = ({ name }: LogFile): boolean => name.startsWith(`${SESSIONS}/`) || !name.includes('/');
  if (isActive(source) || !source.name.startsWith('archived')) return dirname(source.path);
  const newest = files.filter(isActive).at(-1);
  if (newest) return dirname(newest.path);
  throw new InspectorError('unsupported', 'All threads here are archived, so there is no folder for a new one.', {
    remedy: 'Start a thread in Codex first.',
  });
}

function copyWarnings({ root }: LogBasis, { mark }: FoundMark): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (mark.status === 'interrupted' || mark.status === 'running') {
    const message = 'Codex answers a call without an output with "aborted": what was asked there is not asked again.';
    warnings.push({ code: 'question_not_asked_again', message });
  }
  const copied = copiedFrom(root);
  if (copied !== undefined) warnings.push({ code: 'copied_home', message: copied });
  return warnings;
}

/** Whole threads, and none that forks hang on. */
async function planDelete(refs: readonly CheckpointRef[], request: SystemRequest, basis: LogBasis): Promise<Plan> {
  const [first] = refs;
  if (!first) throw new InspectorError('invalid_input', 'Name at least one checkpoint to delete.');
  const { task } = first;
  if (refs.some((ref) => ref.task !== task)) {
    throw new InspectorError('invalid_input', 'A request can delete one thread; make one for each.');
  }
  for (const ref of refs) await basis.mark(ref);
  const marks = await basis.marks(task);
  const named = new Set(refs.map(refKey));
  if (!marks.every(({ ref }) => named.has(refKey(ref)))) throw new InspectorError('unsupported', NO_STEP_DELETED);
  const all = await basis.files();
  const own = all.filter(({ facts }) => facts.session === task).map(({ file }) => file);
  const forks = forksOf(task, all);
  if (forks.length > 0) {
    throw new InspectorError(
      'unsupported',
      `Forks need the lines of this thread and would be lost: ${forks.join(', ')}.`,
      {
        data: { forks },
        remedy: 'Delete the forks first.',
      },
    );
  }
  const folders = new Set(own.map(({ path }) => dirname(path)));
  const [folder] = folders;
  if (folder === undefined || folders.size > 1) {
    throw new InspectorError(
      'unsupported',
      "The thread's files are in several folders, and one change is of one folder.",
    );
  }
  let job = filesJob(folder);
  for (const file of own) job = job.trash(baseName(file), sha256(await readBounded(file.path)));
  const revisions = await Promise.all(
    marks.map(async (mark): Promise<Precondition> => {
      return { kind: 'revision', ref: mark.ref, revision: sha256(await basis.raw(mark)) };
    }),
  );
  return {
    view: {
      request,
      store: basis.store,
      task,
      ...emptyPlanLists(),
      preconditions: revisions,
      removes: planList(
        marks.map(({ ref, mark, start, file }) => ({
          ref,
          reason: 'requested',
          sizeBytes: mark.end - start,
          where: file.name,
        })),
      ),
      warnings: deleteWarnings(own, basis),
      latestBefore: basis.latest,
      bytesFreed: own.reduce((sum, { entry }) => sum + entry.size, 0),
    },
    job,
  };
}

/** Threads whose files have lines of this one before their own. */
function forksOf(task: string, all: Awaited<ReturnType<LogBasis['files']>>): string[] {
  const keys = new Set(
    all.flatMap(({ facts }) => (facts.session === task ? [facts.session, facts.key ?? facts.session] : [])),
  );
  const forks = all.filter(({ facts }) => facts.session !== task && facts.base && keys.has(facts.base.key));
  return [...new Set(forks.map(({ facts }) => facts.session))];
}

function deleteWarnings(own: readonly LogFile[], { now }: LogBasis): PlanWarning[] {
  const warnings = [
    { code: 'task_emptied', message: 'The whole thread goes to the trash. Codex finds nothing to resume.' },
  ];
  const age = now.getTime() - Math.max(...own.map(({ entry }) => entry.mtimeMs));
  if (age < 0 || age >= ACTIVE_MS) return warnings;
  const message =
    'Codex wrote to this thread within the last minute. If it is still running, it continues in a file that is gone.';
  return [...warnings, { code: 'agent_active', message }];
}

const baseName = ({ name }: LogFile): string => name.slice(name.lastIndexOf('/') + 1);

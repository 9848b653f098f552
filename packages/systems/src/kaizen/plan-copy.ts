import {
  editedDocument,
  editWarnings,
  InspectorError,
  noCheckpoint,
  paced,
  PLAN_LIST_SHOWN,
  setMembers,
  type EditRequest,
  type Eviction,
  type Plan,
  type PlanList,
  type PlannedView,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { filesJob, sha256 } from '@checkpoint-inspector/io';
import { randomBytes, type KeyObject } from 'node:crypto';
import {
  copyReason,
  findRow,
  formatStamp,
  idOfCopy,
  isJustSaved,
  isLongSaved,
  latestIn,
  readStored,
  timeOf,
  writeFrame,
  type CopyRequest,
  type PlanBasis,
} from '../folder/index.ts';
import { decodeDocument, encodeDocument } from './codec.ts';
import { readDocument } from './document.ts';
import { stateText, type Row, type StoredFile } from './files.ts';
import { RETENTION } from './info.ts';
import { mixedNotes, unknownKeysOf } from './latest.ts';
import { isEncrypted, isSafeId, kaizenFileName, parseFileName } from './names.ts';
import type { PlacedRow, Snapshot } from './rows.ts';
import { taskAfterInSteps, type TaskAfter } from './task-after.ts';
import { addTotals, isListed, isMixed, totalsOf } from './totals.ts';

/**
 * Restore: a copy that sorts last. Fork: a copy that keeps its parent's time, as `fork_from_checkpoint` makes it. Edit:
 * the given text, which sorts last.
 * The copy of an encrypted file is encrypted with the same key, so the plan has no decrypted text.
 */
export async function planCopy(request: CopyRequest, basis: CopyBasis): Promise<Plan> {
  const { snapshot, folder, keys } = basis;
  const source = sourceOf(request, snapshot);
  const task = targetOf(request, snapshot);
  const lowerIds = await paced(snapshot.lowerIds());
  const isTaken = (id: string): boolean => lowerIds.has(id.toLowerCase()) || snapshot.byId.has(id);
  const copy = { task, id: newId(request, isTaken) };
  const stored = await readStored(folder, source.file);
  const { variant } = source.file;
  const { text: document, key } = await decodeDocument(variant, stored, keys);
  const original = stateText(document);
  const edit = request.kind === 'edit' ? editOf(request, original, isEncrypted(variant)) : undefined;
  const text = patched(request, source, copy, basis, edit?.text ?? original);
  const written = await encodeDocument(variant, text + document.slice(original.length), key);
  const file = fileOf(copy.id, source, text, written.length);
  const after = await paced(taskAfterInSteps(snapshot, task, { add: file }));
  const known = snapshot.tasks.get(task);
  const running = known ? await paced(known.running()) : [];
  const head = latestIn(snapshot, task);
  const evicts = evictionsOf(after);
  return {
    view: {
      ...writeFrame(basis, request, head, {
        ref: copy,
        file: file.name,
        sizeBytes: written.length,
        reason: copyReason(request, 'as Kaizen makes forks'),
        source: { ref: source.ref, stored },
      }),
      evicts,
      warnings: [
        ...(edit?.warnings ?? []),
        ...warningsOf(request, source, file, after, evicts.count, isActive(running, source, basis.now)),
      ],
      ...resumesFrom(after),
      proofHash: sha256(text),
      ...nextOf(request, file, copy, after),
    },
    job: filesJob(folder).create(file.name, written, { like: source.file.name }),
  };
}

function sourceOf(request: CopyRequest, snapshot: Snapshot): PlacedRow {
  const source = findRow(snapshot, request.ref);
  if (!source) throw noCheckpoint(request.ref);
  const { problem } = source.file;
  if (!problem) return source;
  if (problem.code === 'locked' || problem.code === 'wrong_key') {
    throw new InspectorError(problem.code, problem.message, { data: { ...request.ref } });
  }
  throw new InspectorError('unsupported', `The checkpoint can't be read: ${problem.message}`, {
    data: { ...request.ref },
  });
}

/** The agent that the copy will belong to. */
function targetOf(request: CopyRequest, snapshot: Snapshot): string {
  const { targetTask } = request;
  if (targetTask === undefined || targetTask === request.ref.task) return request.ref.task;
  if (request.kind === 'restore') {
    throw new InspectorError(
      'unsupported',
      'A restore must stay with its agent. To copy it to another agent, fork instead.',
    );
  }
  if (targetTask === '') throw new InspectorError('invalid_input', 'Kaizen treats an empty agent id as any agent.');
  if (!snapshot.tasks.has(targetTask)) return targetTask;
  throw new InspectorError('invalid_input', `Agent "${targetTask}" already has checkpoints. Choose a new agent name.`, {
    data: { targetTask },
  });
}

function newId(request: CopyRequest, isTaken: (id: string) => boolean): string {
  return idOfCopy(request, {
    make: () => `ckpt_${randomBytes(6).toString('hex')}`,
    isSafe: isSafeId,
    isTaken,
  });
}

/** The source's text with only the tokens replaced that must differ. */
function patched(
  request: CopyRequest,
  source: PlacedRow,
  copy: { readonly task: string; readonly id: string },
  basis: CopyBasis,
  text: string,
): string {
  const members = new Map([
    ['checkpoint_id', copy.id],
    ['parent_checkpoint_id', source.ref.id],
  ]);
  if (request.kind !== 'fork') members.set('timestamp', restoreTime(copy.task, source, basis));
  if (copy.task !== source.ref.task || request.kind === 'edit') members.set('agent_id', copy.task);
  // Kaizen opens files in the locale's encoding, so only ASCII may be added.
  return setMembers(text, members);
}

/** Later than everything it is compared with, in the form of the times that Kaizen lists together with it. */
function restoreTime(task: string, source: PlacedRow, { snapshot, now }: CopyBasis): string {
  // An empty agent id means any agent, so there the copy must be the newest of all.
  const own = snapshot.tasks.get(task);
  const tasks = task === '' ? [...snapshot.tasks.values()] : own ? [own] : [];
  const newest = tasks.reduce((best, { rows }) => later(best, newestTime(rows)), 0n);
  const clock = BigInt(now.getTime()) * 1000n;
  const totals = tasks.reduce((sum, other) => addTotals(sum, other.totals), totalsOf([]));
  const peers = isEncrypted(source.file.variant) ? totals.readable : totals.listed;
  // A new agent has none to go by but the source.
  const { all, naive } = peers.all > 0 ? peers : totalsOf([source]).readable;
  return formatStamp(newest < clock ? clock : newest + 1n, naive === all);
}

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** Of rows oldest first, after what cannot be read. */
function newestTime(rows: readonly PlacedRow[]): bigint {
  const last = rows.at(-1);
  return last?.readable ? timeOf(last) : 0n;
}

/** The file as the folder will hold it. */
function fileOf(id: string, source: PlacedRow, text: string, size: number): StoredFile {
  const name = kaizenFileName(id, source.file.variant);
  const parsed = parseFileName(name);
  const { facts } = readDocument(text);
  if (!parsed || !facts?.time) {
    throw new InspectorError(
      'unsupported',
      `The copy "${name}" can't be created: no valid time is later than the newest.`,
    );
  }
  return { ...parsed, entry: { ...source.file.entry, name, size }, facts, revision: sha256(text) };
}

/** Kaizen keeps the newest of what it lists, and removes the rest when the agent saves again. */
function evictionsOf({ rows, totals: { listed } }: TaskAfter): PlanList<Eviction> {
  const evicted = isMixed(listed) ? 0 : Math.max(0, listed.all + 1 - RETENTION);
  const items: Eviction[] = [];
  for (const row of rows) {
    if (items.length >= Math.min(evicted, PLAN_LIST_SHOWN)) break;
    if (isListed(row)) items.push(evictionOf(row));
  }
  return { count: evicted, items };
}

function evictionOf({ ref, file: { entry, name } }: Row): Eviction {
  return {
    ref,
    reason: `Kaizen keeps the newest ${RETENTION} per agent (its default) and will remove this at its next save`,
    sizeBytes: entry.size,
    when: 'next-save',
    where: name,
  };
}

function warningsOf(
  request: CopyRequest,
  source: PlacedRow,
  file: StoredFile,
  { latest, totals }: TaskAfter,
  evicted: number,
  active: boolean,
): PlanWarning[] {
  const encrypted = isEncrypted(source.file.variant);
  const warnings: PlanWarning[] = [];
  const warn = (code: string, message: string): void => void warnings.push({ code, message });
  if (evicted > 0) warn('evicts', `The agent's next save will remove ${count(evicted)}.`);
  if (encrypted) {
    warn('kaizen_never_lists', "Kaizen never lists encrypted files, so its resume_from_latest won't see the copy.");
  }
  for (const note of mixedNotes(totals)) warn('kaizen_lists_nothing', note);
  const unknown = unknownKeysOf(file);
  if (unknown) warn('unknown_keys', `Kaizen won't be able to load the copy because it doesn't know ${unknown}.`);
  if (request.kind === 'fork' && latest.basis === 'tie') warn('tie', latest.note);
  else if (request.kind === 'fork' && request.targetTask === undefined && !encrypted) {
    warn('fork_not_latest', `The agent will still resume from "${latest.ref?.id}"; load the fork by its id.`);
  }
  if (active) {
    warn(
      'agent_active',
      'The agent saved within the last minute. If it is still running, its next save will be newer.',
    );
  }
  return warnings;
}

/** Whether the agent says that it is running, and has just saved another file than the source. */
function isActive(running: readonly PlacedRow[], source: PlacedRow, now: Date): boolean {
  for (const { file } of running) {
    if (isLongSaved(file, now)) return false;
    if (file.entry.ino !== source.file.entry.ino && isJustSaved(file, now)) return true;
  }
  return false;
}

/** A Python call that gives the copy back, escaped as JSON and Python both do; none where Kaizen cannot load it. */
function nextOf(
  request: CopyRequest,
  file: StoredFile,
  copy: { readonly task: string; readonly id: string },
  after: TaskAfter,
): Pick<PlannedView, 'next'> {
  if (unknownKeysOf(file) !== undefined) return {};
  const moved = request.kind !== 'fork' || copy.task !== request.ref.task;
  // Kaizen lists no encrypted files, none at all where times with and without an offset meet, and for an empty agent
  // id those of every agent.
  const listed = !isEncrypted(file.variant) && !isMixed(after.totals.listed) && copy.task !== '';
  const next =
    moved && listed
      ? `await manager.resume_from_latest(${JSON.stringify(copy.task)})`
      : `await manager.load_checkpoint(${JSON.stringify(copy.id)})`;
  return { next };
}

/** Members that belong to the place of a checkpoint, not to its state. */
const SET_BY_SAVE = ['checkpoint_id', 'agent_id', 'timestamp', 'parent_checkpoint_id'];

/** The document before the save's tokens; author and reason are in the receipt. @throws InspectorError invalid_input */
export function editOf(
  request: EditRequest,
  original: string,
  encrypted: boolean,
): { readonly text: string; readonly warnings: readonly PlanWarning[] } {
  // The line end behind the document is not part of the state.
  const text = editedDocument(request.text.replace(/[\r\n]+$/, ''), original);
  const warnings = editWarnings(original, text, SET_BY_SAVE);
  return { text, warnings: encrypted ? warnings.map(wordless) : warnings };
}

/** What was decrypted is not quoted anywhere. */
function wordless(warning: PlanWarning): PlanWarning {
  if (warning.code !== 'duplicate_key') return warning;
  return { ...warning, message: 'A key appears twice in the text; the last one counts.' };
}

/** What a copy is made from. */
export interface CopyBasis extends PlanBasis<Snapshot> {
  /** Of the encrypted files that are open in this session. */
  readonly keys: readonly KeyObject[];
}

/** The plan's `latestAfter`, where something is left to resume from. */
export function resumesFrom({ latest }: TaskAfter): Pick<PlannedView, 'latestAfter'> {
  return latest.ref ? { latestAfter: latest.ref } : {};
}

export function count(n: number): string {
  return n === 1 ? '1 checkpoint' : `${n} checkpoints`;
}

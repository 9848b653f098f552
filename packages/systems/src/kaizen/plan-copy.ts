import {
  InspectorError,
  planList,
  quoteJson,
  setMember,
  type Eviction,
  type Plan,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { readDocument, type Facts } from './document.ts';
import { inflate, readRaw, sha256, stateText, type StoredFile } from './files.ts';
import { RETENTION } from './info.ts';
import { hasMixedTimes, timeOf } from './latest.ts';
import { isSafeId, kaizenFileName, parseFileName } from './names.ts';
import { count, frame, latestIn, taskAfter, type CopyRequest, type PlanBasis } from './plan-parts.ts';
import { findRow, notFound, type PlacedRow, type Snapshot, type TaskRows } from './rows.ts';
import { formatStamp } from './time.ts';

const ACTIVE_MS = 60_000;

/** Restore: a copy that sorts last. Fork: a copy that keeps its parent's time, as `fork_from_checkpoint` makes it. */
export async function planCopy(request: CopyRequest, basis: PlanBasis): Promise<Plan> {
  const { snapshot, folder } = basis;
  const source = sourceOf(request, snapshot);
  const task = targetOf(request, snapshot);
  const copy = { task, id: newId(request, snapshot) };
  const stored = await readRaw(folder, source.file.name);
  const document = await inflate(source.file, stored);
  const text = patched(request, source, copy, basis, stateText(document));
  const written = await encode(source, text + document.slice(stateText(document).length));
  const file = fileOf(copy.id, source, text, written.length);
  const after = taskAfter(snapshot, task, { add: file });
  const head = latestIn(snapshot, task);
  const evicts = evictionsOf(after);
  return {
    ...frame(basis, request, request.ref.task, head),
    ...(task === request.ref.task ? {} : { targetTask: task }),
    preconditions: [
      { kind: 'head', task, ...(head.ref ? { ref: head.ref } : {}) },
      { kind: 'hash', ref: source.ref, sha256: sha256(stored) },
      { kind: 'absent', ref: copy },
    ],
    writes: planList([{ ref: copy, reason: reasonOf(request), sizeBytes: written.length, where: file.name }]),
    evicts: planList(evicts),
    warnings: warningsOf(request, source, after, evicts, basis.now),
    ...(after?.latest.ref ? { latestAfter: after.latest.ref } : {}),
    proofHash: sha256(text),
    next: nextOf(request, copy),
    ops: [{ op: 'file.create', path: file.name, bytes: written, like: source.file.name }],
  };
}

function sourceOf(request: CopyRequest, snapshot: Snapshot): PlacedRow {
  const source = findRow(snapshot, request.ref);
  if (!source) throw notFound(request.ref);
  const { problem } = source.file;
  if (!problem) return source;
  const why =
    problem.code === 'locked'
      ? 'The file is encrypted. Kaizen never lists encrypted files, and a plain copy would reveal the state.'
      : `The checkpoint cannot be read: ${problem.message}`;
  throw new InspectorError('unsupported', why, { data: { ...request.ref } });
}

/** The agent that the copy will belong to. */
function targetOf(request: CopyRequest, snapshot: Snapshot): string {
  const { targetTask } = request;
  if (targetTask === undefined || targetTask === request.ref.task) return request.ref.task;
  if (request.kind === 'restore') {
    throw new InspectorError('unsupported', 'A restore stays with its agent; fork into another agent instead.');
  }
  if (targetTask === '') throw new InspectorError('invalid_input', 'Kaizen takes an empty agent id for any agent.');
  if (!snapshot.tasks.has(targetTask)) return targetTask;
  throw new InspectorError('invalid_input', `Agent "${targetTask}" already has checkpoints; name a new agent.`, {
    data: { targetTask },
  });
}

function newId(request: CopyRequest, snapshot: Snapshot): string {
  const names = new Set(snapshot.folder.files.map((file) => file.id.toLowerCase()));
  const taken = (id: string): boolean => names.has(id.toLowerCase()) || snapshot.byId.has(id);
  const given = request.kind === 'fork' ? request.id : undefined;
  if (given === undefined) {
    for (;;) {
      const id = `ckpt_${randomBytes(6).toString('hex')}`;
      if (!taken(id)) return id;
    }
  }
  if (!isSafeId(given)) {
    throw new InspectorError(
      'invalid_input',
      `${quoteJson(given.slice(0, 80), { ascii: true })} cannot be a file name.`,
      {
        remedy: 'Use letters, digits, "_", "-" and "." in the id, at most 120.',
      },
    );
  }
  if (!taken(given)) return given;
  throw new InspectorError('invalid_input', `The id "${given}" is taken in this folder.`, { data: { id: given } });
}

/** The source's text with only the tokens replaced that must differ. */
function patched(
  request: CopyRequest,
  source: PlacedRow,
  copy: { readonly task: string; readonly id: string },
  basis: PlanBasis,
  text: string,
): string {
  const members = new Map([
    ['checkpoint_id', copy.id],
    ['parent_checkpoint_id', source.ref.id],
  ]);
  if (request.kind === 'restore') members.set('timestamp', restoreTime(copy.task, basis));
  if (copy.task !== source.ref.task) members.set('agent_id', copy.task);
  let result = text;
  // Kaizen opens files in the locale's encoding, so only ASCII may be added.
  for (const [key, value] of members) result = setMember(result, [], key, quoteJson(value, { ascii: true }));
  return result;
}

/** Later than everything that Kaizen compares it with, in the form that the agent's other times have. */
function restoreTime(task: string, { snapshot, now }: PlanBasis): string {
  // An empty agent id means any agent, so there the copy must be the newest of all.
  const compared = task === '' ? [...snapshot.tasks.values()] : [snapshot.tasks.get(task)];
  const rows = compared.flatMap((other) => other?.rows ?? []).filter((row) => row.readable);
  const newest = rows.reduce((best, row) => (timeOf(row) > best ? timeOf(row) : best), 0n);
  const clock = BigInt(now.getTime()) * 1000n;
  const micros = newest < clock ? clock : newest + 1n;
  return formatStamp(
    micros,
    rows.every((row) => row.file.facts?.time?.naive),
  );
}

async function encode(source: PlacedRow, document: string): Promise<Uint8Array> {
  const bytes = Buffer.from(document);
  return new Uint8Array(source.file.variant === 'gz' ? await promisify(gzip)(bytes) : bytes);
}

/** The file as the folder will hold it. */
function fileOf(id: string, source: PlacedRow, text: string, size: number): StoredFile {
  const name = kaizenFileName(id, source.file.variant === 'gz' ? 'gz' : 'plain');
  const parsed = parseFileName(name);
  const { facts } = readDocument(text);
  if (!parsed || !facts?.time) throw new InspectorError('internal', `The copy "${name}" would not be a checkpoint.`);
  return { ...parsed, entry: { ...source.file.entry, name, size }, facts, stateHash: sha256(text) };
}

/** Kaizen keeps the newest of what it lists, and removes the rest when the agent saves again. */
function evictionsOf(after: TaskRows | undefined): Eviction[] {
  const listed = (after?.rows ?? []).filter((row) => row.readable);
  if (hasMixedTimes(listed)) return [];
  return listed.slice(0, Math.max(0, listed.length + 1 - RETENTION)).map((row) => ({
    ref: row.ref,
    reason: `Kaizen keeps the ${RETENTION} newest of an agent (its default) and will remove this at its next save`,
    sizeBytes: row.file.entry.size,
    when: 'next-save',
    where: row.file.name,
  }));
}

function reasonOf(request: CopyRequest): string {
  return request.kind === 'fork'
    ? `fork of "${request.ref.id}" with the same time, as Kaizen makes forks`
    : `copy of "${request.ref.id}" with the newest time, so it is what resumes`;
}

function warningsOf(
  request: CopyRequest,
  source: PlacedRow,
  after: TaskRows | undefined,
  evicts: readonly Eviction[],
  now: Date,
): PlanWarning[] {
  const rows = after?.rows.filter((row) => row.readable) ?? [];
  const latest = after?.latest;
  const warnings: PlanWarning[] = [];
  const warn = (code: string, message: string): void => void warnings.push({ code, message });
  if (evicts.length > 0) warn('evicts', `The agent's next save will remove ${count(evicts.length)}.`);
  if (hasMixedTimes(rows)) warn('kaizen_lists_nothing', latest?.note ?? 'Kaizen cannot compare the times.');
  unknownKeysWarning(source.file.facts, warn);
  if (request.kind === 'fork' && latest?.basis === 'tie') warn('tie', latest.note ?? 'Two checkpoints have this time.');
  else if (request.kind === 'fork' && request.targetTask === undefined) {
    warn('fork_not_latest', `The agent will still resume from "${latest?.ref?.id}"; load the fork by its id.`);
  }
  if (rows.some((row) => row.file.facts?.status === 'running' && isRecent(row, source, now))) {
    warn('agent_active', 'The agent saved within the last minute; if it still runs, its next save will be newer.');
  }
  return warnings;
}

function unknownKeysWarning(facts: Facts | undefined, warn: (code: string, message: string) => void): void {
  const unknown = facts?.unknownKeys ?? [];
  if (unknown.length > 0) warn('unknown_keys', `Kaizen fails to load states with the keys ${unknown.join(', ')}.`);
}

function isRecent(row: PlacedRow, source: PlacedRow, now: Date): boolean {
  // The copy itself carries the source's file entry, so only the others tell of the agent.
  const age = now.getTime() - row.file.entry.mtimeMs;
  return row.file.entry.ino !== source.file.entry.ino && age >= 0 && age < ACTIVE_MS;
}

/** A Python call; only characters that JSON and Python escape alike are escaped. */
function nextOf(request: CopyRequest, copy: { readonly task: string; readonly id: string }): string {
  const resumes = request.kind === 'restore' || copy.task !== request.ref.task;
  return resumes
    ? `await manager.resume_from_latest(${JSON.stringify(copy.task)})`
    : `await manager.load_checkpoint(${JSON.stringify(copy.id)})`;
}

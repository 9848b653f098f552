import {
  addedEnvelopes,
  editedDocument,
  editWarnings,
  InspectorError,
  memberOf,
  noCheckpoint,
  quoteJson,
  setMembers,
  sourceOf,
  type CheckpointRef,
  type EditRequest,
  type JsonObject,
  type Plan,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { filesJob, sha256 } from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';
import {
  copyReason,
  defined,
  findRow,
  idOfCopy,
  isoformat,
  isoOf,
  readStored,
  textOfBytes,
  writeFrame,
  type CopyRequest,
  type PlanBasis,
} from '../folder/index.ts';
import { generateCheckpointId, readDocument, type Facts, type Shape } from './document.ts';
import type { StoredFile } from './files.ts';
import { taskAfter, taskIn } from './folder.ts';
import { whyNoCopy } from './info.ts';
import { copyWarnings } from './plan-warnings.ts';
import type { PlacedRow, Snapshot } from './rows.ts';

// Portable on every disk, and never a hidden file.
const SAFE_ID = /^(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[a-z0-9_][a-z0-9._-]{0,119}$/i;

/** How a shape that can be copied names its members, ids and times. */
interface Spelling {
  readonly id: string;
  readonly parent?: string;
  readonly task: string;
  readonly newId: () => string;
  /** Microseconds between two times that differ. */
  readonly tick: bigint;
  readonly time: (micros: bigint, naive: boolean) => string;
  readonly next: (id: string) => string;
}

const PYTHON: Spelling = {
  id: 'checkpoint_id',
  parent: 'previous_checkpoint_id',
  task: 'workflow_name',
  newId: randomUUID,
  tick: 1n,
  time: isoformat,
  next: (id) => `await workflow.run(checkpoint_id=${quoteJson(id, { ascii: true })})`,
};

const DOCUMENT: Spelling = {
  id: 'checkpointId',
  task: 'workflowId',
  newId: generateCheckpointId,
  tick: 1000n,
  time: isoOf,
  next: (id) => `await storage.loadCheckpoint(${quoteJson(id)})`,
};

/**
 * Restore: a copy with the newest time, so that it is what resumes. Fork: the same copy with its old time, so that the
 * head stays; it is resumed by its id, or as the head of a workflow of its own. Edit: the given text, with the newest time.
 */
export async function planCopy(request: CopyRequest, basis: PlanBasis<Snapshot>): Promise<Plan> {
  const { snapshot, folder } = basis;
  const { row, facts, spelling } = checkpointOf(request, snapshot);
  const task = targetOf(request, snapshot);
  const copy: CheckpointRef = { task, id: newId(request, snapshot, spelling) };
  const stored = await readStored(folder, row.file);
  const original = textOfBytes(stored);
  const edit = request.kind === 'edit' ? editOf(request, original, setBySave(spelling)) : undefined;
  const text = patched(request, spelling, facts, copy, basis, edit?.text ?? original);
  const written = new Uint8Array(Buffer.from(text));
  const file = fileOf(row, copy.id, text, written.length);
  if (edit) assertSameShape(file, facts.shape);
  const after = await taskAfter([...snapshot.files, file], task);
  const head = taskIn(snapshot, task).latest;
  return {
    view: {
      ...writeFrame(basis, request, head, {
        ref: copy,
        file: file.name,
        sizeBytes: written.length,
        reason: copyReason(request, 'so the head stays'),
        source: { ref: row.ref, stored },
      }),
      warnings: [
        ...(edit?.warnings ?? []),
        ...copyWarnings(request, row, file.facts ?? facts, snapshot, after, basis.now),
      ],
      ...defined({ latestAfter: after.latest.ref }),
      proofHash: sha256(text),
      next: spelling.next(copy.id),
      ...(spelling.parent === undefined ? { sidecar: [{ child: copy, parent: row.ref }] } : {}),
    },
    job: filesJob(folder).create(file.name, written, { like: row.file.name }),
  };
}

function checkpointOf(
  request: CopyRequest,
  snapshot: Snapshot,
): { readonly row: PlacedRow; readonly facts: Facts; readonly spelling: Spelling } {
  const row = findRow(snapshot, request.ref);
  if (!row) throw noCheckpoint(request.ref);
  const { facts, problem } = row.file;
  if (problem || !facts) {
    const words = `The checkpoint can't be read: ${problem?.message}`;
    throw new InspectorError('unsupported', words, { data: { ...request.ref } });
  }
  const why = whyNoCopy(facts.shape);
  if (why !== undefined) throw new InspectorError('unsupported', why, { data: { ...request.ref } });
  return { row, facts, spelling: facts.shape === 'document' ? DOCUMENT : PYTHON };
}

/** The workflow that the copy will belong to. */
function targetOf(request: CopyRequest, snapshot: Snapshot): string {
  const { targetTask = request.ref.task } = request;
  if (targetTask === request.ref.task) return targetTask;
  if (request.kind === 'restore') {
    throw new InspectorError(
      'unsupported',
      'A restore must stay in its workflow. To copy it into another one, fork instead.',
    );
  }
  if (!snapshot.tasks.has(targetTask)) return targetTask;
  throw new InspectorError('invalid_input', `"${targetTask}" already has checkpoints. Choose a new workflow name.`, {
    data: { targetTask },
  });
}

function newId(request: CopyRequest, snapshot: Snapshot, { newId: make }: Spelling): string {
  // Disks that ignore case would take one file for the other.
  const names = new Set(snapshot.files.map(({ name }) => name.toLowerCase()));
  return idOfCopy(request, {
    make,
    isSafe: (id) => SAFE_ID.test(id) && !id.endsWith('.'),
    isTaken: (id) => names.has(`${id}.json`.toLowerCase()) || snapshot.byId.has(id),
  });
}

/** Members that belong to the place of a checkpoint, not to its state. */
function setBySave({ id, parent, task }: Spelling): readonly string[] {
  return [id, ...(parent === undefined ? [] : [parent]), task, 'timestamp'];
}

/** The source's text with only the tokens replaced that must differ. */
function patched(
  request: CopyRequest,
  spelling: Spelling,
  source: Facts,
  copy: CheckpointRef,
  basis: PlanBasis<Snapshot>,
  text: string,
): string {
  const members = new Map([[spelling.id, copy.id]]);
  if (spelling.parent !== undefined) members.set(spelling.parent, source.checkpointId);
  if (request.kind !== 'fork') members.set('timestamp', restoreTime(copy.task, source, spelling, basis));
  if (copy.task !== request.ref.task || request.kind === 'edit') members.set(spelling.task, copy.task);
  // Older versions open files in the locale's encoding, so only ASCII is added.
  return setMembers(text, members);
}

/** Later than every time of the workflow, and with an offset unless none of them, or of a new one's source, has one. */
function restoreTime(task: string, source: Facts, spelling: Spelling, { snapshot, now }: PlanBasis<Snapshot>): string {
  const { rows } = taskIn(snapshot, task);
  const times = rows.map((row) => row.file.facts?.time).filter((time) => time !== undefined);
  const next = times.reduce((best, { micros }) => (micros >= best ? micros + spelling.tick : best), 0n);
  const clock = BigInt(now.getTime()) * 1000n;
  return spelling.time(
    next > clock ? next : clock,
    (times.length > 0 ? times : [source.time]).every((time) => time?.naive),
  );
}

/** The file as the folder will hold it. */
function fileOf(source: PlacedRow, id: string, text: string, size: number): StoredFile {
  const name = `${id}.json`;
  return { name, entry: { ...source.file.entry, name, size }, ...readDocument(text), revision: sha256(text) };
}

const MARKS = ['__pickled__', '__af_model__', '__af_dataclass__'];

/** The document before the save's tokens; author and reason are in the receipt. @throws InspectorError invalid_input */
export function editOf(
  request: EditRequest,
  original: string,
  setBySave: readonly string[],
): { readonly text: string; readonly warnings: readonly PlanWarning[] } {
  const text = editedDocument(request.text, original);
  const [added] = addedEnvelopes(original, text, pickled);
  if (added) {
    throw new InspectorError(
      'unsupported',
      `The text contains a pickled value at ${added.path} that the original doesn't have. Loading it would run the code in it.`,
      { data: { path: added.path }, remedy: 'Keep pickled values exactly as they are, or remove them.' },
    );
  }
  return { text, warnings: editWarnings(original, text, setBySave) };
}

/** The edited text must be what the file was: the other forms are read by other rules. @throws InspectorError invalid_input */
export function assertSameShape({ facts, problem }: StoredFile, shape: Shape): void {
  if (facts?.shape === shape && !problem) return;
  const why = problem?.message ?? `It would become a different kind of document (${facts?.shape}).`;
  throw new InspectorError('invalid_input', `The text is no longer a valid checkpoint for this folder: ${why}`);
}

/** Pickles, and the dataclass forms of older versions, by all that they hold: a changed one counts as a new one. */
function pickled(text: string, object: JsonObject): string | undefined {
  if (!MARKS.some((key) => memberOf(object, key))) return undefined;
  return object.members.map(({ key, value }) => `${key}:${sourceOf(text, value)}`).join();
}

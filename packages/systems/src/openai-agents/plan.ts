import {
  editedDocument,
  editWarnings,
  InspectorError,
  noCheckpoint,
  quoteJson,
  type CheckpointRef,
  type EditRequest,
  type Plan,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { filesJob, sha256 } from '@checkpoint-inspector/io';
import {
  defined,
  findRow,
  idOfCopy,
  isJustSaved,
  latestIn,
  readStored,
  textOfBytes,
  writeFrame,
  type CopyRequest,
  type PlanBasis,
} from '../folder/index.ts';
import { argumentsIn, hasAnswer, readDocument, type Facts } from './document.ts';
import type { StoredFile } from './files.ts';
import { ONLY_OBJECTS, whyNotLoaded } from './info.ts';
import { snapshotOf, taskOf, type PlacedRow, type Snapshot } from './rows.ts';

// Portable on every disk, and never a hidden file.
const SAFE_ID = /^(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[\p{L}\p{N}_][\p{L}\p{N}._ -]{0,119}$/iu;
const WORDS = { restore: 'restored', fork: 'fork', edit: 'edit' } as const;

/** The same text, or the edited one, as a new file, which is then the newest. The others stay as they are. */
export async function planCopy(request: CopyRequest, basis: PlanBasis<Snapshot>): Promise<Plan> {
  const { snapshot, folder, now } = basis;
  const { row, facts } = checkpointOf(request, snapshot);
  const stored = await readStored(folder, row.file);
  const original = textOfBytes(stored);
  const edit = request.kind === 'edit' ? editOf(request, original, facts) : undefined;
  const text = edit?.text ?? original;
  const bytes = new Uint8Array(Buffer.from(text));
  const copy: CheckpointRef = { task: row.ref.task, id: newId(request, snapshot) };
  const file: StoredFile = {
    name: `${copy.id}.json`,
    entry: {
      ...row.file.entry,
      name: `${copy.id}.json`,
      size: bytes.length,
      mtimeNs: BigInt(now.getTime()) * 1_000_000n,
    },
    ...readDocument(text),
    revision: sha256(text),
  };
  assertSameRun(file, row);
  return {
    view: {
      ...writeFrame(basis, request, latestIn(snapshot, copy.task), {
        ref: copy,
        file: file.name,
        sizeBytes: bytes.length,
        reason: `${edit ? 'the edited text, made from' : 'copy of'} "${row.ref.id}", as the newest file`,
        source: { ref: row.ref, stored },
      }),
      warnings: [...(edit?.warnings ?? []), ...copyWarnings(row, snapshot, now)],
      ...defined({ latestAfter: latestIn(snapshotOf([...snapshot.files, file]), copy.task).ref }),
      proofHash: sha256(text),
      next: nextCall(file.name, facts),
      sidecar: [{ child: copy, parent: row.ref }],
    },
    job: filesJob(folder).create(file.name, bytes, { like: row.file.name }),
  };
}

function checkpointOf(request: CopyRequest, snapshot: Snapshot): { readonly row: PlacedRow; readonly facts: Facts } {
  const row = findRow(snapshot, request.ref);
  if (!row) throw noCheckpoint(request.ref);
  const { facts, problem } = row.file;
  const data = { ...request.ref };
  if (!facts)
    throw new InspectorError('unsupported', `The checkpoint can't be read: ${problem?.message ?? ''}`, { data });
  const why = whyNotCopied(facts, request.kind);
  if (why !== undefined) throw new InspectorError('unsupported', why, { data });
  if (request.targetTask === undefined || request.targetTask === row.ref.task) return { row, facts };
  throw new InspectorError('unsupported', 'A copy belongs to the same run: the responses in its text tell which one.');
}

/** Why one checkpoint isn't copied so, or `undefined`. */
export const whyNotCopied = (facts: Facts, kind: CopyRequest['kind']): string | undefined =>
  whyNotLoaded(facts) ?? (kind === 'edit' && facts.shape === 'items' ? ONLY_OBJECTS : undefined);

/** `refund-restored-1`, and of a copy of that `refund-restored-2`. */
function newId(request: CopyRequest, snapshot: Snapshot): string {
  const stem = request.ref.id.replace(/-(restored|fork|edit)-\d+$/, '');
  let n = 0;
  // Disks that ignore case would take one file for the other.
  const names = new Set(snapshot.files.map(({ name }) => name.toLowerCase()));
  return idOfCopy(request, {
    make: () => `${stem}-${WORDS[request.kind]}-${++n}`,
    isSafe: (id) => SAFE_ID.test(id) && !id.endsWith('.'),
    isTaken: (id) => names.has(`${id}.json`.toLowerCase()) || snapshot.byId.has(id),
  });
}

/** @throws InspectorError invalid_input */
function assertSameRun(file: StoredFile, source: PlacedRow): void {
  const refuse = (why: string): never => {
    throw new InspectorError('invalid_input', `The text is no longer a state of this run: ${why}`);
  };
  const { facts, problem } = file;
  if (!facts) refuse(problem?.message ?? 'it has no $schemaVersion, originalInput or modelResponses.');
  if (facts?.version !== source.file.facts?.version) refuse('its $schemaVersion is another one.');
  // Without responses the name of the file tells the run, and that of a copy is a new one.
  if (facts?.responses[0] !== source.file.facts?.responses[0])
    refuse('its first response of the model is another one.');
}

/** @throws InspectorError invalid_input */
function editOf(request: EditRequest, original: string, facts: Facts) {
  const text = editedDocument(request.text, original, { strictFor: 'OpenAI Agents SDK' });
  return { text, warnings: [...editWarnings(original, text), ...argumentWarnings(original, text, facts)] };
}

/** What the SDK runs once a call is approved is what the text says, and the approval only names the call. */
function argumentWarnings(before: string, after: string, { status }: Facts): PlanWarning[] {
  const was = argumentsIn(before);
  const changed = [...argumentsIn(after)].filter(([id, call]) => {
    const old = was.get(id);
    return !hasAnswer(after, id) && [...call.texts].some((text) => !old?.texts.has(text));
  });
  return changed.map(([id, { name }]) => ({
    code: 'arguments_executed',
    message: `${name} will be executed with the arguments in the edited text${
      status === 'interrupted' ? ' once it is approved' : ''
    }: an approval only names the call (${id}), not its arguments.`,
  }));
}

function copyWarnings(row: PlacedRow, { files }: Snapshot, now: Date): PlanWarning[] {
  const warnings: PlanWarning[] = [
    { code: 'program_loads', message: 'The SDK keeps no order. Point your program to the new file.' },
  ];
  if (row.file.facts?.status === 'interrupted') {
    const message = 'Calls that wait for approval are asked about again. A call that was approved since may run twice.';
    warnings.push({ code: 'interrupt_asked_again', message });
  }
  if (files.some((file) => taskOf(file) === row.ref.task && isJustSaved(file, now))) {
    const message = 'The run was saved within the last minute. If it is still running, its next save will be newer.';
    warnings.push({ code: 'agent_active', message });
  }
  return warnings;
}

function nextCall(name: string, { shape }: Facts): string {
  const text = `await readFile(${quoteJson(name)}, 'utf8')`;
  if (shape === 'items') return `new MemorySession({ initialItems: JSON.parse(${text}) })`;
  return `await run(agent, await RunState.fromString(agent, ${text}))`;
}

import {
  editedDocument,
  editWarnings,
  InspectorError,
  noCheckpoint,
  quoteJson,
  setMember,
  shellWord,
  type CheckpointRef,
  type EditRequest,
  type Plan,
  type PlanWarning,
} from '@checkpoint-inspector/core';
import { filesJob, sha256, type FileEntry } from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';
import { findRow, isJustSaved, writeFrame, type CopyRequest, type PlanBasis } from '../folder/index.ts';
import { readDocument, type Facts } from './document.ts';
import { readText } from './files.ts';
import { namesOf } from './latest.ts';
import { projectOf } from './names.ts';
import { newestStamp, type Snapshot } from './rows.ts';
import { millisecondsOf, nextStamp, stampOf } from './stamps.ts';

/** No zone is further ahead of UTC than this. */
const FARTHEST_ZONE_MS = 14 * 60 * 60_000;

/** The text, or the edited one, under a new id and the greatest timestamp: that is what the pipeline resumes. */
export async function planRestore(
  request: Exclude<CopyRequest, { kind: 'fork' }>,
  basis: PlanBasis<Snapshot>,
): Promise<Plan> {
  const { snapshot, folder } = basis;
  const { ref, entry, facts } = sourceOf(request, snapshot);
  const copy = { task: snapshot.task, id: randomUUID() };
  const { text: stored, bytes: storedBytes } = await readText(folder, entry.name);
  const edit = request.kind === 'edit' ? editOf(request, stored, facts) : undefined;
  const text = patched(edit?.text ?? stored, copy.id, restoreStamp(basis));
  const bytes = new Uint8Array(Buffer.from(text));
  const name = `${copy.id}.json`;
  return {
    view: {
      ...writeFrame(basis, request, snapshot.latest, {
        ref: copy,
        file: name,
        sizeBytes: bytes.length,
        reason: `${edit ? 'the edited text, made from' : 'copy of'} "${ref.id}", with the newest timestamp, so it is what resumes`,
        source: { ref, stored: storedBytes },
      }),
      warnings: [...(edit?.warnings ?? []), ...warningsOf(edit ? factsOf(text) : facts, basis)],
      latestAfter: copy,
      proofHash: sha256(text),
      next: `silmari-rlm-act resume --project ${shellWord(projectOf(folder))}`,
      sidecar: [{ child: copy, parent: ref }],
    },
    job: filesJob(folder).create(name, bytes, { like: entry.name }),
  };
}

/** @throws InspectorError invalid_input */
function factsOf(text: string): Facts {
  const read = readDocument(text);
  if ('facts' in read) return read.facts;
  throw new InspectorError('invalid_input', `The text is no longer a valid checkpoint: ${read.problem.message}`);
}

function sourceOf(
  request: Exclude<CopyRequest, { kind: 'fork' }>,
  snapshot: Snapshot,
): { ref: CheckpointRef; entry: FileEntry; facts: Facts } {
  const source = findRow(snapshot, request.ref);
  if (!source) throw noCheckpoint(request.ref);
  if (request.targetTask !== undefined && request.targetTask !== snapshot.task) {
    throw new InspectorError('unsupported', 'A folder belongs to one project, so a restore must stay in it.');
  }
  const { entry, facts, problem } = source.file;
  if (facts) return { ref: source.ref, entry, facts };
  throw new InspectorError('unsupported', `The checkpoint can't be read: ${problem.message}`, {
    data: { ...request.ref },
  });
}

/** Later than all as text. Never the clock's time: in another zone it would sort before what is there. */
function restoreStamp({ snapshot, now }: PlanBasis<Snapshot>): string {
  const newest = newestStamp(snapshot.files);
  if (newest === '') return stampOf(now);
  const stamp = nextStamp(newest);
  if (stamp !== undefined) return stamp;
  throw new InspectorError('unsupported', `No timestamp can be later than ${quoteJson(newest.slice(0, 60))}.`, {
    data: { timestamp: newest },
    remedy: "That text sorts last but isn't a timestamp. Delete the checkpoint that has it first.",
  });
}

/** Two tokens change. Python opens files in the locale's encoding, so only ASCII may be added. */
function patched(text: string, id: string, timestamp: string): string {
  return setMember(setMember(text, [], 'id', quoteJson(id)), [], 'timestamp', quoteJson(timestamp));
}

function warningsOf({ pythonFails }: Facts, { snapshot, now }: PlanBasis<Snapshot>): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  const warn = (code: string, message: string): void => void warnings.push({ code, message });
  const newest = newestStamp(snapshot.files);
  const [crashing, unread] = [namesOf(snapshot.files, 'crashes'), namesOf(snapshot.files, 'read')];
  if (pythonFails !== undefined) {
    warn('python_fails', `The Python pipeline won't be able to load the copy: ${pythonFails}.`);
  }
  if (crashing) {
    const words = `The Python pipeline can't resume at all while this is in the folder: ${crashing}. Delete it too.`;
    warn('pipeline_fails', words);
  }
  if (unread) warn('not_compared', `The pipeline may find a later timestamp in ${unread}.`);
  if ((millisecondsOf(newest) ?? 0) > now.getTime() + FARTHEST_ZONE_MS) {
    const words = `The newest timestamp, ${newest}, is in the future. Until then, the pipeline's own saves sort before it.`;
    warn('future_time', words);
  }
  if (snapshot.rows.some(({ file }) => isJustSaved(file, now))) {
    warn(
      'agent_active',
      'The pipeline saved within the last minute. If it is still running, its next save will be newer.',
    );
  }
  return warnings;
}

/** The document before the save's tokens; author and reason are in the receipt. @throws InspectorError invalid_input */
export function editOf(
  request: EditRequest,
  original: string,
  facts: Facts,
): { readonly text: string; readonly warnings: readonly PlanWarning[] } {
  const text = editedDocument(request.text, original, isPythons(facts) ? {} : { strictFor: 'the Go port of rlm-act' });
  return { text, warnings: editWarnings(original, text, ['id', 'timestamp']) };
}

/** Only Python reads NaN, so what the Go port may load stays JSON. */
const isPythons = ({ utc, pythonFails }: Facts): boolean => utc === undefined && pythonFails === undefined;

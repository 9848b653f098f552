import { InspectorError, leadingTexts } from '@checkpoint-inspector/core';
import { readHead } from '@checkpoint-inspector/io';
import { join } from 'node:path';
import { constants, gunzipSync } from 'node:zlib';
import { parseStamp } from '@checkpoint-inspector/systems/folder';
import { isEncrypted, isGzipped, type StoredFile, type Variant } from '@checkpoint-inspector/systems/kaizen';
import { parsePython } from './python-json.ts';
import { AgentState } from './agent-state.ts';
import { CheckpointMetadata } from './checkpoint-metadata.ts';
import { isDict, type Dict } from './dict.ts';
import { Timestamp } from './timestamp.ts';

/** The state in a document. @throws InspectorError unreadable */
export function stateIn(text: string, name: string, variant: Variant): AgentState {
  try {
    return AgentState.fromDict(dictIn(text));
  } catch (cause) {
    const error = InspectorError.from(cause);
    // Words about a decrypted document might quote it.
    const why = isEncrypted(variant) ? "the decrypted document isn't a complete checkpoint." : error.message;
    throw new InspectorError('unreadable', `${name}: ${why}`, { data: { ...error.data, name } });
  }
}

function dictIn(text: string): Dict {
  const value = parsePython(text);
  if (isDict(value)) return value;
  throw new InspectorError('unreadable', "The file doesn't contain a JSON object.");
}

/** The file as an item of the list, or why it cannot be one. */
export function metadataOf(file: StoredFile): CheckpointMetadata | string {
  const { facts, problem } = file;
  if (problem || !facts?.time) return problem?.message ?? "The file doesn't contain a checkpoint.";
  if (facts.checkpointId !== file.id) return 'The file is not named after its checkpoint_id.';
  if (facts.status === 'unknown' || facts.status === 'pending') return "Kaizen doesn't know this status.";
  return new CheckpointMetadata({
    checkpointId: facts.checkpointId,
    agentId: facts.agentId,
    timestamp: Timestamp.fromisoformat(facts.time.text),
    stepNumber: facts.stepIndex ?? 0,
    status: facts.status,
    sizeBytes: file.entry.size,
    parentCheckpointId: facts.parentId,
  });
}

/** @throws InspectorError locked | wrong_key for the first file that stays shut */
export function refuseIfLocked(files: readonly StoredFile[]): void {
  for (const { name, problem } of files) {
    if (problem?.code === 'locked' || problem?.code === 'wrong_key') {
      throw new InspectorError(problem.code, `${name}: ${problem.message}`, { data: { name } });
    }
  }
}

/** Id, agent and time are the first members that Kaizen writes. */
const HEAD_BYTES = 4096;

/**
 * Files that are too large to read are left out of lists; none of them may be what the agent would have to resume.
 * Where the agent and the time of one is unknown, it counts as the agent's, saved when the file was.
 * @throws InspectorError too_large
 */
export async function refuseIfNewer(
  folder: string,
  files: readonly StoredFile[],
  agentId: string,
  latest: CheckpointMetadata | undefined,
): Promise<void> {
  const newest = latest && Timestamp.micros(latest.timestamp);
  for (const file of files) {
    if (file.problem?.code !== 'too_large') continue;
    const bytes = await readHead(join(folder, file.name), HEAD_BYTES).catch(() => undefined);
    if (!bytes) continue; // removed meanwhile
    const head = leadingTexts(decodeHead(file.variant, bytes));
    if ((head.get('agent_id') ?? agentId) !== agentId || (head.get('checkpoint_id') ?? file.id) !== file.id) continue;
    const time = parseStamp(head.get('timestamp') ?? '')?.micros ?? file.entry.mtimeNs / 1000n;
    if (newest !== undefined && time <= newest) continue;
    throw new InspectorError(
      'too_large',
      `${file.name} may be the agent's newest checkpoint. ${file.problem.message}`,
      {
        data: { name: file.name, agentId },
        remedy: 'To resume from an older checkpoint, move this file out of the folder, or load the older one by id.',
      },
    );
  }
}

/** The start of the document in the first bytes of a file; empty where it cannot be had without the whole file. */
function decodeHead(variant: Variant, head: Uint8Array): string {
  if (isEncrypted(variant)) return '';
  try {
    const bytes = isGzipped(variant) ? gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH }) : head;
    return new TextDecoder().decode(bytes);
  } catch {
    return '';
  }
}

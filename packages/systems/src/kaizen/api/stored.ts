import { InspectorError } from '@checkpoint-inspector/core';
import type { StoredFile } from '../files.ts';
import { isEncrypted, type Variant } from '../names.ts';
import { parsePython } from '../python-json.ts';
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
    const why = isEncrypted(variant) ? 'the decrypted document is no whole checkpoint.' : error.message;
    throw new InspectorError('unreadable', `${name}: ${why}`, { data: { ...error.data, name } });
  }
}

function dictIn(text: string): Dict {
  const value = parsePython(text);
  if (isDict(value)) return value;
  throw new InspectorError('unreadable', 'The file holds no JSON object.');
}

/** The file as an item of the list, or why it cannot be one. */
export function metadataOf(file: StoredFile): CheckpointMetadata | string {
  const { facts, problem } = file;
  if (problem || !facts?.time) return problem?.message ?? 'The file holds no checkpoint.';
  if (facts.checkpointId !== file.id) return 'The file is not named after its checkpoint_id.';
  if (facts.status === 'unknown' || facts.status === 'pending') return 'The status is none that Kaizen knows.';
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

/** What one line is among the checkpoints of a transcript. */
import type { CheckpointStatus, Trigger } from '@checkpoint-inspector/core';
import { recordOf, textIn, type Fields } from '../folder/view.ts';
import { brief } from '../log/index.ts';
import { blocksOf, wordsOf, type Entry } from './entries.ts';
import { ASKING } from './view.ts';

export interface Step {
  /** Lines with the same stem that follow each other are one checkpoint: the parts of an answer, a call and its result. */
  readonly stem: string;
  readonly id: string;
  readonly status: CheckpointStatus;
  readonly description: string;
  readonly trigger?: Trigger;
  readonly error?: string;
}

/** Of an answer that has no words yet. */
export const THINKING = 'Thinking';
export const FAILED_RESULT = 'Result: error';
const INTERRUPTED = '[Request interrupted by user';

/** Nothing for lines that belong to the one before: attachments, progress, what the program adds itself. */
export function stepOf(entry: Entry): Step | undefined {
  if (entry.type === 'assistant') return answerOf(entry);
  if (entry.type === 'user') return userOf(entry);
  const isBoundary = entry.type === 'system' && textIn(entry.record, 'subtype') === 'compact_boundary';
  const { uuid } = entry;
  return isBoundary
    ? { stem: uuid, id: uuid, status: 'completed', description: 'Compacted', trigger: 'update' }
    : undefined;
}

function userOf(entry: Entry): Step | undefined {
  const { uuid, record } = entry;
  const result = blocksOf(entry).find(({ kind }) => kind === 'tool_result');
  if (result) {
    const isError = result.fields['is_error'] === true;
    const id = result.id ?? uuid;
    return { stem: id, id, status: 'running', description: isError ? FAILED_RESULT : 'Result' };
  }
  if (record['isMeta'] === true) return undefined;
  const words = wordsOf(entry);
  if (words.startsWith(INTERRUPTED)) return { stem: uuid, id: uuid, status: 'interrupted', description: brief(words) };
  const isSummary = record['isCompactSummary'] === true;
  const description = isSummary ? 'Summary of what was compacted' : brief(words) || 'Prompt without text';
  return {
    stem: uuid,
    id: uuid,
    status: isSummary ? 'completed' : 'running',
    description,
    trigger: isSummary ? 'update' : 'input',
  };
}

function answerOf(entry: Entry): Step {
  const { uuid, record, message } = entry;
  const words = wordsOf(entry);
  if (record['isApiErrorMessage'] === true)
    return { stem: uuid, id: uuid, status: 'failed', description: brief(words), trigger: 'error', error: words };
  const call = blocksOf(entry).find(({ kind }) => kind === 'tool_use');
  if (call) {
    const id = call.id ?? uuid;
    const status = ASKING.has(call.name ?? '') ? 'interrupted' : 'running';
    return {
      stem: id,
      id,
      status,
      description: brief(`${call.name ?? 'tool'} ${subjectOf(call.fields)}`),
      trigger: 'auto',
    };
  }
  const goesOn = textIn(message, 'stop_reason') === 'tool_use' || words === '';
  const description = brief(words) || THINKING;
  return {
    stem: textIn(message, 'id') ?? uuid,
    id: uuid,
    status: goesOn ? 'running' : 'completed',
    description,
    trigger: 'auto',
  };
}

/** The file, command or search that a call is about. */
const SUBJECTS = ['file_path', 'path', 'command', 'pattern', 'description', 'query', 'url', 'notebook_path'];

function subjectOf(call: Fields): string {
  const input = recordOf(call['input']);
  return SUBJECTS.map((key) => textIn(input, key)).find((found) => found !== undefined) ?? '';
}

import {
  InspectorError,
  memberOf,
  parseJson,
  sourceOf,
  stringOf,
  type JsonNode,
  type JsonObject,
  type Problem,
} from '@checkpoint-inspector/core';
import { byteOffset, defined, parsedOf } from '../folder/index.ts';
import { hasSecondsOnly, millisecondsOf } from './stamps.ts';

/** What lists and plans need of a document; the state itself is read again when asked for. */
export interface Facts {
  /** `id` inside the document; the pipeline's own lookups go by the file. */
  readonly documentId?: string;
  readonly phase?: string;
  /** As stored; empty where there is none, which sorts last. */
  readonly timestamp: string;
  /** ISO 8601 UTC; only of documents that are known to be the Go port's. */
  readonly utc?: string;
  /** `state.started_at`: equal in all checkpoints of one run. */
  readonly run?: string;
  readonly errors: readonly string[];
  readonly gitCommit?: string;
  /** Why the Python pipeline finds this document, and then fails to load it. */
  readonly pythonFails?: string;
}

/** What the Python pipeline does with a file that is here as a problem. */
export type InOriginal = 'skipped' | 'crashes' | 'read';

export interface FileProblem extends Problem {
  readonly inOriginal: InOriginal;
}

export type ReadDocument = { readonly facts: Facts } | { readonly problem: FileProblem };

/** Reads a document's text; what the pipeline cannot sort comes back as a problem, never as an exception. */
export function readDocument(text: string): ReadDocument {
  let root: JsonNode;
  try {
    root = parseJson(text);
  } catch (cause) {
    return { problem: tornProblem(text, InspectorError.from(cause)) };
  }
  if (root.kind !== 'object') {
    const what = `The file contains a JSON ${root.kind}, not an object.`;
    return { problem: crash(what, 'TypeError', byteOffset(text, root.start)) };
  }
  const time = memberOf(root, 'timestamp')?.value;
  if (time !== undefined && time.kind !== 'string') {
    const what = `The timestamp ${sourceOf(text, time).slice(0, 60)} isn't text.`;
    return { problem: crash(what, 'TypeError', byteOffset(text, time.start)) };
  }
  return { facts: factsOf(text, root) };
}

/** A file that makes `resume`, `run --resume` and `status` of the Python pipeline fail. */
export function crash(what: string, error: string, offset: number): FileProblem {
  const message = `${what} While it is here, the Python pipeline's resume and status fail with a ${error}.`;
  return { code: 'unreadable', message, offset, inOriginal: 'crashes' };
}

function tornProblem(text: string, error: InspectorError): FileProblem {
  const offset = error.data?.['offset'];
  return {
    code: 'unreadable',
    message: `${error.message} The pipeline skips this file.`,
    ...(typeof offset === 'number' ? { offset: byteOffset(text, offset) } : {}),
    inOriginal: 'skipped',
  };
}

function factsOf(text: string, root: JsonObject): Facts {
  const { string } = parsedOf(text, root);
  const timestamp = string('timestamp') ?? '';
  const state = memberOf(root, 'state')?.value;
  return defined({
    timestamp,
    errors: stringsIn(text, memberOf(root, 'errors')?.value),
    documentId: string('id'),
    phase: string('phase') || undefined,
    utc: utcOf(timestamp, state),
    run: string('state', 'started_at') || undefined,
    gitCommit: string('git_commit') || undefined,
    pythonFails: loadFailure(state),
  });
}

function stringsIn(text: string, node: JsonNode | undefined): string[] {
  const items = node?.kind === 'array' ? node.items : [];
  return items.filter((item) => item.kind === 'string').map((item) => stringOf(text, item));
}

/**
 * Only the Go port writes true UTC: whole seconds, and a state that is null or has its keys sorted. Python's state
 * always begins with `project_path`, `autonomy_mode`, so a Python time without a fraction is not taken for one.
 */
function utcOf(timestamp: string, state: JsonNode | undefined): string | undefined {
  const milliseconds = hasSecondsOnly(timestamp) ? millisecondsOf(timestamp) : undefined;
  if (milliseconds === undefined || !(state?.kind === 'null' || hasSortedKeys(state))) return undefined;
  return new Date(milliseconds).toISOString();
}

function hasSortedKeys(state: JsonNode | undefined): boolean {
  const keys = state?.kind === 'object' ? state.members.map((member) => member.key) : [];
  return keys.length > 1 && keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') <= key);
}

function loadFailure(state: JsonNode | undefined): string | undefined {
  if (state?.kind !== 'object') return 'it has no state';
  for (const key of ['project_path', 'autonomy_mode']) {
    if (!memberOf(state, key)) return `its state has no ${key}`;
  }
  const results = memberOf(state, 'phase_results')?.value;
  const other = results?.kind === 'object' ? results.members.find(({ value }) => !isPhaseResult(value)) : undefined;
  return other && `phase_results.${other.key} has no phase_type, as in files written by the Go port`;
}

function isPhaseResult(value: JsonNode): boolean {
  return value.kind === 'object' && memberOf(value, 'phase_type') !== undefined;
}

/** True for a text that only this system writes: id, phase, timestamp, state and errors. */
export function looksLikeCheckpoint(text: string): boolean {
  const root = parseJson(text);
  if (root.kind !== 'object' || !memberOf(root, 'state')) return false;
  const isText = (key: string) => memberOf(root, key)?.value.kind === 'string';
  return ['id', 'phase', 'timestamp'].every(isText) && memberOf(root, 'errors')?.value.kind === 'array';
}

import { InspectorError, quoteJson, toJsonText } from '@checkpoint-inspector/core';
import { isRecord } from '@checkpoint-inspector/systems/folder/view';

/** A state that says itself what is to be stored. */
export interface CheckpointState {
  toCheckpointDict(): Readonly<Record<string, unknown>>;
}

/** The six fields of a document, in the order in which they are written. */
export interface CheckpointFields {
  readonly id: string;
  /** `<phase>-complete`, `<phase>-failed`, `research-skipped`, … */
  readonly phase: string;
  readonly timestamp: string;
  /** Plain JSON values. */
  readonly state: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
  /** 40 hex digits, or empty. */
  readonly git_commit: string;
}

/**
 * The plain object of a state: what its `toCheckpointDict()` returns, or the object itself.
 * @throws InspectorError invalid_input: no object
 * @example toCheckpointDict({ project_path: '/p', autonomy_mode: 'batch' })
 */
export function toCheckpointDict(
  state: CheckpointState | Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const dict: unknown = hasDict(state) ? state.toCheckpointDict() : state;
  if (isRecord(dict)) return dict;
  throw new InspectorError('invalid_input', "The state can't be stored: it isn't an object with string keys.", {
    remedy: 'Pass a plain object, or one whose toCheckpointDict() returns a plain object.',
  });
}

/**
 * A document as the Python pipeline writes it: two spaces, its order of fields, ASCII escapes, no line end.
 * @throws InspectorError invalid_input: a value that JSON cannot hold, with its path
 * @example checkpointDocument({ id, phase: 'research-complete', timestamp, state: {}, errors: [], git_commit: '' })
 */
export function checkpointDocument(fields: CheckpointFields): string {
  const { id, phase, timestamp, state, errors, git_commit } = fields;
  return indented(toJsonText({ id, phase, timestamp, state, errors, git_commit }));
}

function hasDict(state: CheckpointState | Readonly<Record<string, unknown>>): state is CheckpointState {
  return typeof state === 'object' && state !== null && typeof state['toCheckpointDict'] === 'function';
}

/** Compact JSON in the spelling of `json.dumps(value, indent=2)`; token by token, so at any depth. */
function indented(compact: string): string {
  const out: string[] = [];
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  for (const token of tokensOf(compact)) {
    if (token === '{' || token === '[') {
      depth++;
      out.push(token, line());
    } else if (token === '}' || token === ']') {
      depth--;
      out.push(line(), token);
    } else if (token === ',') out.push(token, line());
    else if (token === ':') out.push(': ');
    else out.push(scalar(token));
  }
  return out.join('');
}

const OTHER = /\[\]|\{\}|[{}[\],:]|[^"{}[\],:]+/y;

/** Strings are searched for their end: a pattern would overflow the stack at some megabytes. */
function* tokensOf(compact: string): Iterable<string> {
  for (let at = 0, end = 0; at < compact.length; at = end) {
    OTHER.lastIndex = at;
    end = compact[at] === '"' ? endOfString(compact, at) : at + (OTHER.exec(compact)?.[0].length ?? 1);
    yield compact.slice(at, end);
  }
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (text[quote - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
}

/** Python reads -0 as the whole number 0, so a minus zero needs its fraction. */
function scalar(token: string): string {
  if (token === '-0') return '-0.0';
  return token.startsWith('"') ? asciiOnly(token) : token;
}

function asciiOnly(token: string): string {
  return token.replaceAll(/[\u007f-\uffff]/g, (unit) => quoteJson(unit, { ascii: true }).slice(1, -1));
}

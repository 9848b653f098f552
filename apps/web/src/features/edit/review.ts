/** What an edit amounts to: where its text is broken, or what it changes. */
import {
  checkShape,
  diffJson,
  InspectorError,
  parseJson,
  type Diff,
  type ShapeWarning,
} from '@checkpoint-inspector/core';

interface TextProblem {
  readonly message: string;
  /** UTF-16 code units from the start. */
  readonly offset: number;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
}

export type Review =
  | { readonly kind: 'broken'; readonly problem: TextProblem }
  | { readonly kind: 'same' }
  | { readonly kind: 'edited'; readonly diff: Diff; readonly shape: readonly ShapeWarning[] };

/** @example reviewEdit('{"a":1}', '{"a":2}').kind // 'edited' */
export function reviewEdit(before: string, after: string): Review {
  const problem = problemIn(after);
  if (problem) return { kind: 'broken', problem };
  const diff = diffJson(before, after);
  // Other white space or another order of keys is no edit of the state, but it may be wanted: the text decides.
  if (before === after) return { kind: 'same' };
  return { kind: 'edited', diff, shape: checkShape(before, after) };
}

export function problemIn(text: string): TextProblem | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (!InspectorError.is(error)) throw error;
    const offset = Number(error.data?.['offset'] ?? 0);
    return { message: error.message.replace(/ at offset \d+/, ''), offset, ...placeIn(text, offset) };
  }
}

function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - start + 1 };
}

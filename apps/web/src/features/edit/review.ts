/** What an edit amounts to: where its text is broken, or what it changes. */
import {
  checkShape,
  diffJson,
  InspectorError,
  parseJson,
  type Diff,
  type ShapeWarning,
} from '@checkpoint-inspector/core';

export type Review =
  | { readonly kind: 'broken'; readonly problem: NonNullable<ReturnType<typeof problemIn>> }
  | { readonly kind: 'same' }
  | { readonly kind: 'edited'; readonly diff: Diff; readonly shape: readonly ShapeWarning[] };

/** @example reviewEdit('{"a":1}', '{"a":2}').kind // 'edited' */
export function reviewEdit(before: string, after: string): Review {
  const problem = problemIn(after);
  if (problem) return { kind: 'broken', problem };
  const diff = diffJson(before, after);
  // Other white space or another order of keys is not an edit of the state, but it may be wanted: the text decides.
  if (before === after) return { kind: 'same' };
  return { kind: 'edited', diff, shape: checkShape(before, after) };
}

/** `offset` in UTF-16 code units; line and column from 1. */
export function problemIn(text: string) {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    if (!InspectorError.is(error)) throw error;
    const offset = Number(error.data?.['offset'] ?? 0);
    return { message: error.message.replace(/ at offset \d+/, ''), offset, ...placeIn(text, offset) };
  }
}

function placeIn(text: string, offset: number) {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - start + 1 };
}

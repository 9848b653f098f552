import { InspectorError, share, type SharedState, valuesOf } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '../sqlite/index.ts';
import { sha256 } from '../files/text.ts';
import { writeNodes, writeWhole } from './rows.ts';

/** A text that was written as nodes. */
export interface SharedText {
  readonly state: SharedState;
  readonly root: number;
  readonly whole: number | null;
}

/**
 * Writes what a text has more than the state before it. In the caller's transaction. A text that isn't JSON, which
 * nothing saves but a row may have been changed to, is kept whole.
 */
export function shareText(db: SqliteDatabase, text: string, before: SharedState | undefined): SharedText {
  return shareValues(db, readTextOf(text), before);
}

/** A text that isn't JSON has no values. */
export function readTextOf(text: string): ReadText {
  const read = valuesIn(text);
  const values = read === undefined ? null : read.values;
  return { text, bytes: Buffer.byteLength(text), values, isJson: read !== undefined };
}

/** A text with its values. */
export interface ReadText {
  readonly text: string;
  readonly bytes: number;
  readonly values: unknown;
  readonly isJson: boolean;
}

export function shareValues(db: SqliteDatabase, read: ReadText, before: SharedState | undefined): SharedText {
  const { state, fresh, isCompact } = cutText(read, before);
  writeNodes(db, fresh);
  return { state, root: state.node.id, whole: isCompact ? null : writeWhole(db, read.text) };
}

/** What is to be written of a text: its new nodes and, unless it is compact, the text itself. */
export function cutText({ bytes, values, isJson }: ReadText, before: SharedState | undefined) {
  const { state, fresh } = share(values, { hash: sha256, before });
  // Tokens keep their source, so only the white space between them can be lost.
  return { state, fresh, isCompact: isJson && state.bytes === bytes };
}

function valuesIn(text: string): { readonly values: unknown } | undefined {
  try {
    return { values: valuesOf(text) };
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'unreadable') return undefined;
    throw error;
  }
}

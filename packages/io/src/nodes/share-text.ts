import { InspectorError, share, type SharedState, valuesOf } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '../sqlite/index.ts';
import { sha256Text, writeNodes, writeWhole } from './rows.ts';

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
  const read = valuesIn(text);
  const values = read === undefined ? null : read.values;
  return shareValues(db, { text, bytes: Buffer.byteLength(text), values, isJson: read !== undefined }, before);
}

/** A text with its values. */
export interface ReadText {
  readonly text: string;
  readonly bytes: number;
  readonly values: unknown;
  readonly isJson: boolean;
}

export function shareValues(
  db: SqliteDatabase,
  { text, bytes, values, isJson }: ReadText,
  before: SharedState | undefined,
): SharedText {
  const { state, fresh } = share(values, { hash: sha256Text, before });
  writeNodes(db, fresh);
  // Tokens keep their source, so only the white space between them can be lost.
  const isCompact = isJson && state.bytes === bytes;
  return { state, root: state.node.id, whole: isCompact ? null : writeWhole(db, text) };
}

function valuesIn(text: string): { readonly values: unknown } | undefined {
  try {
    return { values: valuesOf(text) };
  } catch (error) {
    if (InspectorError.is(error) && error.code === 'unreadable') return undefined;
    throw error;
  }
}

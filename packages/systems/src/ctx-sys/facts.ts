import { InspectorError, parseJson, type Problem } from '@checkpoint-inspector/core';
import { gunzipBounded, type SqliteDatabase } from '@checkpoint-inspector/io';
import { problemOf } from '../folder/document.ts';
import { recordOf } from '../folder/view.ts';
import type { Row } from './rows.ts';
import { quoted, type CheckpointTable } from './tables.ts';

/** What a state says of its run, for display only: state text is never made from it. */
export interface Facts {
  readonly problem?: Problem;
  /** Steps of the plan; 0 for a state without one, which is what the MCP tool saves. */
  readonly steps: number;
  /** Description of the step that ended with this checkpoint. */
  readonly ended?: string;
  readonly lastError?: string;
}

/** Bytes of `state_json`, as stored. `undefined` when the row is gone. */
export function storedState(database: SqliteDatabase, table: CheckpointTable, row: Row): Uint8Array | undefined {
  const sql = `SELECT CAST(state_json AS BLOB) AS bytes FROM ${quoted(table.name)} WHERE rowid = ?`;
  const found = database.prepare<{ bytes: Uint8Array | null }>(sql).get(row.rowid);
  return found && new Uint8Array(found.bytes ?? []);
}

/** Exactly as it was saved. @throws InspectorError unreadable (`data.offset` in bytes) | too_large */
export async function stateText(stored: Uint8Array, isOwn: boolean, encoding: string): Promise<string> {
  const isGzip = stored[0] === 0x1f && stored[1] === 0x8b;
  const text = isOwn && isGzip ? decode(await gunzipBounded(stored), 'UTF-8') : decode(stored, encoding);
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw notJson(text);
  }
}

/** Never throws: what is wrong with the state is the `problem`. */
export async function factsOf(load: () => Promise<string>, row: Row): Promise<Facts> {
  try {
    return readFacts(await load(), row);
  } catch (error) {
    return { problem: problemOf(error), steps: 0 };
  }
}

function readFacts(text: string, row: Row): Facts {
  const state = recordOf(JSON.parse(text));
  const plan: readonly unknown[] = Array.isArray(state['plan']) ? state['plan'] : [];
  const ended = row.step === undefined ? undefined : recordOf(plan[row.step - 1])['description'];
  const lastError = recordOf(state['lastError'])['message'];
  return {
    steps: plan.length,
    ...(typeof ended === 'string' && ended !== '' ? { ended } : {}),
    ...(typeof lastError === 'string' ? { lastError } : {}),
  };
}

function decode(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new InspectorError('unreadable', `The state isn't valid ${encoding} text.`, { cause });
  }
}

/** With the place where it stops being JSON; NaN and Infinity pass our reader and not the one of ctx-sys. */
function notJson(text: string): InspectorError {
  try {
    parseJson(text);
  } catch (error) {
    const { message, data } = InspectorError.from(error);
    const at = data?.['offset'];
    const offset = typeof at === 'number' ? { data: { offset: Buffer.byteLength(text.slice(0, at)) } } : {};
    return new InspectorError('unreadable', message, offset);
  }
  return new InspectorError('unreadable', "The state contains NaN or Infinity, which ctx-sys can't read.");
}

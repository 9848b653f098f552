import {
  InspectorError,
  sha256Hex,
  type CheckpointRef,
  type PlanWarning,
  type Precondition,
  type StoreId,
} from '@checkpoint-inspector/core';
import { isRecent, type Look } from './meta.ts';
import type { Session } from './sessions.ts';
import { storedBytes } from './state.ts';
import type { OpencodeStore, Placed } from './store.ts';

export interface PlanContext {
  readonly store: StoreId;
  readonly path: string;
  readonly opencode: OpencodeStore;
  readonly now: Date;
}

/** A checkpoint that a request names, in its session. */
export interface Wanted extends Placed {
  readonly ref: CheckpointRef;
  readonly look: Look;
}

export function headStays({ session, history }: Wanted): Precondition[] {
  const { head } = history;
  return [{ kind: 'head', task: session.id, ...(head ? { ref: { task: session.id, id: head.id } } : {}) }];
}

export async function revisionOf({ opencode }: PlanContext, wanted: Wanted): Promise<Precondition> {
  const bytes = storedBytes(opencode.database, wanted.session.id, wanted.point);
  if (bytes) return { kind: 'revision', ref: wanted.ref, revision: await sha256Hex(bytes) };
  throw new InspectorError('changed', `"${wanted.ref.id}" was deleted in the meantime.`);
}

export function activeWarning(look: Look): PlanWarning[] {
  if (!isRecent(look)) return [];
  const message = 'The session changed less than a minute ago. If opencode is working on it, stop it first.';
  return [{ code: 'agent_active', message }];
}

/** The command that continues from the session's latest. */
export const resumeCall = ({ id }: Pick<Session, 'id'>): string => `opencode --session ${id}`;

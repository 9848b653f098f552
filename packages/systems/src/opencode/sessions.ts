import { recordOf } from '../folder/view.ts';
import type { SqliteDatabase } from '@checkpoint-inspector/io';

/** A row of `session`, without what grows. Times in ms since 1970. */
export interface Session {
  readonly id: string;
  readonly projectId: string;
  /** Of a sub-agent: the session that started it. */
  readonly parentId?: string;
  readonly title: string;
  readonly directory: string;
  readonly created?: number;
  readonly updated?: number;
  readonly isArchived: boolean;
  /** Messages from here on are hidden, and opencode deletes them at the next prompt. */
  readonly revert?: Marker;
  /** As stored; a plan expects it unchanged. */
  readonly revertText: string | null;
}

export interface Marker {
  readonly messageId: string;
  /** Of that message, only the parts from here on are hidden. */
  readonly partId?: string;
}

interface SessionRow {
  readonly id: string;
  readonly project: unknown;
  readonly parent: unknown;
  readonly title: unknown;
  readonly directory: unknown;
  readonly created: unknown;
  readonly updated: unknown;
  readonly archived: unknown;
  readonly revert: unknown;
}

const SQL = `SELECT id, project_id AS project, parent_id AS parent, title, directory, time_created AS created,
  time_updated AS updated, %archived AS archived, revert FROM session WHERE typeof(id) = 'text'`;

/** Newest first, ties by id. */
export function readSessions(database: SqliteDatabase, hasArchived: boolean): readonly Session[] {
  const sql = SQL.replace('%archived', hasArchived ? 'time_archived' : 'NULL');
  return database.prepare<SessionRow>(sql).all().map(toSession).toSorted(byUpdate);
}

/** The order of the list. */
export function byUpdate(a: Pick<Session, 'id' | 'updated'>, b: Pick<Session, 'id' | 'updated'>): number {
  const byTime = (b.updated ?? 0) - (a.updated ?? 0);
  if (byTime !== 0) return byTime;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function toSession(row: SessionRow): Session {
  const revert = markerIn(row.revert);
  const [created, updated] = [timeOf(row.created), timeOf(row.updated)];
  return {
    id: row.id,
    projectId: text(row.project),
    ...(typeof row.parent === 'string' && row.parent !== '' ? { parentId: row.parent } : {}),
    title: text(row.title),
    directory: text(row.directory),
    ...(created === undefined ? {} : { created }),
    ...(updated === undefined ? {} : { updated }),
    isArchived: typeof row.archived === 'number',
    ...(revert ? { revert } : {}),
    revertText: typeof row.revert === 'string' ? row.revert : null,
  };
}

/** A marker that can't be read hides nothing, as in opencode. */
function markerIn(stored: unknown): Marker | undefined {
  if (typeof stored !== 'string') return undefined;
  try {
    const { messageID, partID } = recordOf(JSON.parse(stored));
    if (typeof messageID !== 'string') return undefined;
    return { messageId: messageID, ...(typeof partID === 'string' ? { partId: partID } : {}) };
  } catch {
    return undefined;
  }
}

/** `undefined` for what isn't a time: text, or a number beyond what dates can have. */
export function timeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15 ? value : undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const FORK = /^(.*) \(fork #(\d+)\)$/s;

/** The title that a fork was made from: the only trace that opencode leaves of one. */
export const forkedTitle = (title: string): string | undefined => FORK.exec(title)?.[1];

/** The title of a fork. @example titleOfFork('Plan (fork #1)') // 'Plan (fork #2)' */
export function titleOfFork(title: string): string {
  const [, base = title, number = '0'] = FORK.exec(title) ?? [];
  return `${base} (fork #${Number(number) + 1})`;
}

import type { CheckpointRef } from '@checkpoint-inspector/core';
import { tableColumns, type SqliteDatabase } from '@checkpoint-inspector/io';
import { historyOf, type History, type Point } from './history.ts';
import { ROW, SessionLog } from './log.ts';
import { forkedTitle, readSessions, type Session } from './sessions.ts';
import { StoredTexts } from './state.ts';
import type { Layout } from './tables.ts';

/** Sessions with a known history; the others are read again when they are looked at. */
const KEPT = 500;
/** A fork is looked for among so many sessions of its title. */
const CANDIDATES = 8;

/** Where the first checkpoint of a session comes from. */
export interface Origin {
  readonly session: Session;
  readonly point: Point;
  readonly lineage: 'recorded' | 'inferred';
}

export interface Placed {
  readonly session: Session;
  readonly history: History;
  readonly point: Point;
}

interface Known {
  readonly log: SessionLog;
  readonly history: History;
  readonly stamp: string;
}

/** One database, read; what is known of a session is kept until its rows or events change. */
export class OpencodeStore {
  readonly database: SqliteDatabase;
  readonly texts: StoredTexts;
  readonly #layout: Layout;
  readonly #hasArchived: boolean;
  readonly #known = new Map<string, Known>();
  #sessions: readonly Session[] = [];
  #byId: ReadonlyMap<string, Session> = new Map();
  #version: unknown;

  constructor(database: SqliteDatabase, layout: Layout) {
    this.database = database;
    this.texts = new StoredTexts(database);
    this.#layout = layout;
    this.#hasArchived = tableColumns(database, 'session').includes('time_archived');
  }

  /** Newest first. */
  sessions(): readonly Session[] {
    const version = this.database.pragma('data_version');
    if (version === this.#version) return this.#sessions;
    this.texts.clear();
    this.#sessions = readSessions(this.database, this.#hasArchived);
    this.#byId = new Map(this.#sessions.map((session) => [session.id, session]));
    this.#version = version;
    return this.#sessions;
  }

  session(id: string): Session | undefined {
    this.sessions();
    return this.#byId.get(id);
  }

  history(session: Session): History {
    const stamp = this.#stampOf(session);
    const known = this.#known.get(session.id);
    if (known?.stamp === stamp) return known.history;
    const log = this.#read(session.id, known?.log);
    const history = historyOf(log, session.revert);
    this.#known.delete(session.id);
    this.#known.set(session.id, { log, history, stamp });
    for (const oldest of this.#known.size > KEPT ? this.#known.keys() : []) {
      this.#known.delete(oldest);
      break;
    }
    return history;
  }

  /** A checkpoint in its session; `undefined` for an unknown one. */
  point({ task, namespace, id }: CheckpointRef): Placed | undefined {
    const session = namespace ? undefined : this.session(task);
    const history = session && this.history(session);
    const point = history?.byId.get(id);
    return session && history && point ? { session, history, point } : undefined;
  }

  /** The session that a sub-agent or a fork came from; of a fork only its title and the times of its messages tell. */
  origin(session: Session): Origin | undefined {
    if (session.parentId !== undefined) return this.#started(session, session.parentId);
    const title = forkedTitle(session.title);
    return title === undefined ? undefined : this.#forked(session, title);
  }

  /** Sessions from which opencode has deleted messages: their ids are in no table. */
  sessionsWithDeleted(): readonly Session[] {
    if (!this.#layout.hasEvents) return [];
    const sql = `SELECT id FROM session WHERE EXISTS (SELECT 1 FROM event
      WHERE aggregate_id = session.id AND type IN ('message.removed.1', 'message.part.removed.1'))`;
    return this.database
      .prepare<{ id: string }>(sql)
      .all()
      .flatMap(({ id }) => this.session(id) ?? []);
  }

  /** The session of a message, part or event. */
  sessionOf(table: 'message' | 'part' | 'event', id: string): Session | undefined {
    if (table === 'event' && !this.#layout.hasEvents) return undefined;
    const column = table === 'event' ? 'aggregate_id' : 'session_id';
    const row = this.database.prepare<{ id: unknown }>(`SELECT ${column} AS id FROM ${table} WHERE id = ?`).get(id);
    return typeof row?.id === 'string' ? this.session(row.id) : undefined;
  }

  #read(session: string, known: SessionLog | undefined): SessionLog {
    const log = known && this.#growsOnly(session, known) ? known : new SessionLog();
    if (this.#layout.hasEvents) log.readEvents(this.database, session);
    log.readRows(this.database, session);
    return log;
  }

  /** A log grows at its end alone; rows from before it can change anywhere. */
  #growsOnly(session: string, log: SessionLog): boolean {
    if (!this.#layout.hasEvents || log.damaged.length > 0) return false;
    const hasRows = [...log.messages.values()].some(({ versions }) => versions[0]?.seq === ROW);
    return !hasRows && log.isWhole(this.database, session);
  }

  /** Equal while nothing of the session has changed: events, rows, marker. */
  #stampOf({ id, revertText, title }: Session): string {
    const version = this.database.pragma('data_version');
    return JSON.stringify([version, id, revertText, title]);
  }

  #started(session: Session, parentId: string): Origin | undefined {
    const parent = this.session(parentId);
    const points = parent ? this.history(parent).points : [];
    const call = points.find((point) => point.part?.facts.some((facts) => facts.session === session.id));
    const point = call && startOf(call, points);
    return parent && point && { session: parent, point, lineage: 'recorded' };
  }

  #forked(session: Session, title: string): Origin | undefined {
    const times = new Set(messagesOf(this.history(session)).map(({ facts }) => facts[0]?.created));
    const isBefore = (other: Session): boolean =>
      other.id !== session.id && (other.created ?? 0) <= (session.created ?? 0);
    const others = this.sessions().filter(
      (other) =>
        other.projectId === session.projectId &&
        (other.title === title || forkedTitle(other.title) === title) &&
        isBefore(other),
    );
    for (const other of others.slice(0, CANDIDATES)) {
      const shared = this.history(other).points.findLast(
        ({ is, message }) => is === 'message' && times.has(message?.facts[0]?.created),
      );
      if (shared) return { session: other, point: shared, lineage: 'inferred' };
    }
    return undefined;
  }
}

const messagesOf = ({ log }: History) => [...log.messages.values()];

/** A call begins where the checkpoint before its first event ended. */
function startOf(call: Point, points: readonly Point[]): Point {
  const first = call.part?.versions[0]?.seq ?? call.seq;
  return points.findLast(({ seq, is }) => is !== 'damaged' && seq < first) ?? call;
}

/** The state at a checkpoint, assembled from exact slices of what is stored. */
import {
  InspectorError,
  memberOf,
  parseJson,
  quoteJson,
  sourceOf,
  stringOf,
  valueAt,
  type Path,
} from '@checkpoint-inspector/core';
import type { SqliteDatabase, SqliteStatement, SqlValue } from '@checkpoint-inspector/io';
import { Kept } from '../folder/kept.ts';
import { byId, byPlace, type Point } from './history.ts';
import { ROW, type Message, type Part, type SessionLog, type Version } from './log.ts';

/** A message with its parts, as JSON texts that opencode would export. */
export interface MessageText {
  readonly message: Message;
  readonly info: string;
  readonly parts: readonly { readonly part: Part; readonly text: string }[];
}

/** What is stored at a point, as texts. */
export interface StateTexts {
  readonly session: string;
  readonly messages: readonly MessageText[];
}

/** @throws InspectorError unreadable */
export function textsAt(stored: StoredTexts, session: string, log: SessionLog, point: Point): StateTexts {
  if (point.damaged) throw new InspectorError(point.damaged.problem.code, point.damaged.problem.message);
  const messages = messagesAt(log, point).map((message): MessageText => {
    const textOf = (part: Part): string => stored.part(session, part, at(part.versions, point));
    const parts = partsAt(message, point).map((part) => ({ part, text: textOf(part) }));
    return { message, info: stored.message(session, message, at(message.versions, point)), parts };
  });
  const seq = log.sessionSeqs.findLast((one) => one <= point.seq);
  return { session: seq === undefined ? stored.session(session) : stored.event(session, seq, 'info'), messages };
}

/** @example stateText({ session: '{}', messages: [] }) // '{"session":{},"messages":[]}' */
export function stateText(session: string, messages: readonly { info: string; parts: readonly string[] }[]): string {
  const list = messages.map(({ info, parts }) => `{"info":${info},"parts":[${parts.join(',')}]}`);
  return `{"session":${session},"messages":[${list.join(',')}]}`;
}

/** How the text came to be, for the screen. */
export function derivedWords({ damaged }: SessionLog, point: Point): string {
  const from =
    point.seq === ROW ? "from the rows of the session's messages and parts" : `from the event log up to ${point.seq}`;
  const left = damaged.filter(({ seq }) => seq <= point.seq).length;
  return `assembled ${from}${left === 0 ? '' : `; ${left} that can't be read ${left === 1 ? 'is' : 'are'} left out`}`;
}

/** The data of the row or event that a point ends with, as stored. */
export function storedBytes(database: SqliteDatabase, session: string, point: Point): Uint8Array | undefined {
  const { message, part, damaged } = point;
  if (damaged?.from === 'event' || (point.seq !== ROW && !damaged)) {
    const versions = part?.versions ?? message?.versions;
    const seq = damaged?.seq ?? versions?.findLast((one) => one.seq <= point.seq)?.seq;
    const sql = 'SELECT CAST(data AS BLOB) AS data FROM event WHERE aggregate_id = ? AND seq = ?';
    if (seq !== ROW) return bytesOf(database.prepare<Stored>(sql).get(session, seq ?? ROW));
  }
  const table = damaged?.from === 'part' || part ? 'part' : 'message';
  return bytesOf(
    database.prepare<Stored>(`SELECT CAST(data AS BLOB) AS data FROM ${table} WHERE id = ?`).get(point.id),
  );
}

/** A value in what is stored of a call: a text as it reads, anything else as JSON. */
export function callValue(database: SqliteDatabase, session: string, point: Point, path: Path): string | undefined {
  const bytes = storedBytes(database, session, point);
  if (bytes === undefined || point.damaged) return undefined;
  const text = new TextDecoder().decode(bytes);
  const root = parseJson(text);
  const node = valueAt(text, root, ['part', ...path]) ?? valueAt(text, root, path);
  if (node === undefined) return undefined;
  return node.kind === 'string' ? stringOf(text, node) : sourceOf(text, node);
}

interface Stored {
  readonly data: unknown;
}

const bytesOf = (row: Stored | undefined): Uint8Array | undefined =>
  row && (row.data instanceof Uint8Array ? new Uint8Array(row.data) : new Uint8Array());

/** In the order of the conversation. */
export function messagesAt(log: SessionLog, point: Point): readonly Message[] {
  const all = [...log.messages.values()].filter(({ versions, removedAt }) => {
    const first = versions[0]?.seq ?? ROW;
    return first <= point.seq && (removedAt === undefined || removedAt > point.seq);
  });
  const ordered = all.toSorted(byPlace);
  // Rows have no time of their own: up to here in the conversation.
  return point.seq === ROW && point.message ? ordered.slice(0, ordered.indexOf(point.message) + 1) : ordered;
}

function partsAt(message: Message, { seq, message: own, part: until }: Point): readonly Part[] {
  const isCut = (part: Part): boolean => seq === ROW && message === own && until !== undefined && part.id > until.id;
  return [...message.parts.values()]
    .filter(
      (part) =>
        (part.versions[0]?.seq ?? ROW) <= seq && (part.removedAt ?? Number.POSITIVE_INFINITY) > seq && !isCut(part),
    )
    .toSorted(byId);
}

const at = (versions: readonly Version[], { seq }: Point): Version | undefined =>
  versions.findLast((version) => version.seq <= seq);

/**
 * What is stored of messages and parts, each with its ids. A state has most of what the one before it has, so each row
 * and event is read once for all of them, until the database changes.
 */
export class StoredTexts {
  readonly #database: SqliteDatabase;
  readonly #kept = new Kept<string, string>();
  readonly #statements = new Map<string, SqliteStatement<Stored>>();

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** To be called as soon as the database may have changed. */
  clear(): void {
    this.#kept.clear();
  }

  /** @throws InspectorError unreadable */
  message(sessionID: string, { id }: Message, version: Version | undefined): string {
    if (version && version.seq !== ROW) return this.event(sessionID, version.seq, 'info');
    return this.#row('message', id, { id, sessionID });
  }

  /** @throws InspectorError unreadable */
  part(sessionID: string, { id, facts }: Part, version: Version | undefined): string {
    if (version && version.seq !== ROW) return this.event(sessionID, version.seq, 'part');
    return this.#row('part', id, { id, sessionID, messageID: facts[0]?.messageId ?? '' });
  }

  /** The member of an event. @throws InspectorError unreadable */
  event(session: string, seq: number, member: 'info' | 'part'): string {
    const sql = 'SELECT data FROM event WHERE aggregate_id = ? AND seq = ?';
    return this.#text(`${member} ${seq} ${session}`, sql, [session, seq], (text) => {
      const root = parseJson(text);
      const found = root.kind === 'object' ? memberOf(root, member)?.value : undefined;
      if (found) return sourceOf(text, found);
      throw new InspectorError('unreadable', `The event at ${seq} has no ${member}.`);
    });
  }

  /** Of a session without events. */
  session(id: string): string {
    return sessionText(sessionColumns(this.#database, id));
  }

  #row(table: 'message' | 'part', id: string, ids: Readonly<Record<string, string>>): string {
    return this.#text(`${table} ${id}`, `SELECT data FROM ${table} WHERE id = ?`, [id], (text) => withIds(text, ids));
  }

  #text(key: string, sql: string, place: readonly SqlValue[], toText: (stored: string) => string): string {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const stored = textIn(this.#statement(sql).get(...place));
    return this.#kept.set(key, toText(stored), stored.length);
  }

  /** Not before it is needed: some databases have no events. */
  #statement(sql: string): SqliteStatement<Stored> {
    const statement = this.#statements.get(sql) ?? this.#database.prepare<Stored>(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** As opencode hands a row out: its ids, then its data. */
export function withIds(data: string, ids: Readonly<Record<string, string>>): string {
  const own = Object.entries(ids).map(([key, value]) => `${quoteJson(key)}:${quoteJson(value)}`);
  const rest = data.trim().slice(1, -1).trim();
  return `{${[...own, ...(rest === '' ? [] : [rest])].join(',')}}`;
}

function textIn(row: Stored | undefined): string {
  if (typeof row?.data === 'string') return row.data;
  throw new InspectorError('unreadable', row ? "The data isn't text." : 'The row was deleted in the meantime.');
}

/** What stays as it is while a session goes on: no times, no cost, no marker. */
const SESSION_SQL = `SELECT id, slug, project_id AS projectID, directory, title, version, parent_id AS parentID
  FROM session WHERE id = ?`;

type Columns = Readonly<Record<string, unknown>>;

export function sessionColumns(database: SqliteDatabase, session: string): Columns {
  return database.prepare<Columns>(SESSION_SQL).get(session) ?? { id: session };
}

export function sessionText(columns: Columns): string {
  const known = Object.entries(columns).flatMap(([key, value]) =>
    typeof value === 'string' ? [`${quoteJson(key)}:${quoteJson(value)}`] : [],
  );
  return `{${known.join(',')}}`;
}

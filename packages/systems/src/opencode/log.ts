/** What is known of the messages and parts of one session, without their texts: from the event log, and from the rows that it doesn't mention. */
import type { Problem } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { unreadable } from '../folder/document.ts';
import { timeDigits } from './ids.ts';
import { messageFacts, MESSAGE_PATHS, partFacts, PART_PATHS, type MessageFacts, type PartFacts } from './facts.ts';

/** The place of a row that no event wrote: before all events. */
export const ROW = -1;

/** One message or part as some event, or its row, has it. */
export interface Version {
  /** Of the event; `ROW` for a row. */
  readonly seq: number;
  readonly sizeBytes: number;
}

interface Piece {
  readonly id: string;
  /** Oldest first, never empty. */
  readonly versions: Version[];
  /** The event that removed it. */
  removedAt?: number;
}

export interface Part extends Piece {
  /** Of each version, in the same order. */
  readonly facts: PartFacts[];
}

export interface Message extends Piece {
  readonly facts: MessageFacts[];
  readonly parts: Map<string, Part>;
}

/** A row or event that can't be read: it is listed, and left out of every state. */
export interface Damaged {
  readonly id: string;
  readonly seq: number;
  readonly sizeBytes: number;
  readonly problem: Problem;
  readonly from: 'event' | 'message' | 'part';
}

/** A session's log, read on from where the last reading ended. */
export class SessionLog {
  readonly messages = new Map<string, Message>();
  readonly damaged: Damaged[] = [];
  /** Events that say what the session is. */
  readonly sessionSeqs: number[] = [];
  /** Messages that the table has now: what opencode resumes from. */
  live: ReadonlySet<string> = new Set();
  lastSeq = ROW;
  /** How many events were read. */
  count = 0;
  #startsWithSession = false;
  /** Time in the id of the first event. */
  #firstTime = '';
  /** Events of parts whose message no event has named: it may be in a row. */
  #early: { readonly facts: PartFacts; readonly version: Version; readonly event: string }[] = [];

  /** False where events that were read are gone: a session was imported over itself. */
  isWhole(database: SqliteDatabase, session: string): boolean {
    const sql = 'SELECT count(*) AS n FROM event WHERE aggregate_id = ? AND seq <= ?';
    return database.prepare<{ n: number }>(sql).get(session, this.lastSeq)?.n === this.count;
  }

  /** Adds the events after the last that was read. */
  readEvents(database: SqliteDatabase, session: string): void {
    const rows = database.prepare<EventRow>(EVENTS_SQL).iterate(session, this.lastSeq);
    for (const row of rows) this.#addEvent(row);
  }

  /** Adds what only the tables have. A log that has rows from before its events is read again when they change. */
  readRows(database: SqliteDatabase, session: string): void {
    const ids = database.prepare<{ id: unknown }>(IDS_SQL).all(session);
    this.live = new Set(ids.flatMap(({ id }) => (typeof id === 'string' ? [id] : [])));
    const old = new Set([...this.live].filter((id) => this.#isOlder(id)));
    for (const row of old.size === 0 ? [] : database.prepare<DataRow>(MESSAGES_SQL).all(session)) {
      if (old.has(row.id)) this.#addMessageRow(row);
    }
    for (const row of old.size === 0 ? [] : database.prepare<PartRow>(PARTS_SQL).all(session)) {
      if (old.has(row.message)) this.#addPartRow(row);
    }
    for (const { facts, version, event } of this.#early.splice(0)) {
      if (this.messages.has(facts.messageId)) this.#addPart(facts, version, event);
      else
        this.damaged.push({
          id: event,
          ...version,
          problem: unreadable(`Its message ${facts.messageId} isn't there.`),
          from: 'event',
        });
    }
  }

  /** Whether a message was there before the log began. */
  #isOlder(id: string): boolean {
    const known = this.messages.get(id);
    if (known === undefined) return true;
    return !this.#startsWithSession && timeDigits(id) < this.#firstTime;
  }

  #addEvent(row: EventRow): void {
    const { seq, id, type, sizeBytes } = row;
    if (this.lastSeq === ROW) {
      this.#startsWithSession = type.startsWith('session.created.');
      this.#firstTime = timeDigits(id);
    }
    this.lastSeq = seq;
    this.count++;
    const [, kind = '', version = ''] = /^(.*)\.(\d+)$/s.exec(type) ?? [];
    if (!KINDS.has(kind)) return;
    const facts = version === '1' ? listIn(row.facts) : undefined;
    const done = facts !== undefined && this.#apply(kind, facts, row);
    if (done) return;
    const problem =
      version === '1' ? unreadable(`The event at ${seq} isn't a ${kind} in JSON.`) : newer(`Event ${seq} is ${type}.`);
    this.damaged.push({ id, seq, sizeBytes, problem, from: 'event' });
  }

  #apply(kind: string, facts: readonly unknown[], { id, seq, sizeBytes, words }: EventRow): boolean {
    const version = { seq, sizeBytes };
    switch (kind) {
      case 'message.updated':
        return this.#addMessage(messageFacts(facts), version);
      case 'message.part.updated':
        return this.#addPart(partFacts(facts, words), version, id);
      case 'message.removed':
        return this.#remove(facts, seq);
      case 'message.part.removed':
        return this.#remove(facts, seq);
      default:
        this.sessionSeqs.push(seq);
        return true;
    }
  }

  #addMessage(facts: MessageFacts | undefined, version: Version): boolean {
    if (facts === undefined) return false;
    const known = this.messages.get(facts.id);
    if (known) {
      known.versions.push(version);
      known.facts.push(facts);
    } else this.messages.set(facts.id, { id: facts.id, versions: [version], facts: [facts], parts: new Map() });
    return true;
  }

  #addPart(facts: PartFacts | undefined, version: Version, event: string): boolean {
    if (facts === undefined) return false;
    const message = this.messages.get(facts.messageId);
    if (message === undefined) {
      this.#early.push({ facts, version, event });
      return true;
    }
    const known = message.parts.get(facts.id);
    if (known) {
      known.versions.push(version);
      known.facts.push(facts);
    } else message.parts.set(facts.id, { id: facts.id, versions: [version], facts: [facts] });
    return true;
  }

  /** What was never seen can't be missed: the rows of an import have no events. */
  #remove([messageId, partId]: readonly unknown[], seq: number): boolean {
    if (typeof messageId !== 'string') return false;
    const message = this.messages.get(messageId);
    const piece = typeof partId === 'string' ? message?.parts.get(partId) : message;
    if (piece) piece.removedAt ??= seq;
    return true;
  }

  #addMessageRow(row: DataRow): void {
    const facts = messageFacts([row.id, ...(listIn(row.facts) ?? [])].slice(0, MESSAGE_PATHS.length));
    if (row.facts === null || facts === undefined) return this.#addDamagedRow(row, 'message');
    const version = { seq: ROW, sizeBytes: row.sizeBytes };
    const known = this.messages.get(row.id);
    if (known) {
      known.versions.unshift(version);
      known.facts.unshift(facts);
    } else this.messages.set(row.id, { id: row.id, versions: [version], facts: [facts], parts: new Map() });
  }

  #addPartRow(row: PartRow): void {
    const message = this.messages.get(row.message);
    if (message?.parts.has(row.id)) return;
    const facts = partFacts([row.id, row.message, ...(listIn(row.facts) ?? [])], row.words);
    if (row.facts === null || facts === undefined) return this.#addDamagedRow(row, 'part');
    if (message === undefined) return this.#addDamagedRow(row, 'part', this.#whyWithout(row.message));
    message.parts.set(row.id, { id: row.id, versions: [{ seq: ROW, sizeBytes: row.sizeBytes }], facts: [facts] });
  }

  /** The part itself can be read: it only has nothing to be part of. */
  #whyWithout(message: string): string {
    const isDamaged = this.damaged.some(({ id, from }) => from === 'message' && id === message);
    return isDamaged
      ? `The part can be read, but its message ${message} can't.`
      : `The part can be read, but its message ${message} isn't there.`;
  }

  #addDamagedRow({ id, sizeBytes }: DataRow, from: 'message' | 'part', words?: string): void {
    const problem = unreadable(words ?? `The row in the table ${from} isn't a ${from} in JSON.`);
    this.damaged.push({ id, seq: ROW, sizeBytes, problem, from });
  }
}

interface EventRow {
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly sizeBytes: number;
  /** A JSON list; null where the data isn't JSON. */
  readonly facts: string | null;
  readonly words: string | null;
}

interface DataRow {
  readonly id: string;
  readonly sizeBytes: number;
  readonly facts: string | null;
  readonly words: string | null;
}

interface PartRow extends DataRow {
  readonly message: string;
}

const KINDS: ReadonlySet<string> = new Set([
  'session.created',
  'session.updated',
  'message.updated',
  'message.removed',
  'message.part.updated',
  'message.part.removed',
]);

const newer = (message: string): Problem => ({
  code: 'unsupported_version',
  message: `${message} Only version 1 of such events is known.`,
});

/** Of a long text a list shows the beginning. */
const WORDS = 160;
const listed = (under: string, paths: readonly string[]) => paths.map((path) => `'$${under}.${path}'`).join(', ');
/** SQLite keeps what it has parsed of a text, so asking it twice parses it once. */
const inJson = (sql: string) => `CASE WHEN typeof(data) = 'text' AND json_valid(data) THEN ${sql} END`;
const wordsAt = (path: string) =>
  `CASE WHEN json_type(data, '$${path}') = 'text' THEN substr(json_extract(data, '$${path}'), 1, ${WORDS}) END`;

const EVENTS_SQL = `SELECT seq, CAST(id AS TEXT) AS id, CAST(type AS TEXT) AS type, octet_length(data) AS sizeBytes,
  ${inJson(`CASE WHEN type GLOB 'message.updated.*' THEN json_extract(data, ${listed('.info', MESSAGE_PATHS)})
    WHEN type GLOB 'message.part.updated.*' THEN json_extract(data, ${listed('.part', PART_PATHS)})
    ELSE json_extract(data, '$.messageID', '$.partID') END`)} AS facts,
  ${inJson(`CASE WHEN type GLOB 'message.part.updated.*' THEN ${wordsAt('.part.text')} END`)} AS words
  FROM event WHERE aggregate_id = ? AND seq > ? ORDER BY seq`;
const IDS_SQL = 'SELECT id FROM message WHERE session_id = ?';
const MESSAGES_SQL = `SELECT CAST(id AS TEXT) AS id, octet_length(data) AS sizeBytes, NULL AS words,
  ${inJson(`json_extract(data, ${listed('', MESSAGE_PATHS.slice(1))})`)} AS facts
  FROM message WHERE session_id = ? ORDER BY time_created, id`;
const PARTS_SQL = `SELECT CAST(id AS TEXT) AS id, message_id AS message, octet_length(data) AS sizeBytes,
  ${inJson(`json_extract(data, ${listed('', PART_PATHS.slice(2))})`)} AS facts,
  ${inJson(wordsAt('.text'))} AS words
  FROM part WHERE session_id = ? ORDER BY id`;

function listIn(facts: string | null): readonly unknown[] | undefined {
  if (facts === null) return undefined;
  const list: unknown = JSON.parse(facts);
  return Array.isArray(list) ? list : undefined;
}

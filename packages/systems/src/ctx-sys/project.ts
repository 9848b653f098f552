import { InspectorError, type CheckpointRef, type Latest } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { factsOf, stateText, storedState, type Facts } from './facts.ts';
import { readSessions, type Row, type Session } from './rows.ts';
import { listedFirst, newestSave } from './rules.ts';
import { checkpointTables, type CheckpointTable } from './tables.ts';

/** Between so many bytes of states, others get their turn. */
const BREATH_BYTES = 4 * 1024 * 1024;

export interface Seen {
  readonly row: Row;
  readonly facts: Facts;
}

/** A session with what its states say. */
export interface Look {
  readonly session: Session;
  /** Resume order. */
  readonly seen: readonly Seen[];
  /** The first that can be read. */
  readonly head?: Seen;
  readonly latest: Latest;
}

/** One table, read; what is known is kept until another connection commits. */
export class Project {
  readonly #database: SqliteDatabase;
  readonly #name: string;
  /** A row is written once: what its state says holds while id, time and size are the same. */
  readonly #facts = new Map<bigint, { readonly key: string; readonly facts: Facts }>();
  #sessions: readonly Session[] = [];
  #byId = new Map<string, Session>();
  #version: unknown;
  #table: CheckpointTable;

  /** @throws InspectorError no_store when the table is missing */
  constructor(database: SqliteDatabase, name: string) {
    this.#database = database;
    this.#name = name;
    this.#table = this.#look();
  }

  get table(): CheckpointTable {
    return this.#table;
  }

  /** Newest save first. */
  sessions(): readonly Session[] {
    const version = this.#database.pragma('data_version');
    if (version !== this.#version) {
      this.#table = this.#look();
      this.#sessions = readSessions(this.#database, this.table);
      this.#byId = new Map(this.#sessions.map((session) => [session.id, session]));
      this.#version = version;
    }
    return this.#sessions;
  }

  session(id: string): Session | undefined {
    this.sessions();
    return this.#byId.get(id);
  }

  row(ref: CheckpointRef): Row | undefined {
    if ((ref.namespace ?? '') !== '') return undefined;
    return this.session(ref.task)?.rows.find((row) => row.id === ref.id);
  }

  bytes(row: Row): Uint8Array | undefined {
    return storedState(this.#database, this.table, row);
  }

  /** `undefined` when the row is gone. @throws InspectorError unreadable | too_large */
  async text(row: Row): Promise<string | undefined> {
    if (row.oddKey !== undefined) {
      throw new InspectorError('unreadable', `The column ${row.oddKey} of this row isn't text.`);
    }
    const stored = this.bytes(row);
    return stored && stateText(stored, this.table.isOwn, String(this.#database.pragma('encoding')));
  }

  /** `undefined` for an unknown session. */
  async look(id: string): Promise<Look | undefined> {
    const session = this.session(id);
    if (session === undefined) return undefined;
    const seen: Seen[] = [];
    let bytes = 0;
    for (const row of session.rows) {
      seen.push({ row, facts: await this.#factsOf(row) });
      bytes += row.sizeBytes;
      if (bytes < BREATH_BYTES) continue;
      bytes = 0;
      await new Promise((resume) => setImmediate(resume));
    }
    const head = seen.find(({ facts }) => facts.problem === undefined);
    return { session, seen, ...(head ? { head } : {}), latest: latestOf(session, seen, head, this.table) };
  }

  /** ctx-sys drops the table with its project. */
  #look(): CheckpointTable {
    const table = checkpointTables(this.#database).find(({ name }) => name === this.#name);
    if (table) return table;
    const { path } = this.#database;
    throw new InspectorError('no_store', `${path} no longer has a table "${this.#name}".`, { data: { path } });
  }

  async #factsOf(row: Row): Promise<Facts> {
    const key = `${row.id} ${row.createdAtText} ${row.sizeBytes} ${row.session}`;
    const known = this.#facts.get(row.rowid);
    if (known?.key === key) return known.facts;
    const facts = await factsOf(async () => (await this.text(row)) ?? '', row);
    this.#facts.set(row.rowid, { key, facts });
    return facts;
  }
}

function latestOf(session: Session, seen: readonly Seen[], head: Seen | undefined, table: CheckpointTable): Latest {
  if (head === undefined) return { basis: 'none', note: "None of this session's checkpoints can be read." };
  const { row } = head;
  const note = notes(session, seen, row).join(' ');
  const next = seen[seen.indexOf(head) + 1]?.row;
  // The document's own rule stops at the time; that of ctx-sys continues to the rowid.
  const isTie = table.layout === 'document' && !table.isOwn && next?.step === row.step;
  const basis = isTie && next?.createdAtText === row.createdAtText ? 'tie' : 'rule';
  return { ref: { task: session.id, id: row.id }, basis, ...(note === '' ? {} : { note }) };
}

function notes(session: Session, seen: readonly Seen[], head: Row): string[] {
  const found: string[] = [];
  const [top] = seen;
  if (top && top.row !== head)
    found.push(`ctx-sys itself picks ${top.row.id}, which cannot be read, and stops with an error.`);
  const listed = listedFirst(session.rows);
  if (listed && listed !== head) found.push(`ctx-sys lists ${listed.id} first, because it sorts by step only.`);
  const newest = newestSave(session.rows);
  if (newest && newest !== head && newest.step !== head.step) {
    found.push(
      `The newest save, ${newest.id} at step ${newest.step}, is not the latest: step ${head.step} takes precedence.`,
    );
  }
  return found;
}

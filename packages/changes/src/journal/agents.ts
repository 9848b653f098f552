/** Which tasks are an agent's own, what it took from others, what it was granted, and who read, saved and proposed what. */
import { InspectorError, type CheckpointRef } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';

export const AGENT_TABLES = `
CREATE TABLE IF NOT EXISTS agent_tasks (store TEXT, task TEXT, client TEXT NOT NULL, PRIMARY KEY (store, task)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS agent_saves (
  store TEXT, task TEXT, client TEXT, id TEXT, revision TEXT, PRIMARY KEY (store, task, client, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS agent_trash (
  receipt TEXT PRIMARY KEY REFERENCES receipts (id), store TEXT NOT NULL, task TEXT NOT NULL, client TEXT NOT NULL,
  above TEXT, revision TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS agent_grants (
  id TEXT PRIMARY KEY, client TEXT NOT NULL, spec TEXT NOT NULL, given_at TEXT NOT NULL, until TEXT, ended_at TEXT
);
CREATE TABLE IF NOT EXISTS agent_activity (
  client TEXT, kind TEXT, store TEXT, task TEXT, count INTEGER NOT NULL, at TEXT NOT NULL,
  PRIMARY KEY (client, kind, store, task)
) WITHOUT ROWID;
`;

/** What a client has looked at longest ago is forgotten: a person reads no more of it, and the journal stays small. */
const ACTIVITY_PER_CLIENT = 500;

/** A task in a store, which is known by its place. */
export interface TaskPlace {
  readonly store: string;
  readonly task: string;
}

export interface AgentGrant {
  readonly id: string;
  readonly client: string;
  /** As it was given: `stores=demo,tasks=run-*,may=save`. */
  readonly spec: string;
  /** ISO 8601 UTC, as the others. */
  readonly givenAt: string;
  readonly until?: string;
  /** When a person ended it. */
  readonly endedAt?: string;
}

/** How often a client did something of this kind, and when last; without store and task where it was about all of them. */
export interface AgentActivity {
  readonly client: string;
  readonly kind: 'read' | 'save' | 'propose';
  readonly store?: string;
  readonly task?: string;
  readonly count: number;
  readonly at: string;
}

/** A checkpoint that is above others by the store's rule, with the revision that it has there. */
export interface Above {
  readonly ref: CheckpointRef;
  readonly revision: string;
}

export interface AgentRecords {
  /** The client that saved the first checkpoint of the task. */
  ownerOf(at: TaskPlace): string | undefined;
  /** Of two that begin a task at once the first one has it; one without checkpoints (`isNew`) is had by nobody. */
  claim(at: TaskPlace, client: string, isNew: boolean): void;
  /** Notes a save, and forgets those that it evicted. */
  saved(at: TaskPlace, client: string, save: { id: string; revision: string; evicted: readonly string[] }): void;
  /** Revisions of the checkpoints that the client saved to the task, by their ids. */
  savesOf(at: TaskPlace, client: string): ReadonlyMap<string, string>;
  /** A change that made room for a save of the client. */
  trashed(at: TaskPlace, client: string, receiptId: string): void;
  /** How many checkpoints such changes took from a store that are neither brought back nor purged. */
  trashedBy(client: string, store: string): number;
  /** After a save: `now` is above what these receipts took, and above what the save evicted, which may be above others. */
  raise(at: TaskPlace, now: Above, over: { receipts: readonly string[]; evicted: readonly CheckpointRef[] }): void;
  /** What is above all that the change took. */
  above(receiptId: string): Above | undefined;
  /** Gives it, unless a person has ended the same one for good. */
  give(grant: Pick<AgentGrant, 'client' | 'spec' | 'until'>): AgentGrant;
  /** Newest first. */
  grants(): readonly AgentGrant[];
  /** @throws InspectorError not_found */
  end(id: string): AgentGrant;
  did(act: Pick<AgentActivity, 'client' | 'kind' | 'store' | 'task'>): void;
  /** Newest first. */
  activity(): readonly AgentActivity[];
}

interface GrantRow {
  readonly id: string;
  readonly client: string;
  readonly spec: string;
  readonly given_at: string;
  readonly until: string | null;
  readonly ended_at: string | null;
}

const now = (): string => new Date().toISOString();

/**
 * Without waiting for the disk: where a power cut takes a save away here, it is taken for another's, which is trashed rather
 * than evicted.
 */
function lightly<T>(db: SqliteDatabase, work: () => T): T {
  db.pragma('synchronous = NORMAL');
  try {
    return db.transaction(work);
  } finally {
    db.pragma('synchronous = FULL');
  }
}

export function openAgents(db: SqliteDatabase): AgentRecords {
  return { ...openSaves(db), ...openTrashed(db), ...openGrants(db), ...openActivity(db) };
}

function openSaves(db: SqliteDatabase): Pick<AgentRecords, 'ownerOf' | 'claim' | 'saved' | 'savesOf'> {
  return {
    ownerOf: ({ store, task }) =>
      db.prepare<{ client: string }>('SELECT client FROM agent_tasks WHERE store = ? AND task = ?').get(store, task)
        ?.client,
    claim: ({ store, task }, client, isNew) => {
      const or = isNew ? 'REPLACE' : 'IGNORE';
      db.prepare(`INSERT OR ${or} INTO agent_tasks VALUES (?, ?, ?)`).run(store, task, client);
    },
    saved: ({ store, task }, client, { id, revision, evicted }) =>
      lightly(db, () => {
        db.prepare('INSERT OR REPLACE INTO agent_saves VALUES (?, ?, ?, ?, ?)').run(store, task, client, id, revision);
        const forget = db.prepare('DELETE FROM agent_saves WHERE store = ? AND task = ? AND id = ?');
        for (const one of evicted) forget.run(store, task, one);
      }),
    savesOf: ({ store, task }, client) => {
      const sql = 'SELECT id, revision FROM agent_saves WHERE store = ? AND task = ? AND client = ?';
      const rows = db.prepare<{ id: string; revision: string }>(sql).all(store, task, client);
      return new Map(rows.map(({ id, revision }) => [id, revision]));
    },
  };
}

const LEFT = `SELECT agent_trash.* FROM agent_trash JOIN receipts ON receipts.id = agent_trash.receipt
  WHERE receipts.undone_by IS NULL AND NOT EXISTS (SELECT 1 FROM purges WHERE purges.receipt = agent_trash.receipt)`;

interface TrashedRow {
  readonly above: string | null;
  readonly revision: string | null;
}

function openTrashed(db: SqliteDatabase): Pick<AgentRecords, 'trashed' | 'trashedBy' | 'raise' | 'above'> {
  return {
    trashed: ({ store, task }, client, receiptId) => {
      const insert = db.prepare('INSERT INTO agent_trash (receipt, store, task, client) VALUES (?, ?, ?, ?)');
      insert.run(receiptId, store, task, client);
    },
    trashedBy: (client, store) => {
      const sql = `SELECT count(*) AS n FROM trash JOIN (${LEFT} AND client = ? AND agent_trash.store = ?) AS own
        ON own.receipt = trash.receipt`;
      return db.prepare<{ n: number }>(sql).get(client, store)?.n ?? 0;
    },
    raise: ({ store, task }, { ref, revision }, { receipts, evicted }) =>
      db.transaction(() => {
        const sql = `UPDATE agent_trash SET above = :above, revision = :revision WHERE store = :store AND task = :task
          AND (receipt IN (SELECT value FROM json_each(:receipts)) OR above IN (SELECT value FROM json_each(:evicted)))`;
        db.prepare(sql).run({
          above: refText(ref),
          revision,
          store,
          task,
          receipts: JSON.stringify(receipts),
          evicted: JSON.stringify(evicted.map(refText)),
        });
      }),
    above: (receiptId) => {
      const row = db.prepare<TrashedRow>('SELECT above, revision FROM agent_trash WHERE receipt = ?').get(receiptId);
      if (row === undefined || row.above === null || row.revision === null) return undefined;
      return { ref: JSON.parse(row.above) as CheckpointRef, revision: row.revision };
    },
  };
}

const refText = ({ task, namespace, id }: CheckpointRef): string =>
  JSON.stringify({ task, ...(namespace && { namespace }), id });

function openGrants(db: SqliteDatabase): Pick<AgentRecords, 'give' | 'grants' | 'end'> {
  const select = (where: string, ...values: string[]): AgentGrant[] =>
    db
      .prepare<GrantRow>(`SELECT * FROM agent_grants ${where} ORDER BY given_at DESC, rowid DESC`)
      .all(...values)
      .map(toGrant);
  return {
    give: ({ client, spec, until }) =>
      db.transaction(() => {
        const [same] = select('WHERE client = ? AND spec = ?', client, spec);
        // Who restarts the agent does not take back what a person has decided.
        if (same?.endedAt !== undefined) return same;
        const id = same?.id ?? randomUUID();
        const insert = db.prepare('INSERT OR REPLACE INTO agent_grants VALUES (?, ?, ?, ?, ?, NULL)');
        insert.run(id, client, spec, now(), until ?? null);
        return found(select('WHERE id = ?', id), id);
      }),
    grants: () => select(''),
    end: (id) => {
      db.prepare('UPDATE agent_grants SET ended_at = coalesce(ended_at, ?) WHERE id = ?').run(now(), id);
      return found(select('WHERE id = ?', id), id);
    },
  };
}

function found([grant]: readonly AgentGrant[], id: string): AgentGrant {
  if (grant) return grant;
  throw new InspectorError('not_found', `No grant "${id}".`, { data: { id } });
}

function toGrant({ id, client, spec, given_at: givenAt, until, ended_at: endedAt }: GrantRow): AgentGrant {
  return { id, client, spec, givenAt, ...(until === null ? {} : { until }), ...(endedAt === null ? {} : { endedAt }) };
}

type ActivityRow = Pick<AgentActivity, 'client' | 'kind' | 'count' | 'at'> & {
  readonly store: string;
  readonly task: string;
};

function openActivity(db: SqliteDatabase): Pick<AgentRecords, 'did' | 'activity'> {
  return {
    did: ({ client, kind, store = '', task = '' }) =>
      lightly(db, () => {
        const upsert = db.prepare(`INSERT INTO agent_activity VALUES (?, ?, ?, ?, 1, ?)
          ON CONFLICT DO UPDATE SET count = count + 1, at = excluded.at`);
        upsert.run(client, kind, store, task, now());
        const forget = `DELETE FROM agent_activity WHERE client = :client AND at < (
          SELECT at FROM agent_activity WHERE client = :client ORDER BY at DESC LIMIT 1 OFFSET ${ACTIVITY_PER_CLIENT - 1})`;
        db.prepare(forget).run({ client });
      }),
    activity: () =>
      db
        .prepare<ActivityRow>('SELECT * FROM agent_activity ORDER BY at DESC, client, kind, store, task')
        .all()
        .map(({ store, task, ...act }) => ({ ...act, ...(store && { store }), ...(task && { task }) })),
  };
}

/** What agents would like changed and a person decides about. In the journal, so that it outlives the agent's process. */
import { compact, InspectorError } from '@checkpoint-inspector/core';
import type { Difference, PlanView, StoreId } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { randomUUID } from 'node:crypto';
import type { NewProposal, ProposalRecord, ProposalRecords, ProposedRequest } from './types.ts';

/** As long as the trash is kept: who comes back from a holiday still finds it, and a store has rarely stood still longer. */
const PROPOSAL_DAYS = 30;
const DAYS_MS = PROPOSAL_DAYS * 86_400_000;
/** More than a person reads in one sitting. */
const MAX_OPEN_PER_CLIENT = 20;
/** Clients name themselves, so there is a bound for all names together: the journal must not fill the disk. */
const MAX_OPEN = 200;

const COLUMNS =
  'id, store, location, client, version, reason, edits, plan, at, outcome, receipt, decided_at FROM proposals';

interface Row {
  readonly id: string;
  readonly store: StoreId;
  readonly location: string | null;
  readonly client: string;
  readonly version: string | null;
  readonly reason: string | null;
  readonly edits: string | null;
  readonly plan: string;
  readonly at: string;
  readonly outcome: ProposalRecord['outcome'];
  readonly receipt: string | null;
  readonly decided_at: string | null;
}

/** The proposals of all processes that share the journal. */
export function openProposals(db: SqliteDatabase, now: () => number = Date.now): ProposalRecords {
  const get = (id: string): ProposalRecord | undefined => {
    const row = db.prepare<Row>(`SELECT ${COLUMNS} WHERE id = ?`).get(id);
    return row && toRecord(row, now());
  };
  return {
    add: (proposal) =>
      db.transaction(() => {
        forgetOld(db, now());
        refuseTooMany(db, proposal.by.name);
        const id = randomUUID();
        insert(db, { ...proposal, id }, new Date(now()).toISOString());
        return found(get(id), id);
      }),
    list: () => {
      const rows = db.prepare<Row>(`SELECT ${COLUMNS} ORDER BY seq DESC`).all();
      return rows.map((row) => toRecord(row, now()));
    },
    get,
    ofReceipt: (receiptId) => {
      const row = db.prepare<Row>(`SELECT ${COLUMNS} WHERE receipt = ?`).get(receiptId);
      return row && toRecord(row, now());
    },
    request: (id) => {
      const row = db.prepare<{ request: string }>("SELECT request FROM proposals WHERE id = ? AND outcome = 'open'");
      const text = row.get(id)?.request;
      return text === undefined ? undefined : (JSON.parse(text) as ProposedRequest);
    },
    dismiss: (id) =>
      db.transaction(() => {
        decide(db, id, { outcome: 'dismissed', now: now() });
        dropRequest(db, 'id', id);
        return found(get(id), id);
      }),
    take: (id) => db.transaction(() => decide(db, id, { outcome: 'applied', now: now() })),
    done: (id, receiptId) =>
      db.transaction(() => {
        db.prepare('UPDATE proposals SET receipt = ? WHERE id = ?').run(receiptId ?? null, id);
        dropRequest(db, 'id', id);
        return found(get(id), id);
      }),
    giveBack: (id) => void db.prepare("UPDATE proposals SET outcome = 'open', decided_at = NULL WHERE id = ?").run(id),
  };
}

/**
 * Decides about an open one; of two processes that decide at once exactly one gets through. Inside the caller's transaction.
 * @throws InspectorError not_found | invalid_input (it was decided already, or has expired)
 */
export function decide(
  db: SqliteDatabase,
  id: string,
  {
    outcome,
    receipt,
    now = Date.now(),
  }: { readonly outcome: 'applied' | 'dismissed'; readonly receipt?: string; readonly now?: number },
): void {
  const sql = `UPDATE proposals SET outcome = ?, receipt = ?, decided_at = ?
    WHERE id = ? AND outcome = 'open' AND at > ?`;
  const values = [outcome, receipt ?? null, new Date(now).toISOString(), id, new Date(now - DAYS_MS).toISOString()];
  if (db.prepare(sql).run(...values).changes === 1) return;
  const row = db.prepare<Row>(`SELECT ${COLUMNS} WHERE id = ?`).get(id);
  throw alreadyDecided(found(row && toRecord(row, now), id).outcome);
}

export const alreadyDecided = (outcome: ProposalRecord['outcome']): InspectorError =>
  new InspectorError(
    'invalid_input',
    `This proposal ${outcome === 'expired' ? 'has expired' : `was ${outcome}`} already.`,
    {
      remedy: 'Look at what became of it, or ask the agent to propose it again.',
    },
  );

/** The change that was to apply it came to nothing, so it is open again. */
export const reopen = (db: SqliteDatabase, receipt: string): void =>
  void db
    .prepare("UPDATE proposals SET outcome = 'open', receipt = NULL, decided_at = NULL WHERE receipt = ?")
    .run(receipt);

/** Once it is decided the request is needed no longer, and an edit holds a whole state. */
export function dropRequest(db: SqliteDatabase, column: 'id' | 'receipt', id: string): void {
  // Freed pages are overwritten.
  db.pragma('secure_delete = ON');
  db.prepare(`UPDATE proposals SET request = '' WHERE ${column} = ?`).run(id);
}

/** Those past their time lose their request, and go after as long again. */
function forgetOld(db: SqliteDatabase, now: number): void {
  const before = (time: number) => new Date(now - time).toISOString();
  db.pragma('secure_delete = ON');
  const expire = db.prepare(
    "UPDATE proposals SET outcome = 'expired', request = '' WHERE outcome = 'open' AND at <= ?",
  );
  expire.run(before(DAYS_MS));
  db.prepare("DELETE FROM proposals WHERE outcome <> 'open' AND at <= ?").run(before(2 * DAYS_MS));
}

/** @throws InspectorError busy */
function refuseTooMany(db: SqliteDatabase, client: string): void {
  const sql = "SELECT count(*) AS everyone, coalesce(sum(client = ?), 0) AS own FROM proposals WHERE outcome = 'open'";
  const { everyone = 0, own = 0 } = db.prepare<{ everyone: number; own: number }>(sql).get(client) ?? {};
  if (own < MAX_OPEN_PER_CLIENT && everyone < MAX_OPEN) return;
  const who = own < MAX_OPEN_PER_CLIENT ? '' : ` of ${client}`;
  const count = own < MAX_OPEN_PER_CLIENT ? MAX_OPEN : MAX_OPEN_PER_CLIENT;
  throw new InspectorError('busy', `${count} proposals${who} are waiting for a person already.`, {
    remedy: 'Wait until a person has decided about some of them.',
  });
}

function insert(db: SqliteDatabase, proposal: NewProposal & { readonly id: string }, at: string): void {
  const { id, store, location, request, by, reason, edits, plan } = proposal;
  db.prepare(
    `INSERT INTO proposals (id, store, location, request, client, version, reason, edits, plan, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    id,
    store,
    location ?? null,
    JSON.stringify(request),
    by.name,
    by.version ?? null,
    reason ?? null,
    edits === undefined ? null : JSON.stringify(edits),
    JSON.stringify(plan),
    at,
  );
}

/** @throws InspectorError not_found */
export function found(record: ProposalRecord | undefined, id: string): ProposalRecord {
  if (record) return record;
  throw new InspectorError('not_found', `No proposal "${id}".`, {
    data: { id },
    remedy: `List them with \`proposals --all\`. They are kept for ${PROPOSAL_DAYS} days; the agent may propose it again.`,
  });
}

function toRecord(row: Row, now: number): ProposalRecord {
  const until = Date.parse(row.at) + DAYS_MS;
  return {
    id: row.id,
    store: row.store,
    by: compact({ name: row.client, version: row.version ?? undefined }),
    plan: JSON.parse(row.plan) as PlanView,
    at: row.at,
    expiresAt: new Date(until).toISOString(),
    // Nobody tells when one expires, and looking must not write.
    outcome: row.outcome === 'open' && until <= now ? 'expired' : row.outcome,
    ...compact({
      location: row.location ?? undefined,
      reason: row.reason ?? undefined,
      edits: row.edits === null ? undefined : (JSON.parse(row.edits) as readonly Difference[]),
      receiptId: row.receipt ?? undefined,
      decidedAt: row.decided_at ?? undefined,
    }),
  };
}

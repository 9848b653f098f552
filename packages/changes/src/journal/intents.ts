import { InspectorError } from '@checkpoint-inspector/core';
import { currentOwner, isAlive, type Image, type Owner, type SqliteDatabase } from '@checkpoint-inspector/io';
import type { Intent, NewIntent } from './types.ts';

interface IntentRow {
  readonly id: string;
  readonly store: NewIntent['store'];
  readonly plan: string;
  readonly target: string;
  readonly location: string | null;
  readonly head_hash: string | null;
  readonly pid: number;
  readonly token: string;
  readonly place: string;
  readonly begun_at: string;
  readonly state: Intent['state'];
}

/** Inside the caller's transaction. @throws InspectorError busy | undo_conflict */
export function insertIntent(db: SqliteDatabase, intent: NewIntent, images: readonly Image[]): void {
  const { engine, place } = intent;
  refuseSecond(db, place);
  refuseUndone(db, intent);
  const owner = currentOwner();
  db.prepare(
    `INSERT INTO intents (id, store, plan, target, target_path, location, head_hash, pid, token, place, begun_at, state)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')`,
  ).run(
    intent.id,
    intent.store,
    JSON.stringify(intent.plan),
    JSON.stringify({ engine, place }),
    place,
    intent.location ?? null,
    intent.headHash ?? null,
    owner.pid,
    owner.token,
    owner.place,
    new Date().toISOString(),
  );
  const insert = db.prepare('INSERT INTO images (intent, n, mark, content) VALUES (?, ?, ?, ?)');
  for (const [n, image] of images.entries())
    insert.run(intent.id, n, JSON.stringify(image.mark), image.content ?? null);
}

/** One change of a place at a time, over all processes that share the journal. */
function refuseSecond(db: SqliteDatabase, path: string): void {
  const other = db.prepare<{ id: string }>("SELECT id FROM intents WHERE state = 'open' AND target_path = ?").get(path);
  if (!other) return;
  throw new InspectorError('busy', `Another change of ${path} is not finished yet.`, { data: { intent: other.id } });
}

function refuseUndone(db: SqliteDatabase, { plan }: NewIntent): void {
  if (plan.request.kind !== 'undo') return;
  const row = db
    .prepare<{ undone_by: string | null }>('SELECT undone_by FROM receipts WHERE id = ?')
    .get(plan.request.receiptId);
  if (row?.undone_by == null) return;
  throw alreadyUndone(row.undone_by);
}

export const alreadyUndone = (undoneBy: string): InspectorError =>
  new InspectorError('undo_conflict', `It was already undone by ${undoneBy}.`, {
    data: { undoneBy },
    // The remedy of the code speaks of a save that is in the way.
    remedy: 'Nothing was changed now. Undo that undo to make the change again.',
  });

/** @throws InspectorError not_found unless the intent is open */
export function endIntent(
  db: SqliteDatabase,
  id: string,
  state: 'finished' | 'abandoned',
  reason: string | null,
): void {
  const sql = "UPDATE intents SET state = ?, reason = ? WHERE id = ? AND state = 'open'";
  if (db.prepare(sql).run(state, reason, id).changes === 1) return;
  throw new InspectorError('not_found', `There is no open intent ${id}.`, { data: { id } });
}

export const selectLocation = (db: SqliteDatabase, id: string): string | undefined =>
  db.prepare<{ location: string | null }>('SELECT location FROM intents WHERE id = ?').get(id)?.location ?? undefined;

export function selectIntents(db: SqliteDatabase, where: string, ...parameters: string[]): Intent[] {
  const rows = db.prepare<IntentRow>(`SELECT * FROM intents WHERE ${where} ORDER BY begun_at, id`).all(...parameters);
  return rows.map(toIntent);
}

function toIntent(row: IntentRow): Intent {
  return {
    id: row.id,
    store: row.store,
    plan: JSON.parse(row.plan) as Intent['plan'],
    ...targetOf(row.target),
    ...(row.location === null ? {} : { location: row.location }),
    ...(row.head_hash === null ? {} : { headHash: row.head_hash }),
    state: row.state,
    begunAt: row.begun_at,
    owner: ownerOf(row, row.begun_at),
  };
}

/** Also as earlier versions kept it, by the kind of the store. @throws InspectorError unreadable */
function targetOf(text: string): Pick<Intent, 'engine' | 'place'> {
  const target = parsed(text);
  if (!isRecord(target)) throw damaged();
  const { engine = ENGINE_OF_KIND.get(target['kind']), place = target['path'] ?? '' } = target;
  if (typeof engine === 'string' && typeof place === 'string') return { engine, place };
  throw damaged();
}

const ENGINE_OF_KIND: ReadonlyMap<unknown, string> = new Map([
  ['folder', 'files'],
  ['sqlite', 'sqlite'],
  ['memory', 'memory'],
]);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged();
  }
}

function damaged(): InspectorError {
  return new InspectorError('unreadable', 'A row in the journal is damaged, or a newer version wrote it.');
}

function ownerOf(owner: Owner, begunAt: string): Intent['owner'] {
  if (!isAlive(owner, begunAt)) return 'gone';
  return owner.pid === process.pid && owner.place === currentOwner().place ? 'here' : 'elsewhere';
}

export function selectMarks(db: SqliteDatabase, id: string): unknown[] {
  const rows = db
    .prepare<{ mark: string }>('SELECT mark FROM images WHERE intent = ? AND skipped = 0 ORDER BY n')
    .all(id);
  return rows.map(({ mark }) => parsed(mark));
}

export function selectImages(db: SqliteDatabase, id: string): Image[] {
  const sql = 'SELECT mark, content FROM images WHERE intent = ? AND skipped = 0 ORDER BY n';
  const rows = db.prepare<{ mark: string; content: Uint8Array | null }>(sql).all(id);
  return rows.map(({ mark, content }) => ({ mark: parsed(mark), ...(content ? { content } : {}) }));
}

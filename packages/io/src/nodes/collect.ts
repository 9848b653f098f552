import { KIND, nodesOf, refsIn, type SharedState } from '@checkpoint-inspector/core';
import type { SqliteDatabase } from '../sqlite/index.ts';
import { metaNumber } from './format.ts';
import { prepared } from './statements.ts';

const BATCH = 1_000;
/** A node without references marks nothing, so its body isn't read; one that is a string takes long to look through. */
const REFERRING = `SELECT body FROM nodes WHERE id IN (SELECT value FROM json_each(?))
  AND (kind <> ${KIND.value} OR substr(body, 1, 1) <> '"') AND instr(body, char(31)) > 0`;
/** One pass over the table: what is dead is never listed. */
const DEAD_BETWEEN = 'DELETE FROM nodes WHERE id > ? AND id <= ? AND id NOT IN (SELECT value FROM json_each(?))';
const ADD = 'UPDATE store_meta SET v = CAST(v AS INTEGER) + ? WHERE k = ?';
/** Fewer removals are never worth a collection within a save. */
const LEAST = 50;

/** Counts checkpoints that are gone or replaced since the last collection; how many there are now. */
export function countRemoved(db: SqliteDatabase, more: number): number {
  if (more > 0) prepared(db, ADD).run(more, 'removed');
  return metaNumber(db, 'removed');
}

/**
 * After a removal that somebody asked for: collects once a tenth of what is there has gone.
 * @param always in a store of so many checkpoints or fewer
 */
export function collectAfterRemoval(db: SqliteDatabase, more: number, always = 0): void {
  const removed = countRemoved(db, more);
  if (removed > 0 && atMost(db, Math.max(always, removed * 10))) collectNodes(db);
}

/**
 * After a save that evicted or replaced: rarely enough that the saves between pay for it. True where it was done.
 * @param saved what was saved, which needs no looking for
 */
export function collectAfterSave(db: SqliteDatabase, more: number, saved: SharedState): boolean {
  if (more === 0) return false;
  const removed = countRemoved(db, more);
  // Looking at every removal would count the rows of a large store again and again.
  const isLooked = Math.floor(removed / LEAST) > Math.floor((removed - more) / LEAST);
  if (!isLooked || !atMost(db, removed)) return false;
  collectNodes(db, nodesOf(saved));
  return true;
}

/** True where the store has no more checkpoints than that. */
const atMost = (db: SqliteDatabase, count: number): boolean =>
  prepared(db, 'SELECT 1 FROM checkpoints LIMIT 1 OFFSET ?').get(count) === undefined;

/**
 * Removes the nodes and texts that no checkpoint refers to, in the caller's transaction. Other writers see the new
 * epoch and forget the states that they know.
 * @param known nodes that a checkpoint refers to, with all that they refer to
 */
export function collectNodes(db: SqliteDatabase, known: Iterable<number> = []): void {
  let after = 0;
  for (const live of batches([...marked(db, known)].sort((a, b) => a - b))) {
    const last = live.at(-1) ?? after;
    prepared(db, DEAD_BETWEEN).run(after, last, JSON.stringify(live));
    after = last;
  }
  prepared(db, 'DELETE FROM nodes WHERE id > ?').run(after);
  prepared(db, 'DELETE FROM texts WHERE id NOT IN (SELECT whole FROM checkpoints WHERE whole IS NOT NULL)').run();
  prepared(db, ADD).run(1, 'gc_epoch');
  prepared(db, "UPDATE store_meta SET v = '0' WHERE k = 'removed'").run();
}

/** Everything that can be reached from a checkpoint. */
function marked(db: SqliteDatabase, known: Iterable<number>): Set<number> {
  const live = new Set(known);
  let wanted = prepared<[number]>(db, 'SELECT DISTINCT root FROM checkpoints', true)
    .all()
    .map(([root]) => root)
    .filter((root) => !live.has(root));
  while (wanted.length > 0) {
    for (const id of wanted) live.add(id);
    const next = new Set<number>();
    for (const ids of batches(wanted)) {
      for (const [body] of prepared<[string]>(db, REFERRING, true).all(JSON.stringify(ids)))
        for (const ref of refsIn(body)) if (!live.has(ref)) next.add(ref);
    }
    wanted = [...next];
  }
  return live;
}

function* batches(ids: readonly number[]): Iterable<readonly number[]> {
  for (let at = 0; at < ids.length; at += BATCH) yield ids.slice(at, at + BATCH);
}

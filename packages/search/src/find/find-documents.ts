import type { Condition } from './conditions.ts';
import type { Search } from './find.ts';
import type { Looker } from './look.ts';
import type { Pace } from './pace.ts';
import type { Candidate, Candidates } from '../cache/types.ts';

interface Row {
  readonly doc: number;
  readonly task: number;
  readonly time: number;
  readonly passes: number;
}

interface Tools {
  readonly condition: Condition;
  readonly looker: Looker;
  readonly pace: Pace;
}

/** Looked at in one statement, whether they pass or not. */
const WINDOW = 2_000;
const AFTER_ALL = Number.MAX_SAFE_INTEGER;

/** Checkpoints by their facts alone, the newest first; those without a known time come last. */
export async function findDocuments(search: Search, { condition, looker, pace }: Tools): Promise<Candidates> {
  const { db, tasks, options } = search;
  const sql = `SELECT d.doc, d.task, ifnull(d.time_ms, -1) AS time, (${condition.sql}) AS passes FROM documents d
    WHERE (ifnull(d.time_ms, -1), d.doc) < (?, ?) ORDER BY ifnull(d.time_ms, -1) DESC, d.doc DESC LIMIT ${WINDOW}`;
  const window = db.prepare<Row>(sql);
  const items: Candidate[] = [];
  let after: Pick<Row, 'time' | 'doc'> = { time: AFTER_ALL, doc: AFTER_ALL };
  for (;;) {
    const rows = window.all(...condition.values, after.time, after.doc);
    for (const row of rows) {
      const task = tasks.get(row.task);
      if (task === undefined || row.passes !== 1) continue;
      if (items.length >= options.most) return { items, cut: 'count' };
      const look = () => looker.checkpoint(row.doc, task.task);
      items.push({ storeKey: task.storeKey, task: task.task, rank: 0, newestMs: task.newestMs, order: row.time, look });
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < WINDOW) return { items };
    after = last;
    if (!(await pace.turn())) return { items, cut: 'time' };
  }
}

import type { SearchFilter, SearchQuery } from '../query/types.ts';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { conditionOf, nameFilter, type Condition } from './conditions.ts';
import { findPlaces } from './find-places.ts';
import { createLooker, type Looker } from './look.ts';
import { createMatcher } from './matcher.ts';
import { createPace, type OpenTask, type Search, type Pace } from './search.ts';
import type { Texts } from '../cache/texts.ts';
import type { Candidates, FindOptions, Candidate } from '../cache/types.ts';

export async function find(
  parts: { readonly db: SqliteDatabase; readonly texts: Texts },
  query: SearchQuery,
  options: FindOptions,
): Promise<Candidates> {
  const { db, texts } = parts;
  const search = { db, texts, tasks: tasksIn(db, query.filters, options.stores), query, options };
  if (search.tasks.size === 0) return { items: [] };
  const matcher = createMatcher(query.terms);
  const pace = createPace(options);
  const condition = conditionOf(query.filters);
  const looker = createLooker(db, texts, matcher, condition);
  if (matcher === undefined) return findDocuments(search, { condition, looker, pace });
  return findPlaces(search, { matcher, looker, pace });
}

function tasksIn(
  db: SqliteDatabase,
  filters: readonly SearchFilter[],
  stores: ReadonlySet<string>,
): Map<number, OpenTask> {
  const passes = nameFilter(filters, 'task');
  const rows = db
    .prepare<{ id: number; key: string; task: string; newest: number }>(
      'SELECT t.id, s.key, t.task, t.newest_ms AS newest FROM tasks t JOIN stores s ON s.id = t.store',
    )
    .all();
  return new Map(
    rows
      .filter(({ key, task }) => stores.has(key) && passes(task))
      .map(({ id, key, task, newest }) => [id, { storeKey: key, task, newestMs: newest }]),
  );
}

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

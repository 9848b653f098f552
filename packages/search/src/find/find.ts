import type { SearchFilter, SearchQuery } from '../query/types.ts';
import type { SqliteDatabase } from '@checkpoint-inspector/io';
import { conditionOf, nameFilter } from './conditions.ts';
import { findDocuments } from './find-documents.ts';
import { findPlaces } from './find-places.ts';
import { createLooker } from './look.ts';
import { createMatcher } from './matcher.ts';
import { createPace } from './pace.ts';
import type { Texts } from '../cache/texts.ts';
import type { Candidates, FindOptions } from '../cache/types.ts';

/** A task that may be looked in. */
export interface OpenTask {
  readonly storeKey: string;
  readonly task: string;
  readonly newestMs: number;
}

/** What a search needs, whatever it looks for. */
export interface Search {
  readonly db: SqliteDatabase;
  readonly texts: Texts;
  /** By number. */
  readonly tasks: ReadonlyMap<number, OpenTask>;
  readonly query: SearchQuery;
  readonly options: FindOptions;
}

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

import type { Unwatch } from '@checkpoint-inspector/core';
import type { PostgresDatabase } from './open.ts';

const POLL_MS = 500;
/** How often a commit that nothing tells from those of other tables is passed on. */
const UNCLEAR_MS = 5_000;

export interface PostgresWatchOptions {
  /** Of the schema. Commits that touch none of them are told from the others as well as the server's counters can. */
  readonly tables: readonly string[];
  readonly pollMs?: number;
  readonly unclearMs?: number;
}

/**
 * Calls `onChange` after a transaction was committed to one of the tables, and when the server went away or came back.
 * Polls the server's running transactions, one row without a table: that text changes with every commit, anywhere on the
 * server. Whether it was one of ours the row counters of the tables tell, which the server writes up to some seconds
 * late: a commit that they do not explain is passed on too, at once the first time and then every five seconds.
 * Source: https://www.postgresql.org/docs/current/monitoring-stats.html
 */
export function watchPostgres(
  database: PostgresDatabase,
  onChange: () => void,
  options: PostgresWatchOptions,
): Unwatch {
  const unclearMs = options.unclearMs ?? UNCLEAR_MS;
  let seen: Look | undefined;
  let isReachable = true;
  let isStopped = false;
  let isUnclear = false;
  let nextUnclear = 0;
  const judge = (now: Look | undefined): boolean => {
    const before = seen;
    const wasReachable = isReachable;
    seen = now ?? seen;
    isReachable = now !== undefined;
    if (wasReachable !== isReachable) return true;
    if (before === undefined || now === undefined) return false;
    const counted = now.rows !== before.rows;
    isUnclear = !counted && (isUnclear || now.commits !== before.commits);
    if (counted) return true;
    if (!isUnclear || Date.now() < nextUnclear) return false;
    isUnclear = false;
    nextUnclear = Date.now() + unclearMs;
    return true;
  };
  const poll = async (): Promise<void> => {
    const now = await look(database, options.tables);
    if (isStopped) return;
    if (judge(now)) onChange();
    next();
  };
  let timer: NodeJS.Timeout | undefined;
  const next = (): void => {
    timer = setTimeout(() => void poll(), options.pollMs ?? POLL_MS);
    timer.unref();
  };
  void poll();
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}

interface Look {
  /** Which transactions are over. */
  readonly commits: string;
  /** Rows ever added, changed and removed, by table, as far as the server has counted. */
  readonly rows: string;
}

async function look(database: PostgresDatabase, tables: readonly string[]): Promise<Look | undefined> {
  const sql = `SELECT txid_current_snapshot()::text AS commits, (
      SELECT coalesce(string_agg(concat_ws(' ', relid, n_tup_ins, n_tup_upd, n_tup_del), ',' ORDER BY relid), '')
      FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = ANY($2)
    ) AS rows`;
  try {
    const [row] = await database.query<{ commits: string; rows: string }>(sql, [database.schema, tables]);
    return row;
  } catch {
    return undefined;
  }
}

import type { Match, Target } from '@checkpoint-inspector/core';
import { openSqlite, sqliteHeader, type SqliteDatabase } from '@checkpoint-inspector/io';
import { hasLangGraphTables } from './tables.ts';

/** Opens the database read-only and looks at the columns of its tables. @throws InspectorError unreadable | busy | unsupported */
export async function detectLangGraph(target: Target): Promise<Match | undefined> {
  if (target.kind !== 'file' || (await sqliteHeader(target.path)) !== 'sqlite') return undefined;
  const database = openSqlite(target.path, { readOnly: true });
  try {
    return hasLangGraphTables(database) ? matchOf(database) : undefined;
  } finally {
    database.close();
  }
}

function matchOf(database: SqliteDatabase): Match {
  const threads =
    database.prepare<{ n: number }>('SELECT count(DISTINCT thread_id) AS n FROM checkpoints').get()?.n ?? 0;
  return {
    system: 'langgraph',
    because: `${threads} ${threads === 1 ? 'thread' : 'threads'} in the tables checkpoints and writes`,
    confidence: 0.95,
  };
}

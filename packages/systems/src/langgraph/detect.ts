import type { Match, Target } from '@checkpoint-inspector/core';
import { lookInto, type SqliteDatabase } from '@checkpoint-inspector/io';
import { hasLangGraphTables } from './tables.ts';

/** Opens the database read-only and looks at the columns of its tables. @throws InspectorError unreadable | busy | unsupported */
export async function detectLangGraph({ kind, path }: Target): Promise<Match | undefined> {
  if (kind !== 'file') return undefined;
  return lookInto(path, (database) => (hasLangGraphTables(database) ? matchOf(database) : undefined));
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

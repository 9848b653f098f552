/** What cannot be done with a store, or with one of its rows, and why: said before anything is planned. */
import type { Capability, RowCapabilities } from '@checkpoint-inspector/core';
import { readMetadata } from './metadata.ts';
import { deltaReason, SUBGRAPH_REASON } from './plan-parts.ts';
import type { RowSummary } from './queries.ts';
import type { SqliteQueries } from './sqlite-queries.ts';

/** Of these types, rows are written too. */
const WRITTEN = ['json', 'msgpack'];

function notRead(lead: string, types: readonly string[]): string {
  return `${lead} ${types.join(' or ')}, which this version can't read, so it can't be rewritten. It can be copied to a new thread.`;
}

/** What is refused for one row though the store allows it. */
export function rowCapability(row: RowSummary): RowCapabilities {
  if (row.ns !== '') return { restore: SUBGRAPH_REASON, fork: SUBGRAPH_REASON, edit: SUBGRAPH_REASON };
  if (row.type !== null && !WRITTEN.includes(row.type)) {
    const reason = notRead('This state is stored as', [row.type]);
    return { restore: reason, edit: reason };
  }
  const channels = readMetadata(row.metadata)?.deltaChannels ?? [];
  return channels.length === 0 ? {} : { edit: deltaReason(channels) };
}

/** Whether states of a file can be rewritten; where none can, the reason. */
export function rewritable(queries: SqliteQueries): Capability {
  if (queries.hasType(WRITTEN)) return true;
  const types = queries.types();
  return types.length === 0 || notRead('Every state here is stored as', types);
}

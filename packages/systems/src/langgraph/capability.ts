/** What cannot be done with a store, or with one of its rows, and why: said before anything is planned. */
import type { Capability, RowCapabilities } from '@checkpoint-inspector/core';
import { readMetadata } from './metadata.ts';
import { deltaReason, SUBGRAPH_REASON } from './plan-parts.ts';
import type { RowSummary } from './queries.ts';
import type { SqliteQueries } from './sqlite-queries.ts';

/** The payload types of a database. Rows are only looked at once: those that were there before stay known. */
export class PayloadTypes {
  readonly #queries: SqliteQueries;
  readonly #types = new Set<string>();
  #isWritten = false;
  #last = 0;

  constructor(queries: SqliteQueries) {
    this.#queries = queries;
  }

  /** Whether states can be rewritten; where none can, the reason. */
  rewritable(): Capability {
    this.#isWritten ||= this.#queries.hasType(WRITTEN);
    if (this.#isWritten) return true;
    const { types, last } = this.#queries.typesSince(this.#last);
    this.#last = last;
    for (const type of types) this.#types.add(type);
    return this.#types.size === 0 || notRead('Every state here is stored as', [...this.#types]);
  }
}

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

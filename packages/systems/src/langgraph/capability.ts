/** What cannot be done with a store, or with one of its rows, and why: said before anything is planned. */
import type { Capability, RowCapabilities } from '@checkpoint-inspector/core';
import { readMetadata } from './metadata.ts';
import { deltaReason, SUBGRAPH_REASON } from './plan-parts.ts';
import type { Queries, RowSummary } from './queries.ts';

/** The payload types of a database. Rows are only looked at once: those that were there before stay known. */
export class PayloadTypes {
  readonly #queries: Queries;
  readonly #types = new Set<string>();
  #last = 0;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Whether states can be rewritten; where none can, the reason. */
  rewritable(): Capability {
    const { types, last } = this.#queries.typesSince(this.#last);
    this.#last = last;
    for (const type of types) this.#types.add(type);
    if (this.#types.size === 0 || this.#types.has('json')) return true;
    return notRead(`Every state here is stored as ${[...this.#types].join(' or ')}`);
  }
}

const notRead = (what: string): string =>
  `${what}, which this version can’t read, so it can’t be rewritten. It can be copied to a new thread.`;

/** What is refused for one row though the store allows it. */
export function rowCapability(row: RowSummary): RowCapabilities {
  if (row.ns !== '') return { restore: SUBGRAPH_REASON, fork: SUBGRAPH_REASON, edit: SUBGRAPH_REASON };
  if (row.type !== null && row.type !== 'json') {
    const reason = notRead(`This state is stored as ${row.type}`);
    return { restore: reason, edit: reason };
  }
  const channels = readMetadata(row.metadata)?.deltaChannels ?? [];
  return channels.length === 0 ? {} : { edit: deltaReason(channels) };
}

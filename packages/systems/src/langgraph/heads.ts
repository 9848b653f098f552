import type { Latest } from '@checkpoint-inspector/core';
import { Describer, refOf, type Described } from './meta.ts';
import { lastErrorOf } from './beside.ts';
import type { Queries } from './queries.ts';

/** What LangGraph continues from, and what it says about the thread. */
export interface Head {
  readonly latest: Latest;
  /** Absent when no checkpoint of the root graph can be read. */
  readonly described?: Described;
  readonly lastError?: string;
}

/** Some tool has deleted the checkpoints and left the writes, or an agent died before its first save. */
function onlyWrites(queries: Queries, thread: string): { note?: string } {
  const count = queries.thread(thread) === undefined ? queries.writeCount(thread) : 0;
  if (count === 0) return {};
  const writes = count === 1 ? '1 write' : `${count} writes`;
  return { note: `No checkpoint is stored, only ${writes}: LangGraph starts this thread from the beginning.` };
}

/** LangGraph's rule: the greatest checkpoint id of the root namespace. Damaged rows are passed over, and named. */
export function headOf(queries: Queries, thread: string): Head {
  const describer = new Describer(queries, thread);
  let damaged: string | undefined;
  for (const id of queries.newestIds(thread, '')) {
    const described = describer.describe({ ns: '', id });
    if (described === undefined) continue;
    if (described.problem?.code === 'unreadable') {
      damaged ??= id;
      continue;
    }
    const note =
      damaged === undefined
        ? undefined
        : `LangGraph itself picks ${damaged}, which cannot be read, and stops with an error.`;
    const lastError = described.row.failed === 1 ? lastErrorOf(queries, thread, { ns: '', id }) : undefined;
    return {
      latest: { ref: refOf(thread, described.row), basis: 'rule', ...(note === undefined ? {} : { note }) },
      described,
      ...(lastError === undefined ? {} : { lastError }),
    };
  }
  if (damaged === undefined) return { latest: { basis: 'none', ...onlyWrites(queries, thread) } };
  return { latest: { basis: 'none', note: 'No checkpoint of the root graph can be read.' } };
}

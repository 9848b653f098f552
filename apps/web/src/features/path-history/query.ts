import { InspectorError, type Address, type HistoryLine, type SentHistoryRow } from '@checkpoint-inspector/core';
import { experimental_streamedQuery as streamedQuery, queryOptions } from '@tanstack/react-query';
import { api } from '../../lib/api.ts';
import { keys } from '../../lib/queries.ts';

export interface HistorySoFar {
  /** Newest first. */
  readonly rows: readonly SentHistoryRow[];
  readonly examined: number;
  /** Checkpoints on the branch; 0 until the first is known. */
  readonly of: number;
  /** Set at the end: how many of them could be read. */
  readonly readable?: number;
}

const NOTHING: HistorySoFar = { rows: [], examined: 0, of: 0 };

/** @throws InspectorError for a line that says that the server could not go on */
export function withLines(before: HistorySoFar, lines: readonly HistoryLine[]): HistorySoFar {
  const rows: SentHistoryRow[] = [];
  let { examined, of, readable } = before;
  for (const line of lines) {
    if (line.kind === 'error') {
      const { code, message, remedy } = line.error;
      throw new InspectorError(code, message, { remedy });
    }
    if (line.kind === 'progress' || line.kind === 'done') {
      ({ examined, of } = line);
      if (line.kind === 'done') ({ readable } = line);
    } else rows.push(line);
  }
  return {
    rows: rows.length === 0 ? before.rows : [...before.rows, ...rows],
    examined,
    of,
    ...(readable === undefined ? {} : { readable }),
  };
}

const DRAW_MS = 120;

/** The first lines at once, then so many together as come between two drawings. */
async function* gathered(parts: AsyncIterable<readonly HistoryLine[]>): AsyncGenerator<readonly HistoryLine[]> {
  let held: HistoryLine[] = [];
  let drawn = Number.NEGATIVE_INFINITY;
  for await (const lines of parts) {
    held.push(...lines);
    if (performance.now() - drawn < DRAW_MS) continue;
    yield held;
    held = [];
    drawn = performance.now();
  }
  if (held.length > 0) yield held;
}

/** Rows as they are found; what was found before stays until a second reading is complete. */
export const pathHistoryQuery = (end: Address, path: string) =>
  queryOptions({
    queryKey: keys.history(end, path),
    queryFn: streamedQuery<readonly HistoryLine[], HistorySoFar>({
      streamFn: ({ signal }) => gathered(api.history(end, path, { signal })),
      reducer: withLines,
      initialValue: NOTHING,
      refetchMode: 'replace',
    }),
    staleTime: 60_000,
    gcTime: 60_000,
    retry: false,
    structuralSharing: false,
  });

/** What the rows of a history tell: who set the value first, who wrote it last, how a number went. */
import {
  type Address,
  formatAddress,
  type ForkTree,
  type HistoryKind,
  type HistoryLine,
  InspectorError,
  type SentHistoryRow,
} from '@checkpoint-inspector/core';
import { experimental_streamedQuery as streamedQuery, queryOptions } from '@tanstack/react-query';
import { stepNumber } from '../../lib/format.ts';
import { relative, stepsOf } from '../diff/groups.ts';
import { api } from '../../lib/api.ts';

export const HISTORY_MARKS: Readonly<
  Record<HistoryKind, { readonly glyph: string; readonly word: string; readonly tone: string }>
> = {
  set: { glyph: '+', word: 'set', tone: 'added' },
  changed: { glyph: '~', word: 'changed', tone: 'changed' },
  'type-changed': { glyph: '⇄', word: 'type changed', tone: 'changed' },
  removed: { glyph: '−', word: 'removed', tone: 'removed' },
  moved: { glyph: '↕', word: 'moved', tone: 'moved' },
  gap: { glyph: '?', word: 'not readable', tone: 'gap' },
};

/** `#07`, as the history pane has it. */
export function numberOf(row: Pick<SentHistoryRow, 'seq' | 'stepIndex' | 'position'>): string {
  const { stepIndex, seq = row.position + 1 } = row;
  return stepNumber({ seq, ...(stepIndex === undefined ? {} : { stepIndex }) });
}

/**
 * A path as it differs from another one: without the steps that both begin with.
 * @example beside('$.context.normalized.CompanyB', '$.context.revenue.CompanyB') // 'normalized.CompanyB'
 */
export function beside(path: string, other: string): string {
  const [steps, others] = [stepsOf(path), stepsOf(other)];
  const shared = steps.findIndex((step, index) => step !== others[index]);
  return relative(steps.slice(Math.max(0, Math.min(shared, steps.length - 1))));
}

/** The row that wrote the value that came last. A value that only went elsewhere was written before. */
export function lastWritten(rows: readonly SentHistoryRow[]): SentHistoryRow | undefined {
  return rows.find((row) => row.kind !== 'gap' && row.after !== undefined);
}

/**
 * Where the value was set first; `certain` is false where older states could not be read, or it does not exist yet.
 */
export function firstSet(
  rows: readonly SentHistoryRow[],
): { readonly row: SentHistoryRow; readonly certain: boolean } | undefined {
  const oldest = rows.at(-1);
  const row = rows.findLast(({ kind, after }) => kind !== 'gap' && after !== undefined);
  if (row === undefined) return undefined;
  const hidden = oldest?.kind === 'gap' && oldest !== row && oldest.gap?.sides !== 'same';
  return { row, certain: !hidden };
}

/** One piece of a line drawn as steps. Only for drawing: what is told is the text as stored. */
export interface Point {
  /** Place on the branch. */
  readonly at: number;
  readonly value: number;
  readonly text: string;
  readonly row: SentHistoryRow;
}

/**
 * The history as a line, where all its values are numbers; `length` is that of the branch. Runs have no hole: a value
 * that went away, or could not be read, ends one.
 */
export function seriesOf(rows: readonly SentHistoryRow[], length: number) {
  const runs: { points: Point[]; end: number }[] = [];
  let open: { points: Point[]; end: number } | undefined;
  for (const row of rows.toReversed()) {
    const value = numberIn(row.after);
    if (row.after !== undefined && value === undefined) return undefined;
    const { gap } = row;
    if (gap?.sides === 'same') continue;
    if (open) open.end = gap ? row.position - gap.count + 1 : row.position;
    if (gap || value === undefined) open = undefined;
    if (value === undefined) continue;
    if (!open) runs.push((open = { points: [], end: row.position }));
    // What could not be read ends before the next value.
    open.points.push({ at: gap ? row.position + 1 : row.position, value, text: row.after ?? '', row });
  }
  if (open) open.end = Math.max(length - 1, open.points.at(-1)?.at ?? 0);
  const values = runs.flatMap(({ points }) => points.map((point) => point.value));
  if (values.length === 0) return undefined;
  // One by one: a spread of very many arguments overflows.
  const low = values.reduce((least, value) => Math.min(least, value));
  const high = values.reduce((most, value) => Math.max(most, value));
  return { runs, low, high };
}

export type Series = NonNullable<ReturnType<typeof seriesOf>>;

function numberIn(text: string | undefined): number | undefined {
  if (text === undefined || !/^-?\d/.test(text)) return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** The newest checkpoint of the branch on which `index` lies: the latest, else the end of its newest children. */
export function tipOf(tree: ForkTree, index: number): number {
  const { nodes } = tree;
  const latest = nodes.findLast((node) => node.row?.isLatest === true);
  if (latest !== undefined && isAbove(tree, index, latest.index)) return latest.index;
  let tip = index;
  for (let next: number | undefined = index; next !== undefined; next = nodes[next]?.children.at(-1)) tip = next;
  return tip;
}

/** True when `index` is on the way to `tip`. */
export function isAbove({ nodes }: ForkTree, index: number, tip: number): boolean {
  let at: number | undefined = tip;
  while (at !== undefined && at !== index) at = nodes[at]?.parent;
  return at === index;
}

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
    // Saves elsewhere in the task do not change it: only a round over everything reads it again.
    queryKey: ['path-history', formatAddress(end), path],
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

/** Trees in parts: without a turn for each row, and what was read once is not read again. */
import type { LineagePart, LineageRow } from '@checkpoint-inspector/core';
import { keyText, Outliner, type OutlinedLine } from './listing.ts';
import type { Key, Outlines, Queries, RowsMark } from './queries.ts';
import { TreeRuns, type TreeRun } from './tree-runs.ts';

/** Rows that are handed over at once: as columns where so many can be, else fewer; or as rows. */
const RUNS = [1_000, 250, 60];
const ROWS = 250;
/** Threads of which the tree is known, and the rows of the largest. */
const KEPT = 4;
const MOST_ROWS = 200_000;

/** Of a row what the next one's parent is compared with. */
type Line = Pick<LineageRow, 'id' | 'namespace' | 'seq'>;

/** The oldest rows of a thread, up to the first that says something about the newest. */
interface Known extends RowsMark {
  readonly parts: readonly LineagePart[];
  readonly seq: number;
  readonly last: Key | undefined;
  readonly line: Line | undefined;
  readonly failed: readonly string[];
  /** Of each namespace the id of the last: once it is the newest again, it says more. */
  readonly lasts: ReadonlyMap<string, string>;
}

const NOTHING: Known = {
  parts: [],
  seq: 0,
  last: undefined,
  line: undefined,
  failed: [],
  lasts: new Map(),
  count: 0,
  sum: 0,
  newest: 0,
};

/**
 * The trees of one connection. LangGraph saves a row again under another row id, so that rows with the ids that they had
 * are those that they were.
 */
export class TreeParts {
  readonly #known = new Map<string, Known>();
  readonly #sizes: readonly number[];
  readonly #rows: number;

  /** Other sizes are for tests. */
  constructor(sizes: readonly number[] = RUNS, rows = ROWS) {
    this.#sizes = sizes;
    this.#rows = rows;
  }

  /** Columns where nothing has to be said of parents, else rows. */
  *of(
    queries: Queries & Outlines,
    thread: string,
    head: Key | undefined,
    damaged: readonly Key[] = [],
  ): Iterable<LineagePart> {
    let known = this.#knownOf(queries, thread, head, damaged);
    yield* known.parts;
    const outliner = new Outliner(queries, thread, head, damaged);
    const runs = new TreeRuns(queries, thread, outliner, this.#sizes);
    let isKnown = true;
    let { line } = known;
    let lines: Iterator<OutlinedLine> | undefined;
    for (;;) {
      const run = isKnown ? runs.after(known.last) : undefined;
      if (run) {
        yield run.part;
        known = withRun(known, run);
        ({ line } = known);
        lines = undefined;
        continue;
      }
      lines ??= outliner.lines(known)[Symbol.iterator]();
      const rows = taken(lines, this.#rows);
      if (rows.length === 0) break;
      const part = partOf(
        rows.flatMap((one) => one.line ?? []),
        line,
      );
      yield part;
      line = rows.findLast((one) => one.line !== undefined)?.line ?? line;
      isKnown &&= !rows.some((one) => one.isApart || one.line === undefined || one.line.isLatest);
      if (isKnown) known = withRows(known, rows, part);
    }
    this.#keep(thread, known);
  }

  #knownOf(queries: Outlines, thread: string, head: Key | undefined, damaged: readonly Key[]): Known {
    const known = this.#known.get(thread);
    const last = known?.last;
    if (known === undefined || last === undefined) return NOTHING;
    if (damaged.some(({ id }) => id <= last.id)) return NOTHING;
    const { count, sum, newest } = queries.rowsUpTo(thread, last);
    if (count !== known.count || sum !== known.sum || newest !== known.newest) return NOTHING;
    const tips = new Map(queries.tips(thread).map(({ ns, id }) => [ns, id]));
    // A newest row that is damaged leaves the head to an older one.
    if (head !== undefined && tips.get(head.ns) !== head.id) return NOTHING;
    if ([...tips].some(([ns, id]) => known.lasts.get(ns) === id)) return NOTHING;
    const failed = new Set(queries.marked(thread, '__error__', known.last).map(keyText));
    return failed.size === known.failed.length && known.failed.every((key) => failed.has(key)) ? known : NOTHING;
  }

  #keep(thread: string, known: Known): void {
    this.#known.delete(thread);
    if (known.count === 0 || known.count > MOST_ROWS) return;
    this.#known.set(thread, known);
    const oldest = this.#known.size > KEPT ? this.#known.keys().next().value : undefined;
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}

function taken<T>(from: Iterator<T>, most: number): T[] {
  const found: T[] = [];
  for (let next = from.next(); next.done !== true; next = from.next()) {
    if (found.push(next.value) >= most) break;
  }
  return found;
}

function withRun(known: Known, { part, mark, last, failed }: TreeRun): Known {
  const seq = known.seq + mark.count;
  return {
    parts: [...known.parts, part],
    seq,
    last,
    line: { id: last.id, seq },
    failed: [...known.failed, ...failed.map(keyText)],
    lasts: new Map([...known.lasts, [last.ns, last.id]]),
    count: known.count + mark.count,
    sum: known.sum + mark.sum,
    newest: Math.max(known.newest, mark.newest),
  };
}

function withRows(known: Known, rows: readonly OutlinedLine[], part: LineagePart): Known {
  const last = rows.at(-1);
  return {
    parts: [...known.parts, part],
    seq: known.seq + rows.length,
    last: last && { ns: last.row.ns, id: last.row.id },
    line: last?.line,
    failed: [...known.failed, ...rows.filter(({ isFailed }) => isFailed).map(({ row }) => keyText(row))],
    lasts: new Map([...known.lasts, ...rows.map(({ row }) => [row.ns, row.id] as const)]),
    count: known.count + rows.length,
    sum: rows.reduce((sum, { row }) => sum + row.row, known.sum),
    newest: Math.max(known.newest, ...rows.map(({ row }) => row.row)),
  };
}

/** Rows as columns, where each has the row before as its parent. */
export function partOf(rows: readonly LineageRow[], before: Line | undefined): LineagePart {
  if (!rows.every((row, at) => isNext(row, at === 0 ? before : rows[at - 1]))) return { rows };
  const latest = rows.findIndex((row) => row.isLatest);
  const list = (of: (row: LineageRow) => unknown): string => JSON.stringify(rows.map(of));
  return {
    count: rows.length,
    ids: list((row) => row.id),
    statuses: rows.map((row) => row.status.charAt(0)).join(''),
    times: list((row) => row.time),
    steps: list((row) => row.stepIndex),
    descriptions: list((row) => row.description),
    ...(latest < 0 ? {} : { latest }),
  };
}

/** In the root graph, right under the row before; the first of all has no parent. */
function isNext({ namespace, parent, seq, problem }: LineageRow, before: Line | undefined): boolean {
  if (namespace !== undefined || problem !== undefined || seq !== (before?.seq ?? 0) + 1) return false;
  if (before === undefined || parent === undefined) return before === undefined && parent === undefined;
  return before.namespace === undefined && parent.namespace === undefined && parent.id === before.id;
}

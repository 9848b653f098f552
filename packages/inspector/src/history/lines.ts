/** The history of a value as lines: rows as they are found, how far it is, and an end. */
import {
  compact,
  diffEntries,
  formatPath,
  InspectorError,
  parsePath,
  PathWalk,
  rankDiff,
  sentValues,
} from '@checkpoint-inspector/core';
import type {
  BranchStep,
  ChangeRoles,
  CheckpointRef,
  CheckpointSource,
  Difference,
  EntriesChange,
  HistoryLine,
  HistoryRow,
  Path,
  PendingWrite,
  SentHistoryRow,
} from '@checkpoint-inspector/core';
import { shownError } from '../errors.ts';
import { branchOf, newestFirst, type BranchQuery, type LargeValues, type StoredState, type Walked } from './branch.ts';

export interface HistoryQuery extends BranchQuery {
  /** `$.a["b"][0]` */
  readonly path: string;
}

/** Characters of a value that a row carries. */
export const VALUE_SHOWN = 2_000;
const PROGRESS_MS = 80;
/** After so long other requests get their turn, and the end of this one is noticed. */
const BREATH_MS = 8;

/**
 * Where the value at a path changed on the branch of a checkpoint, newest first. Nothing is read before the first
 * line is asked for, and nothing after `signal` is aborted.
 * @throws InspectorError invalid_input (the path) | not_found | ambiguous_id, at once; what fails later is a line
 * @example for await (const line of await openHistory(source, { task: 'run-1', path: '$.score' })) print(line);
 */
export async function openHistory(
  source: CheckpointSource,
  query: HistoryQuery,
  signal?: AbortSignal,
  large?: LargeValues,
  roles?: ChangeRoles,
): Promise<AsyncGenerator<HistoryLine, void>> {
  const path = parsePath(query.path);
  const branch = await branchOf(source, query, { facts: true });
  return endingWell(historyLines({ source, path, branch, large, signal }, roles));
}

async function* historyLines(walked: Walked, roles: ChangeRoles | undefined): AsyncGenerator<HistoryLine, void> {
  const { source, path, branch, large, signal } = walked;
  const states = new Map<CheckpointRef, StoredState>();
  const walk = new PathWalk(path, (one, other) => {
    const [before, after] = [states.get(one), states.get(other)];
    return before && after && large?.place(before, after, path, signal);
  });
  const of = branch.filter((step) => step.row !== undefined).length;
  const counts = { examined: 0, unreadable: 0, rows: 0 };
  const sent = (row: HistoryRow): SentHistoryRow => {
    counts.rows++;
    counts.unreadable += row.gap?.count ?? 0;
    return cut(row, (items) => marked(items, path, roles));
  };
  let told = performance.now();
  let breathed = told;
  for await (const one of newestFirst(walked)) {
    if (signal?.aborted) return;
    if (one.state) states.set(one.point.ref, one.state);
    for (const row of await walk.next(one)) yield sent(await withWriters(source, path, branch, row));
    if (!one.isGone) counts.examined++;
    const now = performance.now();
    if (now - breathed > BREATH_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      breathed = performance.now();
    }
    if (now - told < PROGRESS_MS) continue;
    told = now;
    yield { kind: 'progress', examined: counts.examined, of };
  }
  for (const row of walk.end()) yield sent(await withWriters(source, path, branch, row));
  const { examined, rows } = counts;
  // Of a parent that is gone no state could be expected.
  const unreadable = counts.unreadable - (branch[0]?.row === undefined ? 1 : 0);
  yield { kind: 'done', done: true, examined, of, readable: examined - unreadable, rows };
}

/** Of several nodes that ran in one step, those that wrote the value: it is beside the checkpoint that they began from. */
async function withWriters(
  source: CheckpointSource,
  path: Path,
  branch: readonly BranchStep[],
  row: HistoryRow,
): Promise<HistoryRow> {
  const [channel] = path;
  const before = branch[row.position - 1];
  const ran = row.description?.split(';')[0]?.split(', ') ?? [];
  if (row.kind === 'gap' || ran.length < 2 || before?.row === undefined) return row;
  const writes = await writesOn(source, before.ref);
  const nodes = new Set(writes.filter((write) => write.channel === channel).map(({ node }) => node));
  const writtenBy = ran.filter((node) => nodes.has(node));
  return writtenBy.length === 0 ? row : { ...row, writtenBy };
}

async function writesOn(source: CheckpointSource, ref: CheckpointRef): Promise<readonly PendingWrite[]> {
  try {
    return (await source.beside?.(ref))?.writes ?? [];
  } catch (error) {
    if (InspectorError.is(error) && error.code !== 'internal') return [];
    throw error;
  }
}

/** The answer has begun when something fails in it: the failure is its last line. */
async function* endingWell(lines: AsyncGenerator<HistoryLine, void>): AsyncGenerator<HistoryLine, void> {
  try {
    yield* lines;
  } catch (error) {
    yield { kind: 'error', ...shownError(error).toWire() };
  }
}

type Mark = (items: readonly Difference[]) => readonly Difference[];

/** What changed within a value, as changes of its state. */
function marked(items: readonly Difference[], path: Path, roles: ChangeRoles | undefined): readonly Difference[] {
  if (roles === undefined) return items;
  const at = formatPath(path);
  const whole = roles.marked(items.map((item) => ({ ...item, path: at + item.path.slice(1) })));
  return items.map((item, nth) => ({ ...item, ...compact({ role: whole[nth]?.role }) }));
}

function cut(row: HistoryRow, mark: Mark): SentHistoryRow {
  const { before = '', after = '' } = row;
  return {
    ...row,
    ...compact({ within: withinOf(row, mark) }),
    ...(before.length > VALUE_SHOWN ? { before: before.slice(0, VALUE_SHOWN), beforeLength: before.length } : {}),
    ...(after.length > VALUE_SHOWN ? { after: after.slice(0, VALUE_SHOWN), afterLength: after.length } : {}),
  };
}

/** To compare longer ones takes longer than to read them. */
const MOST_COMPARED = 128 * 1024;

function withinOf({ kind, before = '', after = '' }: HistoryRow, mark: Mark): EntriesChange | undefined {
  if (kind !== 'changed' || !isBounded(before) || !isBounded(after)) return undefined;
  const found = diffEntries(before, after);
  if (found?.items === undefined) return found;
  const { items, ...counts } = found;
  const known = mark(items);
  const [top] = rankDiff({ items: known }).ranked;
  const first = top && items[known.indexOf(top)];
  return { ...counts, differences: items.length, ...compact({ first: first && sentValues(first) }) };
}

/** A list or an object, and not a large one. */
const isBounded = (text: string): boolean => /^[[{]/.test(text) && text.length <= MOST_COMPARED;

const encoder = new TextEncoder();
const CHUNK_MS = 25;
const CHUNK_LENGTH = 32_000;

/** Lines as NDJSON, made as fast as they are taken, many to a chunk; `onCancel` when the reader goes. */
export function ndjson(
  lines: AsyncGenerator<unknown, void>,
  onCancel: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    async pull(controller) {
      const until = performance.now() + CHUNK_MS;
      let text = '';
      do {
        const { done, value } = await lines.next();
        if (!done) text += `${JSON.stringify(value)}\n`;
        else if (text === '') return controller.close();
        else break;
      } while (performance.now() < until && text.length < CHUNK_LENGTH);
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      onCancel();
      await lines.return();
    },
  });
}

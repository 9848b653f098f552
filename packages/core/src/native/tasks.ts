import { compact } from '../compact.ts';
import type { TaskQuery } from '../contract.ts';
import type { Page, StoreInfo, Task } from '../model.ts';
import { checkTaskQuery } from '../options.ts';
import { decodeCursor, pageAt, pageLimit } from '../page.ts';
import { latestIn, number, refOf, statusOf, text } from './row.ts';
import type { TableRow } from './tables.ts';

/** What the writes of a row tell of it. */
interface Told {
  readonly signed?: (stored: TableRow) => TableRow;
  readonly errorOf?: (stored: TableRow) => string | undefined;
}

/** A task from its rows, oldest first: the status is the latest row's, the time the newest one. */
export function taskOf(
  info: StoreInfo,
  task: string,
  rows: readonly TableRow[],
  { signed = (stored) => stored, errorOf = () => undefined }: Told = {},
): Task {
  const found = latestIn(rows);
  const latest = found && signed(found);
  const status = latest
    ? statusOf({ stored: latest, place: rows.length, before: undefined, isLatest: true })
    : 'unknown';
  const lastError = latest && status === 'failed' ? (errorOf(latest) ?? text(latest.row, 'description')) : undefined;
  const times = rows.map(({ row }) => text(row, 'created_at') ?? '').filter((time) => time !== '');
  return compact({
    store: info.id,
    id: task,
    title: task,
    system: info.system,
    agentId: latest && text(latest.row, 'agent_id'),
    checkpointCount: rows.length,
    unreadable: 0,
    latestId: latest && refOf(latest).id,
    status,
    lastError,
    updatedAt: newest(times),
    sizeBytes: rows.reduce((sum, { row }) => sum + (number(row, 'size_bytes') ?? 0), 0),
  });
}

function newest(times: readonly string[]): string | undefined {
  let found = times[0];
  for (const time of times) {
    if (Date.parse(time) > Date.parse(found ?? time)) found = time;
  }
  return found;
}

/** Newest first, ties by id. */
export function taskPage(tasks: readonly Task[], query: TaskQuery): Page<Task> {
  checkTaskQuery(query);
  const limit = pageLimit(query.limit);
  const text = query.text?.toLowerCase() ?? '';
  const sorted = tasks.filter((task) => task.id.toLowerCase().includes(text)).sort(compare);
  return pageAt(sorted, startAfter(sorted, query.cursor), limit, (task) => [task.updatedAt ?? '', task.id]);
}

function startAfter(sorted: readonly Task[], cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  const [updatedAt, id] = decodeCursor(cursor, ['string', 'string']);
  const at = sorted.findIndex((task) => compare(task, { updatedAt: String(updatedAt), id: String(id) }) > 0);
  return at < 0 ? sorted.length : at;
}

function compare(a: { updatedAt?: string; id: string }, b: { updatedAt?: string; id: string }): number {
  const newer = time(b.updatedAt) - time(a.updatedAt);
  if (newer !== 0) return newer;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

function time(text: string | undefined): number {
  return text ? Date.parse(text) : 0;
}

/**
 * What a list of tasks says of one: its steps, where it is, what its latest step changed. It costs the pass over the
 * lineage that errors take anyway, and for a task whose latest is new two rows and two states of limited size.
 */
import {
  ChangeRoles,
  compact,
  diffJson,
  InspectorError,
  refIn,
  refKey,
  refOfMeta,
  summaryLine,
} from '@checkpoint-inspector/core';
import type {
  CheckpointMeta,
  CheckpointSource,
  Diff,
  LineageRow,
  Pause,
  StoreId,
  Task,
} from '@checkpoint-inspector/core';
import { storedDiff } from '../differences.ts';

type Mark = 'done' | 'failed' | 'check_failed' | 'running' | 'waiting' | 'unreadable';

export interface TaskOutline {
  readonly store: StoreId;
  readonly task: string;
  /** Checkpoints on the way to the latest. */
  readonly steps: number;
  /** That way in at most 13 parts, the oldest first; a part with a failure has failed. */
  readonly marks: readonly Mark[];
  /** Ends of branches in the task. */
  readonly lanes: number;
  readonly step?: number;
  readonly totalSteps?: number;
  /** What the latest step is called. */
  readonly name?: string;
  /** What the latest step changed most; absent where it failed, and where a state is too large to look. */
  readonly change?: string;
  /** Why the latest step failed, in the words that the list of errors has too. */
  readonly error?: string;
}

const MARKS = 13;
/** Two states of this size are compared in a few milliseconds. */
const STATE_BYTES = 256 * 1024;

type Rows = ReadonlyMap<string, LineageRow>;

/**
 * @param rows by `refKey`
 * @param before what was said of the task when it was last looked at: the same latest changed the same
 */
export async function outlineOf(
  source: CheckpointSource,
  task: Task,
  rows: Rows,
  before: KeptOutline | undefined,
  pause: Pause,
): Promise<KeptOutline> {
  const { latest, lanes } = await endsOf(task.id, rows, pause);
  const way = latest ? await wayTo(task.id, latest, rows, pause) : [];
  const shape = { store: source.info.id, task: task.id, steps: way.length, marks: marksOf(way, task), lanes };
  if (latest === undefined) return shape;
  const save = `${latest.namespace ?? ''} ${latest.id} ${latest.time ?? ''} ${latest.seq}`;
  const said = before?.save === save ? facts(before) : await factsOf(source, task, latest, rows);
  return { ...shape, ...said, save };
}

/** With the save that it was said of. */
export interface KeptOutline extends TaskOutline {
  readonly save?: string;
}

export const shownOutline = (kept: KeptOutline): TaskOutline => {
  const { store, task, steps, marks, lanes, error } = kept;
  return { store, task, steps, marks, lanes, ...facts(kept), ...compact({ error }) };
};

type Facts = Pick<TaskOutline, 'step' | 'totalSteps' | 'name' | 'change'>;

const facts = ({ step, totalSteps, name, change }: TaskOutline): Facts => compact({ step, totalSteps, name, change });

/** The latest checkpoint, and how many have no child in the task. */
async function endsOf(task: string, rows: Rows, pause: Pause) {
  const parents = new Set<string>();
  let latest: LineageRow | undefined;
  for (const row of rows.values()) {
    await pause();
    if (row.isLatest) latest ??= row;
    if (row.parent?.task === task) parents.add(refKey(row.parent));
  }
  let lanes = 0;
  for (const key of rows.keys()) lanes += Number(!parents.has(key));
  return { latest, lanes };
}

/** From the first checkpoint to this one, over parents in the same task. */
async function wayTo(task: string, latest: LineageRow, rows: Rows, pause: Pause): Promise<readonly LineageRow[]> {
  const way: LineageRow[] = [];
  const seen = new Set<LineageRow>();
  for (let at: LineageRow | undefined = latest; at !== undefined && !seen.has(at);) {
    await pause();
    seen.add(at);
    way.push(at);
    at = at.parent?.task === task ? rows.get(refKey(at.parent)) : undefined;
  }
  return way.reverse();
}

function marksOf(way: readonly LineageRow[], task: Task): readonly Mark[] {
  const parts = Math.min(MARKS, way.length);
  return Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((at) => Math.floor((at * way.length) / parts));
    const rows = way.slice(from, to);
    if (rows.some(({ status }) => status === 'failed')) return 'failed';
    if (part === parts - 1 && task.status === 'running') return 'running';
    if (part === parts - 1 && task.status === 'interrupted') return 'waiting';
    return rows.every(({ status }) => status === 'unknown') && task.unreadable > 0 ? 'unreadable' : 'done';
  });
}

async function factsOf(source: CheckpointSource, task: Task, latest: LineageRow, rows: Rows): Promise<Facts> {
  const meta = await source.meta(refIn(task.id, latest));
  const parent = latest.parent === undefined ? undefined : rows.get(refKey(latest.parent));
  return compact({
    step: meta?.stepIndex ?? latest.stepIndex,
    totalSteps: meta?.totalSteps,
    name: meta?.description ?? latest.description,
    change:
      meta === undefined || latest.status === 'failed' || parent === undefined
        ? undefined
        : await changeOf(source, meta, await source.meta(refIn(task.id, parent))),
  });
}

async function changeOf(
  source: CheckpointSource,
  meta: CheckpointMeta,
  parent: CheckpointMeta | undefined,
): Promise<string | undefined> {
  if (parent === undefined || [meta, parent].some((one) => one.problem !== undefined)) return undefined;
  try {
    const diff = await diffOf(source, parent, meta);
    if (diff === undefined || diff.items.length === 0) return undefined;
    const roles = new ChangeRoles();
    roles.observe(diff.items);
    return summaryLine(diff, meta.description, roles);
  } catch (error) {
    // The row itself says why a state cannot be read.
    if (InspectorError.is(error)) return undefined;
    throw error;
  }
}

async function diffOf(
  source: CheckpointSource,
  parent: CheckpointMeta,
  meta: CheckpointMeta,
): Promise<Diff | undefined> {
  const ignore = source.info.volatilePaths;
  const [a, b] = [refOfMeta(parent), refOfMeta(meta)];
  const known = await storedDiff({ source, ref: a }, { source, ref: b }, { ignore });
  if (known || Math.max(parent.sizeBytes, meta.sizeBytes) > STATE_BYTES) return known;
  const small = { mostCharacters: STATE_BYTES };
  const [before, after] = [await source.state(a, small), await source.state(b, small)];
  return before && after && diffJson(before.text, after.text, { ignore });
}

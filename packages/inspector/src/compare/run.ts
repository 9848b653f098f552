/** One of two runs: its steps with their rows, and what it used. */
import { addUsage, branchTo, compact, forkTree, lanesOf, noCheckpoint, refKey } from '@checkpoint-inspector/core';
import type { BranchStep, CheckpointMeta, CheckpointSource, ForkTree, LineageRow } from '@checkpoint-inspector/core';
import type { Pause } from '../failures/task-index.ts';
import { runningTotals } from '../failures/usage.ts';
import { endOf, MetaBook } from '../history/branch.ts';
import { errorLineOf, type ReadState } from '../stores/error-line.ts';
import type { ComparedRun, RunSide, RunStep } from './types.ts';

export interface RunPlace {
  readonly step: BranchStep;
  readonly meta: CheckpointMeta | undefined;
}

export interface Run {
  readonly source: CheckpointSource;
  /** Root first. */
  readonly places: readonly RunPlace[];
  readonly lane: string;
}

/** What two runs of one store read once. */
class Shelf {
  readonly book: MetaBook;
  readonly #source: CheckpointSource;
  readonly #trees = new Map<string, Promise<ForkTree>>();

  constructor(source: CheckpointSource) {
    this.#source = source;
    this.book = new MetaBook(source);
  }

  tree(task: string): Promise<ForkTree> {
    const known = this.#trees.get(task) ?? this.#read(task);
    this.#trees.set(task, known);
    return known;
  }

  async #read(task: string): Promise<ForkTree> {
    const rows: LineageRow[] = [];
    for await (const row of this.#source.lineage(task)) rows.push(row);
    return forkTree(task, rows);
  }
}

/** @throws InspectorError not_found | ambiguous_id */
export async function listRuns(a: ComparedRun, b: ComparedRun, pause: Pause): Promise<[Run, Run]> {
  const first = new Shelf(a.source);
  const second = a.source.info.id === b.source.info.id ? first : new Shelf(b.source);
  return [await listRun(a, first, pause), await listRun(b, second, pause)];
}

async function listRun({ source, query }: ComparedRun, shelf: Shelf, pause: Pause): Promise<Run> {
  const end = await endOf(source, query);
  const steps = await branchTo(end, (task) => shelf.tree(task));
  if (steps.at(-1)?.row === undefined) throw noCheckpoint(end);
  const places: RunPlace[] = [];
  // The newest first: so pages are read as far as they are needed.
  for (const step of steps.toReversed()) {
    await pause();
    places.push({ step, meta: step.row && (await shelf.book.get(step.ref)) });
  }
  const tree = await shelf.tree(end.task);
  const { lanes, laneOf } = lanesOf(tree);
  const at = tree.nodes.find(({ ref }) => refKey(ref) === refKey(end))?.index ?? -1;
  return { source, places: places.reverse(), lane: lanes[laneOf[at] ?? 0]?.label ?? 'main' };
}

export async function sideOf({ source, places, lane }: Run, read: ReadState): Promise<RunSide> {
  const metas = places.flatMap(({ meta }) => meta ?? []);
  const { tokens, costUsd, durationMs } = addUsage(metas, new Set(runningTotals(source.info.system))).all;
  const { step, meta } = places.at(-1) ?? {};
  if (step === undefined) throw new RangeError('A run has at least one step.');
  return {
    store: source.info.id,
    task: step.ref.task,
    end: step.ref,
    lane,
    isLatest: step.row?.isLatest ?? false,
    status: step.row?.status ?? 'unknown',
    steps: places.length,
    ...compact({
      error: meta && (await errorLineOf(source, meta, read)),
      tokens,
      costUsd,
      durationMs,
      startedAt: places[0]?.step.row?.time,
      endedAt: step.row?.time,
    }),
  };
}

export function stepOf({ step: { ref, row }, meta }: RunPlace): RunStep {
  return {
    ref,
    seq: row?.seq ?? 0,
    status: row?.status ?? 'unknown',
    ...compact({
      stepIndex: row?.stepIndex,
      description: row?.description,
      trigger: meta?.trigger,
      time: row?.time,
      durationMs: meta?.durationMs,
      tokenUsage: meta?.tokenUsage,
      costUsd: meta?.costUsd,
    }),
  };
}

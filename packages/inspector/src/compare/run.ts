/** One of two runs: its steps with their rows, and what it used. */
import {
  branchTo,
  compact,
  lanesInSteps,
  noCheckpoint,
  sameRef,
  usageInSteps,
  paced,
  type Pause,
} from '@checkpoint-inspector/core';
import type {
  BranchStep,
  CheckpointMeta,
  CheckpointSource,
  ForkTree,
  Usage,
  UsageField,
} from '@checkpoint-inspector/core';
import { runningTotals } from '../failures/usage.ts';
import { endOf, MetaBook } from '../history/branch.ts';
import { errorLineOf, type ReadState } from '../stores/error-line.ts';
import { readTree } from '../stores/trees.ts';
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
    const known = this.#trees.get(task) ?? readTree(this.#source, task);
    this.#trees.set(task, known);
    return known;
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
  const { lanes, laneOf } = await paced(lanesInSteps(tree), pause);
  const at = tree.nodes.find(({ ref }) => sameRef(ref, end))?.index ?? -1;
  return { source, places: places.reverse(), lane: lanes[laneOf[at] ?? 0]?.label ?? 'main' };
}

async function usageOf(metas: readonly CheckpointMeta[], running: ReadonlySet<UsageField>): Promise<Partial<Usage>> {
  return (await paced(usageInSteps(metas, () => '', running))).get('') ?? {};
}

export async function sideOf({ source, places, lane }: Run, read: ReadState): Promise<RunSide> {
  const metas = places.flatMap(({ meta }) => meta ?? []);
  const { tokens, costUsd, durationMs } = await usageOf(metas, new Set(runningTotals(source.info.system)));
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

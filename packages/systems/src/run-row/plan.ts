/** Plans over rows of runs: going back overwrites a row, a copy is a run of its own, and a run is deleted whole. */
import {
  InspectorError,
  noCheckpoint,
  planList,
  type CheckpointRef,
  type Latest,
  type Plan,
  type PlanItem,
  type PlanWarning,
  type Precondition,
  type StoreId,
  type SystemRequest,
} from '@checkpoint-inspector/core';
import { sha256, sqliteJob, type RowsJob, type SqlRow } from '@checkpoint-inspector/io';
import { defined } from '../folder/document.ts';
import { firstOfTask, frame, freeName } from '../folder/plan.ts';
import { idAt, type Place, type RunHead } from './contract.ts';
import type { Runs } from './runs.ts';

const ACTIVE_MS = 60_000;

export interface PlanContext {
  readonly store: StoreId;
  readonly path: string;
  readonly runs: Runs;
  readonly now: Date;
}

/** What a system says of changes to its rows. */
export interface RunPlanRules {
  readonly table: string;
  /** The columns that name a row. */
  readonly key: (head: RunHead) => SqlRow;
  /** The columns that name every row of a run. */
  readonly runKey: (run: string) => SqlRow;
  /** The columns that hold a state, and the time of the write. */
  readonly columns: (context: PlanContext, head: RunHead, text: string) => SqlRow;
  /** The same columns as stored. */
  readonly unchanged: (context: PlanContext, head: RunHead) => SqlRow;
  /** The columns of a copy that are not its state. */
  readonly copied: (context: PlanContext, run: string) => SqlRow;
  /** The state under another run's id. */
  readonly renamed: (text: string, from: string, to: string) => string;
  /** Whether a nested run's row is kept where its parent goes back to a place; `undefined`: it isn't nested in that. */
  readonly keeps: (context: PlanContext, place: Place, nested: RunHead) => boolean | undefined;
  /** The call that continues from a state. */
  readonly next: (name: string, run: string, text: string) => string;
  readonly warnings: (place: Place, text: string) => readonly PlanWarning[];
}

type CopyRequest = Extract<SystemRequest, { kind: 'restore' | 'fork' | 'edit' }>;
type RestoreRequest = Extract<SystemRequest, { kind: 'restore' }>;
type DeleteRequest = Extract<SystemRequest, { kind: 'delete' }>;
type Wanted = Place & { readonly text: string };

/** @throws InspectorError not_found | unreadable */
export function wantedPlace({ runs }: PlanContext, ref: CheckpointRef): Wanted {
  const place = runs.place(ref);
  const text = place && runs.text(place);
  if (place === undefined || text === undefined) throw noCheckpoint(ref);
  return { ...place, text };
}

/** The run goes back to a place by overwriting its row. @throws InspectorError not_found | invalid_input */
export function planGoBack(context: PlanContext, request: RestoreRequest, rules: RunPlanRules): Plan {
  const place = wantedPlace(context, request.ref);
  const { ref, head, step } = place;
  if (place.isRow)
    throw new InspectorError('invalid_input', `The run's row is at "${ref.id}" already.`, {
      remedy: 'Choose an older checkpoint of the run, or copy this one.',
    });
  const { runs } = context;
  const text = runs.rules.asStored(runs.database, head, place.text);
  const gone = nestedRows(context, ref.task, head).filter((one) => rules.keeps(context, place, one) === false);
  const isOver = (one: Place) => gone.includes(one.head) || (one.head === head && one.step.index > step.index);
  const job = unchangedJob(context, rules, [head, ...gone]).update(
    rules.table,
    rules.key(head),
    rules.columns(context, head, text),
  );
  const latest = latestIn(context, ref.task);
  const where = `one row of ${rules.table}`;
  return {
    view: {
      ...frame(context, request, ref.task, latest),
      preconditions: [headStays(ref.task, latest), ...[head, ...gone].map((one) => rowStays(context, ref.task, one))],
      writes: planList<PlanItem>([
        { ref, reason: "the run's row as it was then", sizeBytes: Buffer.byteLength(text), where },
      ]),
      removes: planList(runs.places(ref.task).filter(isOver).map(overwritten)),
      warnings: [...rules.warnings(place, text), ...activeWarnings(context, head)],
      latestAfter: ref,
      proofHash: sha256(text),
      bytesFreed: gone.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      next: rules.next(head.name, ref.task, text),
    },
    job: gone.reduce((all, one) => all.delete(rules.table, rules.key(one)), job),
  };
}

/** An edited state: its text, and what continues from it. */
export interface EditedRun {
  readonly text: string;
  readonly next?: (run: string) => string;
  readonly warnings: readonly PlanWarning[];
}

/** A run of its own, with the rows of its nested runs. @throws InspectorError not_found | invalid_input */
export function planCopy(context: PlanContext, request: CopyRequest, rules: RunPlanRules, edited?: EditedRun): Plan {
  const place = wantedPlace(context, request.ref);
  const { ref, head } = place;
  const { runs } = context;
  const run = request.targetTask ?? freeName(ref.task, (name) => runs.task(name) !== undefined);
  checkCopy(context, request, run);
  const nested = nestedRows(context, ref.task, head).filter((one) => rules.keeps(context, place, one) === true);
  const copy = (from: RunHead, text: string) => {
    const renamed = rules.renamed(text, ref.task, run);
    return { from, text: runs.rules.asStored(runs.database, from, renamed) };
  };
  const root = copy(head, edited?.text ?? place.text);
  const others = nested.map((one) => copy(one, runs.rules.text(runs.database, one) ?? ''));
  const [written, ...beside] = [
    ...refsOf(context, run, root.text),
    ...others.flatMap(({ from, text }) => refsOf(context, run, text, from.name)),
  ];
  if (written === undefined) throw noCheckpoint(ref);
  const reason = edited ? `edit of ${ref.id}` : `copy of ${ref.id}`;
  const where = `one row of ${rules.table}`;
  return {
    view: {
      ...frame(context, request, ref.task, { basis: 'none' }),
      targetTask: run,
      preconditions: [
        { kind: 'head', task: run },
        ...[head, ...nested].map((one) => rowStays(context, ref.task, one)),
        { kind: 'absent', ref: written },
      ],
      writes: planList<PlanItem>([
        { ref: written, reason, sizeBytes: Buffer.byteLength(root.text), where },
        ...beside.map((to) => ({ ref: to, reason: 'read from the copied rows' })),
      ]),
      warnings: [...rules.warnings(place, root.text), ...(edited?.warnings ?? [])],
      latestAfter: written,
      proofHash: sha256(root.text),
      next: edited?.next?.(run) ?? rules.next(head.name, run, root.text),
      sidecar: [{ child: written, parent: ref }],
    },
    job: [root, ...others].reduce(
      (job, { from, text }) =>
        job.copy(rules.table, rules.key(from), {
          ...rules.columns(context, from, text),
          ...rules.copied(context, run),
        }),
      unchangedJob(context, rules, [head, ...nested]).expectAbsent(rules.table, rules.runKey(run)),
    ),
  };
}

/** Every row of the run. @throws InspectorError not_found | unsupported (a part of a run) | invalid_input */
export function planDelete(context: PlanContext, request: DeleteRequest, rules: RunPlanRules): Plan {
  const wanted = request.refs.map((ref) => {
    const place = context.runs.place(ref);
    if (!place) throw noCheckpoint(ref);
    return place;
  });
  const { ref } = firstOfTask(wanted, 'run');
  const latest = latestIn(context, ref.task);
  const places = context.runs.places(ref.task);
  const heads = context.runs.task(ref.task)?.heads ?? [];
  // Where nothing can be read there is no latest, and any of the rows stands for the run.
  const isWhole = latest.ref === undefined || wanted.some(({ isLatest }) => isLatest);
  if (!isWhole) throw new InspectorError('unsupported', PART_OF_A_RUN, { remedy: DELETE_THE_RUN });
  const job = unchangedJob(context, rules, heads);
  return {
    view: {
      ...frame(context, request, ref.task, latest),
      preconditions: heads.map((head) => rowStays(context, ref.task, head)),
      removes: planList(
        places.map((one): PlanItem => {
          return { ref: one.ref, reason: "part of the run's rows", sizeBytes: one.step.sizeBytes };
        }),
      ),
      warnings: [{ code: 'task_emptied', message: 'This deletes the whole run, with the runs nested in it.' }],
      bytesFreed: heads.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    },
    job: heads.reduce((all, head) => all.delete(rules.table, rules.key(head)), job),
  };
}

export const PART_OF_A_RUN = "This checkpoint is a part of the run's row, and can't be deleted on its own.";
const DELETE_THE_RUN = "Delete the run's newest checkpoint: that deletes the whole run.";

function overwritten({ ref, step }: Place): PlanItem {
  return { ref, reason: 'later in the run, whose one row is overwritten', sizeBytes: step.sizeBytes };
}

const nestedRows = ({ runs }: PlanContext, run: string, head: RunHead): readonly RunHead[] =>
  (runs.task(run)?.heads ?? []).filter((one) => one !== head);

function latestIn({ runs }: PlanContext, run: string): Latest {
  const ref = runs.latest(run)?.ref;
  return ref ? { ref, basis: 'rule' } : { basis: 'none' };
}

const headStays = (task: string, { ref }: Latest): Precondition => defined({ kind: 'head', task, ref });

/** @throws InspectorError changed | unsupported */
function rowStays({ runs }: PlanContext, run: string, head: RunHead): Precondition {
  const row = runs.places(run).find((place) => place.head === head && place.isRow);
  const stored = runs.rules.stored(runs.database, head);
  if (row && stored) return { kind: 'revision', ref: row.ref, revision: sha256(stored) };
  throw new InspectorError('changed', `The row of "${head.name}" was removed in the meantime.`);
}

/** A job for as long as these rows are what was looked at. */
function unchangedJob(context: PlanContext, rules: RunPlanRules, heads: readonly RunHead[]): RowsJob {
  const odd = heads.find(({ oddKey }) => oddKey !== undefined);
  if (odd)
    throw new InspectorError(
      'unsupported',
      `The ${odd.oddKey} of this row isn't text, so the row can't be identified.`,
    );
  return heads.reduce(
    (job, head) => job.expectRow(rules.table, rules.key(head), rules.unchanged(context, head)),
    sqliteJob(context.path),
  );
}

/** The checkpoints that a row of this state has, the row itself first. */
function refsOf({ runs }: PlanContext, task: string, text: string, namespace?: string): CheckpointRef[] {
  return runs.rules
    .read(text)
    .run.steps.toReversed()
    .map(({ index }) => defined({ task, namespace, id: idAt(task, index) }));
}

function checkCopy({ runs }: PlanContext, request: CopyRequest, run: string): void {
  const refuse = (message: string) => new InspectorError('invalid_input', message, { data: { targetTask: run } });
  if (request.kind === 'fork' && request.id !== undefined)
    throw refuse("The ids of a run's checkpoints follow from the run's id. Name the new run instead.");
  if (run === '') throw refuse('A run needs an id.');
  if (runs.task(run)) throw refuse(`The run "${run}" already exists. Choose a new id for the copy.`);
}

function activeWarnings({ now }: PlanContext, { updatedAt = '' }: RunHead): PlanWarning[] {
  const age = now.getTime() - Date.parse(updatedAt);
  if (!(age >= 0 && age < ACTIVE_MS)) return [];
  const message = 'The row was written less than a minute ago. A running process would write over this: stop it first.';
  return [{ code: 'agent_active', message }];
}

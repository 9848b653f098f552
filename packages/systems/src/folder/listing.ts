/** How rows and tasks are listed by the systems whose documents tell their own times and parents. */
import {
  eachInSteps,
  type CheckpointMeta,
  type CheckpointStatus,
  type InSteps,
  type LineageRow,
  type Task,
} from '@checkpoint-inspector/core';
import { defined } from './document.ts';
import type { FolderSnapshot, FolderTask, PlacedRow, StoredDocument } from './rows.ts';
import type { FolderRules } from './source.ts';
import { isoOf, type Stamp } from './time.ts';

interface ListedDocument extends StoredDocument {
  readonly name: string;
  readonly facts?: {
    readonly status: CheckpointStatus;
    readonly time?: Stamp;
    readonly stepIndex?: number;
    readonly description?: string;
    readonly error?: string;
  };
}

type Times = Pick<CheckpointMeta, 'createdAt' | 'createdAtText' | 'timeBasis'>;
type Maybe<T> = { readonly [K in keyof T]?: T[K] | undefined };

/** What differs between these systems. */
interface ListingRules<F extends ListedDocument, S> extends Pick<Task, 'system'> {
  /** The title of the files whose task is unknown, and of a task with an empty id. */
  readonly titles: { readonly unassigned: string; readonly empty: string };
  /** Where a task has better words than its id. */
  readonly titleOf?: (task: FolderTask<PlacedRow<F>>) => string | undefined;
  /** A time without an offset is the machine's own, and is not placed on the UTC line. */
  readonly naiveIsLocal: boolean;
  readonly labels: (row: PlacedRow<F>) => string[];
  readonly ofRow: (
    row: PlacedRow<F>,
    snapshot: S,
  ) => Maybe<Pick<CheckpointMeta, 'trigger' | 'agentId' | 'tokenUsage' | 'costUsd' | 'graphSignature'>>;
  readonly ofTask?: (task: FolderTask<PlacedRow<F>>) => Maybe<Pick<Task, 'agentId'>>;
}

type Listing<F extends ListedDocument, S extends FolderSnapshot<PlacedRow<F>>> = Pick<
  FolderRules<F, PlacedRow<F>, S>,
  'title' | 'task' | 'meta' | 'lineage'
>;

/** Between these, ISO texts are in the order of the times. */
const [YEAR_0, YEAR_10000] = [-62_167_219_200_000_000n, 253_402_300_800_000_000n];

/** The time of a document; where it has none, that of its file. */
const microsOf = ({ facts, entry }: ListedDocument): bigint => facts?.time?.micros ?? entry.mtimeNs / 1000n;

/** The greatest time of those that are on the UTC line. One text for each would cost more than all the rest of a list. */
function* newestTime(
  files: readonly ListedDocument[],
  isLocal: (file: ListedDocument) => boolean,
): InSteps<string | undefined> {
  let [oldest, newest]: (bigint | undefined)[] = [];
  yield* eachInSteps(files, (file) => {
    if (isLocal(file)) return;
    const micros = microsOf(file);
    if (newest === undefined || micros > newest) newest = micros;
    if (oldest === undefined || micros < oldest) oldest = micros;
  });
  if (newest === undefined || oldest === undefined) return undefined;
  if (oldest >= YEAR_0 && newest < YEAR_10000) return isoOf(newest);
  const times = files.filter((file) => !isLocal(file)).map((file) => isoOf(microsOf(file)));
  return times.toSorted().at(-1);
}

function* countsOf(rows: readonly PlacedRow<ListedDocument>[]): InSteps<Pick<Task, 'unreadable' | 'sizeBytes'>> {
  let [unreadable, sizeBytes] = [0, 0];
  yield* eachInSteps(rows, (row) => {
    if (!row.readable) unreadable += 1;
    sizeBytes += row.file.entry.size;
  });
  return { unreadable, sizeBytes };
}

const descriptionOf = ({ file }: PlacedRow<ListedDocument>) => (file.facts ? file.facts.description : file.name);

export function listingBy<F extends ListedDocument, S extends FolderSnapshot<PlacedRow<F>>>(
  rules: ListingRules<F, S>,
): Listing<F, S> {
  const timesOf = ({ file }: PlacedRow<ListedDocument>): Times => {
    const time = file.facts?.time;
    if (!time) return { createdAt: isoOf(microsOf(file)), timeBasis: 'file' };
    if (isLocal(file)) return { createdAtText: time.text, timeBasis: 'local' };
    return { createdAt: isoOf(time.micros), createdAtText: time.text, timeBasis: 'utc' };
  };
  const isLocal = (file: ListedDocument): boolean => file.facts?.time?.naive === true && rules.naiveIsLocal;
  const title: Listing<F, S>['title'] = (task) => {
    if (task.unassigned) return rules.titles.unassigned;
    return rules.titleOf?.(task) ?? (task.id === '' ? rules.titles.empty : task.id);
  };
  return {
    title,
    meta: (store, row, snapshot): CheckpointMeta => {
      const { ref, parent } = row;
      const file: ListedDocument = row.file;
      return defined({
        store,
        id: ref.id,
        taskId: ref.task,
        namespace: ref.namespace,
        parentId: parent?.id,
        parentTaskId: parent?.task === ref.task ? undefined : parent?.task,
        lineage: row.lineage,
        seq: row.seq,
        stepIndex: file.facts?.stepIndex,
        ...timesOf(row),
        status: file.facts?.status ?? 'unknown',
        description: descriptionOf(row),
        labels: rules.labels(row),
        ...rules.ofRow(row, snapshot),
        sizeBytes: file.entry.size,
        revision: file.revision,
        isLatest: row.isLatest,
        problem: file.problem,
      });
    },
    lineage: (row: PlacedRow<ListedDocument>): LineageRow =>
      defined({
        id: row.ref.id,
        namespace: row.ref.namespace,
        parent: row.parent,
        kind: row.lineage,
        time: timesOf(row).createdAt,
        status: row.file.facts?.status ?? 'unknown',
        seq: row.seq,
        stepIndex: row.file.facts?.stepIndex,
        description: descriptionOf(row),
        isLatest: row.isLatest,
        problem: row.file.problem?.code,
      }),
    *task(store, task): InSteps<Task> {
      const { rows, latest } = task;
      const top: ListedDocument['facts'] = rows.findLast((row) => row.isLatest)?.file.facts;
      const updatedAt = yield* newestTime(
        rows.map(({ file }) => file),
        isLocal,
      );
      return defined({
        store,
        id: task.id,
        title: title(task),
        system: rules.system,
        ...rules.ofTask?.(task),
        checkpointCount: rows.length,
        ...(yield* countsOf(rows)),
        latestId: latest.ref?.id,
        latestNamespace: latest.ref?.namespace,
        latestNote: latest.note,
        status: top?.status ?? 'unknown',
        lastError: top?.error,
        updatedAt,
        kind: task.unassigned ? 'unassigned' : undefined,
      });
    },
  };
}

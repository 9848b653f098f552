import {
  mapInSteps,
  sortInSteps,
  toEnd,
  type CheckpointRef,
  type InSteps,
  type Latest,
} from '@checkpoint-inspector/core';
import { groupInSteps, type FolderRow, type FolderSnapshot } from '../folder/index.ts';
import type { StoredFile } from './files.ts';
import { latestOf } from './latest.ts';
import { compareText } from './stamps.ts';

/** Where a row is: [readable, sort text, id]. Unique, so that a page can go on when its last row is gone. */
export type Rank = readonly [readable: 0 | 1, text: string, id: string];

/** One checkpoint file in its place. */
export interface Row extends FolderRow<StoredFile> {
  readonly rank: Rank;
  /** The save before in the same run, inferred: the pipeline records no parents. */
  readonly parent?: CheckpointRef;
}

/** The folder at one moment. */
export interface Snapshot extends FolderSnapshot<Row> {
  readonly task: string;
  /** Oldest first; what cannot be read before all that can. */
  readonly rows: readonly Row[];
  readonly latest: Latest;
  readonly files: readonly StoredFile[];
}

/** The files of a folder in the pipeline's order; pure, so a plan can ask it about a folder that does not exist yet. */
export function* snapshotInSteps(task: string, files: readonly StoredFile[]): InSteps<Snapshot> {
  const unranked = yield* mapInSteps(files, (file) => ({ file, rank: rankOf(file) }));
  const ranked = yield* sortInSteps(unranked, (a, b) => compareRank(a.rank, b.rank));
  const runs = new Map<string, CheckpointRef>();
  const rows = yield* mapInSteps(ranked, ({ file, rank }, at): Row => {
    const ref = { task, id: file.id };
    const run = file.facts?.timestamp ? file.facts.run : undefined;
    const parent = run === undefined ? undefined : runs.get(run);
    if (run !== undefined) runs.set(run, ref);
    return { file, ref, rank, seq: at + 1, ...(parent ? { parent } : {}) };
  });
  const latest = latestOf(rows);
  return {
    task,
    rows,
    latest,
    files,
    tasks: new Map([[task, { id: task, rows, latest }]]),
    byId: yield* groupInSteps(rows, (row) => row.ref.id),
  };
}

/** All of it at once, for plans. */
export const snapshotOf = (task: string, files: readonly StoredFile[]): Snapshot => toEnd(snapshotInSteps(task, files));

/** Oldest first. Of equal timestamps the smallest id is the latest: the order of a folder listed by name. */
export function compareRank(a: Rank, b: Rank): number {
  return a[0] - b[0] || compareText(a[1], b[1]) || compareText(b[2], a[2]);
}

/** The greatest timestamp; empty where there is none. */
export function newestStamp(files: readonly StoredFile[]): string {
  return files.map((file) => file.facts?.timestamp ?? '').reduce((a, b) => (compareText(a, b) < 0 ? b : a), '');
}

function rankOf({ id, entry, facts }: StoredFile): Rank {
  return facts ? [1, facts.timestamp, id] : [0, String(entry.mtimeNs).padStart(20, '0'), id];
}

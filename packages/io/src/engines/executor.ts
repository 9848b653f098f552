import { InspectorError, type Job } from '@checkpoint-inspector/core';
import { realPath } from '../files/index.ts';
import { fileIdentity } from '../sqlite/snapshot.ts';

/** What the journal keeps of one step of a job; made and read by the engine alone. */
export interface Image {
  /** JSON: enough to see whether the step is done, or still undone. */
  readonly mark: unknown;
  /** What it takes besides to put the state before back. */
  readonly content?: Uint8Array | undefined;
}

/** Which side of a step is stored now; `both` where it changes nothing. */
export interface Side {
  readonly is: 'before' | 'after' | 'both' | 'neither';
  /** The file or table, in the engine's words. */
  readonly what: string;
}

export interface SettleHooks {
  /** Names what the engine leaves beside a store meanwhile; `[A-Za-z0-9-]+`, one per intent. */
  readonly tag: string;
  /** All is written, nothing removed. `false` leaves the removals undone. Not asked where a change is one transaction. */
  readonly written?: () => Promise<boolean>;
  /** Called between steps; tests stop the process there. */
  readonly onStep?: (step: string) => void;
}

export interface ApplyHooks extends SettleHooks {
  /** The file or folder that was planned for, as `placeIdentity` names it: another one, or a link to it, is refused. */
  readonly identity?: string | undefined;
  /** Everything is known and nothing is stored: make the images durable. A throw stops the change. */
  readonly prepared: (images: readonly Image[]) => void | Promise<void>;
}

export interface FailedStep {
  readonly what: string;
  readonly reason: string;
}

/** What became of the steps of a job. */
export interface Outcome {
  /** Indexes of the images that did not happen. */
  readonly skipped: readonly number[];
  readonly failed: readonly FailedStep[];
  /** What did happen, in words: `added c4.json (12 bytes)`, `removed 2 rows from writes`. */
  readonly done: readonly string[];
}

export interface Applied extends Outcome {
  readonly images: readonly Image[];
}

export interface Settled extends Outcome {
  readonly outcome: 'completed' | 'rolled-back';
}

/** The one thing that changes stores of its kind. A system names it in a job; nobody else knows its steps. */
export interface Executor {
  readonly engine: string;
  /** Exactly the steps of a job. @throws InspectorError changed | busy | disk_full | …: nothing is changed then */
  apply(job: Job, hooks: ApplyHooks): Promise<Applied>;
  /** Reads only. @throws InspectorError no_store | busy | unreadable */
  compare(place: string, marks: readonly unknown[]): Promise<Side[]>;
  /** Ends a change that was cut off by the end of its process: completed or rolled back, never between. */
  settle(place: string, images: readonly Image[], hooks: SettleHooks): Promise<Settled>;
  /** The job that undoes these images; it refuses with `changed` where they are no longer what is stored. */
  undo(place: string, images: readonly Image[]): Promise<Job>;
}

export interface Executors {
  /** @throws InspectorError unsupported */
  get(engine: string): Executor;
}

/** Engines by name. */
export function createExecutors(list: readonly Executor[]): Executors {
  const known = new Map(list.map((executor) => [executor.engine, executor]));
  return {
    get(engine) {
      const executor = known.get(engine);
      if (executor) return executor;
      throw new InspectorError('unsupported', `There is no engine called "${engine}".`, { data: { engine } });
    },
  };
}

/** Which file or folder is at a place: its real path, device and inode. `undefined` where none is, as of a server. */
export function placeIdentity(place: string): string | undefined {
  const inode = fileIdentity(place);
  return inode === undefined ? undefined : `${inode} ${realPath(place)}`;
}

/** Asked once the place is open. @throws InspectorError changed */
export function assertSamePlace(place: string, identity: string | undefined): void {
  if (identity === undefined || identity === placeIdentity(place)) return;
  const message = `${place} was replaced after the preview, by another file or folder or by a link.`;
  throw new InspectorError('changed', message, { data: { path: place } });
}

export function sideOf(before: boolean, after: boolean): Side['is'] {
  if (before && after) return 'both';
  if (before) return 'before';
  return after ? 'after' : 'neither';
}

/** The images that a change was cut off before: none of it happened. */
export function nothingDone(images: readonly Image[]): Settled {
  return { outcome: 'rolled-back', skipped: images.map((_, index) => index), failed: [], done: [] };
}

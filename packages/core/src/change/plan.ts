import type { PlannedView } from './view.ts';

/** What an engine does: data that can be kept and copied, and that only the named engine builds and reads. */
export interface Job {
  /** The engine's name: `files`, `sqlite`, `memory`. */
  readonly engine: string;
  /** What the engine acts on, in its own words: a folder, a database file. */
  readonly place: string;
  /** The engine's own. */
  readonly steps: unknown;
}

/**
 * A system's answer to a request: what people see, and what an engine does.
 * @example const { view, job }: Plan = await source.plan({ kind: 'restore', ref })
 */
export interface Plan {
  readonly view: PlannedView;
  readonly job: Job;
}

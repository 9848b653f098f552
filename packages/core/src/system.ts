/** What a system offers the registry: recognising a target, and opening its stores. */
import type { CheckpointSource } from './contract.ts';
import type { StoreId } from './model.ts';
import type { Target } from './target.ts';

/**
 * That a target is of a system, and how sure that is.
 * @example const match: Match = { system: 'kaizen', because: '12 files *.jsonl', confidence: 0.9 }
 */
export interface Match {
  readonly system: string;
  /** Why it matched, in words: "16 threads in table checkpoints". */
  readonly because: string;
  /** 0..1: how sure; the highest wins. */
  readonly confidence: number;
  /** The folder that holds the files, where it is one: a known folder inside the target, or the target itself. */
  readonly place?: string;
  /** All that the system has below `place` belongs to the store. */
  readonly isWhole?: true;
}

/**
 * Under which names a target is opened.
 * @example const options: OpenOptions = { label: 'prod', location: './checkpoints', nameStore: storeId }
 */
export interface OpenOptions {
  readonly label: string;
  /** As the user wrote it, for the screen. */
  readonly location: string;
  /** Gives a free store id for a name; called once per source. */
  readonly nameStore: (name: string) => StoreId;
  /** Where a store may keep what it has read, for the next time; absent: in memory only. */
  readonly stateFolder?: string | undefined;
  /** Told how each source can be opened again by its system. */
  readonly onOpened?: (source: CheckpointSource, as: OpenedAs) => void;
  /** Told of a store inside the target that could not be opened while others could. */
  readonly onFailure?: (name: string, error: unknown) => void;
}

export interface OpenedAs {
  readonly system: string;
  /** The target that the user named, or a file or folder inside. */
  readonly target: Target;
  /** As it was given to `open`; several sources of one target add their own names. */
  readonly label: string;
}

/**
 * One system, as the registry knows it.
 * @example if (await system.detect(target)) sources = await system.open(target, options)
 */
export interface System {
  readonly id: string;
  readonly label: string;
  /** Cheap, and never writes. `undefined` when the target is not of this system. */
  detect(target: Target): Promise<Match | undefined>;
  /** One source per project, schema or folder found. @throws InspectorError */
  open(target: Target, options: OpenOptions): Promise<CheckpointSource[]>;
}

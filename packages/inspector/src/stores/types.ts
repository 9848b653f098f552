/** What opens stores, and what it answers about all of them. */
import type {
  CheckpointSource,
  Coverage,
  ErrorCode,
  OpenedAs,
  Page,
  StoreId,
  StoreInfo,
  Task,
  TaskQuery,
  TaskStatus,
  Unwatch,
} from '@checkpoint-inspector/core';

/** How another thread opens the same store. */
export interface StoreOrigin {
  readonly id: StoreId;
  /** Nothing is detected a second time. */
  readonly as: OpenedAs;
  /** Of the source itself. */
  readonly label: string;
  readonly location?: string;
  /** Of a store that was unlocked; it is passed on in memory only. */
  readonly key?: string;
}

export interface StoreFailure {
  readonly store: StoreId;
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly remedy: string };
}

/** How far the list of a store is read: its failed tasks may not all be known yet. */
export interface TasksRead {
  readonly store: StoreId;
  readonly n: number;
  /** Absent where the store doesn't tell how many there are. */
  readonly of?: number;
  /** Of a folder: how many of its files the list is made of so far. */
  readonly files?: Coverage;
}

export interface TaskList extends Omit<Page<Task>, 'partial'> {
  /** Stores whose tasks are still being read; absent when all are known. A page may then have fewer tasks than its limit. */
  readonly reading?: readonly TasksRead[];
  readonly failures: readonly StoreFailure[];
}

export interface MergedTaskQuery extends TaskQuery {
  readonly status?: TaskStatus;
  readonly store?: StoreId;
  /** Only tasks that were saved at this time or later, ISO 8601. */
  readonly since?: string;
  /** Waits until the lists are read to their end, as long as something comes. */
  readonly whole?: boolean;
}

/** `stores`: one was opened or closed; `change`: one of them, and one task where known. */
export type StoresEvent =
  | { readonly kind: 'stores' }
  | { readonly kind: 'change'; readonly store: StoreId; readonly task?: string };

export interface StoreService {
  list(): StoreInfo[];
  /** @throws InspectorError not_found */
  source(store: StoreId): CheckpointSource;
  /** How another thread opens the same store; `undefined` for one that was added open. */
  origin(store: StoreId): StoreOrigin | undefined;
  /** False where what it tells must not be written anywhere: a key opened it, or it is private and nobody agreed. */
  mayKeep(store: StoreId): boolean;
  /** A person agrees, once and for good, that the search index of a private store is kept. @throws InspectorError not_found | unsupported */
  agreeToKeep(store: StoreId): void;
  /** Opens everything found at the target. @throws InspectorError no_store and what the system's reader throws */
  open(target: string, name?: string): Promise<StoreInfo[]>;
  /**
   * Opens several, as a start does: one that cannot be read is named in the failures of `tasks`, and a slow one keeps
   * nothing waiting. @throws InspectorError no_store | invalid_input for a wrong target; what the first one throws when none opens
   */
  openAll(targets: readonly { readonly location: string; readonly name?: string }[]): Promise<void>;
  /** Opens what is found in the known places below the home folder; a store that fails is named in the failures of `tasks`. */
  openHome(home: string): Promise<StoreInfo[]>;
  /** Adds a source that is open already (memory, demo). @throws InspectorError invalid_input when its id is taken */
  add(source: CheckpointSource): void;
  /** Gives the key of encrypted rows; kept in memory only. @throws InspectorError unsupported | wrong_key */
  unlock(store: StoreId, key: string): Promise<void>;
  /** Closes a store; deletes nothing. @throws InspectorError not_found */
  close(store: StoreId): Promise<void>;
  closeAll(): Promise<void>;
  /**
   * Failed tasks first, then newest. A long list is answered with its newest tasks while the rest is being read (`reading`):
   * its pages are in order among what was known, then what became known. A store that fails or is too slow is named in `failures`.
   */
  tasks(query?: MergedTaskQuery): Promise<TaskList>;
  /** Says that a store was changed from here: lists are read again, listeners told. */
  touch(store: StoreId, task?: string): void;
  onEvent(listener: (event: StoresEvent) => void): Unwatch;
}

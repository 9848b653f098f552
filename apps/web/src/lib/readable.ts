/** What is locked, by what the rows and the stores say. */
import { stateBytesOf, type CheckpointMeta, type Problem, type StoreInfo, type Task } from '@checkpoint-inspector/core';
import { formatSize } from './format.ts';

/** A row that another key would open. */
export const isLocked = (problem: Problem | undefined): problem is Problem =>
  problem?.code === 'locked' || problem?.code === 'wrong_key';

/** True where the store says that a part of it is encrypted. */
export const mayUnlock = (info: Pick<StoreInfo, 'notes'>): boolean =>
  info.notes?.some((note) => /\b(?:encrypted|locked)\b/i.test(note)) ?? false;

const COUNTED = /^(\d+) (?:locked\b|do not open\b)/;

/** Rows that only need a key, as the store counts them in its notes. */
const lockedRows = (info: Pick<StoreInfo, 'notes'>): number =>
  (info.notes ?? []).reduce((sum, note) => sum + Number(COUNTED.exec(note)?.[1] ?? 0), 0);

/**
 * Stores in which every problem is a lock: there the word "unreadable" would say too much.
 * @param tasks all tasks of these stores
 */
export function lockedStores(stores: readonly StoreInfo[], tasks: readonly Task[]): ReadonlySet<string> {
  const isOnly = (info: StoreInfo): boolean => {
    const problems = tasks.reduce((sum, task) => sum + (task.store === info.id ? task.unreadable : 0), 0);
    return problems > 0 && lockedRows(info) === problems;
  };
  return new Set(stores.filter(isOnly).map((info) => info.id));
}

// How large a state may be to be read as a whole into the page. Bytes are those of the stored row or file.

type Sized = Pick<CheckpointMeta, 'sizeBytes' | 'stateBytes'>;

/** Larger states are read part by part; the server reads them off its event loop. */
const LARGE_BYTES = 8_000_000;
/** Larger states are not even opened part by part unless the reader says so. */
const HUGE_BYTES = 50_000_000;

/** @example '12 MB', or 'Up to 12 MB' where it is only known what it is made of */
export const stateSizeWords = (meta: Sized): string =>
  meta.stateBytes === undefined ? formatSize(meta.sizeBytes) : `Up to ${formatSize(meta.stateBytes)}`;

export const isLarge = (meta: Sized): boolean => stateBytesOf(meta) > LARGE_BYTES;
export const isHuge = (meta: Sized): boolean => stateBytesOf(meta) > HUGE_BYTES;

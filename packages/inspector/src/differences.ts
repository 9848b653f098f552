/** The one way in which states are compared: by their store where that reads only what differs, else by their texts. */
import { diffJson, stateBytesOf } from '@checkpoint-inspector/core';
import type { CheckpointRef, CheckpointSource, Diff, StateDiff } from '@checkpoint-inspector/core';

/** A checkpoint to be compared. */
export interface Compared {
  readonly source: CheckpointSource;
  readonly ref: CheckpointRef;
}

export interface CompareOptions {
  readonly ignore: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Texts of this size are compared as fast as nodes, and tell how much is equal. */
export const TEXT_BYTES = 256 * 1024;

/**
 * What the store itself knows of two of its states.
 * @returns undefined where their texts are to be compared
 * @throws InspectorError unreadable | invalid_input (an ignore rule)
 */
export async function storedDiff(a: Compared, b: Compared, options: CompareOptions): Promise<StateDiff | undefined> {
  const { source } = b;
  return source.info.id === a.source.info.id ? source.diff?.(a.ref, b.ref, options) : undefined;
}

/** As `storedDiff`, for who also wants to know how much is equal: small states are left to the texts. */
export async function largeDiff(a: Compared, b: Compared, options: CompareOptions): Promise<StateDiff | undefined> {
  if (!b.source.diff) return undefined;
  const metas = [await a.source.meta(a.ref, options), await b.source.meta(b.ref, options)];
  const isLarge = metas.some((meta) => meta !== undefined && stateBytesOf(meta) > TEXT_BYTES);
  return isLarge ? storedDiff(a, b, options) : undefined;
}

/** Of two states, however they are compared. @param textOf reads one as text */
export async function differencesBetween<C extends Compared>(
  a: C,
  b: C,
  options: CompareOptions,
  textOf: (one: C) => Promise<string>,
): Promise<Diff> {
  return (await largeDiff(a, b, options)) ?? diffJson(await textOf(a), await textOf(b), { ignore: options.ignore });
}

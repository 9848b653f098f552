/** The values of the checkpoints of a branch, many at a time from a store that reads what they share once. */
import {
  formatPath,
  type BranchStep,
  type CheckpointSource,
  type Path,
  type StateValue,
} from '@checkpoint-inspector/core';

interface Place {
  readonly source: CheckpointSource;
  readonly path: Path;
  /** Root first. */
  readonly branch: readonly BranchStep[];
}

/** So many checkpoints and bytes of states at a time: a millisecond or two, between which others get their turn. */
const MOST = 50;
const MOST_BYTES = 1_000_000;

/**
 * How to ask for the value at a place of the branch, from its end to its root: `undefined` where it has to be read on its
 * own. That says what is wrong, too, where one of them cannot be read.
 */
export function valuesAhead({ source, branch, path }: Place): (position: number) => Promise<StateValue | undefined> {
  /** Those from this place on have been asked for; `values` are the last ones. */
  let from = branch.length;
  let values: readonly (StateValue | undefined)[] = [];
  return async (position) => {
    if (position < from) {
      from = position + 1;
      for (let bytes = 0; from > 0 && position - from < MOST - 1; from--) {
        bytes += branch[from - 1]?.row?.facts?.sizeBytes ?? MOST_BYTES;
        if (bytes > MOST_BYTES) break;
      }
      const refs = branch.slice(from, position + 1).map(({ ref }) => ref);
      from = Math.min(from, position);
      values = refs.length < 2 ? [] : ((await source.values?.(refs, formatPath(path)).catch(() => [])) ?? []);
    }
    return values[position - from];
  };
}

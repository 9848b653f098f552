/** Looks on, by nothing but a watch, while others save. */
import type { CheckpointSource } from '@checkpoint-inspector/core';

export interface Following {
  /** Ids of the task at the last look, oldest first. */
  seen(task: string): readonly string[];
  /** What no look may show: an id twice, or one that came between or went. */
  readonly defects: readonly string[];
  looks(): number;
  end(): Promise<void>;
}

/** Reads the tasks after each event, one look at a time. Nothing may be removed from them meanwhile. */
export function follow(source: CheckpointSource, tasks: readonly string[]): Following {
  const known = new Map<string, readonly string[]>();
  const defects: string[] = [];
  let looks = 0;
  let isStale = false;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    while (isStale) {
      isStale = false;
      looks++;
      for (const task of tasks) {
        const ids: string[] = [];
        for await (const { id } of source.lineage(task)) ids.push(id);
        const before = known.get(task) ?? [];
        if (new Set(ids).size < ids.length) defects.push(`${task}: an id is there twice`);
        if (before.some((id, at) => ids[at] !== id)) defects.push(`${task}: the order changed after ${before.length}`);
        known.set(task, ids);
      }
    }
  };
  const unwatch = source.watch?.(() => {
    isStale = true;
    looking ??= look()
      .catch((error: unknown) => void defects.push(String(error)))
      .finally(() => (looking = undefined));
  });
  return {
    seen: (task) => known.get(task) ?? [],
    defects,
    looks: () => looks,
    end: async () => {
      unwatch?.();
      await looking;
    },
  };
}

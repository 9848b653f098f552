/** Diagnoses over the open stores, each kept until its branch changes. */
import { refKey, withOptions, type CheckpointSource, type StoreId } from '@checkpoint-inspector/core';
import type { BranchQuery } from '../history/branch.ts';
import type { StoreService } from '../stores/types.ts';
import { listBranch, pausing, type Branch, type Looking } from './branch.ts';
import type { Diagnosis } from './types.ts';

export interface Diagnoses {
  /** @throws InspectorError not_found | ambiguous_id; the reason of the signal when it is cancelled */
  of(store: StoreId, query: BranchQuery, looking?: Looking): Promise<Diagnosis>;
}

const KEPT = 200;

interface Deps {
  readonly stores: StoreService;
  /** Absent: every branch is examined in this thread. */
  readonly largeStates?: unknown;
}

export function createDiagnoses({ stores }: Deps): Diagnoses {
  const kept = new Map<string, Diagnosis>();
  const examine = async (source: CheckpointSource, branch: Branch, looking: Looking): Promise<Diagnosis> => {
    // A third of the rules of this program, which most commands never ask.
    const { diagnoseBranch } = await import('./diagnose.ts');
    const pause = pausing(looking.signal);
    // Other branches are listed here: a parent may be known to the journal alone.
    return diagnoseBranch(source, branch, pause);
  };
  return {
    async of(store, query, looking = {}) {
      const { signal } = looking;
      const source = signal ? withOptions(stores.source(store), { signal }) : stores.source(store);
      const branch = await listBranch(source, query, pausing(signal));
      const key = keyOf(source, branch);
      const known = key === undefined ? undefined : kept.get(key);
      if (known !== undefined) return known;
      const fresh = await examine(source, branch, looking);
      const [oldest] = kept.keys();
      if (kept.size >= KEPT && oldest !== undefined) kept.delete(oldest);
      // Decrypted text of an unlocked store stays here: in memory only, as everything in it.
      if (key !== undefined) kept.set(key, fresh);
      return fresh;
    },
  };
}

/** Everything an answer rests on: the branch by its revisions, and the ends of the other branches. */
function keyOf({ info }: CheckpointSource, { steps, tree }: Branch): string | undefined {
  const parts: string[] = [info.identity ?? info.id, ...info.volatilePaths];
  for (const { ref, row, meta } of steps) {
    if (meta?.revision === undefined && meta?.problem === undefined) return undefined;
    parts.push(refKey(ref), row.status, String(row.isLatest), meta.revision ?? meta.problem?.message ?? '');
  }
  const tips = tree.nodes.filter(({ row, children }) => children.length === 0 && row !== undefined);
  return [...parts, ...tips.map(({ ref, row }) => `${refKey(ref)} ${row?.status} ${row?.time}`)].join('\n');
}

/** Diagnoses over the open stores, each kept until its branch changes. */
import { refKey, withOptions, type CheckpointSource, type StoreId } from '@checkpoint-inspector/core';
import type { BranchQuery } from '../history/branch.ts';
import type { StoreService } from '../stores/types.ts';
import { listBranch, type Branch } from './branch.ts';
import type { Looking } from './diagnose.ts';
import type { Diagnosis } from './types.ts';

export interface Diagnoses {
  /** @throws InspectorError not_found | ambiguous_id; the reason of the signal when it is cancelled */
  of(store: StoreId, query: BranchQuery, looking?: Looking): Promise<Diagnosis>;
}

const KEPT = 200;

export function createDiagnoses({ stores }: { readonly stores: StoreService }): Diagnoses {
  const kept = new Map<string, Diagnosis>();
  return {
    async of(store, query, { signal } = {}) {
      const source = signal ? withOptions(stores.source(store), { signal }) : stores.source(store);
      // A third of the rules of this program, which most commands never ask.
      const { diagnoseBranch, pausing } = await import('./diagnose.ts');
      const pause = pausing(signal);
      const branch = await listBranch(source, query, pause);
      const key = keyOf(source, branch);
      const known = key === undefined ? undefined : kept.get(key);
      if (known !== undefined) return known;
      const fresh = await diagnoseBranch(source, branch, pause);
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

import type { CheckpointRef, LineageKind } from '@checkpoint-inspector/core';
import type { Row } from './files.ts';

export interface Edge {
  readonly parent?: CheckpointRef;
  readonly kind: LineageKind;
}

/**
 * Parent edges of one agent's rows, oldest first. Kaizen records a parent only in forks; ordinary saves are
 * chained by time, `inferred`. Where the step falls back, the agent has resumed from an older checkpoint: then
 * the newest earlier one that fits the step is its parent, and a new run at the lowest step has none.
 */
export function edgesOf(rows: readonly Row[], find: (id: string) => CheckpointRef | undefined): Map<Row, Edge> {
  const edges = new Map<Row, Edge>();
  const before: Row[] = [];
  let previous: Row | undefined;
  for (const row of rows) {
    const facts = row.file.facts;
    if (!facts || !row.readable) {
      edges.set(row, { kind: 'none' });
      continue;
    }
    if (facts.parentId === undefined) {
      const parent = inferredParent(row, previous, before);
      edges.set(row, parent ? { parent: parent.ref, kind: 'inferred' } : { kind: 'none' });
      previous = row;
    } else {
      // A parent that is gone is most likely one of the same agent's, pruned since.
      const parent = find(facts.parentId) ?? { task: row.ref.task, id: facts.parentId };
      edges.set(row, { parent, kind: 'recorded' });
    }
    before.push(row);
  }
  return edges;
}

function inferredParent(row: Row, previous: Row | undefined, before: readonly Row[]): Row | undefined {
  const step = row.file.facts?.stepIndex;
  const lastStep = previous?.file.facts?.stepIndex;
  if (previous && (step === undefined || lastStep === undefined || step > lastStep)) return previous;
  if (step === undefined) return before.at(-1);
  const fits = previous && lastStep !== undefined && step < lastStep ? step - 1 : step;
  return before.findLast((other) => (other.file.facts?.stepIndex ?? -1) <= fits);
}

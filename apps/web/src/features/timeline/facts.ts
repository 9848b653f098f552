import { refKey, type CheckpointRef } from '@checkpoint-inspector/core';
import { useMemo, useRef } from 'react';
import { refOf } from '../../lib/address.ts';
import type { Workbench } from '../workbench/use-workbench.ts';
import type { StepFact } from './model.ts';

interface Known {
  readonly ref: CheckpointRef;
  readonly fact: StepFact;
}

/** What the list has told of the task's checkpoints since it was opened, by place in save order. */
export function useFacts({ store, task, history: { rows, nodeOf } }: Workbench): ReadonlyMap<number, StepFact> {
  const seen = useRef<{ readonly place: string; readonly known: Map<string, Known> }>({ place: '', known: new Map() });
  return useMemo(() => {
    const place = `${store}/${task}`;
    if (seen.current.place !== place) seen.current = { place, known: new Map() };
    const { known } = seen.current;
    for (const row of rows) {
      const ref = refOf(row);
      const fact = {
        broken: row.problem !== undefined,
        ...(row.changes === undefined ? {} : { changes: row.changes }),
      };
      known.set(refKey(ref), { ref, fact });
    }
    const facts = new Map<number, StepFact>();
    for (const { ref, fact } of known.values()) {
      const index = nodeOf?.(ref)?.index;
      if (index !== undefined) facts.set(index, fact);
    }
    return facts;
  }, [store, task, rows, nodeOf, seen]);
}

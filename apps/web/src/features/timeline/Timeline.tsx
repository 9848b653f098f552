import { type CheckpointRef, refKey, sameRef } from '@checkpoint-inspector/core';
import { useMemo, useRef } from 'react';
import { baseSelection, selection, type Workbench } from '../workbench/use-workbench.ts';
import { forksOf } from '../../lib/forks.ts';
import { useKeys } from '../../lib/keys.ts';
import { useTaskAnswer } from '../answer/use-explanation.ts';
import { Controls, RangeWords, usePlayer } from './Controls.tsx';
import { placesIn } from './geometry.ts';
import { type StepFact, timelineModel } from './model.ts';
import { Track } from './Track.tsx';
import { useWidth } from '../../lib/hooks.ts';
import { refOf } from '../../lib/address.ts';
import { isLocked } from '../../lib/readable.ts';
import './timeline.css';

interface TimelineProps {
  readonly bench: Workbench;
  /** The bar of a narrow screen: bars and errors only. */
  readonly slim: boolean;
  /** Room for the words about the selected range. */
  readonly wide: boolean;
}

/** Every checkpoint of the task on one line: how much each step changed, and where it failed. */
export function Timeline({ bench, slim, wide }: TimelineProps) {
  const { task, history, at, base } = bench;
  const [track, width] = useWidth<HTMLDivElement>();
  const forks = history.treeRows && forksOf(task, history.treeRows);
  const facts = useFacts(bench);
  const model = useMemo(
    () => (forks && width > 0 ? timelineModel(forks, facts, placesIn(width)) : undefined),
    [forks, facts, width],
  );
  const indexOf = (ref: CheckpointRef | undefined): number => (ref && forks?.nodeOf(ref)?.index) ?? -1;
  const refAt = (index: number): CheckpointRef | undefined => forks?.tree.nodes[index]?.ref;
  const selected = indexOf(at);
  const from = base?.task === task ? indexOf(base) : -1;
  const count = model?.count ?? 0;
  const go = (index: number): void => {
    const ref = refAt(index);
    if (ref && index >= 0 && index < count && !(at && sameRef(at, ref))) bench.select(ref);
  };
  const range = (first: number, last: number): void => {
    const [a, b] = [refAt(Math.min(first, last)), refAt(Math.max(first, last))];
    if (a && b) bench.change({ ...baseSelection(a, task), ...selection(b), follow: undefined });
  };
  const failing = useTaskAnswer(history)?.failingStep;
  const unsaved = failing?.before === true ? indexOf(failing) : -1;
  const player = usePlayer({ index: selected, count, go });
  useKeys({ Space: player.toggle, ',': () => go(selected - 1), '.': () => go(selected + 1) });
  // Locked files tell no steps: their places would be the order of their names.
  if (history.rows.length > 0 && history.rows.every(({ problem }) => isLocked(problem))) return null;
  return (
    <section className={slim ? 'timeline slim' : 'timeline'} aria-label="Timeline" data-testid="timeline">
      {!slim && <Controls player={player} selected={selected} count={count} most={model?.most} go={go} />}
      <div className="timeline-track" ref={track}>
        {model && forks && model.count > 0 && (
          <Track
            model={model}
            tree={forks.tree}
            facts={facts}
            width={width}
            slim={slim}
            selected={selected}
            base={from}
            unsaved={unsaved}
            onSelect={go}
            onRange={range}
          />
        )}
      </div>
      {wide && <RangeWords bench={bench} />}
    </section>
  );
}

interface Known {
  readonly ref: CheckpointRef;
  readonly fact: StepFact;
}

/** What the list has told of the task's checkpoints since it was opened, by place in save order. */
function useFacts({ store, task, history: { read: rows, nodeOf } }: Workbench): ReadonlyMap<number, StepFact> {
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

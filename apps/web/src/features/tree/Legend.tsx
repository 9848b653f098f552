import type { LineageKind } from '@checkpoint-inspector/core';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Icon } from '../../components/Icon.tsx';
import { patternOf } from './branches.ts';
import { EdgeMark } from './CanvasLayers.tsx';
import type { TreeView } from './view-tree.ts';

const KINDS: readonly { kind: LineageKind; end: number; at: number; words: string }[] = [
  { kind: 'recorded', end: 38, at: 41, words: 'recorded in the store' },
  { kind: 'sidecar', end: 34, at: 39.5, words: 'sidecar, kept by us' },
  { kind: 'inferred', end: 31, at: 38, words: 'inferred from save order' },
];

/** The mark says which kind of parent, the pattern says which lane. Only what this tree holds is listed. */
export function Legend({ view }: { readonly view: TreeView }) {
  const [open, setOpen] = useState(true);
  const kinds = useMemo(() => new Set(view.links.map((link) => link.kind)), [view.links]);
  const ghosts = view.problems.some((node) => view.tree.nodes[node]?.ghost !== undefined);
  const lanes = useMemo(() => laneNames(view), [view]);
  return (
    <div className="tree-legend">
      <button type="button" className="tree-legend-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        Legend <Icon of={open ? ChevronDown : ChevronUp} size={12} />
      </button>
      {open && (
        <div className="tree-legend-body">
          <ul>
            {KINDS.filter(({ kind }) => kinds.has(kind)).map(({ kind, end, at, words }) => (
              <li key={kind}>
                <svg viewBox="0 0 46 14" aria-hidden="true">
                  <path d={`M0 7h${end}`} />
                  <EdgeMark kind={kind} at={{ x: at, y: 7 }} />
                </svg>
                {words}
              </li>
            ))}
            {ghosts && (
              <li>
                <svg viewBox="0 0 46 14" aria-hidden="true">
                  <rect x="8" y="1" width="30" height="12" rx="3" strokeDasharray="3 2" />
                </svg>
                parent that is not here
              </li>
            )}
          </ul>
          {lanes.length > 1 && (
            <ul>
              {lanes.map(({ pattern, names }) => (
                <li key={pattern}>
                  <svg viewBox="0 0 46 14" aria-hidden="true">
                    <path d="M0 7h46" className={`lane-${pattern}`} />
                  </svg>
                  lane {names}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </div>
  );
}

function laneNames(view: TreeView): { pattern: number; names: string }[] {
  const names = new Map<number, string[]>();
  for (const branch of view.branches.toSorted((a, b) => a.ordinal - b.ordinal)) {
    const pattern = patternOf(branch.ordinal);
    names.set(pattern, [...(names.get(pattern) ?? []), branch.name].slice(0, 4));
  }
  return [...names].map(([pattern, list]) => ({
    pattern,
    names: list.length > 3 ? `${list.slice(0, 3).join(', ')}, …` : list.join(', '),
  }));
}

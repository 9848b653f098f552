import { useMemo } from 'react';
import { StatusIcon, STATUS_WORDS } from '../../components/StatusIcon.tsx';
import { formatCount, plural } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { lanesFrom } from './lanes-from.ts';
import { nodeNumber } from './node-facts.ts';
import type { TreeModel } from './use-tree.ts';

const SHOWN = 12;

/** Where one can go from the selected checkpoint: each lane with its length and its end. */
export function LaneTable({ model, item }: { readonly model: TreeModel; readonly item: number }) {
  const { view } = model;
  const shown = useShown();
  const lanes = useMemo(() => lanesFrom(view, item), [view, item]);
  if (lanes.length < 2) return null;
  return (
    <section>
      <h2>
        Lanes from here <span>{formatCount(lanes.length)}</span>
      </h2>
      <table className="tree-lanes">
        <thead>
          <tr>
            <th scope="col">Lane</th>
            <th scope="col">Steps</th>
            <th scope="col">Ends at</th>
          </tr>
        </thead>
        <tbody>
          {lanes.slice(0, SHOWN).map(({ branch, steps, end }) => {
            const node = view.tree.nodes[end];
            return (
              <tr key={branch.name}>
                <td>
                  <StatusIcon status={branch.status} size={14} /> {branch.name}{' '}
                  {STATUS_WORDS[branch.status].toLowerCase()}
                </td>
                <td>{formatCount(steps)}</td>
                <td>
                  <button
                    type="button"
                    className="link"
                    onClick={() => model.select(end)}
                    title={node?.row?.description && shown(node.row.description)}
                  >
                    {nodeNumber(node)}
                  </button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {lanes.length > SHOWN && <p className="tree-more">{plural(lanes.length - SHOWN, 'more lane')}</p>}
    </section>
  );
}

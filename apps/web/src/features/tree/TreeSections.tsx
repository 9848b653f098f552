import type { CheckpointRef, Difference, TreeNode } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { ArrowUpRight, FileQuestionMark, TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import { diffQuery } from '../../lib/queries.ts';
import { Icon, STATUS_WORDS, StatusIcon } from '../../components/index.ts';
import { formatCount, plural, showId, shownHead } from '../../lib/format.ts';
import { type Shown, useShown } from '../../lib/masking.ts';
import { nodeNumber } from './node-facts.ts';
import type { TreeModel } from './use-tree.ts';
import { childrenOf, type TreeView } from './view-tree.ts';
import { toAddress } from '../../lib/address.ts';

const SHOWN = 12;

interface LanesProps {
  readonly model: TreeModel;
  readonly item: number;
}

/** Where one can go from the selected checkpoint: each lane with its length and its end. */
export function LaneTable({ model, item }: LanesProps) {
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

/** Its own lane onward, and every one that forks off below it; `end` is the node at the end of the lane. */
export function lanesFrom(view: TreeView, item: number) {
  const steps = new Map<number, number>();
  const stack = childrenOf(view, item);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const branch = view.branchOf[at] ?? -1;
    steps.set(branch, (steps.get(branch) ?? 0) + (view.items[at]?.nodes.length ?? 0));
    stack.push(...childrenOf(view, at));
  }
  return [...steps]
    .flatMap(([at, count]) => {
      const branch = view.branches[at];
      const end = view.items[branch?.end ?? -1]?.nodes.at(-1);
      return branch === undefined || end === undefined ? [] : [{ branch, steps: count, end }];
    })
    .sort((a, b) => a.branch.ordinal - b.branch.ordinal);
}

interface Side {
  readonly name: string;
  readonly ref: CheckpointRef;
}

/** Where the first two lanes of a fork part: the first value that differs in their first checkpoints. */
export function FirstDifference({ store, model: { view }, item }: LanesProps & { readonly store: string }) {
  const [a, b] = childrenOf(view, item)
    .sort((one, two) => (view.items[one]?.lane ?? 0) - (view.items[two]?.lane ?? 0))
    .flatMap((child) => sideOf(view, child));
  return a !== undefined && b !== undefined ? <Pair store={store} a={a} b={b} /> : null;
}

function sideOf(view: TreeView, item: number): Side[] {
  const node = view.tree.nodes[view.items[item]?.nodes[0] ?? -1];
  const name = view.branches[view.branchOf[item] ?? -1]?.name;
  return node?.row === undefined || name === undefined ? [] : [{ name, ref: node.ref }];
}

function Pair({ store, a, b }: { readonly store: string; readonly a: Side; readonly b: Side }) {
  const { data, isPlaceholderData } = useQuery({
    ...diffQuery(toAddress(store, a.ref), toAddress(store, b.ref)),
    retry: false,
  });
  const shown = useShown();
  const [first, ...rest] = data?.items ?? [];
  if (data === undefined || isPlaceholderData) return null;
  return (
    <section>
      <h2>First difference</h2>
      {first === undefined ? (
        <p className="tree-panel-text">
          {a.name} and {b.name} begin with the same state.
        </p>
      ) : (
        <>
          <p className="data tree-path">{shown(first.path)}</p>
          <dl className="pairs">
            <dt>{a.name}</dt>
            <dd className="data-small">{valueText(first, 'before', shown)}</dd>
            <dt>{b.name}</dt>
            <dd className="data-small">{valueText(first, 'after', shown)}</dd>
          </dl>
          {rest.length > 0 && (
            <p className="tree-more">{plural(rest.length, 'more', 'more')} between their first checkpoints</p>
          )}
        </>
      )}
    </section>
  );
}

function valueText(item: Difference, side: 'before' | 'after', shown: Shown): string {
  if (item.kind === 'moved') return shown(side === 'before' ? `at ${item.from ?? ''}` : `at ${item.path}`);
  const text = item[side];
  return text === undefined ? 'not there' : shownHead(shown, text, 120);
}

const MOST_PROBLEMS = 6;

/** Everything about this tree that is not as it should be; a click goes there. */
export function TreeProblems({ model }: { readonly model: TreeModel }) {
  const { view, select } = model;
  if (view.problems.length === 0) return null;
  return (
    <section>
      <h2>
        Problems in this tree <span>{formatCount(view.problems.length)}</span>
      </h2>
      <ul className="tree-problems">
        {view.problems.slice(0, MOST_PROBLEMS).map((index) => {
          const node = view.tree.nodes[index];
          if (node === undefined) return null;
          return (
            <li key={index}>
              <button type="button" onClick={() => select(index)}>
                <Icon of={node.ghost === 'other-task' ? ArrowUpRight : node.ghost ? FileQuestionMark : TriangleAlert} />
                <span>{problemText(node)}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {view.problems.length > MOST_PROBLEMS && (
        <p className="tree-more">{plural(view.problems.length - MOST_PROBLEMS, 'more', 'more')}</p>
      )}
    </section>
  );
}

function problemText(node: TreeNode): string {
  const number = nodeNumber(node);
  if (node.ghost === 'other-task') return `The parent ${number} is in task ${showId(node.ref.task)}.`;
  if (node.ghost === 'missing') return `${number} is gone. Its id is all that is left.`;
  return node.problem === 'cycle'
    ? `The parents of ${number} go in a circle; it is cut here.`
    : `${number} is stored twice under one id.`;
}

import { useQuery } from '@tanstack/react-query';
import type { CheckpointRef, Difference } from '@checkpoint-inspector/core';
import { toAddress } from '../../lib/address.ts';
import { plural, shownHead } from '../../lib/format.ts';
import { useShown, type Shown } from '../../lib/masking.ts';
import { diffQuery } from '../../lib/queries.ts';
import { childrenOf, type TreeView } from './view-tree.ts';

interface FirstDifferenceProps {
  readonly store: string;
  readonly view: TreeView;
  readonly item: number;
}

interface Side {
  readonly name: string;
  readonly ref: CheckpointRef;
}

/** Where the first two lanes of a fork part: the first value that differs in their first checkpoints. */
export function FirstDifference({ store, view, item }: FirstDifferenceProps) {
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

import {
  type Address,
  type BranchStep,
  branchTo,
  type CheckpointRef,
  type Difference,
  type Divergence,
  divergence,
  type ForkTree,
  formatAddress,
} from '@checkpoint-inspector/core';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { diffQuery, treeQuery } from '../../lib/queries.ts';
import { toAddress } from '../../lib/address.ts';
import { plural, shownHead } from '../../lib/format.ts';
import { type Shown, useShownJson } from '../../lib/masking.ts';
import { LanePicture, stepName } from './LanePicture.tsx';
import { firstChange } from '../diff/ranking.ts';
import { forksOf } from '../../lib/forks.ts';

/** Where the two ways part, as a picture and in words, where they share a tree. */
export function Lineage({ a, b }: { readonly a: Address; readonly b: Address }) {
  const parted = useDivergence(a, b);
  if (parted === undefined) return null;
  if (parted.ancestor === undefined) {
    return (
      <p className="lineage-none small muted" data-testid="lineage">
        No common ancestor: the two are in separate trees.
      </p>
    );
  }
  if (parted.onlyA.length === 0 && parted.onlyB.length === 0) {
    return (
      <p className="lineage-none small muted" data-testid="lineage">
        Both sides are the same checkpoint.
      </p>
    );
  }
  return (
    <div className="compare-lineage" data-testid="lineage">
      <LanePicture parted={parted} />
      <FirstDivergence store={a.store} parted={parted} />
    </div>
  );
}

function FirstDivergence({ store, parted }: { readonly store: string; readonly parted: Divergence }) {
  const shown = useShownJson();
  const { ancestor, onlyA, onlyB } = parted;
  // Where one end is the ancestor itself, the other's first step is compared with it.
  const [one, other] = [onlyA[0] ?? ancestor, onlyB[0] ?? ancestor];
  const both = onlyA.length > 0 && onlyB.length > 0;
  const { data, isPlaceholderData } = useQuery({
    ...diffQuery(toAddress(store, (one ?? NOBODY).ref), toAddress(store, (other ?? NOBODY).ref)),
    enabled: one?.row !== undefined && other?.row !== undefined,
    retry: false,
  });
  const items = isPlaceholderData ? [] : (data?.items ?? []);
  const first = firstChange(items);
  return (
    <section className="lineage-first" aria-label="First divergence" data-testid="first-divergence">
      <h2 className="label">
        {both
          ? `First divergence, one step after ${stepName(ancestor)}`
          : `${onlyA.length === 0 ? 'A' : 'B'} is an ancestor, ${plural(onlyA.length + onlyB.length, 'step')} before`}
      </h2>
      {first && (
        <>
          <p className="data lineage-path cut" title={shown(first.path)}>
            {shown(first.path)}
          </p>
          <dl className="lineage-values">
            <div>
              <dt>A</dt>
              <dd>
                <span className="data">{valueOf(first, 'before', shown)}</span>{' '}
                <span className="muted">at {stepName(one)}</span>
              </dd>
            </div>
            <div>
              <dt>B</dt>
              <dd>
                <span className="data">{valueOf(first, 'after', shown)}</span>{' '}
                <span className="muted">at {stepName(other)}</span>
              </dd>
            </div>
          </dl>
          {items.length > 1 && (
            <p className="small muted">{plural(items.length - 1, 'more difference')} between these two</p>
          )}
        </>
      )}
      {data && !isPlaceholderData && !first && (
        <p className="second">
          {stepName(one)} and {stepName(other)} have the same state. They diverge later.
        </p>
      )}
    </section>
  );
}

const NOBODY: BranchStep = { ref: { task: '', id: '' }, kind: 'none' };
const VALUE = 80;

function valueOf(item: Difference, side: 'before' | 'after', shown: Shown): string {
  if (item.kind === 'moved') return shown(side === 'before' ? (item.from ?? '') : item.path);
  const text = item[side];
  return text === undefined ? 'not there' : shownHead(shown, text, VALUE, item.path);
}

const divergenceQuery = (client: QueryClient, a: Address, b: Address) =>
  queryOptions({
    queryKey: ['divergence', a.store, a.task, formatAddress(a), formatAddress(b)],
    queryFn: async (): Promise<Divergence> => {
      const treeOf = async (task: string): Promise<ForkTree> =>
        forksOf(task, await client.fetchQuery(treeQuery(a.store, task))).tree;
      return divergence(await branchTo(a, treeOf), await branchTo(b, treeOf));
    },
    structuralSharing: false,
  });

/** Where the ways to two checkpoints part; nothing where they lie in two stores. */
function useDivergence(a: Address, b: Address): Divergence | undefined {
  const client = useQueryClient();
  const { data } = useQuery({ ...divergenceQuery(client, a, b), enabled: a.store === b.store });
  return a.store === b.store ? data : undefined;
}

/** The parent of a checkpoint and its newest child, as far as its task holds them. */
export function useNeighbours(at: Address) {
  const { data } = useQuery(treeQuery(at.store, at.task));
  const forks = data && forksOf(at.task, data);
  const node = forks?.nodeOf(at);
  const refAt = (index: number | undefined): CheckpointRef | undefined => {
    const found = index === undefined ? undefined : forks?.tree.nodes[index];
    return found?.ghost === 'missing' ? undefined : found?.ref;
  };
  return { older: refAt(node?.parent), newer: refAt(node?.children.at(-1)) };
}

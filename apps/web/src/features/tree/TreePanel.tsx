import { type Receipt, refKey, type TreeNode } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { GitFork, History, LocateFixed, PanelsTopLeft, UnfoldHorizontal } from 'lucide-react';
import { Button, cutId, LINEAGE_WORDS, Pairs, StatusIcon } from '../../components/index.ts';
import { checkpointQuery, useStore } from '../../lib/queries.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { toAddress } from '../../lib/address.ts';
import { formatSize, formatTime, SAVED_WORDS, showId, usedText } from '../../lib/format.ts';
import { useBesideAt } from '../beside/use-beside.ts';
import { useChangeBlock, useChangeDialog } from '../change/index.tsx';
import { timeWords } from '../history/HistoryRow.tsx';
import { LanePanel } from './lanes/LanePanel.tsx';
import type { LaneBook } from './lanes/book.ts';
import { LaneName } from './lanes/LaneName.tsx';
import { FirstDifference, TreeProblems } from './TreeSections.tsx';
import { factsOf, nodeNumber } from './node-facts.ts';
import type { TreeModel } from './use-tree.ts';
import type { TreeView } from './view-tree.ts';

interface TreePanelProps {
  readonly store: string;
  readonly model: TreeModel;
  readonly onOpen: () => void;
}

export function TreePanel({ store, model, book, onOpen }: TreePanelProps & { readonly book: LaneBook }) {
  const { view, selected, node } = model;
  const item = selected === undefined ? undefined : view.items[selected];
  if (item === undefined || node === undefined) {
    return (
      <aside className="tree-panel" aria-label="Selected checkpoint">
        <section>
          <p className="tree-panel-text">The checkpoint in the address isn't in this task, or no longer is.</p>
          <Button icon={LocateFixed} onClick={model.focusOnLatest}>
            Show the latest
          </Button>
        </section>
        <TreeProblems store={store} model={model} />
      </aside>
    );
  }
  const facts = factsOf(view, item, model.tellOf);
  const error = facts.shape === 'checkpoint' ? model.tellOf(node)?.error : undefined;
  return (
    <aside className="tree-panel" aria-label="Selected checkpoint" data-testid="tree-panel">
      <header>
        {facts.shape !== 'chain' && <b className="data">{facts.number}</b>}
        {facts.shape === 'ghost' && <span className="muted cut">{facts.second}</span>}
        {facts.status && <StatusIcon status={facts.status} size={14} />}
        <span className="cut">{facts.title}</span>
        <PanelLane book={book} name={view.branches[view.branchOf[selected ?? -1] ?? -1]?.name} />
      </header>
      {facts.shape === 'chain' ? (
        <section>
          <p className="tree-panel-text">{facts.second}: nothing forks, fails or ends here.</p>
          <Button icon={UnfoldHorizontal} kbd="Enter" onClick={() => model.open(selected ?? -1)}>
            Show the steps
          </Button>
        </section>
      ) : (
        <Actions store={store} model={model} node={node} onOpen={onOpen} />
      )}
      {error !== undefined && (
        <section>
          <h2>Error</h2>
          <p className="tree-error">{error}</p>
        </section>
      )}
      <LanePanel model={model} book={book} />
      {facts.shape === 'checkpoint' && <FirstDifference model={model} book={book} node={node.index} />}
      {node.row !== undefined && facts.shape === 'checkpoint' && <Provenance store={store} model={model} node={node} />}
      <TreeProblems store={store} model={model} />
    </aside>
  );
}

/** The lane as the graph and the table call it. */
function PanelLane({ book, name }: { readonly book: LaneBook; readonly name: string | undefined }) {
  const info = book.lanes.find(({ lane }) => lane.label === name);
  return (
    <span className="muted end tree-panel-lane">
      {info === undefined || info.lane.ordinal === 0 ? name : <LaneName info={info} book={book} />}
    </span>
  );
}

function Actions({ store, model, node, onOpen }: TreePanelProps & { readonly node: TreeNode }) {
  const dialogs = useChangeDialog();
  const block = useChangeBlock(store);
  const refused = useBesideAt(node.row === undefined ? undefined : toAddress(store, node.ref))?.refused ?? {};
  const gone = node.row === undefined ? 'This checkpoint is not in this task: only its id is known.' : undefined;
  const chain = openChainOf(model.view, node.index, model.expanded);
  const toNew = ({ written: [made] }: Receipt): void => {
    if (made !== undefined && made.task === model.view.task) model.focusOn(made);
  };
  return (
    <section className="tree-actions">
      {!isFile() && (
        <>
          <Button
            icon={History}
            disabledReason={gone ?? block('restore') ?? refused.restore}
            onClick={() => dialogs.openRestore(store, node.ref, toNew)}
          >
            Restore…
          </Button>
          <Button
            icon={GitFork}
            disabledReason={gone ?? block('fork') ?? refused.fork}
            onClick={() => dialogs.openFork(store, node.ref, toNew)}
          >
            Fork
          </Button>
        </>
      )}
      <Button
        icon={PanelsTopLeft}
        onClick={onOpen}
        disabledReason={node.ghost === 'missing' ? gone : undefined}
        title="Open in the workbench (Enter)"
      >
        Open
      </Button>
      {chain !== undefined && (
        <button type="button" className="link small" onClick={() => model.fold(chain)}>
          Fold this chain again
        </button>
      )}
    </section>
  );
}

export function Provenance({ store, model, node }: Omit<TreePanelProps, 'onOpen'> & { readonly node: TreeNode }) {
  const { data: meta } = useQuery(checkpointQuery(toAddress(store, node.ref)));
  const info = useStore(store);
  const parent = node.parent === undefined ? undefined : model.view.tree.nodes[node.parent];
  const time = node.row?.time;
  return (
    <section>
      <h2>Provenance</h2>
      <Pairs
        facts={[
          ['Checkpoint', cutId(showId(node.ref.id), 22)],
          ['Namespace', node.ref.namespace === undefined ? undefined : showId(node.ref.namespace), 'data'],
          ['Parent', parent === undefined ? LINEAGE_WORDS.none : `${nodeNumber(parent)}, ${LINEAGE_WORDS[node.kind]}`],
          ['Latest by', node.row?.isLatest ? info?.latestRule : undefined],
          ['Saved at', time === undefined ? meta?.createdAtText && timeWords(meta) : formatTime(time)],
          ['Saved', meta?.trigger && SAVED_WORDS[meta.trigger]],
          ['Used', meta && usedText(meta)],
          ['Size', meta && formatSize(meta.sizeBytes)],
          ['Revision', meta?.revision && cutId(meta.revision, 13)],
        ]}
      />
    </section>
  );
}

/** The id of the opened chain that a node belongs to: walks up its run to the first checkpoint of it. */
export function openChainOf(
  view: Pick<TreeView, 'tree'>,
  node: number,
  expanded: ReadonlySet<string>,
): string | undefined {
  if (expanded.size === 0) return undefined;
  for (
    let at = view.tree.nodes[node];
    at !== undefined && at.children.length === 1;
    at = view.tree.nodes[at.parent ?? -1]
  ) {
    const id = `chain:${refKey(at.ref)}`;
    if (expanded.has(id)) return id;
  }
  return undefined;
}

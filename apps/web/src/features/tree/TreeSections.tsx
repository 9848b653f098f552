import type { TreeNode } from '@checkpoint-inspector/core';
import { ArrowUpRight, FileQuestionMark, TriangleAlert } from 'lucide-react';
import { Icon, StatusIcon } from '../../components/index.ts';
import { formatCount, plural, showId } from '../../lib/format.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
import { useTaskTitle } from '../../lib/queries.ts';
import { type LaneBook, waysFrom } from './lanes/book.ts';
import { useOnScreen } from './lanes/use-lane-book.ts';
import { nodeNumber } from './node-facts.ts';
import type { TreeModel } from './use-tree.ts';

const SHOWN = 8;

interface ForkProps {
  readonly model: TreeModel;
  readonly book: LaneBook;
  readonly node: number;
}

/** At a fork: the first value in which the ways from here differ, and what each has for it. */
export function FirstDifference({ model, book, node }: ForkProps) {
  const shown = useShown();
  const shownJson = useShownJson();
  const ways = waysFrom(book, node);
  useOnScreen(book, book.lanes.filter(({ lane }) => lane.fork === node).slice(0, SHOWN));
  if (ways === undefined) return null;
  const { path, lanes } = ways;
  return (
    <section>
      <h2>First difference</h2>
      <p className="data tree-path">{shown(path)}</p>
      <ul className="tree-ways">
        {lanes.slice(0, SHOWN).map(({ info: { lane }, value }) => (
          <li key={lane.ordinal}>
            <button type="button" onClick={() => model.select(lane.tip)}>
              <StatusIcon status={lane.status} size={14} />
              <span className="muted">{lane.label}</span>
              <span className="data-small">{value === undefined ? 'not there' : shownJson(value, path)}</span>
            </button>
          </li>
        ))}
      </ul>
      {lanes.length > SHOWN && <p className="tree-more">{plural(lanes.length - SHOWN, 'more lane')}</p>}
    </section>
  );
}

const MOST_PROBLEMS = 6;

/** Where the tree continues from another task, and everything about it that is not as it should be; a click goes there. */
export function TreeProblems({ store, model }: ProblemsProps) {
  const { tree, problems } = model.view;
  const nodes = problems.flatMap((index) => tree.nodes[index] ?? []);
  const isForked = ({ ghost }: TreeNode): boolean => ghost === 'other-task';
  return (
    <>
      <Listed title="From another task" nodes={nodes.filter(isForked)} store={store} model={model} />
      <Listed
        title="Problems in this tree"
        nodes={nodes.filter((node) => !isForked(node))}
        store={store}
        model={model}
      />
    </>
  );
}

interface ProblemsProps {
  readonly store: string;
  readonly model: Pick<TreeModel, 'view' | 'select'>;
}

interface ListedProps extends ProblemsProps {
  readonly title: string;
  readonly nodes: readonly TreeNode[];
}

function Listed({ title, nodes, store, model }: ListedProps) {
  if (nodes.length === 0) return null;
  return (
    <section>
      <h2>
        {title} <span>{formatCount(nodes.length)}</span>
      </h2>
      <ul className="tree-problems">
        {nodes.slice(0, MOST_PROBLEMS).map((node) => (
          <li key={node.index}>
            <button type="button" onClick={() => model.select(node.index)}>
              <Icon of={node.ghost === 'other-task' ? ArrowUpRight : node.ghost ? FileQuestionMark : TriangleAlert} />
              {node.ghost === 'other-task' ? <Origin store={store} node={node} /> : <span>{problemText(node)}</span>}
            </button>
          </li>
        ))}
      </ul>
      {nodes.length > MOST_PROBLEMS && (
        <p className="tree-more">{plural(nodes.length - MOST_PROBLEMS, 'more', 'more')}</p>
      )}
    </section>
  );
}

function Origin({ store, node }: { readonly store: string; readonly node: TreeNode }) {
  const title = useTaskTitle(store, node.ref.task);
  return (
    <span>
      Continues {nodeNumber(node)} of {showId(title)}.
    </span>
  );
}

function problemText(node: TreeNode): string {
  const number = nodeNumber(node);
  if (node.ghost === 'missing') return `${number} is no longer in the store.`;
  return node.problem === 'cycle'
    ? `The parents of ${number} form a loop. The tree is cut here.`
    : `${number} is stored twice under one id.`;
}

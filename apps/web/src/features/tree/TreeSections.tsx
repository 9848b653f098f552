import type { TreeNode } from '@checkpoint-inspector/core';
import { ArrowUpRight, FileQuestionMark, TriangleAlert } from 'lucide-react';
import { Icon, StatusIcon } from '../../components/index.ts';
import { formatCount, plural, showId } from '../../lib/format.ts';
import { useShown, useShownJson } from '../../lib/masking.ts';
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
              <span className="data-small">{value === undefined ? 'not there' : shownJson(value)}</span>
            </button>
          </li>
        ))}
      </ul>
      {lanes.length > SHOWN && <p className="tree-more">{plural(lanes.length - SHOWN, 'more lane')}</p>}
    </section>
  );
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
  if (node.ghost === 'missing') return `${number} is no longer in the store.`;
  return node.problem === 'cycle'
    ? `The parents of ${number} form a loop. The tree is cut here.`
    : `${number} is stored twice under one id.`;
}

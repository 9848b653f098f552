import { ArrowUpRight, FileQuestionMark, TriangleAlert } from 'lucide-react';
import type { TreeNode } from '@checkpoint-inspector/core';
import { Icon } from '../../components/Icon.tsx';
import { formatCount, plural, showId } from '../../lib/format.ts';
import { nodeNumber } from './node-facts.ts';
import type { TreeModel } from './use-tree.ts';

const SHOWN = 6;

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
        {view.problems.slice(0, SHOWN).map((index) => {
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
      {view.problems.length > SHOWN && (
        <p className="tree-more">{plural(view.problems.length - SHOWN, 'more', 'more')}</p>
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

import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { ArrowUpRight, Ellipsis, FileQuestionMark, TriangleAlert } from 'lucide-react';
import { memo } from 'react';
import type { Node, NodeProps } from '@xyflow/react';
import { Badge } from '../../components/Badge.tsx';
import { Icon } from '../../components/Icon.tsx';
import { StatusIcon } from '../../components/StatusIcon.tsx';
import type { NodeFacts } from './node-facts.ts';

export interface ItemData extends Record<string, unknown> {
  readonly facts: NodeFacts;
  readonly selected: boolean;
  /** Element id, for `aria-activedescendant`. */
  readonly domId: string;
  readonly store: string;
  /** The ordering rule in words: stands beside `latest`. */
  readonly rule: string;
}

export type ItemNode = Node<ItemData, 'item'>;

/** One box of the tree: a checkpoint, a ghost or a folded chain. Its size never depends on its words. */
export const TreeItemNode = memo(function TreeItemNode({ data }: NodeProps<ItemNode>) {
  const { facts, selected, domId } = data;
  return (
    <div
      id={domId}
      className={clsx(
        'tree-node',
        facts.shape,
        facts.status,
        selected && 'on',
        facts.warning !== undefined && 'defect',
      )}
      data-testid="tree-node"
      data-shape={facts.shape}
      aria-label={facts.label}
      role="group"
      title={facts.label}
    >
      <div className="tree-node-1">
        <Mark facts={facts} />
        <span className="cut">{facts.title}</span>
      </div>
      <div className="tree-node-2 cut">
        {facts.otherTask === undefined ? (
          facts.second
        ) : (
          <Link
            to="/t/$store/$task/tree"
            params={{ store: data.store, task: facts.otherTask }}
            className="link nodrag nopan"
          >
            {facts.second}
          </Link>
        )}
      </div>
      {facts.latest && <LatestTag rule={data.rule} />}
    </div>
  );
});

function Mark({ facts }: { readonly facts: NodeFacts }) {
  if (facts.shape === 'chain') return <Icon of={Ellipsis} />;
  const icon = facts.otherTask === undefined ? FileQuestionMark : ArrowUpRight;
  return (
    <>
      {facts.shape === 'ghost' && <Icon of={icon} />}
      <b>{facts.number}</b>
      {facts.warning !== undefined && facts.shape === 'checkpoint' && <Icon of={TriangleAlert} />}
      {facts.status && <StatusIcon status={facts.status} size={14} />}
    </>
  );
}

function LatestTag({ rule }: { readonly rule: string }) {
  return (
    <div className="tree-latest" title={`latest: ${rule}`}>
      <Badge tone="solid">latest</Badge>
      <span>{rule}</span>
    </div>
  );
}

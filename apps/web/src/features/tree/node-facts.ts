/** What an item says in its box and to a screen reader. */
import type { CheckpointStatus, TreeNode, VisibleItem } from '@checkpoint-inspector/core';
import { LINEAGE_WORDS, STATUS_WORDS } from '../../components/index.ts';
import { cutMiddle, plural, showId, stepNumber } from '../../lib/format.ts';
import { shownNow } from '../../lib/masking.ts';
import type { TreeBase } from './view-tree.ts';

export interface NodeFacts {
  readonly shape: 'checkpoint' | 'ghost' | 'chain';
  /** `#07`, or the id of a ghost. */
  readonly number: string;
  readonly title: string;
  readonly second: string;
  readonly status?: CheckpointStatus;
  readonly latest: boolean;
  readonly warning?: string;
  /** Task to go to: the parent is in another one. */
  readonly otherTask?: string;
  /** The whole in one sentence. */
  readonly label: string;
}

/** One line on what changed in a checkpoint, where it is known. */
export type SummaryOf = (node: TreeNode) => string | undefined;

export function factsOf(base: Pick<TreeBase, 'tree'>, item: VisibleItem, summaryOf: SummaryOf): NodeFacts {
  const first = base.tree.nodes[item.nodes[0] ?? -1];
  if (first === undefined) return { shape: 'ghost', number: '', title: '', second: '', latest: false, label: '' };
  if (item.kind === 'chain') return chainFacts(base, item);
  return first.row === undefined ? ghostFacts(first) : checkpointFacts(first, summaryOf);
}

export function nodeNumber(node: TreeNode | undefined): string {
  if (node === undefined) return '';
  return node.row === undefined ? cutMiddle(showId(node.ref.id), 12) : stepNumber(node.row);
}

function chainFacts(base: Pick<TreeBase, 'tree'>, item: VisibleItem): NodeFacts {
  const from = nodeNumber(base.tree.nodes[item.nodes[0] ?? -1]);
  const to = nodeNumber(base.tree.nodes[item.nodes.at(-1) ?? -1]);
  const title = plural(item.nodes.length, 'step');
  return {
    shape: 'chain',
    number: '',
    title,
    second: `${from} to ${to}`,
    latest: false,
    label: `${title}, ${from} to ${to}, folded`,
  };
}

function ghostFacts(node: TreeNode): NodeFacts {
  const ghost = { shape: 'ghost', number: nodeNumber(node), title: '', latest: false } as const;
  const parent = `Parent ${showId(node.ref.id)}`;
  if (node.ghost === 'other-task') {
    const second = `in ${showId(node.ref.task)}`;
    const label = `${parent} in task ${showId(node.ref.task)}`;
    return { ...ghost, second, otherTask: node.ref.task, label };
  }
  const second = 'only the id is left';
  return { ...ghost, second, warning: second, label: `${parent}: ${second}` };
}

const PROBLEMS = { cycle: 'its parents go in a circle', duplicate: 'the same id is stored twice' } as const;

function checkpointFacts(node: TreeNode, summaryOf: SummaryOf): NodeFacts {
  const { row } = node;
  if (row === undefined) return ghostFacts(node);
  const number = stepNumber(row);
  const title = row.description === undefined ? STATUS_WORDS[row.status] : shownNow(row.description);
  const warning = node.problem === undefined ? undefined : PROBLEMS[node.problem];
  const forks = node.children.length > 1 ? plural(node.children.length, 'child', 'children') : undefined;
  // A fork's box has room for one fact: how many go on from it.
  const second = warning ?? forks ?? summaryOf(node) ?? clockOf(row.time) ?? STATUS_WORDS[row.status];
  const label = [
    `${number} ${title}`,
    STATUS_WORDS[row.status],
    row.isLatest ? 'latest' : undefined,
    forks,
    node.kind === 'none' ? undefined : `parent ${LINEAGE_WORDS[node.kind]}`,
    warning,
  ];
  return {
    shape: 'checkpoint',
    number,
    title,
    second,
    status: row.status,
    latest: row.isLatest,
    ...(warning === undefined ? {} : { warning }),
    label: label.filter((part) => part !== undefined).join(', '),
  };
}

/** Time of day in UTC, as it stands in the row's own time. */
function clockOf(time: string | undefined): string | undefined {
  if (time === undefined || Number.isNaN(Date.parse(time))) return undefined;
  return `${new Date(time).toISOString().slice(11, 19)} UTC`;
}

/** What an item says in its box and to a screen reader. */
import type { CheckpointStatus, TreeNode, VisibleItem } from '@checkpoint-inspector/core';
import { LINEAGE_WORDS, STATUS_WORDS } from '../../components/index.ts';
import {
  cutMiddle,
  formatDuration,
  formatMoney,
  formatTimeOfDay,
  plural,
  showId,
  stepNumber,
} from '../../lib/format.ts';
import { shownNow } from '../../lib/masking.ts';
import type { TreeBase } from './view-tree.ts';

export interface NodeFacts {
  readonly shape: 'checkpoint' | 'ghost' | 'chain';
  /** `#07`, or the id of a ghost. */
  readonly number: string;
  readonly title: string;
  readonly second: string;
  /** What a checkpoint changed or why it failed; absent where only its time or status is known. */
  readonly change?: string;
  /** The second line where a card is too small for it. */
  readonly brief?: string;
  /** Of a fork: how many continue from it. */
  readonly children?: string;
  /** What it used, else when it was saved. */
  readonly third?: string;
  readonly status?: CheckpointStatus;
  readonly latest: boolean;
  readonly warning?: string;
  /** Task to go to: the parent is in another one. */
  readonly otherTask?: string;
  /** The whole in one sentence. */
  readonly label: string;
}

/** What is known of a checkpoint besides its place in the tree; texts masked. */
export interface Told {
  /** One line on what changed. */
  readonly summary?: string;
  /** Why it failed. */
  readonly error?: string;
  readonly costUsd?: number;
  readonly durationMs?: number;
  readonly tokenUsage?: number;
}

export type TellOf = (node: TreeNode) => Told | undefined;

export function factsOf(base: Pick<TreeBase, 'tree'>, item: VisibleItem, tellOf: TellOf): NodeFacts {
  const first = base.tree.nodes[item.nodes[0] ?? -1];
  if (first === undefined) return { shape: 'ghost', number: '', title: '', second: '', latest: false, label: '' };
  if (item.kind === 'chain') return chainFacts(base, item);
  return first.row === undefined ? ghostFacts(first) : checkpointFacts(first, tellOf);
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
  const second = 'no longer in the store';
  return { ...ghost, second, warning: second, label: `${parent}: ${second}` };
}

const LOCKED: ReadonlySet<string> = new Set(['locked', 'wrong_key']);
const PROBLEMS = { cycle: 'its parents form a loop', duplicate: 'the same id is stored twice' } as const;

function checkpointFacts(node: TreeNode, tellOf: TellOf): NodeFacts {
  const { row } = node;
  if (row === undefined) return ghostFacts(node);
  const number = stepNumber(row);
  const title = row.description === undefined ? cutMiddle(showId(row.id), 18) : shownNow(row.description);
  const unread = row.problem === undefined ? undefined : LOCKED.has(row.problem) ? 'locked' : 'unreadable';
  const warning = node.problem === undefined ? unread : PROBLEMS[node.problem];
  const forks = node.children.length > 1 ? plural(node.children.length, 'child', 'children') : undefined;
  const told = tellOf(node);
  const clock = clockOf(row.time);
  const used = [
    ...(told?.costUsd === undefined ? [] : [formatMoney(told.costUsd)]),
    ...(told?.durationMs === undefined ? [] : [formatDuration(told.durationMs)]),
  ];
  const change = warning ?? told?.error ?? told?.summary ?? forks;
  const second = change ?? clock ?? STATUS_WORDS[row.status];
  const rest = [forks, ...(used.length > 0 ? used : [clock])].filter((part) => part !== undefined && part !== second);
  const third = rest.length > 0 ? rest.join(' · ') : undefined;
  const label = [
    `${number} ${title}`,
    // Of what can't be read nobody knows how it went.
    unread === undefined ? STATUS_WORDS[row.status] : undefined,
    row.isLatest ? 'latest' : undefined,
    forks,
    node.kind === 'none' ? undefined : `parent ${LINEAGE_WORDS[node.kind]}`,
    warning,
    told?.error,
  ];
  return {
    shape: 'checkpoint',
    number,
    title,
    second,
    ...(change === undefined ? {} : { change }),
    ...(second === told?.summary ? { brief: toNew(second) } : {}),
    ...(third === undefined ? {} : { third }),
    ...(forks === undefined || forks === second ? {} : { children: forks }),
    ...(unread === undefined ? { status: row.status } : {}),
    latest: row.isLatest,
    ...(warning === undefined ? {} : { warning }),
    label: label.filter((part) => part !== undefined).join(', '),
  };
}

/** Time of day, where the row has a time. */
function clockOf(time: string | undefined): string | undefined {
  if (time === undefined || Number.isNaN(Date.parse(time))) return undefined;
  return formatTimeOfDay(time);
}

/** A card has room for the new value only. @example toNew('phase "rank" → "publish"') // 'phase → "publish"' */
export function toNew(summary: string): string {
  const [path = ''] = summary.split(' ', 1);
  const arrow = summary.indexOf(' → ');
  return arrow <= path.length ? summary : `${path}${summary.slice(arrow)}`;
}

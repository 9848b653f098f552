/** A plan in the words of the dialog. No figure here that the plan does not hold. */
import {
  type ChangeRequest,
  type CheckpointRef,
  type ErrorCode,
  holdWords,
  type InspectorError,
  type Latest,
  type PlanItem,
  type PlanList,
  type PlanView,
  sameRef,
  type ShownRequest,
} from '@checkpoint-inspector/core';
import { formatCount, cutMiddle, formatSize, plural, showId } from '../../lib/format.ts';

/** What a checkpoint is called on the screen: `#06`, or its id where the number is unknown. */
export type NameOf = (ref: CheckpointRef) => string;

export type PlannedRequest = Exclude<ChangeRequest, { kind: 'undo' }>;

/** As it was asked for, or as its plan carries it. */
export type NamedRequest = PlannedRequest | Exclude<ShownRequest, { kind: 'undo' }>;

export function sourceRefs(request: NamedRequest): readonly CheckpointRef[] {
  if (request.kind === 'prune' || request.kind === 'save') return [];
  return request.kind === 'delete' ? request.refs : [request.ref];
}

/** How many of them must be named before "and n more". */
export const NAMED = 8;

export function nameList(refs: readonly CheckpointRef[], nameOf: NameOf, count = refs.length): string {
  const named = refs.slice(0, NAMED).map(nameOf).join(', ');
  return count > NAMED ? `${named} and ${count - NAMED} more` : named;
}

/** @param called what people call the task; its id where it isn't known @example 'Restore #06 to competitor-revenue' */
export function titleOf(request: NamedRequest, nameOf: NameOf, called?: string): string {
  if (request.kind === 'save') return `Save to ${called ?? showId(request.task)}`;
  if (request.kind === 'prune') return `Tidy up ${called ?? showId(request.task)}`;
  const [first] = sourceRefs(request);
  if (first === undefined) return 'Delete nothing';
  const task = called ?? showId(first.task);
  if (request.kind === 'restore') {
    return request.targetTask === undefined
      ? `Restore ${nameOf(first)} to ${task}`
      : `Restore ${nameOf(first)} into ${showId(request.targetTask)}`;
  }
  if (request.kind === 'edit') return `Save the edit of ${nameOf(first)} as a fork`;
  if (request.kind === 'fork') return `Fork ${nameOf(first)} of ${task}`;
  return request.refs.length === 1
    ? `Delete ${nameOf(first)} from ${task}`
    : `Delete ${plural(request.refs.length, 'checkpoint')} from ${task}`;
}

export function subtitleOf(request: PlannedRequest, storeLabel: string): string {
  switch (request.kind) {
    case 'restore':
      return `In ${storeLabel}. Restoring adds a checkpoint and changes no existing one.`;
    case 'fork':
      return `In ${storeLabel}. Forking adds a checkpoint with the same state; the original isn't changed.`;
    case 'edit':
      return `In ${storeLabel}. The edit becomes a checkpoint of its own; the original isn't changed.`;
    case 'prune':
    case 'delete':
      return `In ${storeLabel}. Deleted checkpoints are kept in the trash, byte for byte.`;
  }
}

const ACTS: Record<NamedRequest['kind'], { act: string; doing: string; done: string }> = {
  restore: { act: 'Restore', doing: 'Restoring', done: 'Restored' },
  fork: { act: 'Fork', doing: 'Forking', done: 'Forked' },
  edit: { act: 'Save as fork', doing: 'Saving', done: 'Saved' },
  prune: { act: 'Delete', doing: 'Deleting', done: 'Deleted' },
  delete: { act: 'Delete', doing: 'Deleting', done: 'Deleted' },
  save: { act: 'Save', doing: 'Saving', done: 'Saved' },
};

export const wordsOf = (kind: NamedRequest['kind']) => ACTS[kind];

/** The one primary button. @example 'Restore #06' */
export function confirmLabel(request: NamedRequest, nameOf: NameOf): string {
  const [first] = sourceRefs(request);
  const { act } = ACTS[request.kind];
  if (first === undefined) return act;
  return request.kind === 'delete' && request.refs.length > 1
    ? `${act} ${formatCount(request.refs.length)}`
    : `${act} ${nameOf(first)}`;
}

/** What a restore would only copy onto itself. */
export function restoresLatest({ request, latestBefore: { ref } }: PlanView): CheckpointRef | undefined {
  if (request.kind !== 'restore' || request.targetTask !== undefined) return undefined;
  return ref !== undefined && sameRef(ref, request.ref) ? ref : undefined;
}

export function latestAfterText(plan: PlanView, nameOf: NameOf): string {
  const after = plan.latestAfter;
  if (after === undefined) return 'none';
  const before = plan.latestBefore.ref;
  if (before !== undefined && sameRef(before, after)) return `${nameOf(after)}, as now`;
  const [source] = plan.request.kind === 'undo' ? [] : sourceRefs(plan.request);
  const isNew = plan.writes.items.some((item) => sameRef(item.ref, after));
  if (isNew && source !== undefined && plan.request.kind === 'edit') return `The edit of ${nameOf(source)}`;
  return isNew && source !== undefined && plan.request.kind !== 'delete'
    ? `The state of ${nameOf(source)}`
    : nameOf(after);
}

export interface PlanLine {
  readonly kind: 'writes' | 'moves' | 'removes' | 'evicts' | 'protected' | 'warning';
  /** Empty where the line above says it. */
  readonly key: string;
  /** The checkpoint that the line is about. */
  readonly lead?: string;
  /** Continues right after `lead`. */
  readonly text: string;
}

/** A step's name, where one is known. */
type DescribeOf = (ref: CheckpointRef) => string | undefined;

/** Writes, moves, removes, evicts, protected and warnings: one line for each thing worth reading. */
export function planLines(plan: PlanView, nameOf: NameOf, describe: DescribeOf = () => undefined): readonly PlanLine[] {
  const idOf = (ref: CheckpointRef): string => cutMiddle(showId(ref.id), 24);
  const line = (item: PlanItem, before: PlanItem | undefined, lead: string, act?: string): Said => {
    const named = describe(item.ref);
    const facts = [sizeOf(item), act].filter((part) => part !== undefined).map((part) => `, ${part}`);
    const about = `${named === undefined ? '' : ` ${named}`}${facts.join('')}`;
    // A reason that the line above gave is the same for this one.
    return { lead, text: before?.reason === item.reason ? about : `${about}. ${sentence(item.reason)}`.trimEnd() };
  };
  return [
    ...shorten('writes', 'Writes', plan.writes, (item, before) => line(item, before, idOf(item.ref))),
    ...shorten('moves', 'Moves', plan.moves, (item, before) =>
      line(item, before, nameOf(item.ref), `becomes ${idOf(item.to)}`),
    ),
    ...shorten('removes', 'To the trash', plan.removes, (item, before) => line(item, before, nameOf(item.ref))),
    ...shorten('evicts', 'Evicts', plan.evicts, (item, before) =>
      line(
        item,
        before,
        nameOf(item.ref),
        `will be evicted ${item.when === 'now' ? 'now' : "at the agent's next save"}`,
      ),
    ),
    ...shorten('protected', 'Stays', plan.protected, (item, before) => line(item, before, nameOf(item.ref))),
    ...[...plan.warnings.map(({ message }) => message), ...[holdWords(plan) ?? []].flat()].map((text, index) => ({
      kind: 'warning' as const,
      key: index === 0 ? 'Check first' : '',
      text,
    })),
  ];
}

type Said = Required<Pick<PlanLine, 'lead' | 'text'>>;

const LINES_SHOWN = 6;

function shorten<T>(
  kind: PlanLine['kind'],
  key: string,
  list: PlanList<T>,
  say: (item: T, before: T | undefined) => Said,
): readonly PlanLine[] {
  const shown = list.items
    .slice(0, LINES_SHOWN)
    .map((item, index) => ({ kind, key: index === 0 ? key : '', ...say(item, list.items[index - 1]) }));
  const rest = list.count - shown.length;
  return rest > 0 ? [...shown, { kind, key: '', text: plural(rest, 'more', 'more') }] : shown;
}

const sizeOf = (item: PlanItem): string | undefined =>
  item.sizeBytes === undefined ? undefined : formatSize(item.sizeBytes);

function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const first = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}

/** What undo gives back, and until when. */
export function undoPromise(plan: PlanView, nameOf: NameOf): string {
  const gone = [...plan.removes.items, ...plan.evicts.items.filter((item) => item.when === 'now')].map(
    (item) => item.ref,
  );
  const count = plan.removes.count + plan.evicts.items.filter((item) => item.when === 'now').length;
  const back = gone.length === 0 ? '' : `${nameList(gone, nameOf, count)} byte for byte`;
  if (plan.request.kind === 'save')
    return back === '' ? 'Delete the new checkpoint to undo it.' : 'Undo puts back what it moves to the trash.';
  const before = plan.latestBefore.ref;
  const movesHead = before !== undefined && (plan.latestAfter === undefined || !sameRef(before, plan.latestAfter));
  const isOwn = before !== undefined && gone.some((ref) => sameRef(ref, before));
  const head = movesHead && !isOwn ? `${nameOf(before)} as latest` : '';
  const parts = [head, back].filter((part) => part !== '');
  if (head === '' && !isOwn && back !== '' && (plan.request.kind === 'delete' || plan.request.kind === 'prune'))
    return `Undo brings back ${back}, even after the agent has saved again.`;
  if (parts.length === 0) return 'Undo removes the new checkpoint again, as long as nothing was saved after it.';
  return `Undo brings back ${parts.join(' and ')}, as long as the task has not moved on.`;
}

/** @example 'Head moved from #10 to #11 after the preview.' */
export function conflictText(before: Latest, now: Latest, nameOf: NameOf, message: string): string {
  const from = before.ref === undefined ? 'none' : nameOf(before.ref);
  const to = now.ref === undefined ? 'none' : nameOf(now.ref);
  const same = before.ref !== undefined && now.ref !== undefined && sameRef(before.ref, now.ref);
  return same ? message : `Head moved from ${from} to ${to} after the preview.`;
}

const MAYBE_CHANGED: ReadonlySet<ErrorCode> = new Set(['proof_failed', 'internal']);

/** What an apply that failed left behind, as far as it is known. */
export function unchangedText(error: InspectorError): string {
  if (error.data?.['offline'] === true)
    return "The server didn't answer. Check Activity to see whether the change was made.";
  if (error.code === 'proof_failed')
    return 'The change was made, but the result differs from the plan. Activity has its receipt and an Undo button.';
  return MAYBE_CHANGED.has(error.code)
    ? 'Nothing was changed unless Activity has a receipt for it.'
    : 'Nothing was changed in the store.';
}

/** What is shown once a change was applied, or refused. */
export interface ProofText {
  readonly tone: 'good' | 'warn';
  readonly title: string;
  readonly evidence: string;
}

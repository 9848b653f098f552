import { type CheckpointRef, type Proof, proofDifference, type Receipt } from '@checkpoint-inspector/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { GitFork, History, type LucideIcon, Pencil, Scissors, Trash2, TriangleAlert, Undo2 } from 'lucide-react';
import { useMemo } from 'react';
import { Badge, Button, EmptyState, Icon, LinkButton, ListRoute, VirtualList } from '../../components/index.ts';
import { activityQuery, useStoreLabel } from '../../lib/queries.ts';
import { checkpointPage, taskPage } from '../../lib/address.ts';
import { formatCount, formatTime, plural, showId } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { useChangeDialog } from '../change/index.tsx';
import { useNames } from '../change/names.ts';
import { actOf } from '../change/proof.ts';
import './activity.css';

/** Every change that was made from here, newest first, each with its proof and its way back. */
export function ActivityRoute() {
  const query = useInfiniteQuery(activityQuery());
  const { data, isFetching, hasNextPage, fetchNextPage } = query;
  const receipts = useMemo(() => data?.pages.flatMap((page) => page.items) ?? [], [data]);
  return (
    <ListRoute
      title="Activity"
      testId="activity"
      query={query}
      failed="The list of changes could not be read."
      skeleton={[6, 44]}
      said={
        data && (
          <span className="muted">
            {formatCount(receipts.length)}
            {hasNextPage ? ' or more' : ''} {receipts.length === 1 ? 'change' : 'changes'}, newest first
          </span>
        )
      }
      tools={
        <LinkButton to="/trash" icon={Trash2}>
          Trash
        </LinkButton>
      }
    >
      {receipts.length === 0 ? (
        <EmptyState action={<LinkButton to="/tasks">Go to tasks</LinkButton>}>
          Nothing was restored, forked or deleted from here yet. Every change appears here, with its proof and a way to
          undo it.
        </EmptyState>
      ) : (
        <VirtualList
          items={receipts}
          keyOf={(receipt) => receipt.id}
          heightOf={() => 64}
          measured
          role="list"
          label="Changes"
          className="activity-list"
          onEndReached={() => (hasNextPage && !isFetching ? void fetchNextPage() : undefined)}
          render={(receipt) => <ReceiptRow receipt={receipt} />}
        />
      )}
    </ListRoute>
  );
}

const ICONS: Record<Receipt['request']['kind'], LucideIcon> = {
  restore: History,
  fork: GitFork,
  edit: Pencil,
  delete: Trash2,
  prune: Scissors,
  undo: Undo2,
};

function ReceiptRow({ receipt }: { readonly receipt: Receipt }) {
  const { undo } = useChangeDialog();
  const shown = useShown();
  const names = useNames(
    receipt.store,
    useMemo(() => namedRefs(receipt), [receipt]),
  );
  const label = useStoreLabel(receipt.store);
  const way = undoOf(receipt);
  const proof = proofWords(receipt);
  const why = whyOf(receipt);
  return (
    <article className="activity-row" data-testid="receipt" data-kind={receipt.request.kind} data-proof={receipt.proof}>
      <Icon of={ICONS[receipt.request.kind]} size={16} />
      <div className="activity-text">
        <p className="activity-line">
          <b>{shown(actOf(receipt, names.nameOf))}</b>
          <span>
            in <TaskLink store={receipt.store} task={receipt.task} /> <span className="muted">{label}</span>
          </span>
          {receipt.failed.length > 0 && (
            <Badge tone="bad" icon={TriangleAlert}>{`${receipt.failed.length} failed`}</Badge>
          )}
          {receipt.proof === 'different' ? (
            <Badge tone="warn" icon={TriangleAlert}>
              {proof}
            </Badge>
          ) : (
            proof !== undefined && <span className="activity-proof">{proof}</span>
          )}
        </p>
        {why !== undefined && <p className="activity-done">{shown(why)}</p>}
        {receipt.done.slice(0, 3).map((line, index) => (
          <p key={`${index} ${line}`} className="activity-done">
            {shown(line)}
          </p>
        ))}
        {receipt.done.length > 3 && (
          <p className="activity-done muted">{plural(receipt.done.length - 3, 'more', 'more')}</p>
        )}
        {receipt.failed.slice(0, 3).map((failure, index) => (
          <p key={`${index} ${failure.what}`} className="activity-failed">
            {shown(`${failure.what}: ${failure.reason}`)}
          </p>
        ))}
        <Written receipt={receipt} nameOf={names.nameOf} />
      </div>
      <time className="muted" dateTime={receipt.appliedAt}>
        {formatTime(receipt.appliedAt)}
      </time>
      <div className="activity-undo">
        {way.kind === 'possible' ? (
          <Button icon={Undo2} onClick={() => void undo(receipt.id)}>
            {receipt.request.kind === 'undo' ? 'Redo' : 'Undo'}
          </Button>
        ) : (
          <span className="muted small">{way.reason}</span>
        )}
      </div>
    </article>
  );
}

function namedRefs(receipt: Receipt): readonly CheckpointRef[] {
  const { request } = receipt;
  const asked = 'ref' in request ? [request.ref] : [];
  return [...asked, ...receipt.written.slice(0, 4)];
}

function TaskLink({ store, task }: { readonly store: string; readonly task: string }) {
  return (
    <Link {...taskPage(store, task)} className="link">
      {showId(task)}
    </Link>
  );
}

function Written({ receipt, nameOf }: { readonly receipt: Receipt; readonly nameOf: (ref: CheckpointRef) => string }) {
  if (receipt.written.length === 0 || receipt.undoneBy !== undefined) return null;
  return (
    <p className="activity-done">
      Open
      {receipt.written.slice(0, 4).map((ref) => (
        <Link key={ref.id} className="link activity-open" {...checkpointPage(receipt.store, ref)}>
          {nameOf(ref)}
        </Link>
      ))}
    </p>
  );
}

const PROOF_WORDS: Record<Proof, string> = {
  same: 'read back, same state ✓',
  different: 'reads back differently',
  none: 'not read back',
};

/** What of a receipt was read back; nothing is said of what a delete took away: there is no state to compare. */
export function proofWords(receipt: Pick<Receipt, 'proof' | 'differs' | 'request'>): string | undefined {
  const {
    proof,
    request: { kind },
  } = receipt;
  if (proof === 'none' && (kind === 'delete' || kind === 'prune')) return undefined;
  return proofDifference(receipt) ?? PROOF_WORDS[proof];
}

/** Who edited and why, where somebody said it. @example 'By Ann: stale cache' */
export function whyOf({ request }: Pick<Receipt, 'request'>): string | undefined {
  if (request.kind !== 'edit') return undefined;
  const { author, reason } = request;
  if (author === undefined) return reason === undefined ? undefined : `Why: ${reason}`;
  return reason === undefined ? `By ${author}` : `By ${author}: ${reason}`;
}

type WayBack = { readonly kind: 'possible' } | { readonly kind: 'none'; readonly reason: string };

/** Whether a change can be undone now, or in words why not. */
export function undoOf(receipt: Pick<Receipt, 'undoable' | 'undoneBy'>): WayBack {
  if (receipt.undoneBy !== undefined) return { kind: 'none', reason: 'Undone' };
  return receipt.undoable === true ? { kind: 'possible' } : { kind: 'none', reason: receipt.undoable };
}

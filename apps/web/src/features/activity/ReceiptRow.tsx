import type { CheckpointRef, Receipt } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import clsx from 'clsx';
import { GitFork, History, type LucideIcon, Pencil, Save, Scissors, Trash2, TriangleAlert, Undo2 } from 'lucide-react';
import { useMemo } from 'react';
import { Badge, Button, Icon } from '../../components/index.ts';
import { checkpointPage, taskPage } from '../../lib/address.ts';
import { formatCount, formatTime, plural, showId } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { useStoreLabel } from '../../lib/queries.ts';
import { useChangeDialog } from '../change/index.tsx';
import { useNames } from '../change/names.ts';
import { actOf } from '../change/proof.ts';
import { proofWords, undoOf, whyOf } from './receipt-words.ts';

/** Lines of a row that has nothing beside it. */
const LINES = 3;

const ICONS: Record<Receipt['request']['kind'], LucideIcon> = {
  restore: History,
  fork: GitFork,
  edit: Pencil,
  delete: Trash2,
  prune: Scissors,
  undo: Undo2,
  save: Save,
};

interface ReceiptRowProps {
  readonly receipt: Receipt;
  /** Where the whole is shown beside the list: this one is, and how another is chosen. */
  readonly beside?: { readonly selected: boolean; readonly onSelect: () => void } | undefined;
}

/** One change: what it was, what came of it, and its way back. */
export function ReceiptRow({ receipt, beside }: ReceiptRowProps) {
  const { undo } = useChangeDialog();
  const shown = useShown();
  const names = useNames(
    receipt.store,
    useMemo(() => namedRefs(receipt), [receipt]),
    receipt,
  );
  const label = useStoreLabel(receipt.store);
  const way = undoOf(receipt);
  const proof = proofWords(receipt);
  const why = whyOf(receipt);
  const act = shown(actOf(receipt, names.nameOf));
  const lines = beside ? 1 : LINES;
  return (
    <article
      className={clsx('activity-row', beside && 'selectable', beside?.selected && 'selected')}
      data-testid="receipt"
      data-kind={receipt.request.kind}
      data-proof={receipt.proof}
    >
      <Icon of={ICONS[receipt.request.kind]} size={16} />
      <div className="activity-text">
        <p className="activity-line">
          {beside ? (
            <button type="button" className="activity-act" aria-pressed={beside.selected} onClick={beside.onSelect}>
              {act}
            </button>
          ) : (
            <b>{act}</b>
          )}
          <span>
            in <TaskLink store={receipt.store} task={receipt.task} /> <span className="muted">{label}</span>
          </span>
          {receipt.failed.length > 0 && (
            <Badge tone="bad" icon={TriangleAlert}>{`${formatCount(receipt.failed.length)} failed`}</Badge>
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
        {receipt.done.slice(0, lines).map((line, index) => (
          <p key={`${index} ${line}`} className="activity-done">
            {shown(line)}
          </p>
        ))}
        {receipt.done.length > lines && (
          <p className="activity-done muted">{plural(receipt.done.length - lines, 'more', 'more')}</p>
        )}
        {receipt.failed.slice(0, lines).map((failure, index) => (
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

export function namedRefs(receipt: Receipt): readonly CheckpointRef[] {
  const { request } = receipt;
  const asked = 'ref' in request ? [request.ref] : [];
  return [...asked, ...receipt.written.slice(0, 4)];
}

export function TaskLink({ store, task }: { readonly store: string; readonly task: string }) {
  return (
    <Link {...taskPage(store, task)} className="link">
      {showId(task)}
    </Link>
  );
}

export function Written({
  receipt,
  nameOf,
}: {
  readonly receipt: Receipt;
  readonly nameOf: (ref: CheckpointRef) => string;
}) {
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

import { stepOfRemoved, stepWords } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, Undo2 } from 'lucide-react';
import { useId } from 'react';
import { Button, Icon } from '../../components/index.ts';
import { taskPage } from '../../lib/address.ts';
import type { TrashItem } from '../../lib/api.ts';
import { cutMiddle, formatCount, formatSize, formatTime, plural, showId, stepNumber } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { receiptQuery, useStoreLabel } from '../../lib/queries.ts';
import { useChangeDialog } from '../change/index.tsx';
import { named } from '../change/names.ts';
import { actOf } from '../change/proof.ts';
import { bytesOf, expiryText, type Trashed } from './trashed.ts';

interface TrashedChangeProps {
  readonly change: Trashed;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** What one change removed: one checkpoint, or many that can be listed; undoing the change puts all of them back. */
export function TrashedChange({ change: { receiptId, items }, open, onOpen }: TrashedChangeProps) {
  const [first] = items;
  const { undo } = useChangeDialog();
  const now = useNow(60_000);
  const label = useStoreLabel(first.store);
  const many = items.length > 1;
  const bytes = bytesOf(items);
  const listId = useId();
  return (
    <article className="activity-row trash-row" data-testid="trash-item" data-count={items.length}>
      <div className="activity-text">
        <p className="activity-line">
          {many ? <b>{plural(items.length, 'checkpoint')}</b> : <Name item={first} />}
          <span>
            of{' '}
            <Link {...taskPage(first.store, first.ref.task)} className="link">
              {showId(first.ref.task)}
            </Link>{' '}
            <span className="muted">{label}</span>
          </span>
        </p>
        {many ? <Act receiptId={receiptId} /> : <Where item={first} />}
        {many && (
          <p>
            <button
              type="button"
              className="trash-more"
              aria-expanded={open}
              aria-controls={listId}
              onClick={() => onOpen(!open)}
            >
              <Icon of={open ? ChevronDown : ChevronRight} /> {open ? 'Hide' : 'List'} them
            </button>
          </p>
        )}
      </div>
      <span className="trash-size">{bytes === undefined ? '' : formatSize(bytes)}</span>
      <time className="muted" dateTime={first.deletedAt}>
        {formatTime(first.deletedAt)}
        <span className="trash-expiry">{expiryText(first.expiresAt, now)}</span>
      </time>
      <div className="activity-undo">
        <Button
          icon={Undo2}
          onClick={() => void undo(receiptId)}
          disabledReason={first.restorable === true ? undefined : first.restorable}
        >
          {many ? `Put back ${formatCount(items.length)}` : 'Put back'}
        </Button>
      </div>
      {many && open && <Items id={listId} items={items} />}
    </article>
  );
}

/** What it was called, as everywhere; the id where nobody knows. */
function Name({ item: { ref, step } }: { readonly item: TrashItem }) {
  const shown = useShown();
  const id = showId(ref.id);
  if (step === undefined)
    return (
      <b className="data" title={id}>
        {cutMiddle(id, 32)}
      </b>
    );
  return <b title={id}>{shown(stepWords(step))}</b>;
}

/** A file that is named after its checkpoint says nothing new but where its name isn't shown. */
function Where({ item: { ref, what, step } }: { readonly item: TrashItem }) {
  const isNamed = what.startsWith(ref.id);
  if (isNamed && step === undefined) return null;
  return <p className="activity-done">{showId(isNamed || step === undefined ? what : `${ref.id}, ${what}`)}</p>;
}

/** What was done, as Activity has it. */
function Act({ receiptId }: { readonly receiptId: string }) {
  const { data: receipt } = useQuery(receiptQuery(receiptId));
  const shown = useShown();
  const act = receipt && actOf(receipt, (ref) => named(stepOfRemoved(receipt, ref), ref));
  return <p className="activity-done">{act === undefined ? '\u00a0' : shown(act)}</p>;
}

function Items({ id, items }: { readonly id: string; readonly items: readonly TrashItem[] }) {
  return (
    <ul id={id} className="trash-items" aria-label="Removed by this change">
      {items.map(({ ref, sizeBytes, step }) => (
        <li key={`${ref.task} ${ref.namespace ?? ''} ${ref.id}`}>
          <span className="data-small cut" title={showId(ref.id)}>
            {step && `${stepNumber(step)} `}
            {cutMiddle(showId(ref.id), 28)}
          </span>
          <span className="trash-size muted">{sizeBytes === undefined ? '' : formatSize(sizeBytes)}</span>
        </li>
      ))}
    </ul>
  );
}

import { taskPage } from '../../lib/address.ts';
import type { StoreInfo } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import { Check, ChevronDown, ChevronRight, Database, FileWarning, Lock, Trash2, TriangleAlert } from 'lucide-react';
import { Checkbox as Radix } from 'radix-ui';
import { useId } from 'react';
import { Badge, Button, Icon } from '../../components/index.ts';
import { formatCount, formatSize, plural, showId } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import type { Storage } from '../../lib/api.ts';
import { useChangeBlock } from '../change/index.tsx';
import { GrowthPanel } from './GrowthPanel.tsx';
import { barShare, spanText, type StoreUse, type TaskUse, type UnreadableRow } from './rows.ts';

export function StoreHead({ store }: { readonly store: StoreUse }) {
  return (
    <div className="storage-store" data-testid="storage-store">
      <Icon of={Database} />
      <h2 className="cut" title={store.location}>
        {store.label}
      </h2>
      <Badge tone="quiet">{store.system}</Badge>
      <span className="storage-keeps cut muted" title={store.retention}>
        {store.retention}
      </span>
      <span className="storage-sum">
        {plural(store.checkpoints, 'checkpoint')}, {formatSize(store.bytes)}
      </span>
    </div>
  );
}

interface TaskRowProps {
  readonly task: TaskUse;
  readonly most: number;
  readonly selected: boolean;
  readonly onSelect: (on: boolean) => void;
  readonly onTidy: () => void;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
}

/** One task; it opens to what takes the space in it. */
export function TaskRow({ task, most, selected, onSelect, onTidy, open, onOpen }: TaskRowProps) {
  const block = useChangeBlock(task.store)('delete');
  const name = showId(task.title);
  const panel = useId();
  return (
    <>
      <div className="storage-task" data-testid="storage-task" data-task={task.id}>
        <Radix.Root
          className="check"
          checked={selected}
          disabled={block !== undefined}
          onCheckedChange={(next) => onSelect(next === true)}
          aria-label={`Select ${name}`}
        >
          <Radix.Indicator>
            <Icon of={Check} size={12} />
          </Radix.Indicator>
        </Radix.Root>
        <span className="storage-open">
          <button
            type="button"
            className="storage-twisty"
            aria-label={`What takes the space in ${name}`}
            aria-expanded={open}
            aria-controls={open ? panel : undefined}
            onClick={() => onOpen(!open)}
          >
            <Icon of={open ? ChevronDown : ChevronRight} size={12} />
          </button>
          <Link {...taskPage(task.store, task.id)} className="storage-name cut" title={name}>
            {name}
          </Link>
        </span>
        <UseBar bytes={task.bytes} most={most} />
        <span className="storage-count">
          {formatCount(task.checkpoints)}
          <span className="sr-only"> {task.checkpoints === 1 ? 'checkpoint' : 'checkpoints'}</span>
        </span>
        <span className="storage-span cut muted">{spanText(task)}</span>
        <span className="storage-badges">
          {task.unreadable > 0 && (
            <Badge tone="bad" icon={TriangleAlert}>{`${formatCount(task.unreadable)} unreadable`}</Badge>
          )}
          {task.locked > 0 && <Badge tone="warn" icon={Lock}>{`${formatCount(task.locked)} locked`}</Badge>}
        </span>
        <Button size="sm" onClick={onTidy} disabledReason={block} aria-label={`Tidy up ${name}…`}>
          Tidy up…
        </Button>
      </div>
      {open && (
        <GrowthPanel
          id={panel}
          place={{ store: task.store, task: task.id }}
          name={name}
          onTidy={onTidy}
          block={block}
        />
      )}
    </>
  );
}

/** What the inspector keeps itself, beside the stores and never in them. */
export function OwnUse({ report: { journal, trash } }: { readonly report: Storage }) {
  const expired =
    trash.expired.checkpoints === 0
      ? ''
      : `, ${formatCount(trash.expired.checkpoints)} kept longer than ${trash.keepDays} days`;
  return (
    <section className="storage-own" aria-label="Kept by the inspector" data-testid="storage-own">
      <h2>Kept by the inspector</h2>
      <dl className="pairs">
        <dt>Journal</dt>
        <dd>
          {formatSize(journal.bytes)} <span className="muted">changes with their undo, bookmarks, notes, trash</span>
        </dd>
        <dt>Trash</dt>
        <dd>
          <Link to="/trash" className="link">
            <Icon of={Trash2} /> {plural(trash.checkpoints, 'checkpoint')}, {formatSize(trash.bytes)}
          </Link>
          <span className="muted">{expired}</span>
        </dd>
        <dt>Cache</dt>
        <dd>
          {formatSize(journal.cacheBytes)}{' '}
          <span className="muted">search, summaries and folders; may be deleted at any time</span>
        </dd>
        <dt>Where</dt>
        <dd className="data-small">{journal.path}</dd>
      </dl>
    </section>
  );
}

/** One row or file that cannot be read, and why. It stays where it is. */
export function Unreadable({ row, info }: { readonly row: UnreadableRow; readonly info: StoreInfo | undefined }) {
  const shown = useShown();
  const { ref, problem } = row;
  const locked = problem.code === 'locked' || problem.code === 'wrong_key';
  return (
    <div className="storage-unreadable" data-testid="storage-unreadable">
      <Icon of={locked ? Lock : FileWarning} />
      <span className="storage-what">
        <Link
          {...taskPage(row.store, ref.task)}
          search={{ cp: ref.id, ns: ref.namespace, view: 'raw' }}
          className="link data-small"
        >
          {showId(ref.id)}
        </Link>{' '}
        <span className="muted small">
          {showId(ref.task)} in {info?.label ?? row.store}
        </span>
      </span>
      <span className="storage-why">{shown(problem.message)}</span>
      <span className="storage-count">{formatSize(row.sizeBytes)}</span>
    </div>
  );
}

const WIDTH = 160;

function UseBar({ bytes, most }: { readonly bytes: number; readonly most: number }) {
  return (
    <span className="use">
      <svg className="use-bar" viewBox={`0 0 ${WIDTH} 8`} preserveAspectRatio="none" aria-hidden="true">
        <rect className="use-whole" width={WIDTH} height="8" rx="2" />
        <rect className="use-part" width={barShare(bytes, most) * WIDTH} height="8" rx="2" />
      </svg>
      <span className="use-size" title={`${bytes} bytes`}>
        {formatSize(bytes)}
      </span>
    </span>
  );
}

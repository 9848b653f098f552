import type { LineageKind, TaskOutcome } from '@checkpoint-inspector/core';
import type { LucideIcon } from 'lucide-react';
import clsx from 'clsx';
import type { ReactNode } from 'react';

/** A lucide icon in one of the three sizes of the design: 16, 14 (beside text) or 12. */
export function Icon({ of: Shape, size = 14 }: { readonly of: LucideIcon; readonly size?: 12 | 14 | 16 | 20 }) {
  return <Shape className="icon" size={size} strokeWidth={size >= 16 ? 1.9 : 2} aria-hidden="true" />;
}

export const STATUS_WORDS: Record<TaskOutcome, string> = {
  failed: 'Failed',
  check_failed: 'Check failed',
  interrupted: 'Interrupted',
  running: 'Running',
  pending: 'Pending',
  completed: 'Completed',
  unknown: 'Unknown',
};

/** Each status has a shape of its own, so that colour is never needed to tell them apart. */
const SHAPES: Record<TaskOutcome, ReactNode> = {
  completed: <path d="M5.2 8.2l2 2 3.7-4.2" />,
  failed: <path d="M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4" />,
  check_failed: <path d="M8 4.4v4.4M8 11.2v.2" />,
  running: <path d="M8 1.75a6.25 6.25 0 0 1 0 12.5z" fill="currentColor" />,
  interrupted: <path d="M6.5 5.8v4.4M9.5 5.8v4.4" />,
  pending: undefined,
  unknown: <path d="M6.4 6.3c.2-1 .9-1.4 1.7-1.4 1 0 1.7.6 1.7 1.5 0 1.3-1.7 1.3-1.7 2.7M8.1 11.2v.1" />,
};

interface StatusIconProps {
  readonly status: TaskOutcome;
  readonly size?: 14 | 16;
  /** Shows the word beside the icon; else it is only in the accessible name. */
  readonly word?: boolean;
  readonly title?: string | undefined;
}

export function StatusIcon({ status, size = 16, word = false, title }: StatusIconProps) {
  return (
    <span
      className={clsx('status', status)}
      data-status={status}
      title={title ?? (word ? undefined : STATUS_WORDS[status])}
    >
      <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.25" strokeDasharray={status === 'pending' ? '2.6 2.31' : undefined} />
        {SHAPES[status]}
      </svg>
      {word ? STATUS_WORDS[status] : <span className="sr-only">{STATUS_WORDS[status]}</span>}
    </span>
  );
}

/** How the edge to the parent is known: arrow recorded, diamond sidecar, `?` inferred. */
export const LINEAGE_WORDS: Record<LineageKind, string> = {
  recorded: 'recorded in the store',
  sidecar: "kept in the inspector's journal",
  inferred: 'inferred from save order',
  none: 'no parent',
};

export function LineageMark({ kind, word = false }: { readonly kind: LineageKind; readonly word?: boolean }) {
  if (kind === 'none') return word ? <span className="lineage">{LINEAGE_WORDS.none}</span> : null;
  return (
    <span className="lineage" title={word ? undefined : `Parent ${LINEAGE_WORDS[kind]}`}>
      <svg className="icon" width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
        {kind === 'recorded' && <path d="M6 10V2.5M3 5.2l3-3 3 3" />}
        {kind === 'sidecar' && <path d="M6 1.5L10.5 6 6 10.5 1.5 6z" />}
        {kind === 'inferred' && <path d="M4.2 4.3c.1-1.3.9-1.9 1.9-1.9s1.9.7 1.9 1.7c0 1.5-2 1.6-2 3.2M6 9.6v.1" />}
      </svg>
      {word ? LINEAGE_WORDS[kind] : <span className="sr-only">Parent {LINEAGE_WORDS[kind]}</span>}
    </span>
  );
}

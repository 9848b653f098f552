import { Check, CircleAlert, Copy } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { putOnClipboard, sayIfSecret } from './copy.ts';
import { useShown } from '../lib/masking.ts';
import { Button } from './Button.tsx';
import { Icon } from './Icon.tsx';

interface EmptyStateProps {
  /** Where nothing else is on the page or the pane: it is then in the middle, under its own heading. */
  readonly title?: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** One sentence where the first row would be: what was looked for, where, and one action. */
export function EmptyState({ title, children, action }: EmptyStateProps) {
  return (
    <div className={title === undefined ? 'empty' : 'empty whole'} data-testid="empty">
      {title !== undefined && <h2>{title}</h2>}
      <p>{children}</p>
      {action}
    </div>
  );
}

interface Described {
  readonly message: string;
  readonly code?: unknown;
  readonly remedy?: unknown;
}

interface ErrorStateProps {
  readonly error: Described;
  /** What could not be done, in words: "This state could not be read." */
  readonly title?: string;
  readonly onRetry?: (() => void) | undefined;
  readonly children?: ReactNode;
}

/** A failure in its place: message, remedy, copy of the details. */
export function ErrorState({ error, title, onRetry, children }: ErrorStateProps) {
  const shown = useShown();
  const remedy = typeof error.remedy === 'string' ? error.remedy : undefined;
  const code = typeof error.code === 'string' ? error.code : undefined;
  return (
    <div className="error-state" role="alert" data-testid="error">
      <Icon of={CircleAlert} size={16} />
      <div>
        {title !== undefined && <p className="strong">{shown(title)}</p>}
        <p>{shown(error.message)}</p>
        {remedy !== undefined && <p className="muted">{shown(remedy)}</p>}
        <div className="row-of-controls">
          {onRetry && <Button onClick={onRetry}>Try again</Button>}
          <CopyButton text={[code, error.message, remedy].filter(Boolean).join('\n')} label="Copy details" />
          {children}
        </div>
      </div>
    </div>
  );
}

interface QueryErrorProps extends Pick<ErrorStateProps, 'title' | 'children'> {
  readonly query: { readonly isError: boolean; readonly error: Error | null; readonly refetch: () => Promise<unknown> };
}

/** Why a query has no answer, with a second try; nothing where it has one. */
export function QueryError({ query: { error, refetch, isError }, ...rest }: QueryErrorProps) {
  return isError && error !== null ? <ErrorState {...rest} error={error} onRetry={() => void refetch()} /> : null;
}

/** Copies, and reports it in place. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    if (!(await putOnClipboard(text))) return;
    setCopied(true);
    sayIfSecret(text);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <Button variant="ghost" icon={copied ? Check : Copy} onClick={() => void copy()}>
      {copied ? 'Copied' : label}
    </Button>
  );
}

/** Rows of the true height, on first load only. */
export function Skeleton({ rows = 6, height = 44 }: { readonly rows?: number; readonly height?: number }) {
  return (
    <div className="skeleton" aria-hidden="true">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} style={{ height }}>
          <i style={{ width: `${38 + ((row * 23) % 40)}%` }} />
          {height >= 40 && <i style={{ width: `${54 + ((row * 17) % 32)}%` }} />}
        </div>
      ))}
    </div>
  );
}

/** The 2 px bar at the top of a pane; it appears only when the wait is felt. */
export function LoadingBar({ active }: { readonly active: boolean }) {
  return active ? <div className="loading-bar" role="progressbar" aria-label="Loading" /> : null;
}

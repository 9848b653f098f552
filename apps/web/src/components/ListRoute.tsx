import { useTitle } from '../lib/hooks.ts';
import type { ReactNode } from 'react';
import { ErrorState, LoadingBar, Skeleton } from './States.tsx';

interface ListQuery {
  readonly data: unknown;
  readonly error: Error | null;
  readonly isFetching: boolean;
  readonly refetch: () => Promise<unknown>;
}

interface ListRouteProps {
  readonly title: string;
  readonly testId: string;
  readonly query: ListQuery;
  /** What to say where it fails: "The errors could not be read." */
  readonly failed: string;
  /** Beside the title. */
  readonly said?: ReactNode;
  /** At the end of the head. */
  readonly tools?: ReactNode;
  /** Between the head and the list. */
  readonly bar?: ReactNode;
  /** Rows and their height before the first answer. */
  readonly skeleton?: readonly [rows: number, height: number];
  /** False where a look in the background isn't worth a bar. */
  readonly showsFetching?: boolean;
  readonly foot?: ReactNode;
  /** The list, or why it is empty; drawn once there is an answer. */
  readonly children: ReactNode;
}

/** The frame of a page with one list: title, error, skeleton, list, foot. What was read stays if it fails later. */
export function ListRoute({ title, testId, query, failed, skeleton = [8, 44], ...parts }: ListRouteProps) {
  const { data, error, isFetching, refetch } = query;
  const isKnown = data !== undefined;
  useTitle(title);
  return (
    <section
      className="list-page"
      aria-label={title}
      data-testid={testId}
      data-state={isKnown ? 'ready' : error === null ? 'loading' : 'error'}
    >
      <header className="list-head">
        <h1 className="page-title">{title}</h1>
        {parts.said}
        <span className="end" />
        {parts.tools}
      </header>
      {parts.bar}
      <div className="list-body">
        <LoadingBar active={isFetching && isKnown && (parts.showsFetching ?? true)} />
        {!isKnown && error === null && <Skeleton rows={skeleton[0]} height={skeleton[1]} />}
        {!isKnown && error !== null && <ErrorState title={failed} error={error} onRetry={() => void refetch()} />}
        {isKnown && parts.children}
      </div>
      {parts.foot}
    </section>
  );
}

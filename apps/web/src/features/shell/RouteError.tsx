import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { EmptyState, ErrorState, LinkButton } from '../../components/index.ts';
import { useConnection } from '../../lib/live.ts';

/** A defect of the page itself, or its code could not be fetched: the shell stays, the rest says what happened. */
export function RouteError({ error }: ErrorComponentProps) {
  const router = useRouter();
  const { state } = useConnection();
  const before = useRef(state);
  useEffect(() => {
    if (before.current === 'stale' && state === 'live') void router.invalidate();
    before.current = state;
  }, [router, state]);
  const shown = error instanceof Error ? error : new Error(String(error));
  return <ErrorState title="This view could not be drawn." error={shown} onRetry={() => void router.invalidate()} />;
}

export function NotFound() {
  return (
    <EmptyState title="Page not found" action={<LinkButton to="/tasks">All tasks</LinkButton>}>
      There is no page at this address. It may have been cut when it was copied.
    </EmptyState>
  );
}

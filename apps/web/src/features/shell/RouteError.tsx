import type { ErrorComponentProps } from '@tanstack/react-router';
import { EmptyState, ErrorState, LinkButton } from '../../components/index.ts';

/** A defect of the page itself: the shell stays, the rest says what happened. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  const shown = error instanceof Error ? error : new Error(String(error));
  return <ErrorState title="This view could not be drawn." error={shown} onRetry={reset} />;
}

export function NotFound() {
  return (
    <EmptyState title="Page not found" action={<LinkButton to="/tasks">All tasks</LinkButton>}>
      There is no page at this address. It may have been cut when it was copied.
    </EmptyState>
  );
}

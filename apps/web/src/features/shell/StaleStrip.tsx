import { formatClock } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useConnection } from '../../lib/live.ts';

/** Said under the bar while the server does not answer; the data stays. */
export function StaleStrip() {
  const connection = useConnection();
  return (
    <div role="status" aria-live="polite">
      {connection.state === 'stale' && <Strip since={connection.since} retryAt={connection.retryAt} />}
    </div>
  );
}

function Strip({ since, retryAt }: { readonly since: number; readonly retryAt: number }) {
  const now = useNow(1000);
  const seconds = Math.max(0, Math.ceil((retryAt - now) / 1000));
  return (
    <div className="stale-strip" data-testid="stale">
      <span>
        Server stopped {formatClock(new Date(since))},{' '}
        <span aria-hidden="true">{seconds === 0 ? 'trying again now' : `retrying in ${seconds} s`}</span>
      </span>
      <span className="muted">What you see was read before that.</span>
    </div>
  );
}

/** Why a change cannot be made now, for the reason of a disabled control. */
export function useStaleReason(): string | undefined {
  return useConnection().state === 'stale' ? 'The server does not answer.' : undefined;
}

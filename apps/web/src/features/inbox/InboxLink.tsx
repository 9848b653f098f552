import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { inboxQuery } from '../../lib/triage-queries.ts';

/** The way to the inbox, with how many tasks wait. */
export function InboxLink() {
  const { data } = useQuery(inboxQuery());
  const count = data?.items.length ?? 0;
  return (
    <Link to="/inbox" className="place-link" aria-label={count === 0 ? 'Inbox' : `Inbox, ${count} waiting`}>
      Inbox{count > 0 && <span className="muted"> {count}</span>}
    </Link>
  );
}

import { formatAddress, type Address } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import { Diff } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';

interface LastGoodLinkProps {
  readonly title: string;
  readonly good: Address | undefined;
  readonly failed: Address;
}

/** One click from a failure to what changed since it last went well. */
export function LastGoodLink({ title, good, failed }: LastGoodLinkProps) {
  if (good === undefined) return <span className="small muted">No good checkpoint before it</span>;
  return (
    <Link
      className="btn sm last-good"
      to="/compare"
      search={{ a: formatAddress(good), b: formatAddress(failed) }}
      aria-label={`Last good → failed, ${showId(title)}`}
      data-testid="last-good"
    >
      <Icon of={Diff} />
      Last good → failed
    </Link>
  );
}

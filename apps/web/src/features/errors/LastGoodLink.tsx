import { type Address, formatAddress, NO_LAST_GOOD, sameRef } from '@checkpoint-inspector/core';
import { Link } from '@tanstack/react-router';
import { Columns2 } from 'lucide-react';
import { Icon } from '../../components/index.ts';
import { showId } from '../../lib/format.ts';

interface LastGoodLinkProps {
  readonly title: string;
  /** The last good checkpoint, by the store's record. */
  readonly before: Address | undefined;
  readonly failed: Address;
}

export const sinceGood = (before: Address, failed: Address) => ({ a: formatAddress(before), b: formatAddress(failed) });

/** One click from a failure to what changed since it last went well. */
export function LastGoodLink({ title, before, failed }: LastGoodLinkProps) {
  if (before === undefined) return <span className="small muted">{NO_LAST_GOOD}</span>;
  if (sameRef(before, failed)) return <span className="small muted">The failed step was not saved</span>;
  return (
    <Link
      className="btn sm last-good"
      to="/compare"
      search={sinceGood(before, failed)}
      title="What changed since the last good checkpoint"
      aria-label={`Last good → failed, ${showId(title)}`}
      data-testid="last-good"
    >
      <Icon of={Columns2} />
      <span className="last-good-words">Last good → failed</span>
    </Link>
  );
}

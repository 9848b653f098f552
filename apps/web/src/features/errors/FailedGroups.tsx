import { type Address, formatAddress } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Diff } from 'lucide-react';
import { Icon, Kbd, StatusIcon } from '../../components/index.ts';
import { formatAge, plural, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { errorsQuery } from '../../lib/queries.ts';
import { coverageWords, groupCounts, groupId, groupsHeadline, isBehind, standing } from './groups.ts';
import { useShown } from '../../lib/masking.ts';
import './triage.css';

const SHOWN = 3;

/** On top of the tasks: what stands failed now, by kind. Nothing where nothing does. */
export function FailedGroups() {
  const { data } = useQuery(errorsQuery());
  const now = useNow();
  if (data === undefined) return null;
  const groups = standing(data.items);
  const overcome = data.items.length - groups.length;
  if (data.items.length === 0 && data.coverage.complete) return null;
  return (
    <section className="failed-groups" aria-label="Failed groups" data-testid="failed-groups">
      <header className="failed-groups-head">
        <h2 className="label" aria-live="polite">
          {groupsHeadline(data.items)}
        </h2>
        <span className="small muted cut">
          {isBehind(data.coverage) && `${coverageWords(data.coverage)}. `}
          {overcome > 0 && `${plural(overcome, 'other')} that tasks went on from`}
        </span>
        <Link to="/errors" className="link small end" data-testid="all-errors">
          All errors <Kbd>g e</Kbd>
        </Link>
      </header>
      <ul>
        {groups.slice(0, SHOWN).map((group) => {
          const [task] = group.tasks;
          return (
            <li key={group.key} className="failed-group" data-testid="failed-group" data-count={group.count}>
              <StatusIcon status="failed" size={14} />
              <Link to="/errors" search={{ group: groupId(group.key) }} className="failed-group-words cut">
                <GroupWords pattern={group.pattern} />
              </Link>
              <span className="small muted failed-group-count">{groupCounts(group)}</span>
              <span className="small muted failed-group-age">
                {task?.time === undefined ? '' : formatAge(task.time, now)}
              </span>
              {task && <LastGoodLink title={task.title} good={task.lastGood} failed={task.failed} />}
            </li>
          );
        })}
      </ul>
      {groups.length > SHOWN && (
        <Link to="/errors" className="link small failed-groups-more">
          {plural(groups.length - SHOWN, 'more group')}
        </Link>
      )}
    </section>
  );
}

/** A pattern with what differs set apart: `API timeout after ⟨n⟩ s`. */
export function GroupWords({ pattern }: { readonly pattern: string }) {
  const shown = useShown();
  if (pattern === '') return <span className="muted">Failed without a message</span>;
  const parts = shown(pattern).split(/(<(?:n|id|time|text|path|url|mail)>)/);
  return (
    <span className="group-words">
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <i key={index} title="Differs from one failure to the next">
            {part.slice(1, -1)}
          </i>
        ) : (
          part
        ),
      )}
    </span>
  );
}

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

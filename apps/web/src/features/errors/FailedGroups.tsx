import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { useRef } from 'react';
import { Icon, Kbd, StatusIcon } from '../../components/index.ts';
import type { ErrorGroup } from '../../lib/api.ts';
import { formatAge, formatCount, plural, showId } from '../../lib/format.ts';
import { useNow } from '../../lib/hooks.ts';
import { useShown } from '../../lib/masking.ts';
import { errorsQuery } from '../../lib/queries.ts';
import {
  coverageWords,
  groupCounts,
  groupId,
  groupsHeadline,
  isBehind,
  groupsOf,
  keptGroups,
  recoveredWords,
  standing,
  timesWords,
} from './groups.ts';
import { HourBars } from './HourBars.tsx';
import './triage.css';

const SHOWN = 3;
const NAMED = 4;

interface FailedGroupsProps {
  readonly held: boolean;
  /** Where the list below is filtered: which tasks it has. */
  readonly isListed?: ((task: string) => boolean) | undefined;
}

/** On top of the tasks: why tasks are failing now. Nothing where none is; none comes or goes while `held`. */
export function FailedGroups({ held, isListed }: FailedGroupsProps) {
  const { data } = useQuery(errorsQuery());
  const now = useNow();
  const items = isListed ? groupsOf(data?.items ?? [], isListed) : (data?.items ?? []);
  const groups = useHeld(standing(items), held);
  if (data === undefined || (items.length === 0 && (isListed !== undefined || data.coverage.complete))) return null;
  return (
    <section className="failed-groups" aria-label="Errors" data-testid="failed-groups">
      <header className="failed-group failed-groups-head">
        <h2 className="label" aria-live="polite">
          {groupsHeadline(items)}
        </h2>
        <span className="small muted cut">
          {isBehind(data.coverage) && `${coverageWords(data.coverage)}. `}
          {recoveredWords(items)}
          {/* The columns belong to the eye; each row says its figures in words. */}
        </span>
        <span className="label failed-group-hours" aria-hidden="true">
          last 24 hours
        </span>
        <Link to="/errors" className="link small failed-groups-all" data-testid="all-errors">
          All errors <Kbd>g e</Kbd>
        </Link>
      </header>
      <ul>
        {groups.slice(0, SHOWN).map((group) => (
          <li key={group.key}>
            <GroupLink group={group} now={now} />
          </li>
        ))}
      </ul>
      {groups.length > SHOWN && (
        <Link to="/errors" className="link small failed-groups-more">
          {plural(groups.length - SHOWN, 'more error')}
        </Link>
      )}
    </section>
  );
}

/** While held, the groups of the beginning in their order, with the figures of now. */
function useHeld(groups: readonly ErrorGroup[], held: boolean): readonly ErrorGroup[] {
  const before = useRef<readonly ErrorGroup[]>([]);
  const shown = held && before.current.length > 0 ? keptGroups(before.current, groups) : groups;
  before.current = shown;
  return shown;
}

function GroupLink({ group, now }: { readonly group: ErrorGroup; readonly now: number }) {
  return (
    <Link
      to="/errors"
      search={{ group: groupId(group.key) }}
      className="failed-group selectable"
      data-testid="failed-group"
      data-count={group.count}
    >
      <StatusIcon status={group.outcome ?? 'failed'} size={14} />
      <span className="failed-group-name">
        <span className="failed-group-words cut">
          <GroupWords pattern={group.pattern} />
        </span>
        <span className="small muted cut failed-group-tasks">{tasksOf(group)}</span>
      </span>
      {group.hours.length > 0 ? (
        <HourBars hours={group.hours} outcome={group.outcome} className="failed-group-hours" />
      ) : (
        <span className="failed-group-hours" />
      )}
      <span className="number failed-group-count">{groupCounts(group)}</span>
      <span className="number muted failed-group-age">
        {group.lastSeen === undefined ? '' : formatAge(group.lastSeen, now)}
      </span>
      <Icon of={ChevronRight} />
    </Link>
  );
}

/** `live-research (6 times), billing-question, 3 more`: how often, where more than once. */
function tasksOf({ tasks }: ErrorGroup): string {
  const named = tasks.slice(0, NAMED).map(({ title, count }) => {
    const times = timesWords(count);
    return times === undefined ? showId(title) : `${showId(title)} (${times})`;
  });
  const more = tasks.length - named.length;
  return [...named, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join(', ');
}

/** Numbers, ids and the like differ from one failure to the next: a muted letter stands for them. */
const LETTERS: Readonly<Record<string, string>> = {
  '<n>': 'N',
  '<id>': 'id',
  '<time>': 'time',
  '<text>': '…',
  '<path>': 'path',
  '<url>': 'URL',
  '<mail>': 'mail',
};

/** A pattern with what differs set apart: `API timeout after N s`. */
export function GroupWords({ pattern }: { readonly pattern: string }) {
  const shown = useShown();
  if (pattern === '') return <span className="muted">Failed without a message</span>;
  const parts = shown(pattern).split(/(<(?:n|id|time|text|path|url|mail)>)/);
  return (
    <span className="group-words">
      {parts.map((part, index) =>
        index % 2 === 1 ? (
          <i key={index} title="Differs from one failure to the next">
            {LETTERS[part] ?? part}
          </i>
        ) : (
          part
        ),
      )}
    </span>
  );
}

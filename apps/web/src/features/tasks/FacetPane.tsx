import { formatCount } from '../../lib/format.ts';
import { outcomeOf, type StoreInfo, type Task } from '@checkpoint-inspector/core';
import clsx from 'clsx';
import { Archive, Database, FileWarning, Folder, List, Lock, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button, Icon, LinkButton, StatusIcon } from '../../components/index.ts';
import { useMedia } from '../../lib/hooks.ts';
import type { TasksSearch } from '../../lib/search.ts';
import { isFile } from '../../lib/viewer/page.ts';
import { countBy, filterTasks, STATUS_ORDER } from './facets.ts';
import { GROUP_WORDS } from './TaskBadges.tsx';

/** Tasks come into and leave these all the time: their rows stay, so that nothing below them moves. */
const STEADY: ReadonlySet<string> = new Set(['failed', 'interrupted', 'running', 'completed']);

interface FacetPaneProps {
  readonly tasks: readonly Task[];
  /** How many archived tasks there are, listed or not. */
  readonly archived: number;
  /** Stores in which every problem is a lock. */
  readonly locked: ReadonlySet<string>;
  readonly stores: readonly StoreInfo[];
  readonly search: TasksSearch;
  readonly onChange: (change: Partial<TasksSearch>) => void;
}

function toggled(values: readonly string[] | undefined, value: string): string[] | undefined {
  const next = values?.includes(value) ? values.filter((other) => other !== value) : [...(values ?? []), value];
  return next.length === 0 ? undefined : next;
}

export function FacetPane({ tasks, archived, locked, stores, search, onChange }: FacetPaneProps) {
  const folds = useMedia('(max-width: 899px)');
  const [open, setOpen] = useState(false);
  const shown = filterTasks(tasks, search).length;
  const statuses = countBy(filterTasks(tasks, search, 'status'), outcomeOf);
  const perStore = countBy(filterTasks(tasks, search, 'store'), (task) => task.store);
  const troubled = filterTasks(tasks, search, 'problem').filter((task) => task.unreadable > 0);
  const onlyLocked = troubled.length > 0 && troubled.every((task) => locked.has(task.store));
  const none = !search.status && !search.store && !search.problem;
  return (
    <aside className="pane side facets" aria-label="Filters">
      <div className="pane-head">
        <h2>Filter</h2>
        <span className="muted">
          {formatCount(shown)} of {formatCount(tasks.length)}
        </span>
        {folds && (
          <Button className="end" size="sm" variant="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? 'Hide filters' : 'Show filters'}
          </Button>
        )}
      </div>
      <div className="pane-body" hidden={folds && !open}>
        <div className="facet-group">
          <Facet
            on={none}
            count={tasks.length}
            icon={<Icon of={List} />}
            label="All tasks"
            onClick={() => onChange({ status: undefined, store: undefined, problem: undefined })}
          />
        </div>
        <FacetGroup title="Status">
          {STATUS_ORDER.filter(
            (status) => STEADY.has(status) || statuses.has(status) || search.status?.includes(status),
          ).map((status) => (
            <Facet
              key={status}
              on={search.status?.includes(status) ?? false}
              count={statuses.get(status) ?? 0}
              icon={
                <span className="facet-icon" aria-hidden="true">
                  <StatusIcon status={status} size={14} />
                </span>
              }
              label={GROUP_WORDS[status]}
              onClick={() => onChange({ status: toggled(search.status, status) })}
            />
          ))}
        </FacetGroup>
        <FacetGroup title="Store">
          {stores.map((store) => (
            <Facet
              key={store.id}
              on={search.store?.includes(store.id) ?? false}
              count={perStore.get(store.id) ?? 0}
              icon={<StoreIcon location={store.location ?? store.label} />}
              label={store.label}
              title={store.location}
              onClick={() => onChange({ store: toggled(search.store, store.id) })}
            />
          ))}
        </FacetGroup>
        {(troubled.length > 0 || search.problem) && (
          <FacetGroup title="Problem">
            <Facet
              on={search.problem !== undefined}
              count={troubled.length}
              icon={<Icon of={onlyLocked ? Lock : FileWarning} />}
              label={onlyLocked ? 'Locked rows' : 'Unreadable rows'}
              onClick={() => onChange({ problem: search.problem ? undefined : 'unreadable' })}
            />
          </FacetGroup>
        )}
        {archived > 0 && (
          <FacetGroup title="Archive">
            <ArchivedFacet
              on={search.archived !== undefined}
              count={archived}
              onToggle={(on) => onChange({ archived: on ? '1' : undefined })}
            />
          </FacetGroup>
        )}
      </div>
      {!isFile() && (
        <div className="pane-foot facets-foot">
          <LinkButton to="/stores" icon={Plus}>
            Open store
          </LinkButton>
        </div>
      )}
    </aside>
  );
}

function FacetGroup({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <>
      <h3 className="group-head">{title}</h3>
      <div className="facet-group">{children}</div>
    </>
  );
}

/** A file or a folder, by how the place is written. */
export function StoreIcon({ location }: { readonly location: string }) {
  // What only begins with a dot is a folder.
  const isDatabase = /[^/]\.[a-z0-9]+$|:\/\//i.test(location);
  return <Icon of={isDatabase ? Database : Folder} />;
}

interface ArchivedFacetProps extends Pick<FacetProps, 'on' | 'count'> {
  readonly onToggle: (on: boolean) => void;
}

/** Archived tasks are left out of every list until this is on. */
export function ArchivedFacet({ on, count, onToggle }: ArchivedFacetProps) {
  return (
    <button
      type="button"
      className={clsx('facet selectable', on && 'selected')}
      aria-pressed={on}
      onClick={() => onToggle(!on)}
      data-testid="show-archived"
    >
      <Icon of={Archive} />
      <span className="cut">Show archived ({formatCount(count)})</span>
    </button>
  );
}

interface FacetProps {
  readonly on: boolean;
  readonly count: number;
  readonly icon: ReactNode;
  readonly label: string;
  readonly title?: string | undefined;
  readonly onClick: () => void;
}

function Facet({ on, count, icon, label, title, onClick }: FacetProps) {
  return (
    <button
      type="button"
      className={clsx('facet selectable', on && 'selected')}
      aria-pressed={on}
      title={title}
      onClick={onClick}
    >
      {icon}
      <span className="cut">{label}</span>
      <span className="facet-count">{formatCount(count)}</span>
    </button>
  );
}

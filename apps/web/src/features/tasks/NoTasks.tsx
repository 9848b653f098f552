import type { StoreInfo, Task } from '@checkpoint-inspector/core';
import { Button, EmptyState, LinkButton } from '../../components/index.ts';
import { formatCount } from '../../lib/format.ts';
import type { TasksSearch } from '../../lib/search.ts';
import { type FacetName, removedBy } from './facets.ts';

const FACET_WORDS: Record<FacetName, string> = { status: 'status', store: 'store', problem: 'problem' };

interface NoTasksProps {
  readonly all: readonly Task[];
  readonly archived: number;
  readonly search: TasksSearch;
  readonly stores: readonly StoreInfo[];
  /** Stores that have tasks, or could not be read; absent where not all tasks are known. */
  readonly filled: readonly string[] | undefined;
  readonly onChange: (change: Partial<TasksSearch>) => void;
}

/** Three different empties: no store, nothing saved yet, all filtered away. */
export function NoTasks({ all, archived, search, stores, filled, onChange }: NoTasksProps) {
  if (all.length === 0 && archived > 0) {
    return (
      <EmptyState action={<Button onClick={() => onChange({ archived: '1' })}>Show archived ({archived})</Button>}>
        {archived === 1 ? 'The only task here is archived.' : `All ${formatCount(archived)} tasks here are archived.`}
      </EmptyState>
    );
  }
  if (all.length === 0 && search.q !== undefined) {
    return (
      <EmptyState action={<Button onClick={() => onChange({ q: undefined })}>Clear the text</Button>}>
        No task has “{search.q}” in its name or id.
      </EmptyState>
    );
  }
  if (all.length === 0) {
    return (
      <EmptyState action={<LinkButton to="/stores">Open a store</LinkButton>}>
        {stores.length === 0
          ? 'No store is open. Open a SQLite file or a folder of checkpoints.'
          : 'The open stores have no checkpoints yet. The first one appears here as soon as it is saved.'}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      action={
        <span className="row-of-controls">
          {removedBy(all, search).map(({ facet, count }) => (
            <Button key={facet} onClick={() => onChange({ [facet]: undefined })}>
              Clear {FACET_WORDS[facet]} ({formatCount(count)} hidden)
            </Button>
          ))}
        </span>
      }
    >
      {emptyStores(search, stores, filled) ?? 'No tasks match these filters.'}
    </EmptyState>
  );
}

/** Said where the stores that are chosen hold nothing at all. */
export function emptyStores(
  { store: chosen = [], q }: Pick<TasksSearch, 'store' | 'q'>,
  stores: readonly Pick<StoreInfo, 'id' | 'label'>[],
  filled: readonly string[] | undefined,
): string | undefined {
  if (chosen.length === 0 || q !== undefined || filled === undefined) return undefined;
  const [first, ...more] = stores.filter(({ id }) => chosen.includes(id));
  if (first === undefined || chosen.some((id) => filled.includes(id))) return undefined;
  return more.length > 0 ? 'The chosen stores have no checkpoints yet.' : `${first.label} has no checkpoints yet.`;
}

import { InspectorError, nearest } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { EmptyState, LinkButton } from '../../components/index.ts';
import { taskPage } from '../../lib/address.ts';
import { showId } from '../../lib/format.ts';
import { useShown } from '../../lib/masking.ts';
import { storesQuery, taskQuery, tasksQuery } from '../../lib/queries.ts';

/**
 * Whether the store or the task of the address is missing: nothing can be listed beside that. Asking again, as after
 * each save in the store, changes nothing until there is another answer.
 */
export function useMissing(store: string, task: string, isEmpty: boolean): boolean {
  const stores = useQuery(storesQuery()).data;
  const isOpen = stores?.some(({ id }) => id === store) ?? true;
  const { isSuccess, error } = useQuery({ ...taskQuery(store, task), enabled: isEmpty && isOpen, retryOnMount: false });
  const known = useRef({ place: '', isMissing: false });
  const place = `${store}/${task}`;
  if (known.current.place !== place || isSuccess) known.current = { place, isMissing: false };
  if (InspectorError.is(error) && error.code === 'not_found') known.current = { place, isMissing: true };
  return isEmpty && (!isOpen || known.current.isMissing);
}

interface PlaceProps {
  readonly store: string;
  readonly task: string;
}

/** In place of the panes of a task: its store is not open, or has no such task. */
export function MissingTask({ store, task }: PlaceProps) {
  const label = useQuery(storesQuery()).data?.find(({ id }) => id === store)?.label;
  return (
    <section className="pane" aria-label="Checkpoint" data-testid="missing-task">
      {label === undefined ? (
        <EmptyState
          title="This store is not open"
          action={
            <span className="row-of-controls">
              <LinkButton to="/stores">Open a store</LinkButton>
              <LinkButton to="/tasks">All tasks</LinkButton>
            </span>
          }
        >
          No store named “{showId(store)}” is open. The link may come from another machine, or the store was closed.
        </EmptyState>
      ) : (
        <EmptyState title="This task is not here" action={<LinkButton to="/tasks">All tasks</LinkButton>}>
          No task named “{showId(task)}” in {label}.
          <NearTask store={store} task={task} />
        </EmptyState>
      )}
    </section>
  );
}

/** In place of a checkpoint, while nothing is saved in the task. */
export function EmptyTask({ store, task, failed }: PlaceProps & { readonly failed: boolean }) {
  const shown = useShown();
  const { data } = useQuery(taskQuery(store, task));
  // The history says why it could not be read.
  if (failed) return <EmptyState>Without its history no checkpoint of this task can be shown.</EmptyState>;
  return (
    <EmptyState>
      {data?.latestNote === undefined ? 'Nothing is saved in this task yet.' : shown(data.latestNote)}
    </EmptyState>
  );
}

/** The task of the store whose name is closest. */
function NearTask({ store, task }: PlaceProps) {
  const tasks = useQuery(tasksQuery()).data?.items.filter((one) => one.store === store) ?? [];
  const id = nearest(
    task,
    tasks.map((one) => one.id),
    Math.ceil(task.length / 2),
  );
  if (id === undefined) return null;
  return (
    <>
      {' '}
      Did you mean{' '}
      <Link {...taskPage(store, id)} search={{}} className="link">
        {showId(id)}
      </Link>
      ?
    </>
  );
}

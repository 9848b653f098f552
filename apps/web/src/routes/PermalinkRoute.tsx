import { checkpointPage, refOf } from '../lib/address.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { ErrorState, LinkButton, LoadingBar } from '../components/index.ts';
import { Gone } from '../features/gone/Gone.tsx';
import { formatCount, showId } from '../lib/format.ts';
import { useTitle } from '../lib/hooks.ts';
import { findQuery } from '../lib/queries.ts';

const route = getRouteApi('/c/$store/$checkpoint');

/** A short link: leads to the checkpoint, or shows which ones it may mean. */
export function PermalinkRoute() {
  const { store, checkpoint } = route.useParams();
  const found = useQuery(findQuery(store, checkpoint));
  useTitle(`Checkpoint ${showId(checkpoint)}`);
  if (found.isError) {
    return (
      <ErrorState error={found.error} onRetry={() => void found.refetch()}>
        <LinkButton to="/tasks">All tasks</LinkButton>
      </ErrorState>
    );
  }
  if (found.data === undefined) return <LoadingBar active />;
  const [first, ...others] = found.data;
  if (first === undefined) {
    return (
      <Gone store={store} id={checkpoint}>
        <LinkButton to="/tasks">All tasks</LinkButton>
      </Gone>
    );
  }
  if (others.length === 0) return <Navigate {...checkpointPage(store, refOf(first))} replace />;
  return (
    <div className="page">
      <h1 className="page-title">{formatCount(found.data.length)} checkpoints have this id</h1>
      <ul className="plain-list">
        {found.data.map((row) => (
          <li key={`${row.taskId} ${row.namespace ?? ''}`}>
            <Link className="link" {...checkpointPage(store, refOf(row))}>
              {showId(row.taskId)}
              {row.namespace ? `, namespace ${row.namespace}` : ''}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

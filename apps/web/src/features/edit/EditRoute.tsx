import type { CheckpointMeta } from '@checkpoint-inspector/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { EmptyState, ErrorState, LoadingBar, Skeleton } from '../../components/index.ts';
import { toAddress } from '../../lib/address.ts';
import { showId } from '../../lib/format.ts';
import { useTitle } from '../../lib/hooks.ts';
import { checkpointQuery } from '../../lib/queries.ts';
import { useBesideAt } from '../beside/ErrorNote.tsx';
import { useChangeBlock } from '../change/index.tsx';
import { EditScreen } from './EditScreen.tsx';
import { useEdit } from './use-edit.ts';
import './edit.css';

const route = getRouteApi('/t/$store/$task/edit');

/** Edit a state, then fork: the original stays as it is. */
export function EditRoute() {
  const { store, task } = route.useParams();
  const { cp, ns } = route.useSearch();
  useTitle(`Edit ${showId(task)}`);
  const at = toAddress(store, { task, id: cp ?? '', ...(ns === undefined ? {} : { namespace: ns }) });
  const meta = useQuery({ ...checkpointQuery(at), enabled: cp !== undefined });
  const refused = useBesideAt(cp === undefined ? undefined : at)?.refused.edit;
  const blocked = useChangeBlock(store)('edit') ?? refused;
  const back = (
    <Link className="btn" to="/t/$store/$task" params={{ store, task }} search={{ cp, ns }}>
      Back to the checkpoint
    </Link>
  );
  if (cp === undefined) return <EmptyState action={back}>No checkpoint is named that could be edited.</EmptyState>;
  if (meta.isError) {
    return (
      <ErrorState error={meta.error} title="This checkpoint could not be read.">
        {back}
      </ErrorState>
    );
  }
  if (blocked !== undefined) return <EmptyState action={back}>It cannot be edited here: {blocked}</EmptyState>;
  if (meta.data === undefined) return <Skeleton rows={12} />;
  return <Loaded key={`${meta.data.revision ?? ''} ${meta.data.id}`} meta={meta.data} back={back} />;
}

function Loaded({ meta, back }: { readonly meta: CheckpointMeta; readonly back: React.ReactNode }) {
  const edit = useEdit(meta);
  if (meta.problem !== undefined)
    return <EmptyState action={back}>Its state cannot be read: {meta.problem.message}</EmptyState>;
  if (edit.large) {
    return (
      <EmptyState action={back}>
        This state is too large to edit in a page. The command edits it: checkpoint-inspector edit, with --set for
        single values.
      </EmptyState>
    );
  }
  if (edit.state.isError) {
    return (
      <ErrorState error={edit.state.error} title="The state could not be read.">
        {back}
      </ErrorState>
    );
  }
  if (edit.original === undefined) {
    return (
      <>
        <LoadingBar active />
        <Skeleton rows={12} height={24} />
      </>
    );
  }
  return <EditScreen meta={meta} edit={edit} back={back} />;
}

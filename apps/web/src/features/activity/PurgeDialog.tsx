import { InspectorError } from '@checkpoint-inspector/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { ErrorState, LoadingBar, QueryError, showToast } from '../../components/index.ts';
import { api, type PurgePlan } from '../../lib/api.ts';
import { formatCount, formatSize, formatTime, plural, showId } from '../../lib/format.ts';
import { refresh } from '../../lib/refresh.ts';
import { StoreLabel } from '../stores/StoreLabel.tsx';
import { ConfirmDialog } from '../change/ConfirmDialog.tsx';

interface PurgeDialogProps {
  /** Only what is kept longer than was set, or all of it. */
  readonly expired: boolean;
  readonly onClose: () => void;
}

/** Empties the trash of exactly what is shown. It is the one thing here that cannot be undone, and the dialog warns of it. */
export function PurgeDialog({ expired, onClose }: PurgeDialogProps) {
  const client = useQueryClient();
  const plan = useQuery({
    queryKey: ['purge-plan', expired],
    queryFn: () => api.planPurge(expired ? { expired } : {}),
    gcTime: 0,
    retry: false,
  });
  const purge = useMutation({
    mutationFn: (planId: string) => api.purge(planId),
    onSuccess: async (purged) => {
      onClose();
      showToast({ title: `Purged ${plural(purged.checkpoints, 'checkpoint')}, ${formatSize(purged.bytes)}.` });
      await refresh(client);
    },
  });
  const { data } = plan;
  const ready = data !== undefined && data.changes.length > 0 && !purge.isPending && !purge.isError;
  return (
    <ConfirmDialog
      title={expired ? 'Purge expired' : 'Empty the trash'}
      description="Purged checkpoints are deleted permanently, and their changes can no longer be undone."
      testId="purge-dialog"
      phase={purge.isPending ? 'applying' : data === undefined ? 'computing' : 'ready'}
      promise="This can't be undone. Checkpoints in stores are not affected."
      promiseIcon={CircleAlert}
      applying={purge.isPending}
      label={purge.isPending ? 'Purging…' : `Purge ${formatCount(data?.checkpoints ?? 0)}`}
      reason={ready ? undefined : 'There is nothing to purge.'}
      onClose={onClose}
      onConfirm={() => (ready ? purge.mutate(data.id) : undefined)}
    >
      <LoadingBar active={plan.isFetching} />
      <QueryError query={plan} />
      {purge.isError && (
        <ErrorState
          title="Nothing was purged."
          error={InspectorError.from(purge.error)}
          onRetry={() => {
            purge.reset();
            void plan.refetch();
          }}
        />
      )}
      {data !== undefined && <Changes plan={data} />}
    </ConfirmDialog>
  );
}

function Changes({ plan }: { readonly plan: PurgePlan }) {
  return (
    <>
      <p className="purge-sum" role="status">
        {plural(plan.checkpoints, 'checkpoint')} of {plural(plan.changes.length, 'change')}, {formatSize(plan.bytes)}
      </p>
      <ul className="purge-list" aria-label="Changes that cannot be undone afterwards">
        {plan.changes.map((change) => (
          <li key={change.receiptId}>
            <span className="cut strong">{showId(change.task)}</span>
            <span className="cut muted">
              <StoreLabel id={change.store} />
            </span>
            <span>{plural(change.checkpoints, 'checkpoint')}</span>
            <span className="trash-size">{formatSize(change.bytes)}</span>
            <time className="muted" dateTime={change.deletedAt}>
              {formatTime(change.deletedAt)}
            </time>
          </li>
        ))}
      </ul>
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Trash2, TriangleAlert } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../../components/Button.tsx';
import { Icon } from '../../components/Icon.tsx';
import { EmptyState, ErrorState, LoadingBar, Skeleton } from '../../components/States.tsx';
import { VirtualList } from '../../components/VirtualList.tsx';
import { formatSize, plural } from '../../lib/format.ts';
import { useTitle } from '../../lib/hooks.ts';
import { storageQuery, storesQuery } from '../../lib/queries.ts';
import type { Storage } from '../../lib/wire.ts';
import { useChangeDialog } from '../change/index.tsx';
import type { PruneTarget } from '../prune/use-prune.ts';
import { mostBytes, storageRows, type StorageRow } from './rows.ts';
import { OwnUse, StoreHead, TaskRow, Unreadable } from './StorageRows.tsx';
import './storage.css';

/** What stores, journal and trash take up, what cannot be read, and the way to less. */
export function StorageRoute() {
  const { data, error, isFetching, isPending, refetch } = useQuery(storageQuery());
  useTitle('Storage');
  return (
    <section
      className="storage"
      aria-label="Storage"
      data-testid="storage"
      data-state={isPending ? 'loading' : error !== null && data === undefined ? 'error' : 'ready'}
    >
      <LoadingBar active={isFetching && data !== undefined} />
      {isPending && (
        <>
          <Head />
          <Skeleton rows={10} height={28} />
        </>
      )}
      {error !== null && data === undefined && (
        <ErrorState error={error} title="What the stores take up could not be read." onRetry={() => void refetch()} />
      )}
      {data !== undefined && <Report report={data} />}
    </section>
  );
}

function Head({ report, children }: { readonly report?: Storage; readonly children?: ReactNode }) {
  const bytes = report?.stores.reduce((sum, store) => sum + store.bytes, 0) ?? 0;
  const checkpoints = report?.stores.reduce((sum, store) => sum + store.checkpoints, 0) ?? 0;
  return (
    <header className="storage-head">
      <h1>Storage</h1>
      {report !== undefined && (
        <span className="muted">
          {plural(checkpoints, 'checkpoint')}, {formatSize(bytes)} in {plural(report.stores.length, 'store')}
        </span>
      )}
      <span className="end" />
      {children}
      <Link to="/trash" className="btn">
        <Icon of={Trash2} />
        Trash
      </Link>
    </header>
  );
}

const keyOf = ({ store, task }: PruneTarget): string => JSON.stringify([store, task]);

function Report({ report }: { readonly report: Storage }) {
  const { openPrune } = useChangeDialog();
  const { data: stores } = useQuery(storesQuery());
  const [selected, setSelected] = useState<ReadonlyMap<string, PruneTarget>>(new Map());
  const rows = useMemo(() => storageRows(report), [report]);
  const most = useMemo(() => mostBytes(report), [report]);
  const select = (target: PruneTarget, on: boolean): void => {
    const next = new Map(selected);
    if (on) next.set(keyOf(target), target);
    else next.delete(keyOf(target));
    setSelected(next);
  };
  const render = (row: StorageRow) => {
    switch (row.kind) {
      case 'store':
        return <StoreHead store={row.store} />;
      case 'task': {
        const target = { store: row.task.store, task: row.task.id };
        return (
          <TaskRow
            task={row.task}
            most={most}
            selected={selected.has(keyOf(target))}
            onSelect={(on) => select(target, on)}
            onTidy={() => openPrune([target])}
          />
        );
      }
      case 'own':
        return <OwnUse report={row.report} />;
      case 'head':
        return (
          <div className="storage-section">
            <h2>{row.title}</h2> <span className="muted">{row.note}</span>
          </div>
        );
      case 'unreadable':
        return <Unreadable row={row.row} info={stores?.find((info) => info.id === row.row.store)} />;
    }
  };
  return (
    <>
      <Head report={report}>
        <Button
          onClick={() => openPrune([...selected.values()], () => setSelected(new Map()))}
          disabledReason={selected.size === 0 ? 'Select tasks in the list first.' : undefined}
        >
          Tidy up {selected.size === 0 ? 'selected' : plural(selected.size, 'task')}…
        </Button>
      </Head>
      {report.failures.map(({ store, error }) => (
        <p key={store} className="storage-failure" role="alert">
          <Icon of={TriangleAlert} />
          <span>
            {store} could not be read: {error.message}
          </span>
        </p>
      ))}
      {report.stores.length === 0 && report.failures.length === 0 && (
        <EmptyState
          action={
            <Link to="/stores" className="btn">
              Open a store
            </Link>
          }
        >
          No store is open, so there is nothing to measure.
        </EmptyState>
      )}
      <div className="storage-task storage-cols" aria-hidden="true">
        <span />
        <span>Task</span>
        <span className="use">
          <span />
          <span>Size</span>
        </span>
        <span>Checkpoints</span>
        <span>Oldest to newest</span>
      </div>
      <VirtualList
        items={rows}
        keyOf={(row) => row.key}
        heightOf={(row) => (row.kind === 'own' ? 168 : row.kind === 'task' ? 32 : 40)}
        measured
        role="list"
        label="Use of storage, most first"
        className="storage-list"
        render={render}
      />
    </>
  );
}
